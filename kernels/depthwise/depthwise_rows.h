/* kernels/depthwise/depthwise_rows.h: depthwise convolution of few channels, what the assembly of
 * the SME2 kernels is called for. Internal to them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Rows of output as streams of elements, four vectors (a strip) at a time, whatever channels they
 * are of. The image is padded; at stride 2 its even columns stand before its odd ones in each row.
 * The assembly knows the layout. */
struct sl_depthwise_rows {
    const void *in;  /* the first window's first row; strips of four vectors are read whole */
    size_t down;     /* bytes from the input of a row of output to that of the next */
    size_t line;     /* bytes from an input row to the next */
    void *out;       /* [rows][elements] */
    size_t elements; /* of a row of output, at least 1 */
    size_t rows;     /* at least 1; floats and halves go by 4, and input rows are there for all 4 */
    size_t odd, even; /* elements from an even tap of a row to the next tap, from an odd one */
    const void
        *weights;      /* of strip after strip: what sums start with, then taps column by column */
    size_t strips;     /* whose weights differ: then they begin again */
    int32_t bounds[3]; /* int8: least, most, both less the zero point, which is last */
    float min, max;    /* f32 and f16 */
};

/* Rows of bytes, and up to eight vectors of padding after each. */
struct sl_depthwise_rows_copy { /* the assembly knows its layout */
    const void *in;
    size_t in_line;
    void *out;
    size_t out_line, bytes, rows; /* rows: at least 1 */
    size_t padding, value;
};

/* Rows of pixels: every second one to `even`, the others to `odd`, and up to two vectors of padding
 * behind each. */
struct sl_depthwise_rows_deal { /* the assembly knows its layout */
    const void *in;
    size_t in_line;
    void *even, *odd;
    size_t line, bytes, rows; /* bytes: of a row of `in`; rows: at least 1 */
    size_t even_padding, odd_padding, value;
    size_t pixel; /* bytes */
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
typedef void(sl_depthwise_rows_fn)(const struct sl_depthwise_rows *job) __arm_streaming __arm_inout(
    "za");
sl_depthwise_rows_fn sl_depthwise_rows_qs8_3x3_sme2_asm, sl_depthwise_rows_qs8_5x5_sme2_asm;
sl_depthwise_rows_fn sl_depthwise_rows_f16_3x3_sme2_asm, sl_depthwise_rows_f16_5x5_sme2_asm;
sl_depthwise_rows_fn sl_depthwise_rows_f32_3x3_sme2_asm, sl_depthwise_rows_f32_5x5_sme2_asm;
sl_depthwise_rows_fn sl_depthwise_rows_f16_3x3s2_sme2_asm, sl_depthwise_rows_f32_3x3s2_sme2_asm;
void sl_depthwise_rows_copy_sme2_asm(const struct sl_depthwise_rows_copy *job) __arm_streaming;
/* Deals pixels of so many bytes: 16 where VL is at least 8, 32 where it is at least 16, any up to
 * four vectors. */
typedef void(sl_depthwise_rows_deal_fn)(const struct sl_depthwise_rows_deal *job) __arm_streaming;
sl_depthwise_rows_deal_fn sl_depthwise_rows_deal_1_sme2_asm, sl_depthwise_rows_deal_2_sme2_asm;
sl_depthwise_rows_deal_fn sl_depthwise_rows_deal_4_sme2_asm, sl_depthwise_rows_deal_8_sme2_asm;
sl_depthwise_rows_deal_fn sl_depthwise_rows_deal_16_sme2_asm, sl_depthwise_rows_deal_32_sme2_asm;
sl_depthwise_rows_deal_fn sl_depthwise_rows_deal_any_sme2_asm;
#endif
