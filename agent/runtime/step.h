/* agent/runtime/step.h: one kernel call with everything bound: what an operator comes down to.
 *
 * Portable operators and the nodes of the XNNPACK delegate are both short lists of steps. A step is
 * shaped when operand shapes change (sl_step_*()), bound when addresses do (sl_step_bind()), and
 * then run any number of times. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/binary/binary.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/fold.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/resize.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"

struct sl_budget;

enum { SL_STEP_MAX_RANK = 6 };

/* Weights of one operator, packed for one kernel. All zeros is a valid start. */
struct sl_weights {
    const void *kernel; /* the kernel they are packed for; NULL: none chosen yet */
    void *packed;       /* owned; NULL when packed at each run */
    size_t bytes;
    struct sl_budget *budget;
};
void sl_weights_fini(struct sl_weights *weights);

struct sl_op_call;
/* An operator's own step: finds its operands by itself. */
typedef void (*sl_own_run_fn)(struct sl_op_call *call);

struct sl_step;
typedef void (*sl_step_run_fn)(const struct sl_step *step);

enum sl_step_kind {
    SL_STEP_GEMM = 1,
    SL_STEP_BATCH_GEMM,
    SL_STEP_CONV,
    SL_STEP_DECONV,
    SL_STEP_DEPTHWISE,
    SL_STEP_POOL,
    SL_STEP_POOL_INDEX,
    SL_STEP_RESIZE,
    SL_STEP_BINARY,
    SL_STEP_UNARY,
    SL_STEP_REDUCE,
    SL_STEP_PERMUTE,
    SL_STEP_COPY,
    SL_STEP_FILL,
    SL_STEP_PACK,
    SL_STEP_OWN,  /* an operator's own code */
    SL_STEP_NONE, /* nothing to do: the output is the input's memory */
};

/* Rows of elements moved with strides: slices, pads, concatenations; dense is one row. */
struct sl_copy {
    size_t rank; /* of dims; the innermost dimension is moved whole */
    size_t dims[SL_STEP_MAX_RANK];
    size_t in_strides[SL_STEP_MAX_RANK], out_strides[SL_STEP_MAX_RANK]; /* bytes */
    size_t row_bytes;
    size_t in_offset, out_offset; /* bytes */
    const uint8_t *in;
    uint8_t *out;
};

/* numpy broadcasting: `outer` calls of the kernel over the innermost run. */
struct sl_broadcast {
    const struct sl_binary *kernel;
    struct sl_binary_args args;
    size_t rank; /* outer dimensions */
    size_t dims[SL_STEP_MAX_RANK];
    size_t a_strides[SL_STEP_MAX_RANK], b_strides[SL_STEP_MAX_RANK]; /* elements */
};

/* Products of matrices [m][k] and [k][n], for each index of the outer dimensions; the right ones
 * are packed at each run. */
struct sl_batch_gemm {
    const struct sl_matmul *kernel;
    struct sl_matmul_args args; /* of each product; addresses but the packed one's are set in run */
    bool transposed;            /* the right matrices are [n][k] */
    size_t rank;                /* outer dimensions */
    size_t dims[SL_STEP_MAX_RANK];
    size_t a_strides[SL_STEP_MAX_RANK], b_strides[SL_STEP_MAX_RANK]; /* elements */
    const float *a, *b;
    float *out;
    void *packed;
};

/* A transposed convolution: a product for each image and group, whose rows are then summed. */
struct sl_deconv {
    const struct sl_matmul *gemm;
    struct sl_matmul_args args; /* of each product; dst is the patches */
    const struct sl_fold *fold;
    struct sl_fold_args fold_args; /* of each image */
    size_t batch, group_bytes;     /* packed weights from group to group */
    const float *in;
    float *out;
    const void *packed;
};

/* Max pooling over NCHW planes that tells the place of each maximum. */
struct sl_pool_index {
    struct sl_pool_args args; /* channels is 1: batch counts planes */
    int64_t *index;
};

/* Weights that are computed by the program, packed before each use. */
struct sl_pack {
    const struct sl_matmul *gemm; /* one of these three */
    const struct sl_conv *conv;
    const struct sl_depthwise *depthwise;
    size_t n, k;
    bool transposed;
    struct sl_conv_shape conv_shape;
    struct sl_depthwise_shape depthwise_shape;
    const float *weights, *bias;
    void *packed;
};

struct sl_step {
    sl_step_run_fn run;
    const char *kernel; /* its name */
    int kind;           /* enum sl_step_kind */
    size_t workspace_bytes;
    union {
        struct {
            const struct sl_matmul *kernel;
            struct sl_matmul_args args;
        } gemm;
        struct sl_batch_gemm batch_gemm;
        struct {
            const struct sl_conv *kernel;
            struct sl_conv_args args;
        } conv;
        struct sl_deconv deconv;
        struct {
            const struct sl_resize *kernel;
            struct sl_resize_args args;
        } resize;
        struct {
            const struct sl_depthwise *kernel;
            struct sl_depthwise_args args;
        } depthwise;
        struct {
            const struct sl_pool *kernel;
            struct sl_pool_args args;
        } pool;
        struct sl_pool_index pool_index;
        struct sl_broadcast binary;
        struct {
            const struct sl_unary *kernel;
            size_t count;
            const float *in;
            float *out;
            float a, b;
        } unary;
        struct {
            const struct sl_reduce *kernel;
            struct sl_reduce_args args;
        } reduce;
        struct {
            const struct sl_transpose *kernel;
            size_t rank, dims[SL_LAYOUT_MAX_RANK], perm[SL_LAYOUT_MAX_RANK];
            const uint32_t *in;
            uint32_t *out;
        } permute;
        struct sl_copy copy;
        struct {
            uint32_t *out;
            size_t count;
            uint32_t bits;
        } fill;
        struct sl_pack pack;
        struct {
            struct sl_op_call *call;
            sl_own_run_fn run;
        } own;
    };
};

