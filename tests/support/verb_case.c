/* tests/support/verb_case.c */
#include "tests/support/verb_case.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/test.h"

/* A build that counts lines has it. */
extern int __llvm_profile_write_file(void) __attribute__((weak));

struct sl_verb_case sl_verb_case;
static pid_t child; /* the command that runs */

static FILE *scratch(const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    if (text)
        assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    rewind(file);
    return file;
}

static void read_all(FILE *file, char out[SL_VERB_CASE_BYTES])
{
    rewind(file);
    size_t len = fread(out, 1, SL_VERB_CASE_BYTES - 1, file);
    assert_true(len < SL_VERB_CASE_BYTES - 1);
    out[len] = '\0';
    fclose(file);
}

/* In the child: the program, with the three files as its own. */
static void be_program(int argc, char **argv, FILE *const files[3])
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE}; /* which cmocka catches */
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        signal(faults[i], SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    alarm(SL_VERB_CASE_PATIENCE_MS / 1000 + 5); /* ends it where nobody is left to kill it */
    for (int i = 0; i < 3; i++)
        dup2(fileno(files[i]), i);
    if (sl_verb_case.prepare)
        sl_verb_case.prepare();
    int code = sl_verb_case.program(argc, argv);
    fflush(NULL);
    if (__llvm_profile_write_file)
        __llvm_profile_write_file();
    _exit(code); /* exit() would join threads of libuv that only the parent has */
}

/* Is the text among what the command has printed so far? */
static bool has_printed(FILE *const files[3], const char *text)
{
    for (int i = 1; i < 3; i++) {
        ssize_t len = pread(fileno(files[i]), sl_verb_case.out, SL_VERB_CASE_BYTES - 1, 0);
        sl_verb_case.out[len > 0 ? len : 0] = '\0';
        if (strstr(sl_verb_case.out, text))
            return true;
    }
    return false;
}

void sl_verb_case_send(int number)
{
    kill(child, number);
}

static void send_signal(FILE *const files[3])
{
    if (!sl_verb_case.awaited || !has_printed(files, sl_verb_case.awaited))
        return;
    sl_verb_case.awaited = NULL;
    sl_verb_case_send(sl_verb_case.signal);
}

static int wait_for(FILE *const files[3])
{
    const struct timespec nap = {.tv_nsec = 1000000};
    int status = 0;
    const uint64_t end_ns = sl_clock_ns() + SL_VERB_CASE_PATIENCE_MS * UINT64_C(1000000);
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sl_clock_ns() > end_ns) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
        if (sl_verb_case.meanwhile)
            sl_verb_case.meanwhile();
        send_signal(files);
        nanosleep(&nap, NULL);
    }
    return status;
}

int sl_verb_case_run(const char *first, ...)
{
    char *argv[SL_VERB_CASE_WORDS] = {(char *)(uintptr_t)sl_verb_case.name};
    FILE *const files[3] = {scratch(sl_verb_case.input), scratch(NULL), scratch(NULL)};
    int argc = 1;
    va_list words;
    va_start(words, first);
    for (const char *word = first; word; word = va_arg(words, const char *)) {
        assert_true(argc < SL_VERB_CASE_WORDS - 1);
        argv[argc++] = (char *)(uintptr_t)word;
    }
    va_end(words);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_program(argc, argv, files);
    int status = wait_for(files);
    fclose(files[0]);
    read_all(files[1], sl_verb_case.out);
    read_all(files[2], sl_verb_case.err);
    if (!WIFEXITED(status))
        fail_msg("%s: killed by signal %d: %s%s", first, WTERMSIG(status), sl_verb_case.out,
                 sl_verb_case.err);
    sl_verb_case.code = WEXITSTATUS(status);
    return sl_verb_case.code;
}

void sl_verb_case_printed(const char *text)
{
    if (!strstr(sl_verb_case.out, text))
        fail_msg("no '%s' in: %s\nand on stderr: %s", text, sl_verb_case.out, sl_verb_case.err);
}

void sl_verb_case_printed_not(const char *text)
{
    if (strstr(sl_verb_case.out, text))
        fail_msg("'%s' in: %s", text, sl_verb_case.out);
}

void sl_verb_case_complained(const char *text)
{
    if (!strstr(sl_verb_case.err, text))
        fail_msg("no '%s' on stderr: %s\nand on stdout: %s", text, sl_verb_case.err,
                 sl_verb_case.out);
}

void sl_verb_case_exited(int code)
{
    if (sl_verb_case.code != code)
        fail_msg("exit code %d, not %d: %s%s", sl_verb_case.code, code, sl_verb_case.out,
                 sl_verb_case.err);
}
