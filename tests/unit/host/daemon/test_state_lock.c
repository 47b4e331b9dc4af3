/* tests/unit/host/daemon/test_state_lock.c */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/daemon/state_lock.h"
#include "tests/support/unit.h"

static char folder[64];

static int fresh_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-lock-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[80];
    (void)state;
    snprintf(path, sizeof(path), "%s/lock", folder);
    unlink(path);
    return rmdir(folder);
}

TEST_WITH(the_second_is_refused_by_the_name_of_the_first, fresh_folder, remove_folder)
{
    struct sl_diag diag = {0};
    char owner[24];
    int first = -1, second = -1;
    assert_int_equal(sl_state_lock(folder, 0, &first, &diag), 0);
    assert_int_equal(sl_state_lock(folder, 60, &second, &diag), -EBUSY);
    snprintf(owner, sizeof(owner), "process %ld", (long)getpid());
    assert_non_null(strstr(diag.what, owner));
    assert_int_equal(second, -1);
    close(first);
    assert_int_equal(sl_state_lock(folder, 0, &second, &diag), 0);
    close(second);
}

TEST_WITH(that_of_a_dead_process_is_taken_over, fresh_folder, remove_folder)
{
    struct sl_diag diag = {0};
    int lock = -1, status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(sl_state_lock(folder, 0, &lock, &diag) == 0 ? 7 : 1); /* never given back */
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(sl_state_lock(folder, 0, &lock, &diag), 0);
    close(lock);
}

TEST_WITH(one_that_is_about_to_end_is_waited_for, fresh_folder, remove_folder)
{
    struct sl_diag diag = {0};
    int lock = -1, ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int rc = sl_state_lock(folder, 0, &lock, &diag);
        rc = write(ready[1], "x", 1) == 1 ? rc : 1;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        _exit(rc == 0 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(sl_state_lock(folder, 10000, &lock, &diag), 0);
    close(lock);
    close(ready[0]);
    close(ready[1]);
    waitpid(pid, NULL, 0);
}

TEST_WITH(a_state_directory_is_made_once_and_none_below_what_is_not_there, fresh_folder,
          remove_folder)
{
    struct sl_diag diag = {0};
    char path[128], below[160];
    snprintf(path, sizeof(path), "%s/state", folder);
    snprintf(below, sizeof(below), "%s/other/state", folder);
    assert_int_equal(sl_state_make(path, &diag), 0);
    assert_int_equal(sl_state_make(path, &diag), 0);
    assert_int_equal(access(path, W_OK), 0);
    assert_int_equal(sl_state_make(below, &diag), -ENOENT);
    assert_non_null(strstr(diag.hint, "--state"));
    assert_int_equal(rmdir(path), 0);
}

TEST(a_directory_that_cannot_be_written_is_refused_with_what_to_do)
{
    struct sl_diag diag = {0};
    int lock = -1;
    assert_int_equal(sl_state_lock("/proc/self", 0, &lock, &diag), -ENOENT);
    assert_non_null(strstr(diag.hint, "--state"));
    assert_int_equal(lock, -1);
}
