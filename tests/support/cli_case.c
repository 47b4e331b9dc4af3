/* tests/support/cli_case.c */
#include "tests/support/cli_case.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "host/cli/cli.h"
#include "host/store/store.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"

/* Where the build counts lines. */
extern int __llvm_profile_write_file(void) __attribute__((weak));

struct sl_cli_case sl_cli_case;

static struct sl_http_case bench;
static char home[64];

static FILE *scratch(const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    if (text)
        assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    rewind(file);
    return file;
}

static void read_all(FILE *file, char out[SL_CLI_CASE_BYTES])
{
    rewind(file);
    size_t len = fread(out, 1, SL_CLI_CASE_BYTES - 1, file);
    assert_true(len < SL_CLI_CASE_BYTES - 1);
    out[len] = '\0';
    fclose(file);
}

static void make_home(void)
{
    if (home[0] == '\0') {
        snprintf(home, sizeof(home), "/tmp/sl-home-XXXXXX");
        assert_non_null(mkdtemp(home));
    }
    setenv("HOME", home, 1);
    setenv("XDG_STATE_HOME", home, 1);
    setenv("TMPDIR", home, 1);
    setenv("LC_ALL", "C", 1);
    unsetenv("SME2LAB_STATE");
    unsetenv("SME2LAB_TOKEN_FILE");
}

/* In the child: the program, with the three files as its own. */
static void be_program(char **argv, int argc, FILE *const files[3])
{
    char address[128];
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE}; /* which cmocka catches */
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        signal(faults[i], SIG_DFL);
    for (int i = 0; i < 3; i++)
        dup2(fileno(files[i]), i);
    if (sl_cli_case.server) {
        snprintf(address, sizeof(address), "unix:%s", sl_cli_case.server->socket);
        setenv("SME2LAB_SERVER", address, 1);
    } else {
        unsetenv("SME2LAB_SERVER");
    }
    int code = sl_cli_main(argc, argv, sl_verbs);
    fflush(NULL);
    if (__llvm_profile_write_file)
        __llvm_profile_write_file();
    _exit(code); /* exit() would join threads of libuv that only the parent has */
}

static int wait_for(pid_t child)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    int status = 0;
    for (unsigned left_ms = SL_CASE_PATIENCE_MS; waitpid(child, &status, WNOHANG) == 0; left_ms--) {
        if (left_ms == 0) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
        if (sl_cli_case.server)
            uv_run(&sl_cli_case.server->loop, UV_RUN_NOWAIT);
        nanosleep(&nap, NULL);
    }
    return status;
}

int sl_cli_case_run(const char *first, ...)
{
    char *argv[SL_CLI_CASE_WORDS] = {(char *)"sme2lab"};
    FILE *const files[3] = {scratch(sl_cli_case.input), scratch(NULL), scratch(NULL)};
    int argc = 1;
    va_list words;
    va_start(words, first);
    for (const char *word = first; word; word = va_arg(words, const char *)) {
        assert_true(argc < SL_CLI_CASE_WORDS - 1);
        argv[argc++] = (char *)(uintptr_t)word;
    }
    va_end(words);
    make_home();
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_program(argv, argc, files);
    int status = wait_for(child);
    fclose(files[0]);
    read_all(files[1], sl_cli_case.out);
    read_all(files[2], sl_cli_case.err);
    if (!WIFEXITED(status))
        fail_msg("%s: killed by signal %d: %s%s", first, WTERMSIG(status), sl_cli_case.out,
                 sl_cli_case.err);
    sl_cli_case.code = WEXITSTATUS(status);
    return sl_cli_case.code;
}

void sl_cli_case_printed(const char *text)
{
    if (!strstr(sl_cli_case.out, text))
        fail_msg("no '%s' in: %s\nand on stderr: %s", text, sl_cli_case.out, sl_cli_case.err);
}

void sl_cli_case_printed_not(const char *text)
{
    if (strstr(sl_cli_case.out, text))
        fail_msg("'%s' in: %s", text, sl_cli_case.out);
}

void sl_cli_case_complained(const char *text)
{
    if (!strstr(sl_cli_case.err, text))
        fail_msg("no '%s' on stderr: %s\nand on stdout: %s", text, sl_cli_case.err,
                 sl_cli_case.out);
}

void sl_cli_case_exited(int code)
{
    if (sl_cli_case.code != code)
        fail_msg("exit code %d, not %d: %s%s", sl_cli_case.code, code, sl_cli_case.out,
                 sl_cli_case.err);
}

static bool answered;
static uint64_t answer;

static bool is_answered(void)
{
    return answered;
}

static void on_id(void *user, int rc, uint64_t id)
{
    (void)user;
    assert_int_equal(rc, 0);
    answered = true;
    answer = id;
}

static uint64_t wait_for_id(int rc)
{
    assert_int_equal(rc, 0);
    assert_true(sl_http_case_until(&bench, is_answered));
    answered = false;
    return answer;
}

uint64_t sl_cli_case_add_run(const struct sl_run_record *run, const char *folder)
{
    const struct sl_job_record job = {.state = SL_JOB_DONE, .submitted_ms = run->started_ms};
    struct sl_run_record own = *run;
    char path[256], command[512];
    own.job = wait_for_id(sl_store_add_job(bench.store, &job, "{}", NULL, 0, on_id, NULL));
    snprintf(own.directory, sizeof(own.directory), "runs/2026-11-23/000000.100-%d", (int)own.job);
    snprintf(path, sizeof(path), "%s/%s", bench.folder, own.directory);
    snprintf(command, sizeof(command), "mkdir -p %s/streams", path);
    assert_int_equal(system(command), 0);
    if (folder) {
        snprintf(command, sizeof(command), "cp -r %s/. %s", folder, path);
        assert_int_equal(system(command), 0);
    } else {
        snprintf(command, sizeof(command), "%s/agent.log", path);
        assert_int_equal(sl_buf_write_file(command, "a line of the agent\n", 20), 0);
    }
    return wait_for_id(sl_store_add_run(bench.store, &own, on_id, NULL));
}

int sl_cli_case_open(void **state)
{
    *state = &bench;
    sl_http_case_open(&bench, 1 << 26, 30);
    sl_cli_case.server = &bench;
    return 0;
}

int sl_cli_case_close(void **state)
{
    char command[96];
    (void)state;
    sl_http_case_close(&bench);
    sl_cli_case.server = NULL;
    snprintf(command, sizeof(command), "rm -rf %s", home);
    return home[0] ? system(command) : 0;
}
