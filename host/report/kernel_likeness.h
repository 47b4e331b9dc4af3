/* host/report/kernel_likeness.h: do two kernels of ours the same work, and on the same types? */
#pragma once

/* How they pack operands and what they run on is left out of account:
 * "sl_conv_f32_f32_f32p16x1_5x16_neon_mla" and "sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa"
 * are of the same types. */
enum sl_kernel_likeness { SL_KERNEL_UNLIKE, SL_KERNEL_SAME_WORK, SL_KERNEL_SAME_TYPES };
int sl_kernel_likeness(const char *a, const char *b);
