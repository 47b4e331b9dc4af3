/* tests/unit/host/cli/test_device_identity.c */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "host/cli/device_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/tree_remove.h"
#include "host/cli/task.h"
#include "tests/support/test.h"

static const struct sl_device_identity identity = {
    .fingerprint = "0123456789abcdef0123456789abcdef",
    .agent_version = "0.1.0",
    .taken_utc = "2026-01-02T03:04:05Z",
    .emulated = true,
};

TEST(a_file_of_a_device_begins_with_whose_it_is_and_in_which_unit)
{
    struct sl_task_device counted = {.cpu = "max,sme512=on",
                                     .traits = {.emulated = true, .counted = true}};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_device_identity_put(&identity, &counted, "sme2lab.peaks/1", 512, &json);
    sl_json_close_object(&json);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    const char *said = (const char *)text.data;
    assert_non_null(strstr(said, "sme2lab.peaks/1"));
    assert_non_null(strstr(said, "0123456789abcdef0123456789abcdef"));
    assert_non_null(strstr(said, "max,sme512=on"));
    assert_non_null(strstr(said, "instructions"));
    assert_null(strstr(said, "\"ns\""));
    sl_buf_fini(&text);
}

TEST(a_file_of_a_device_is_kept_under_its_fingerprint)
{
    char folder[] = "/tmp/sl-identity-XXXXXX", path[SL_PATH_BYTES], expected[SL_PATH_BYTES];
    struct sl_buf text, read;
    struct sl_diag diag = {.what = ""};
    sl_buf_init(&text, 16);
    assert_int_equal(sl_buf_append(&text, "{}", 2), 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("SME2LAB_STATE", folder, 1), 0);
    assert_int_equal(sl_device_identity_keep(&identity, "peaks.json", &text, path, &diag), 0);
    snprintf(expected, sizeof(expected), "%s/devices/%s/peaks.json", folder, identity.fingerprint);
    assert_string_equal(path, expected);
    assert_int_equal(sl_buf_read_file(path, 100, &read), 0);
    assert_int_equal(read.size, 2);
    sl_buf_fini(&read);
    sl_tree_remove(folder);
    /* No folder can be made below a file. */
    assert_int_equal(setenv("SME2LAB_STATE", "/dev/null", 1), 0);
    assert_true(sl_device_identity_keep(&identity, "peaks.json", &text, path, &diag) < 0);
    assert_true(diag.what[0] != '\0');
    sl_buf_fini(&text);
}
