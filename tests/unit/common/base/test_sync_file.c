/* tests/unit/common/base/test_sync_file.c */
#include "common/base/sync_file.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/test.h"

TEST(a_file_is_synced_and_what_cannot_be_is_left_as_it_is)
{
    int ends[2];
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(sl_sync_file(fileno(file)), 0);
    assert_int_equal(sl_sync_file_data(fileno(file)), 0);
    sl_sync_file_begin(fileno(file));
    fclose(file);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sl_sync_file(ends[0]), 0);
    assert_int_equal(sl_sync_file_data(ends[0]), 0);
    sl_sync_file_begin(ends[0]);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(sl_sync_file(-1), -EBADF);
    assert_int_equal(sl_sync_file_data(-1), -EBADF);
}
