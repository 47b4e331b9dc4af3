/* tests/unit/common/base/test_process.c */
#include "common/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

TEST(its_file_is_the_one_that_its_path_names)
{
    struct stat file, named;
    char path[1024], small[4];
    assert_int_equal(stat(sl_process_file(), &file), 0);
    sl_process_path(path, sizeof(path));
    assert_int_equal(stat(path, &named), 0);
    assert_true(file.st_ino == named.st_ino && file.st_dev == named.st_dev);
    assert_string_equal(strrchr(path, '/'), "/common_base_test_process");
    sl_process_path(small, sizeof(small)); /* too long for it: nothing, not a part */
    assert_string_equal(small, "");
}

TEST(pipe_carries_bytes_and_closes_on_exec)
{
    int ends[2];
    char got[4];
    assert_int_equal(sl_process_pipe(ends), 0);
    assert_int_equal(write(ends[1], "abc", 4), 4);
    assert_int_equal(read(ends[0], got, 4), 4);
    assert_string_equal(got, "abc");
    assert_true(fcntl(ends[0], F_GETFD) & FD_CLOEXEC && fcntl(ends[1], F_GETFD) & FD_CLOEXEC);
    close(ends[0]);
    close(ends[1]);
}

TEST(who_is_no_parent_cannot_be_waited_for)
{
    pid_t child = fork();
    if (child == 0) /* of this process, not of its own */
        _exit(sl_process_end_with(getpid(), SIGTERM) == -ESRCH ? 0 : 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(memory_that_was_touched_is_counted)
{
    enum { BYTES = 32 << 20 };
    uint64_t before = sl_process_peak_bytes();
    char *memory = test_malloc(BYTES);
    memset(memory, 1, BYTES);
    assert_true(before > 0 && sl_process_peak_bytes() >= BYTES);
    test_free(memory);
}
