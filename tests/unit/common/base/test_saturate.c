/* tests/unit/common/base/test_saturate.c */
#include "common/base/saturate.h"

#include "tests/support/test.h"

TEST(sums_and_products_saturate)
{
    assert_true(sl_times(UINT64_MAX / 2, 3) == UINT64_MAX);
    assert_true(sl_times(0, UINT64_MAX) == 0);
    assert_true(sl_plus(UINT64_MAX - 1, 2) == UINT64_MAX);
    assert_true(sl_plus(1, 2) == 3);
}
