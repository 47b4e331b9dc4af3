/* tests/unit/host/report/test_kernel_likeness.c */
#include "host/report/kernel_likeness.h"

#include "tests/support/unit.h"

TEST(kernels_are_alike_by_their_work_and_types)
{
    static const char *const neon = "sl_conv_f32_f32_f32p16x1_5x16_neon_mla";
    assert_int_equal(sl_kernel_likeness(neon, "sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa"),
                     SL_KERNEL_SAME_TYPES);
    assert_int_equal(sl_kernel_likeness(neon, "sl_conv_f16_f16p1vlx2_f16p2vlx2_2vlx2vl_sme2_mopa"),
                     SL_KERNEL_SAME_WORK);
    assert_int_equal(
        sl_kernel_likeness(neon, "sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa"),
        SL_KERNEL_UNLIKE);
}
