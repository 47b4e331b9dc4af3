/* tests/unit/agent/stream/test_spool.c */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/stream/spool.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

static char folder[64], path[96];

static int fresh_folder(void **state)
{
    snprintf(folder, sizeof(folder), "/tmp/sl-spool-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/stream", folder);
    *state = path;
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

TEST_WITH(bytes_come_back_by_offset_and_survive_a_reopen, fresh_folder, remove_folder)
{
    struct sl_spool *spool = NULL;
    char text[16] = {0};
    assert_int_equal(sl_spool_new(*state, 100, &spool), 0);
    assert_int_equal(sl_spool_append(spool, "hello ", 6), 0);
    assert_int_equal(sl_spool_append(spool, "world", 5), 0);
    sl_spool_free(spool);
    assert_int_equal(sl_spool_new(*state, 100, &spool), 0);
    assert_int_equal(sl_spool_bytes(spool), 11);
    assert_int_equal(sl_spool_read(spool, 6, text, sizeof(text)), 5);
    assert_string_equal(text, "world");
    assert_int_equal(sl_spool_read(spool, 11, text, sizeof(text)), 0);
    assert_int_equal(sl_spool_read(spool, 12, text, sizeof(text)), SL_E_LIMIT);
    assert_int_equal(sl_spool_append(spool, "!", 1), 0);
    assert_int_equal(sl_spool_bytes(spool), 12);
    sl_spool_free(spool);
}

TEST_WITH(nothing_is_appended_after_the_first_drop, fresh_folder, remove_folder)
{
    struct sl_spool *spool = NULL;
    assert_int_equal(sl_spool_new(*state, 8, &spool), 0);
    assert_int_equal(sl_spool_append(spool, "123456", 6), 0);
    assert_int_equal(sl_spool_append(spool, "789", 3), SL_E_FULL);
    assert_int_equal(sl_spool_append(spool, "7", 1),
                     SL_E_FULL); /* would fit, but would hide a gap */
    assert_int_equal(sl_spool_bytes(spool), 6);
    assert_int_equal(sl_spool_dropped_bytes(spool), 4);
    assert_int_equal(sl_spool_error(spool), 0);
    sl_spool_free(spool);
}

TEST_WITH(a_disk_that_takes_no_more_is_the_spools_error, fresh_folder, remove_folder)
{
    struct sl_spool *spool = NULL;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(sl_spool_new(*state, 100, &spool), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int rc = sl_spool_append(spool, "123456", 6);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(rc, -EFBIG);
    assert_int_equal(sl_spool_append(spool, "7", 1), SL_E_FULL); /* would hide a gap */
    assert_int_equal(sl_spool_error(spool), -EFBIG);
    assert_int_equal(sl_spool_bytes(spool), 0);
    assert_int_equal(sl_spool_dropped_bytes(spool), 7);
    sl_spool_free(spool);
}

TEST_WITH(a_folder_that_is_not_there_gives_its_error, fresh_folder, remove_folder)
{
    struct sl_spool *spool = NULL;
    assert_int_equal(sl_spool_new("/nowhere/at/all", 8, &spool), -ENOENT);
    assert_null(spool);
}

TEST_WITH(new_survives_each_failed_allocation, fresh_folder, remove_folder)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_spool *spool = NULL;
        sl_mem_fail_nth(nth);
        rc = sl_spool_new(*state, 8, &spool);
        assert_int_equal(spool == NULL, rc != 0);
        sl_spool_free(spool);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}