/* Constant operands of a matrix product or convolution. */
struct sl_constants {
    const float *weights, *bias; /* bias may be NULL; weights NULL: packed at each run */
    struct sl_budget *budget;
};

/* All of these return 0 or a code of enum sl_et_error: SL_ET_MEMORY_ALLOCATION_FAILED when packing
 * goes over the budget, SL_ET_INVALID_ARGUMENT for shapes beyond limits. A kernel once chosen stays
 * as long as it serves the shape. With constants->weights NULL, bind packed weights as operand b.
 */
int sl_step_gemm(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k, bool transposed,
                 const struct sl_constants *constants, struct sl_weights *weights);
int sl_step_conv(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                 const struct sl_constants *constants, struct sl_weights *weights);
/* The shape's input and output are the transposed convolution's own; weights as of a convolution,
 * [groups * group_out_c][kernel_h][kernel_w][group_in_c], and constant. */
int sl_step_deconv(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                   const struct sl_constants *constants, struct sl_weights *weights);
int sl_step_depthwise(struct sl_step *step, uint32_t isa, const struct sl_depthwise_shape *shape,
                      const struct sl_constants *constants, struct sl_weights *weights);
/* A convolution with one input channel in each group, seen as depthwise. */
struct sl_depthwise_shape sl_step_depthwise_shape(const struct sl_conv_shape *shape);
/* [.., m, k] times [.., k, n] (or [.., n, k]); outer dimensions broadcast. Ranks are 2 to
 * SL_STEP_MAX_RANK, aligned at the end, the shapes fit each other, and nothing is empty. */
struct sl_batch_shape {
    size_t a_rank, b_rank;
    const size_t *a_dims, *b_dims;
    bool transposed; /* the right matrices are [n][k] */
};
int sl_step_batch_gemm(struct sl_step *step, uint32_t isa, const struct sl_batch_shape *shape);
/* Packs weights that sl_step_gemm/conv/depthwise() `of` will use; *out_bytes is the pack's size. */
void sl_step_pack(struct sl_step *step, const struct sl_step *of, bool transposed,
                  size_t *out_bytes);
/* Sets the clamp of a gemm, conv, depthwise, pool or binary step. */
void sl_step_set_clamp(struct sl_step *step, float min, float max);

/* `shape` has everything but addresses, kernel and clamp. */
int sl_step_pool(struct sl_step *step, uint32_t isa, const struct sl_pool_args *shape);
int sl_step_pool_index(struct sl_step *step, const struct sl_pool_args *shape);

/* `shape` has everything but addresses; nothing in it is 0. */
void sl_step_resize(struct sl_step *step, uint32_t isa, const struct sl_resize_args *shape);

/* a and b broadcast to `out_dims`; the ranks are at most SL_STEP_MAX_RANK, aligned at the end. */
int sl_step_binary(struct sl_step *step, uint32_t isa, int op, size_t a_rank, const size_t *a_dims,
                   size_t b_rank, const size_t *b_dims, size_t out_rank, const size_t *out_dims);
void sl_step_clamp(struct sl_step *step, uint32_t isa, size_t count, float min, float max);
/* `op` of enum sl_unary_op with its parameters. */
void sl_step_unary(struct sl_step *step, uint32_t isa, int op, size_t count, float a, float b);
void sl_step_reduce(struct sl_step *step, uint32_t isa, int op, size_t outer, size_t reduced,
                    size_t inner);
void sl_step_permute(struct sl_step *step, uint32_t isa, size_t rank, const size_t *dims,
                     const size_t *perm);
void sl_step_copy_dense(struct sl_step *step, size_t bytes);
/* Moves a box of `dims` 32-bit elements out of an array of in_dims at in_at into one of out_dims at
 * out_at. */
void sl_step_copy_box(struct sl_step *step, size_t rank, const size_t *dims, const size_t *in_dims,
                      const size_t *in_at, const size_t *out_dims, const size_t *out_at);
void sl_step_fill(struct sl_step *step, size_t count, float value);
void sl_step_none(struct sl_step *step);

/* Operand addresses: `b` is the second operand or the packed weights, where there is one. */
struct sl_step_operands {
    const void *a, *b;
    void *out;
    void *workspace; /* step->workspace_bytes, 64-byte aligned */
};
void sl_step_bind(struct sl_step *step, const struct sl_step_operands *operands);

/* True if no product of the sizes a window operation needs can overflow and the window is sane. */
bool sl_window_ok(size_t in, size_t out, size_t kernel, size_t stride, size_t dilation, size_t pad);
/* floor((in + pads - extent) / stride) + 1, at least 1 as in XNNPACK; 0 when it overflows. */
size_t sl_window_out(size_t in, size_t pad_before, size_t pad_after, size_t kernel, size_t stride,
                     size_t dilation);
/* True if the product, zeros left out, stays below 2^40. No kernel is asked about sizes of which
 * this does not hold: its own sums cannot overflow then. */
bool sl_product_ok(const size_t *factors, size_t count);

/* Settles on `kernel`. Weights that are constant and not packed for it yet get room: returns 1, and
 * the caller packs. 0: nothing to pack; SL_E_LIMIT over the budget. */
int sl_weights_settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                      const struct sl_constants *constants);
