/* tests/unit/host/cli/test_roofline.c */
#include "host/cli/roofline.h"

#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/analysis/reach.h"
#include "host/cli/peaks_file.h"
#include "tests/support/test.h"

static const struct sl_peak_row rows[] = {
    {.peak = "sl_peak_mopa_f32_sme2",
     .kind = "outer",
     .work = 4,
     .operations = 256,
     .turns = 1000,
     .workers = 1,
     .ns = 1000},
    {.peak = "sl_peak_load4_sme2",
     .kind = "load",
     .work = 2,
     .bytes = 256,
     .turns = 1000,
     .workers = 1,
     .ns = 2000},
    {.peak = "sl_peak_smstart",
     .kind = "mode",
     .work = 1,
     .operations = 1,
     .turns = 1000,
     .workers = 2,
     .ns = 4000},
};

TEST(work_of_all_workers_is_told_by_the_second)
{
    assert_true(sl_roofline_per_second(&rows[0]) == 4e9);
    assert_true(sl_roofline_per_second(&rows[2]) == 5e8);
}

TEST(what_is_put_is_read_back_as_the_device_s_roof)
{
    struct sl_reach_roof roof;
    struct sl_json json;
    struct sl_buf text;
    sl_buf_init(&text, 1 << 16);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.peaks/1");
    sl_roofline_put(rows, 3, &json);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_true(sl_peaks_file_parse((struct sl_bytes){text.data, text.size}, &roof));
    assert_true(roof.macs_f32 == 1024e9 && roof.bytes == 256e9);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    assert_non_null(strstr((const char *)text.data, "\"multiply_adds_per_second\":0"));
    sl_buf_fini(&text);
}
