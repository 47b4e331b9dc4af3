/* tests/support/verb_case.h: one of our programs in a process of its own, with what it prints. */
#pragma once

enum { SL_VERB_CASE_BYTES = 1 << 20, SL_VERB_CASE_WORDS = 40, SL_VERB_CASE_PATIENCE_MS = 60000 };

struct sl_verb_case {
    int (*program)(int argc, char **argv); /* gives the exit code */
    const char *name;                      /* argv[0] */
    const char *input;                     /* standard input; NULL: it is empty */
    void (*prepare)(void);                 /* done in the process first; may be NULL */
    void (*meanwhile)(void);               /* called until it has ended; may be NULL */
    const char *awaited;                   /* once the next command has printed it, */
    int signal;                            /* it gets this; NULL: it gets none */
    int code;                              /* what came of the last command: its exit code, and */
    char out[SL_VERB_CASE_BYTES];          /* what it printed on stdout and on stderr, terminated */
    char err[SL_VERB_CASE_BYTES];
};

/* Each test program has one: it is too large for a stack. */
extern struct sl_verb_case sl_verb_case;

/* Runs it to its end and returns its exit code; the words end with NULL. A command that is killed
 * by a signal, or that takes a minute, fails the test. */
int sl_verb_case_run(const char *first, ...);
#define SAY(...) sl_verb_case_run(__VA_ARGS__, (const char *)NULL)

/* For `meanwhile`: the command that runs gets the signal. */
void sl_verb_case_send(int number);

/* Fails unless stdout (stderr) of the last command has the text; the second unless it has not. */
void sl_verb_case_printed(const char *text);
void sl_verb_case_printed_not(const char *text);
void sl_verb_case_complained(const char *text);
/* Fails unless the last command exited with it; what it printed is said. */
void sl_verb_case_exited(int code);
