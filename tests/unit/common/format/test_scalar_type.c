/* tests/unit/common/format/test_scalar_type.c */
#include "common/format/scalar_type.h"

#include "tests/support/unit.h"

TEST(scalar_types_have_sizes_and_names)
{
    assert_int_equal(sl_scalar_size(SL_SCALAR_FLOAT), 4);
    assert_int_equal(sl_scalar_size(SL_SCALAR_UINT64), 8);
    assert_string_equal(sl_scalar_name(SL_SCALAR_HALF), "Half");
    assert_int_equal(sl_scalar_size(SL_SCALAR_COMPLEX128), 16);
    assert_int_equal(sl_scalar_size(18), 0);
    assert_int_equal(sl_scalar_size(-1), 0);
    assert_int_equal(sl_scalar_size(1000), 0);
    assert_string_equal(sl_scalar_name(19), "?");
}

TEST(ones_are_those_of_the_element)
{
    const float floats[] = {1, 1, 1};
    const uint8_t others[] = {0x80, 0x3f, 0x80, 0x3f, 1, 1, 1, 7};
    uint8_t out[sizeof(floats)] = {[7] = 7};
    assert_true(sl_scalar_fill_ones(SL_SCALAR_BFLOAT16, out, 4));
    assert_true(sl_scalar_fill_ones(SL_SCALAR_BOOL, out + 4, 3));
    assert_memory_equal(out, others, sizeof(others));
    assert_true(sl_scalar_fill_ones(SL_SCALAR_FLOAT, out, sizeof(floats)));
    assert_memory_equal(out, floats, sizeof(floats));
    assert_false(sl_scalar_fill_ones(SL_SCALAR_QINT8, out, 1));
    assert_false(sl_scalar_fill_ones(1000, out, 1));
}
