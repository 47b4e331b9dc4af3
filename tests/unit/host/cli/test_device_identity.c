/* tests/unit/host/cli/test_device_identity.c */
#include "host/cli/device_identity.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
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
