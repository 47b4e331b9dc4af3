/* tests/unit/common/base/test_child.c */
#include "common/base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static struct sl_child_result run_script(const char *text, uint64_t timeout_ms)
{
    const char *argv[] = {"/bin/sh", "-c", text, NULL};
    struct sl_child_spec spec = {.argv = argv, .timeout_ms = timeout_ms};
    struct sl_child_result result;
    struct sl_diag diag = {0};
    assert_int_equal(sl_child_run(&spec, &result, &diag), 0);
    return result;
}

TEST(the_number_that_the_process_had_is_told)
{
    struct sl_child_result result = run_script("echo $$; kill -SEGV $$", 0);
    assert_int_equal(result.signal, SIGSEGV);
    assert_int_equal(result.pid, atoi((char *)result.out.data));
    sl_child_fini(&result);
}

TEST(output_and_exit_code_are_collected)
{
    struct sl_child_result result = run_script("echo out; echo err >&2; exit 7", 0);
    assert_int_equal(result.exit_code, 7);
    assert_int_equal(result.signal, 0);
    assert_string_equal((char *)result.out.data, "out\n");
    assert_string_equal((char *)result.err.data, "err\n");
    sl_child_fini(&result);
}

TEST(a_signal_is_told_from_an_exit)
{
    struct sl_child_result result = run_script("kill -SEGV $$", 0);
    assert_int_equal(result.signal, SIGSEGV);
    assert_int_equal(result.exit_code, -1);
    sl_child_fini(&result);
}

TEST(a_hang_ends_at_the_timeout_with_its_children)
{
    struct sl_child_result result = run_script("sleep 60 & sleep 60", 200);
    assert_true(result.timed_out);
    assert_int_equal(result.signal, SIGKILL);
    assert_true(result.wall_ns < 5000000000u);
    sl_child_fini(&result);
}

TEST(a_program_in_the_background_that_prints_for_ever_is_ended)
{
    struct sl_child_result result = run_script("yes & exit 7", 0);
    assert_int_equal(result.exit_code, 7);
    assert_false(result.timed_out);
    sl_child_fini(&result);
}

TEST(a_program_that_left_the_group_is_not_read_for_ever)
{
    struct sl_child_result result = run_script("setsid yes & sleep 0.1; exit 3", 0);
    assert_int_equal(result.exit_code, 3);
    sl_child_fini(&result);
}

TEST(an_interrupt_ends_the_child)
{
    volatile sig_atomic_t interrupted = 1;
    const char *argv[] = {"/bin/sh", "-c", "sleep 60", NULL};
    struct sl_child_spec spec = {.argv = argv, .interrupted = &interrupted};
    struct sl_child_result result;
    struct sl_diag diag = {0};
    assert_int_equal(sl_child_run(&spec, &result, &diag), -EINTR);
}

#if defined(__linux__)
TEST(a_child_ends_with_the_process_that_reads_it)
{
    enum { END = 9 }; /* the shell knows descriptors of one digit only */
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t reader = fork();
    assert_true(reader >= 0);
    if (reader == 0) {
        dup2(ends[1], END);
        for (int i = 0; i < 2; i++)
            if (ends[i] != END)
                close(ends[i]);
        run_script("echo >&9; exec sleep 600", 0);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(reader, SIGKILL);
    assert_int_equal(waitpid(reader, NULL, 0), reader);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* once no one holds it */
    close(ends[0]);
}
#endif

TEST(a_missing_program_is_named)
{
    const char *argv[] = {"/nowhere/at/all", NULL};
    struct sl_child_spec spec = {.argv = argv};
    struct sl_child_result result;
    struct sl_diag diag = {0};
    assert_int_equal(sl_child_run(&spec, &result, &diag), -ENOENT);
    assert_string_equal(diag.where, "/nowhere/at/all");
}
