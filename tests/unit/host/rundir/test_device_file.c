/* tests/unit/host/rundir/test_device_file.c */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "host/rundir/device_file.h"

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/tree_remove.h"
#include "tests/support/unit.h"

static const char fingerprint[] = "0123456789abcdef0123456789abcdef";

TEST(a_file_of_a_device_is_kept_under_its_fingerprint)
{
    char folder[] = "/tmp/sl-identity-XXXXXX", path[SL_PATH_BYTES], expected[SL_PATH_BYTES];
    struct sl_buf text, read;
    struct sl_diag diag = {.what = ""};
    sl_buf_init(&text, 16);
    assert_int_equal(sl_buf_append(&text, "{}", 2), 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sl_device_file_keep(folder, fingerprint, "peaks.json", &text, path, &diag), 0);
    snprintf(expected, sizeof(expected), "%s/devices/%s/peaks.json", folder, fingerprint);
    assert_string_equal(path, expected);
    assert_int_equal(sl_buf_read_file(path, 100, &read), 0);
    assert_int_equal(read.size, 2);
    sl_buf_fini(&read);
    sl_tree_remove(folder);
    /* No folder can be made below a file. */
    assert_true(sl_device_file_keep("/dev/null", fingerprint, "peaks.json", &text, path, &diag) <
                0);
    assert_true(diag.what[0] != '\0');
    sl_buf_fini(&text);
}
