/* agent/runtime/step_quant.h: steps over quantised values, and conversions. */
#pragma once

/* How the values of one operand are quantised. */
struct sl_quant {
    float scale;
    int32_t zero_point;
};

/* Constant operands of a static int8 product or convolution, with the scales of what goes in and
 * out. */
struct sl_constants_qs8 {
    const int8_t *weights;
    const int32_t *bias;        /* or NULL */
    const float *weights_scale; /* one a channel, or one for all */
    bool per_channel;
    struct sl_quant in, out;
    int8_t min, max; /* of the output */
    struct sl_budget *budget;
};

/* numpy broadcasting of int8. */
struct sl_broadcast_qs8 {
    const struct sl_binary_qs8 *kernel;
    struct sl_binary_qs8_args args;
    struct sl_broadcast_plan plan;
};

/* A convolution, or a transposed one, whose input was quantised image by image at run time: a
 * product of patches for each image and group. */
struct sl_conv_qd8 {
    const struct sl_matmul_qd8 *kernel;
    struct sl_conv_shape shape;
    bool transposed;
    int out_type; /* enum sl_row_type */
    float min, max;
    size_t group_bytes; /* packed weights from group to group */
    const void *packed;
    const void *in; /* int8_t [images][..] and a struct sl_row_params for each */
    void *out;
    uint8_t *workspace;
};

union sl_step_quants {
    struct {
        const struct sl_matmul_qs8 *kernel;
        struct sl_matmul_qs8_args args;
    } gemm;
    struct {
        const struct sl_conv_qs8 *kernel;
        struct sl_conv_qs8_args args;
    } conv; /* and transposed ones */
    struct {
        const struct sl_depthwise_qs8 *kernel;
        struct sl_depthwise_qs8_args args; /* the shape has no multiplier */
        struct sl_step_repeat repeat;
    } depthwise;
    struct {
        const struct sl_pool_qs8 *kernel;
        struct sl_pool_qs8_args args;
    } pool;
    struct sl_broadcast_qs8 binary;
    struct {
        const struct sl_unary_qs8 *kernel;
        struct sl_unary_qs8_args args;
        int8_t table[256];
    } unary;
    struct {
        const struct sl_mean_qs8 *kernel;
        struct sl_mean_qs8_args args;
    } mean;
    struct {
        const struct sl_matmul_qd8 *kernel;
        struct sl_matmul_qd8_args args;
    } gemm_qd8;
    struct sl_conv_qd8 conv_qd8;
    struct {
        const struct sl_convert *kernel;
        struct sl_convert_args args;
    } convert;
    struct {
        const struct sl_quantise *kernel;
        size_t rows, k;
        int type;        /* enum sl_row_type of the input */
        size_t in_bytes; /* from row to row */
        const void *in;
        void *out;                    /* int8_t [rows][k] */
        struct sl_row_params *params; /* behind them */
    } quantise;
};

struct sl_step;
struct sl_weights;

/* All of these return 0 or a code of enum sl_et_error, as those of step.h do;
 * SL_ET_INVALID_PROGRAM for scales that XNNPACK refuses. */
int sl_step_gemm_qs8(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k,
                     bool transposed, const struct sl_constants_qs8 *constants,
                     struct sl_weights *weights);
int sl_step_conv_qs8(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                     const struct sl_constants_qs8 *constants, struct sl_weights *weights);
int sl_step_deconv_qs8(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                       const struct sl_constants_qs8 *constants, struct sl_weights *weights);
int sl_step_depthwise_qs8(struct sl_step *step, uint32_t isa,
                          const struct sl_depthwise_shape *serialized,
                          const struct sl_constants_qs8 *constants, struct sl_weights *weights);
int sl_step_pool_qs8(struct sl_step *step, uint32_t isa, const struct sl_pool_args *shape,
                     int8_t min, int8_t max);
/* `plan` is not empty. */
int sl_step_binary_qs8(struct sl_step *step, uint32_t isa, int op,
                       const struct sl_broadcast_plan *plan, const struct sl_quant quants[3]);
int sl_step_mean_qs8(struct sl_step *step, uint32_t isa, size_t outer, size_t reduced, size_t inner,
                     const struct sl_quant quants[2]);
void sl_step_clamp_qs8(struct sl_step *step, uint32_t isa, size_t count, int8_t min, int8_t max);
/* The table is the caller's to fill: step->quant.unary.table. */
void sl_step_table_qs8(struct sl_step *step, uint32_t isa, size_t count);

/* Products with a left operand quantised by row. `lhs_type` of enum sl_row_type: quantised in the
 * step itself, or, SL_ROWS_QD8, by sl_step_quantise() before. */
struct sl_gemm_qd8 {
    size_t m;
    int lhs_type, out_type;
    bool q4;
    struct sl_weights_qd8 weights; /* its n and k are the product's */
    struct sl_budget *budget;
};
int sl_step_gemm_qd8(struct sl_step *step, uint32_t isa, const struct sl_gemm_qd8 *gemm,
                     struct sl_weights *weights);
/* weights.data is [groups * group_out_c][kernel_h][kernel_w][group_in_c]. */
int sl_step_conv_qd8(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                     bool transposed, const struct sl_gemm_qd8 *gemm, struct sl_weights *weights);

/* `op` of enum sl_convert_op. */
void sl_step_convert(struct sl_step *step, uint32_t isa, int op, size_t count, struct sl_quant in,
                     struct sl_quant out);
/* Rows of k floats to int8 and, behind all of them at a multiple of 64 bytes, their parameters. */
void sl_step_quantise(struct sl_step *step, uint32_t isa, int type, size_t rows, size_t k);
/* Bytes that sl_step_quantise() leaves. */
size_t sl_quantised_bytes(size_t rows, size_t k);
