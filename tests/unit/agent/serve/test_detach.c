/* tests/unit/agent/serve/test_detach.c: one agent a directory, and a child that goes on alone. */
#include "agent/serve/detach.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

/* There in a build that counts the lines that are reached. */
extern int __llvm_profile_write_file(void) __attribute__((weak));

static char folder[32];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-detach-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

static void path_of(const char *name, char out[64])
{
    snprintf(out, 64, "%s/%s", folder, name);
}

TEST_WITH(a_directory_is_one_agents_until_it_ends, setup, teardown)
{
    char work[64], pid_text[16];
    struct sl_diag diag = {.what = ""};
    int ready[2];
    path_of("work", work); /* made */
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork();
    if (other == 0) {
        signal(SL_SERVE_YIELD, SIG_IGN); /* it is at work */
        char word = sl_serve_lock(work, NULL) == 0 ? 'y' : 'n';
        if (write(ready[1], &word, 1) == 1)
            pause();
        _exit(0);
    }
    char word = 0;
    assert_int_equal(read(ready[0], &word, 1), 1);
    assert_int_equal(word, 'y');
    assert_int_equal(sl_serve_lock(work, &diag), -EBUSY);
    snprintf(pid_text, sizeof(pid_text), "%d", (int)other);
    assert_non_null(strstr(diag.what, pid_text));
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    assert_int_equal(sl_serve_lock(work, &diag), 0);
    close(ready[0]);
    close(ready[1]);
}

TEST_WITH(an_idle_agent_gives_the_directory_up, setup, teardown)
{
    int ready[2];
    char word = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork();
    if (other == 0) {
        signal(SL_SERVE_YIELD, SIG_DFL); /* ends it */
        if (sl_serve_lock(folder, NULL) == 0 && write(ready[1], "y", 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &word, 1), 1);
    assert_int_equal(sl_serve_lock(folder, NULL), 0);
    waitpid(other, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

_Noreturn static void leave(int code)
{
    if (__llvm_profile_write_file)
        __llvm_profile_write_file();
    _exit(code);
}

/* Does what the agent does around its start, in a process of its own; returns how that ended. */
static int detach_in_child(bool ready)
{
    int status = 0;
    fflush(NULL);
    pid_t parent = fork();
    if (parent == 0) {
        pid_t before = getsid(0);
        int pipe = sl_detach();
        if (pipe < 0 || getsid(0) == before)
            leave(9);
        if (!ready)
            leave(7);
        sl_detach_ready(pipe, folder);
        raise(SIGHUP);
        printf("it goes on\n");
        fflush(stdout);
        leave(0);
    }
    waitpid(parent, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_WITH(a_child_that_is_ready_goes_on_with_a_log, setup, teardown)
{
    char path[64], text[32] = "";
    path_of("agent.log", path);
    FILE *file = fopen(path, "w"); /* a long one is put aside */
    assert_non_null(file);
    fseek(file, SL_DETACH_LOG_BYTES, SEEK_SET);
    fputs("old", file);
    fclose(file);
    assert_int_equal(detach_in_child(true), 0);
    for (int i = 0; i < 500 && !text[0]; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        file = fopen(path, "r");
        if (file && !fgets(text, sizeof(text), file))
            text[0] = '\0';
        if (file)
            fclose(file);
    }
    assert_string_equal(text, "it goes on\n");
    path_of("agent.log.old", path);
    assert_int_equal(access(path, F_OK), 0);
}

TEST_WITH(a_child_that_ends_before_gives_its_exit_code, setup, teardown)
{
    assert_int_equal(detach_in_child(false), 7);
}
