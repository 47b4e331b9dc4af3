/* tests/support/cli_case.h: `sme2lab WORD...` in a process of its own, with what it prints. */
#pragma once

#include <stdint.h>

struct sl_http_case;
struct sl_run_record;

enum { SL_CLI_CASE_BYTES = 1 << 20, SL_CLI_CASE_WORDS = 32 };

struct sl_cli_case {
    struct sl_http_case *server; /* answers meanwhile; NULL: no daemon is named */
    const char *input;           /* standard input; NULL: it is empty */
    int code;                    /* what came of the last command: its exit code, and */
    char out[SL_CLI_CASE_BYTES]; /* what it printed on stdout and on stderr, terminated */
    char err[SL_CLI_CASE_BYTES];
};

/* There is one at a time: it is too large for a stack. */
extern struct sl_cli_case sl_cli_case;

/* Puts an ended job and a run of it into the store of the server, and a copy of the files below
 * `folder` (NULL: a log alone) into the run's directory. Returns the run's number. */
uint64_t sl_cli_case_add_run(const struct sl_run_record *run, const char *folder);

/* Runs it to its end and returns its exit code; the words end with NULL. A command that is killed
 * fails the test. HOME and XDG_STATE_HOME are a fresh folder of the test program. */
int sl_cli_case_run(const char *first, ...);
#define SAY(...) sl_cli_case_run(__VA_ARGS__, NULL)

/* Fails unless stdout (stderr) of the last command has the text; the second unless it has not. */
void sl_cli_case_printed(const char *text);
void sl_cli_case_printed_not(const char *text);
void sl_cli_case_complained(const char *text);
/* Fails unless the last command exited with it; what it printed is said. */
void sl_cli_case_exited(int code);

/* For TEST_GROUP: a server (http_case.h) that all tests of the program ask, and its end. */
int sl_cli_case_open(void **state);
int sl_cli_case_close(void **state);
