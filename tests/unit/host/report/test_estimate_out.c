/* tests/unit/host/report/test_estimate_out.c */
#include "host/report/estimate_out.h"

#include <string.h>

#include "common/base/buf.h"
#include "host/analysis/silicon.h"
#include "tests/support/test.h"

static const struct sl_silicon profile = {.name = "p", .title = "P", .has_unit = false};

static struct sl_estimate_answer answer(void)
{
    struct sl_estimate_answer a = {.file = "x.log", .passes = 2, .profiles = &profile, .count = 1};
    a.estimates[0] = (struct sl_estimate){.low_ns = 80,
                                          .mid_ns = 100,
                                          .high_ns = 120,
                                          .sum.insns = 84,
                                          .unclassified = 4,
                                          .confidence = 'I',
                                          .sum.streaming = true,
                                          .bound = SL_BOUND_VECTOR};
    a.estimates[0].sum.bound_ns[SL_BOUND_VECTOR] = 100;
    a.estimates[0].sum.port_ns[SL_PORT_VECTOR] = 90;
    a.estimates[0].sum.units[SL_WORK_Z_1] = 40;
    return a;
}

TEST(the_text_says_that_it_is_estimated_and_what_it_is_bound_by)
{
    struct sl_estimate_answer a = answer();
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_estimate_text(&out, &a), 0);
    const char *text = (const char *)out.data;
    static const char *const expected[] = {"42 instructions a pass, 2 passes",
                                           "estimated 100 ns, between 80 ns and 120 ns",
                                           "streaming vector",
                                           "inferred",
                                           "2 of the executed instructions have no class",
                                           "cannot execute this"};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        if (!strstr(text, expected[i]))
            fail_msg("no '%s' in: %s", expected[i], text);
    }
    sl_buf_fini(&out);
}

TEST(the_json_has_schema_profile_and_band)
{
    struct sl_estimate_answer a = answer();
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_estimate_json(&out, &a), 0);
    const char *text = (const char *)out.data;
    assert_non_null(strstr(text, "\"schema\":\"sme2lab.estimate/1\",\"estimated\":true"));
    assert_non_null(strstr(text, "\"low_ns\":80,\"mid_ns\":100,\"high_ns\":120"));
    assert_non_null(strstr(text, "\"can_execute\":false"));
    assert_non_null(strstr(text, "\"classes\":{\"z_1\":20}"));
    sl_buf_fini(&out);
}

TEST(times_are_in_a_unit_that_can_be_read)
{
    char text[32];
    sl_estimate_words(12.34, text, sizeof(text));
    assert_string_equal(text, "12.3 ns");
    sl_estimate_words(1234, text, sizeof(text));
    assert_string_equal(text, "1.23 us");
    sl_estimate_words(2.5e9, text, sizeof(text));
    assert_string_equal(text, "2.5 s");
}
