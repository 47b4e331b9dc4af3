/* tests/unit/host/cli/test_peaks_file.c */
#include "host/cli/peaks_file.h"

#include <stdint.h>
#include <string.h>

#include "host/analysis/reach.h"
#include "host/cli/task.h"
#include "tests/support/test.h"

static bool parse(const char *text, struct sl_reach_roof *out)
{
    return sl_peaks_file_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, out);
}

TEST(the_highest_rate_of_one_worker_is_the_roof_of_each_type)
{
    struct sl_reach_roof roof;
    assert_true(parse(
        "{\"schema\":\"sme2lab.peaks/1\",\"roofline\":["
        "{\"peak\":\"sl_peak_mla_f32_neon\",\"workers\":1,\"multiply_adds_per_second\":2e10},"
        "{\"peak\":\"sl_peak_mopa_f32_sme2\",\"workers\":1,\"multiply_adds_per_second\":9e11},"
        "{\"peak\":\"sl_peak_mopa_f32_sme2\",\"workers\":2,\"multiply_adds_per_second\":9e12},"
        "{\"peak\":\"sl_peak_mopa_bf16_sme2\",\"workers\":1,\"multiply_adds_per_second\":1e12},"
        "{\"peak\":\"sl_peak_mopa_s8_sme2\",\"workers\":1,\"multiply_adds_per_second\":4e12},"
        "{\"peak\":\"sl_peak_load4_sme2\",\"workers\":1,\"bytes_per_second\":3e11},"
        "{\"peak\":\"sl_peak_read_neon\",\"workers\":1,\"bytes_per_second\":5e10}]}",
        &roof));
    assert_true(roof.macs_f32 == 9e11 && roof.macs_bf16 == 1e12 && roof.macs_s8 == 4e12);
    assert_true(roof.macs_f16 == 0 && roof.bytes == 3e11);
}

TEST(what_is_no_roofline_is_none)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{\"schema\":\"sme2lab.peaks/1\"}",
        "{\"schema\":\"sme2lab.peaks/1\",\"roofline\":null}", /* of an emulator */
        "{\"schema\":\"sme2lab.peaks/1\",\"roofline\":[]}",
        "{\"schema\":\"sme2lab.peaks/1\",\"roofline\":[{\"peak\":\"sl_peak_mla_f32_neon\","
        "\"workers\":1,\"multiply_adds_per_second\":-1}]}",
        "{\"schema\":\"other\",\"roofline\":[{\"peak\":\"sl_peak_mla_f32_neon\",\"workers\":1,"
        "\"multiply_adds_per_second\":1}]}"};
    struct sl_reach_roof roof;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(parse(texts[i], &roof));
}

TEST(an_emulator_has_none_and_it_is_said)
{
    struct sl_reach_roof roof;
    struct sl_task_device counted = {.traits = {.emulated = true, .counted = true}};
    char words[200];
    assert_false(sl_peaks_file_find(&counted, &roof, words, sizeof(words)));
    assert_string_equal(words, "none, an emulator has none");
    assert_false(sl_peaks_file_find(NULL, &roof, words, sizeof(words)));
    assert_string_equal(words, "none, the device is not this machine");
}
