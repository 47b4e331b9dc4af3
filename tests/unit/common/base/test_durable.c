/* tests/unit/common/base/test_durable.c */
#include "common/base/durable.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/sync_file.h"
#include "tests/support/test.h"

TEST(file_folder_and_what_cannot_be_synced)
{
    char path[] = "/tmp/sl-durable-XXXXXX";
    int ends[2], fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "x", 1) == 1);
    sl_sync_file_begin(fd);
    assert_int_equal(sl_sync_file(fd), 0);
    assert_int_equal(sl_durable_folder("/tmp"), 0);
    assert_int_equal(sl_durable_folder(path), -ENOTDIR);
    close(fd);
    assert_int_equal(sl_sync_file(fd), -EBADF);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sl_sync_file(ends[1]), 0);
    close(ends[0]);
    close(ends[1]);
    unlink(path);
}
