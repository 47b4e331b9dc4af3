/* tests/unit/host/device/test_device_clock.c */
#include "host/device/device_clock.h"

#include "host/analysis/random.h"
#include "tests/support/test.h"

#define SECOND UINT64_C(1000000)
#define NOW (UINT64_C(1700000000) * SECOND)

static struct sl_device_clock_bounds bounds_of(const struct sl_device_clock *clock)
{
    struct sl_device_clock_bounds bounds;
    assert_true(sl_device_clock_bounds(clock, &bounds));
    return bounds;
}

TEST(no_answer_is_no_clock)
{
    const struct sl_device_clock clock = {.count = 0};
    struct sl_device_clock_bounds bounds;
    assert_false(sl_device_clock_bounds(&clock, &bounds));
}

TEST(the_quickest_ping_counts)
{
    struct sl_device_clock clock = {.count = 0};
    sl_device_clock_take(&clock, NOW, NOW + 500 + 40, NOW + 1000);
    assert_int_equal(bounds_of(&clock).low_us, -460);
    assert_int_equal(bounds_of(&clock).high_us, 540);
    sl_device_clock_take(&clock, NOW, NOW + 60 + 40, NOW + 100);
    sl_device_clock_take(&clock, NOW, NOW + 9000, NOW + 10000);
    assert_int_equal(bounds_of(&clock).low_us, 0);
    assert_int_equal(bounds_of(&clock).high_us, 100);
}

TEST(a_clock_that_is_set_has_wider_bounds)
{
    struct sl_device_clock clock = {.count = 0};
    sl_device_clock_take(&clock, NOW, NOW + 50, NOW + 100);
    sl_device_clock_take(&clock, NOW, NOW + SECOND, NOW + 100); /* a second ahead from here on */
    for (int i = 0; i < 3 * SL_DEVICE_CLOCK_LOOKS; i++)
        sl_device_clock_take(&clock, NOW, NOW + SECOND, NOW + 200);
    assert_int_equal(bounds_of(&clock).low_us, -50);
    assert_int_equal(bounds_of(&clock).high_us, (int64_t)SECOND);
    sl_device_clock_take(&clock, NOW, NOW - SECOND, NOW + 100);
    assert_int_equal(bounds_of(&clock).low_us, -(int64_t)SECOND - 100);
    assert_int_equal(bounds_of(&clock).high_us, (int64_t)SECOND);
}

TEST(what_cannot_be_is_passed_over)
{
    struct sl_device_clock clock = {.count = 0};
    struct sl_device_clock_bounds bounds;
    sl_device_clock_take(&clock, NOW + 1, NOW, NOW);           /* heard before it was asked */
    sl_device_clock_take(&clock, 0, NOW, NOW);                 /* asked in 1970 */
    sl_device_clock_take(&clock, NOW, UINT64_MAX, NOW + 1);    /* a time that is none */
    sl_device_clock_take(&clock, UINT64_MAX, NOW, UINT64_MAX); /* ours as well */
    sl_device_clock_take(&clock, NOW, NOW, NOW + 11 * SECOND); /* too long ago */
    assert_false(sl_device_clock_bounds(&clock, &bounds));
    sl_device_clock_take(&clock, NOW, 1, NOW + 1); /* a device that does not know the date */
    assert_true(bounds_of(&clock).high_us < -(int64_t)(NOW / 2));
}

/* Round trips of a link that is now quick and now slow either way, on a clock that drifts. */
TEST(the_bounds_hold_for_a_clock_that_drifts)
{
    struct sl_random random = {7};
    for (int trial = 0; trial < 2000; trial++) {
        struct sl_device_clock clock = {.count = 0};
        int64_t first = (int64_t)sl_random_below(&random, 1000000) - 500000, ahead = first;
        int64_t drift = (int64_t)sl_random_below(&random, 51) - 25; /* us in 250 ms: 100 ppm */
        uint64_t pings = 1 + sl_random_below(&random, 200), widest = 0;
        for (uint64_t i = 0; i < pings; i++) {
            uint64_t there = 100 + sl_random_below(&random, 5000);
            uint64_t back = 100 + sl_random_below(&random, 5000), at = NOW + i * SECOND / 4;
            ahead = first + (int64_t)i * drift;
            sl_device_clock_take(&clock, at, (uint64_t)((int64_t)(at + there) + ahead),
                                 at + there + back);
            widest = there + back > widest ? there + back : widest;
        }
        /* A look's clock moves on by so much until the quickest ping of it is no longer its last.
         */
        int64_t slack = SL_DEVICE_CLOCK_LOOKS * (drift < 0 ? -drift : drift);
        struct sl_device_clock_bounds bounds = bounds_of(&clock);
        int64_t low = first < ahead ? first : ahead, high = first < ahead ? ahead : first;
        assert_true(bounds.low_us <= low + slack && bounds.high_us >= high - slack);
        assert_true(bounds.high_us - bounds.low_us <= high - low + 2 * (int64_t)widest);
    }
}
