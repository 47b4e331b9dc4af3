/* tests/unit/common/base/test_histogram.c */
#include "common/base/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

TEST(a_time_falls_below_the_first_bound_that_it_does_not_pass)
{
    struct sl_histogram histogram = {.sum_seconds = 0};
    static const uint64_t times_ns[] = {0, 500000, 500001, 1000000000, 10000000001, UINT64_MAX};
    for (size_t i = 0; i < sizeof(times_ns) / sizeof(times_ns[0]); i++)
        sl_histogram_add(&histogram, times_ns[i]);
    assert_int_equal(histogram.counts[0], 2);
    assert_int_equal(histogram.counts[1], 1);
    assert_int_equal(histogram.counts[10], 1);
    assert_int_equal(histogram.counts[SL_HISTOGRAM_BOUNDS], 2);
    assert_true(histogram.sum_seconds > 11 && histogram.sum_seconds < 2e10);
}

TEST(bounds_ascend_to_infinity_and_say_what_they_are)
{
    for (size_t i = 0; i < SL_HISTOGRAM_BOUNDS; i++) {
        struct sl_histogram histogram = {.sum_seconds = 0};
        double bound = strtod(sl_histogram_bound(i), NULL);
        sl_histogram_add(&histogram, (uint64_t)(bound * 1e9 - 1000));
        assert_int_equal(histogram.counts[i], 1);
        assert_true(i == 0 || bound > strtod(sl_histogram_bound(i - 1), NULL));
    }
    assert_string_equal(sl_histogram_bound(SL_HISTOGRAM_BOUNDS), "+Inf");
}
