/* tests/unit/common/format/test_distance.c */
#include "common/format/distance.h"

#include <math.h>
#include <stdint.h>

#include "common/format/scalar_type.h"
#include "tests/support/unit.h"

static struct sl_distance between(int type, const void *a, const void *b, size_t bytes)
{
    assert_true(sl_distance_reads(type));
    return sl_distance_between(type, (struct sl_bytes){a, bytes}, (struct sl_bytes){b, bytes});
}

TEST(each_type_is_read_as_numbers)
{
    const float singles[] = {4, -1}, other_singles[] = {4, 1};
    const double doubles[] = {4, -1}, other_doubles[] = {4, 1};
    const int64_t longs[] = {4, -1}, other_longs[] = {4, 1};
    const int32_t ints[] = {4, -1}, other_ints[] = {4, 1};
    const int16_t shorts[] = {4, -1}, other_shorts[] = {4, 1};
    const int8_t chars[] = {4, -1}, other_chars[] = {4, 1};
    const uint16_t halves[] = {0x4400, 0xbc00}, other_halves[] = {0x4400, 0x3c00};
    const uint16_t brains[] = {0x4080, 0xbf80}, other_brains[] = {0x4080, 0x3f80};
    const struct {
        int type;
        const void *a, *b;
        size_t bytes;
    } cases[] = {{SL_SCALAR_FLOAT, singles, other_singles, sizeof(singles)},
                 {SL_SCALAR_DOUBLE, doubles, other_doubles, sizeof(doubles)},
                 {SL_SCALAR_LONG, longs, other_longs, sizeof(longs)},
                 {SL_SCALAR_INT, ints, other_ints, sizeof(ints)},
                 {SL_SCALAR_SHORT, shorts, other_shorts, sizeof(shorts)},
                 {SL_SCALAR_CHAR, chars, other_chars, sizeof(chars)},
                 {SL_SCALAR_HALF, halves, other_halves, sizeof(halves)},
                 {SL_SCALAR_BFLOAT16, brains, other_brains, sizeof(brains)}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_distance d = between(cases[i].type, cases[i].a, cases[i].b, cases[i].bytes);
        assert_true(d.worst == 2 && d.peak == 4 && d.finite == 2 && d.odd == 0);
        assert_true(d.squares == 17 && d.squares2 == 17 && d.product == 15 && d.error == 4);
        assert_true(sl_distance_of_peak(&d) == 0.5);
        assert_true(fabs(sl_distance_of_rms(&d) - sqrt(4.0 / 17)) < 1e-12);
    }
    assert_false(sl_distance_reads(SL_SCALAR_QUINT4X2) || sl_distance_reads(-1));
}

TEST(what_is_not_finite_meets_only_its_like)
{
    const float a[] = {1, NAN, INFINITY}, b[] = {1, NAN, INFINITY}, c[] = {1, NAN, 3};
    struct sl_distance same = between(SL_SCALAR_FLOAT, a, b, sizeof(a));
    struct sl_distance other = between(SL_SCALAR_FLOAT, a, c, sizeof(a));
    assert_true(same.worst == 0 && same.odd == 2 && sl_distance_of_rms(&same) == 0);
    assert_true(isinf(other.worst) && isinf(sl_distance_of_peak(&other)));
}

TEST(anything_is_infinitely_much_of_nothing)
{
    const uint8_t zeros[] = {0, 0}, ones[] = {0, 1};
    struct sl_distance same = between(SL_SCALAR_BYTE, zeros, zeros, 2);
    struct sl_distance other = between(SL_SCALAR_BYTE, zeros, ones, 2);
    assert_true(sl_distance_of_peak(&same) == 0 && isinf(sl_distance_of_peak(&other)));
}
