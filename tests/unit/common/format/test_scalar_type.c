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
