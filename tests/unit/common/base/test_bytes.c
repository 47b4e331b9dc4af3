/* tests/unit/common/base/test_bytes.c */
#include "common/base/bytes.h"

#include "tests/support/unit.h"

TEST(loads_and_stores_agree_at_any_alignment)
{
    uint8_t area[16];
    for (size_t shift = 0; shift < 8; shift++) {
        sl_store_u64(area + shift, 0x8877665544332211u);
        assert_int_equal(area[shift], 0x11);
        assert_int_equal(area[shift + 7], 0x88);
        assert_int_equal(sl_load_u16(area + shift), 0x2211);
        assert_int_equal(sl_load_u32(area + shift), 0x44332211);
        assert_true(sl_load_u64(area + shift) == 0x8877665544332211u);
    }
    sl_store_u32(area + 1, 0x3fc00000);
    assert_true(sl_load_f32(area + 1) == 1.5f);
    sl_store_u64(area + 3, 0xc004000000000000u);
    assert_true(sl_load_f64(area + 3) == -2.5);
}

TEST(range_check_does_not_wrap)
{
    assert_true(sl_range_ok(0, 0, 0));
    assert_true(sl_range_ok(3, 7, 10));
    assert_true(sl_range_ok(10, 0, 10));
    assert_false(sl_range_ok(3, 8, 10));
    assert_false(sl_range_ok(11, 0, 10));
    assert_false(sl_range_ok(1, UINT64_MAX, 10));
    assert_false(sl_range_ok(UINT64_MAX, UINT64_MAX, 10));
}
