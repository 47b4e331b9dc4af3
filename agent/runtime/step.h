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
#include "kernels/binary/binary_qs8.h"
#include "kernels/conv/deconv.h"
#include "kernels/conv/deconv_qs8.h"
#include "kernels/convert/convert.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/repeat.h"
#include "kernels/layout/resize.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/pool/argmax.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_qs8.h"

struct sl_budget;
struct sl_weight_blob;
struct sl_weight_store;

enum { SL_STEP_MAX_RANK = 6 };

/* Weights of one operator, packed for one kernel. All zeros is a valid start. */
struct sl_weights {
    const void *kernel; /* the kernel they are packed for; NULL: none chosen yet */
    void *packed;       /* owned, or the blob's; NULL when packed at each run */
    size_t bytes;
    struct sl_budget *budget;
    struct sl_weight_store *store; /* borrowed: whom to share with; NULL: nobody */
    struct sl_weight_blob *blob;   /* of the store */
};
/* Keeps the store. */
void sl_weights_fini(struct sl_weights *weights);
/* The same for weights that could not be packed: whole or not at all. */
void sl_weights_fail(struct sl_weights *weights);

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
    SL_STEP_CONVERT,
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

/* How two operands broadcast to an output: dimensions along which both behave alike are one. */
struct sl_broadcast_plan {
    size_t count;          /* of the innermost, merged dimension */
    size_t a_step, b_step; /* along it: 1 or 0 */
    size_t rank;           /* of those outside it */
    size_t dims[SL_STEP_MAX_RANK];
    size_t a_strides[SL_STEP_MAX_RANK], b_strides[SL_STEP_MAX_RANK]; /* bytes */
};

/* numpy broadcasting: `outer` calls of the kernel over the innermost run. */
struct sl_broadcast {
    const struct sl_binary *kernel;
    struct sl_binary_args args;
    struct sl_broadcast_plan plan;
    size_t element_bytes;
};

/* A row that is repeated has so many elements at most, and meets so many times as many rows at
 * least. */
enum { SL_STEP_REPEAT_ELEMENTS = 2048, SL_STEP_REPEAT_ROWS = 8 };

/* The fields of the shape that the arguments of all poolings have. */
#define SL_POOL_WINDOW(from)                                                                       \
    .batch = (from)->batch, .in_h = (from)->in_h, .in_w = (from)->in_w, .out_h = (from)->out_h,    \
    .out_w = (from)->out_w, .channels = (from)->channels, .kernel_h = (from)->kernel_h,            \
    .kernel_w = (from)->kernel_w, .stride_h = (from)->stride_h, .stride_w = (from)->stride_w,      \
    .dilation_h = (from)->dilation_h, .dilation_w = (from)->dilation_w,                            \
    .pad_top = (from)->pad_top, .pad_left = (from)->pad_left

/* Max pooling over NCHW planes that tells the place of each maximum. */
struct sl_pool_index {
    struct sl_pool_args args; /* channels is 1: batch counts planes */
    int64_t *index;
};

/* [.., m, k] times [.., k, n] (or [.., n, k]); outer dimensions broadcast. Ranks are 2 to
 * SL_STEP_MAX_RANK, aligned at the end, the shapes fit each other, and nothing is empty. */
struct sl_batch_shape {
    size_t a_rank, b_rank;
    const size_t *a_dims, *b_dims;
    bool transposed; /* the right matrices are [n][k] */
};

/* Channels of a depthwise convolution with a multiplier are repeated first. */
struct sl_step_repeat {
    const struct sl_repeat *kernel;
    size_t times; /* the multiplier; 1: nothing to do */
};

/* Constant operands of a matrix product or convolution. Where their type is not the kernel's they
 * are converted while they are packed. */
struct sl_constants {
    const void *weights, *bias;  /* bias may be NULL; weights NULL: packed at each run */
    int weights_type, bias_type; /* enum sl_element */
    bool planar;  /* a convolution's weights are as operators have them, channels before taps:
                   * [out][in][height][width]; a transposed one's [in][out][height][width] */
    uint32_t isa; /* what may be used for converting and turning them */
    bool as_is;   /* the weights are taken in their own type: who packs them converts them */
    struct sl_budget *budget;
    /* For sl_weights_settle(), from sl_weights_form(): what else their packing depends on. */
    uint64_t form;
    const void *scales; /* NULL: none */
};

/* Products of matrices [m][k] and [k][n], for each index of the outer dimensions; the right ones
 * are packed at each run. */
struct sl_batch_gemm {
    const struct sl_matmul *kernel;
    struct sl_matmul_args args; /* of each product; addresses but the packed one's are set in run */
    bool transposed;            /* the right matrices are [n][k] */
    size_t dst_bytes;           /* of a product's result */
    size_t rank;                /* outer dimensions */
    size_t dims[SL_STEP_MAX_RANK];
    size_t a_strides[SL_STEP_MAX_RANK], b_strides[SL_STEP_MAX_RANK]; /* bytes */
    const void *a, *b;
    void *out;
    void *packed;
};

/* A transposed convolution whose windows do not overlap: a product for each image. */
struct sl_deconv {
    const struct sl_matmul *gemm;
    struct sl_matmul_args args; /* of the first product; dst is the patches */
    size_t batch, in_h, in_w, kernel_h;
    size_t run; /* elements of a patch that stay together */
    void *out;
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
    const void *weights, *bias;
    void *packed;
};

#include "agent/runtime/step_quant.h"

/* The offsets of addresses within a step; 0: it has none. */
struct sl_step_places {
    uint16_t a, b, out, workspace;
    uint16_t min, max;   /* floats */
    uint16_t pitch;      /* elements from row to row, or pixel to pixel, of a dense output */
    uint16_t row, image; /* multiples of the pitch that are set with it */
};

struct sl_step_operands;
struct sl_step_axis;
/* Says along what a step may be cut for `crew` workers (step_split.h); false: it may not. */
typedef bool (*sl_step_axis_fn)(struct sl_step *step, uint32_t crew, struct sl_step_axis *out);

struct sl_step {
    sl_step_run_fn run;
    const char *kernel; /* its name */
    int kind;           /* enum sl_step_kind */
    struct sl_step_places places;
    /* Binds operands that `places` cannot express; NULL mostly. */
    void (*bind)(struct sl_step *step, const struct sl_step_operands *operands);
    size_t workspace_bytes;
    sl_step_axis_fn axis; /* NULL: always run whole */
    uint16_t crew, parts; /* sl_step_cut(): on how many workers, as how many parts; 0: whole */
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
            const struct sl_depthwise *kernel;
            struct sl_depthwise_args args; /* the shape has no multiplier */
            struct sl_step_repeat repeat;
        } depthwise;
        struct sl_pack pack;
        union sl_step_quants quant;
        struct sl_pool_index pool_index;
        struct {
            const struct sl_argmax *kernel;
            struct sl_argmax_args args;
        } argmax;
        struct {
            size_t element_bytes; /* 1, 2 or 4 */
            union {
                const struct sl_transpose *kernel;
                const struct sl_transpose_x16 *kernel_x16;
                const struct sl_transpose_x8 *kernel_x8;
            };
            size_t rank, dims[SL_LAYOUT_MAX_RANK], perm[SL_LAYOUT_MAX_RANK];
            const void *in;
            void *out;
        } permute;
        struct {
            const struct sl_pool *kernel;
            struct sl_pool_args args;
        } pool;
        struct {
            const struct sl_resize *kernel;
            struct sl_resize_args args;
        } resize;
        struct {
            const struct sl_reduce *kernel;
            struct sl_reduce_args args;
        } reduce;
        struct sl_broadcast binary;
        struct {
            const struct sl_unary *kernel;
            size_t count;
            const void *in;
            void *out;
            float a, b;
        } unary;
        struct sl_copy copy;
        struct {
            uint8_t *out;
            size_t count, element_bytes;
            uint32_t bits;
        } fill;
        struct {
            struct sl_op_call *call;
            sl_own_run_fn run;
        } own;
    };
};

/* For places. */
#define SL_STEP_AT(member) ((uint16_t)offsetof(struct sl_step, member))
#define SL_STEP_PLACES(part, in, weights, to)                                                      \
    {.a = SL_STEP_AT(part.args.in),                                                                \
     .b = SL_STEP_AT(part.args.weights),                                                           \
     .out = SL_STEP_AT(part.args.to),                                                              \
     .workspace = SL_STEP_AT(part.args.workspace),                                                 \
     .min = SL_STEP_AT(part.args.min),                                                             \
     .max = SL_STEP_AT(part.args.max)}

/* A convolution with one input channel in each group, seen as depthwise. */
struct sl_depthwise_shape sl_step_depthwise_shape(const struct sl_conv_shape *shape);
/* The shape over repeated channels, without a multiplier. */
struct sl_depthwise_shape sl_depthwise_widen(const struct sl_depthwise_shape *shape);
/* Bytes, whole 64, of its input. */
size_t sl_repeated_bytes(const struct sl_depthwise_shape *wide, size_t element_bytes);
/* Steps over elements of one type, `element` of enum sl_element.
 *
 * Those that return something return 0 or a code of enum sl_et_error:
 * SL_ET_MEMORY_ALLOCATION_FAILED when packing goes over the budget, SL_ET_INVALID_ARGUMENT for
 * shapes beyond limits. A kernel once chosen stays as long as it serves the shape. With
 * constants->weights NULL, bind packed weights as operand b. */
/* Products of SL_BF16 have biases and results of f32. */
int sl_step_gemm(struct sl_step *step, uint32_t isa, int element, size_t m, size_t n, size_t k,
                 bool transposed, const struct sl_constants *constants, struct sl_weights *weights);
int sl_step_batch_gemm(struct sl_step *step, uint32_t isa, int element,
                       const struct sl_batch_shape *shape);
int sl_step_conv(struct sl_step *step, uint32_t isa, int element, const struct sl_conv_shape *shape,
                 const struct sl_constants *constants, struct sl_weights *weights);
/* The shape's input and output are the transposed convolution's own; weights as of a convolution,
 * [groups * group_out_c][kernel_h][kernel_w][group_in_c], and constant. */
int sl_step_deconv(struct sl_step *step, uint32_t isa, int element,
                   const struct sl_conv_shape *shape, const struct sl_constants *constants,
                   struct sl_weights *weights);
int sl_step_depthwise(struct sl_step *step, uint32_t isa, int element,
                      const struct sl_depthwise_shape *serialized,
                      const struct sl_constants *constants, struct sl_weights *weights);
/* Packs weights that sl_step_gemm/conv/depthwise() `of` will use; *out_bytes is the pack's size. */
void sl_step_pack(struct sl_step *step, const struct sl_step *of, bool transposed,
                  size_t *out_bytes);
/* `shape` has everything but addresses and the clamp. */
int sl_step_pool(struct sl_step *step, uint32_t isa, int element, const struct sl_pool_args *shape);
/* `shape` has everything but addresses; nothing in it is 0. */
void sl_step_resize(struct sl_step *step, uint32_t isa, int element,
                    const struct sl_resize_args *shape);
void sl_step_reduce(struct sl_step *step, uint32_t isa, int element, int op, size_t outer,
                    size_t reduced, size_t inner);
/* a and b broadcast to `out_dims`; the ranks are at most SL_STEP_MAX_RANK, aligned at the end. */
int sl_step_binary(struct sl_step *step, uint32_t isa, int element, int op, size_t a_rank,
                   const size_t *a_dims, size_t b_rank, const size_t *b_dims, size_t out_rank,
                   const size_t *out_dims);
/* `op` of enum sl_unary_op with its parameters. */
void sl_step_unary(struct sl_step *step, uint32_t isa, int element, int op, size_t count, float a,
                   float b);
/* Sets the clamp of a step of floats that has one. */
void sl_step_set_clamp(struct sl_step *step, float min, float max);
/* Makes the step write its rows or pixels `pitch` elements apart instead of side by side; false,
 * and nothing is changed, where it cannot. */
bool sl_step_set_pitch(struct sl_step *step, size_t pitch);
/* Operand b of these two is an output: the places. `shape` has everything but addresses. */
int sl_step_pool_index(struct sl_step *step, const struct sl_pool_args *shape);
void sl_step_argmax(struct sl_step *step, uint32_t isa, const struct sl_argmax_args *shape);
void sl_step_clamp(struct sl_step *step, uint32_t isa, size_t count, float min, float max);
/* Elements of 1, 2 or 4 bytes; sl_step_permute() of 4. */
void sl_step_permute_of(struct sl_step *step, uint32_t isa, size_t element_bytes, size_t rank,
                        const size_t *dims, const size_t *perm);
void sl_step_permute(struct sl_step *step, uint32_t isa, size_t rank, const size_t *dims,
                     const size_t *perm);
void sl_step_copy_dense(struct sl_step *step, size_t bytes);
/* Moves a box of `dims` elements out of an array of in_dims at in_at into one of out_dims at
 * out_at. */
struct sl_box {
    size_t element_bytes, rank;
    const size_t *dims, *in_dims, *in_at, *out_dims, *out_at;
};
void sl_step_copy_box(struct sl_step *step, const struct sl_box *box);
/* The low bytes of `bits`, `count` times. */
void sl_step_fill(struct sl_step *step, size_t element_bytes, size_t count, uint32_t bits);
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
bool sl_conv_ok(const struct sl_conv_shape *shape);
bool sl_deconv_ok(const struct sl_conv_shape *shape);
bool sl_depthwise_ok(const struct sl_depthwise_shape *shape);
/* Also that every window has a pixel inside. */
bool sl_pool_ok(const struct sl_pool_args *shape);
/* floor((in + pads - extent) / stride) + 1, at least 1 as in XNNPACK; 0 when it overflows. */
size_t sl_window_out(size_t in, size_t pad_before, size_t pad_after, size_t kernel, size_t stride,
                     size_t dilation);
/* True if the product, zeros left out, stays below 2^40. No kernel is asked about sizes of which
 * this does not hold: its own sums cannot overflow then. */
bool sl_product_ok(const size_t *factors, size_t count);

/* The position of a walk over the outer dimensions; it starts with zeros. */
struct sl_broadcast_at {
    size_t index[SL_STEP_MAX_RANK];
    size_t a, b; /* bytes */
};
/* False after the last. */
bool sl_broadcast_next(const struct sl_broadcast_plan *plan, struct sl_broadcast_at *at);
/* False when the output is empty. Ranks are at most SL_STEP_MAX_RANK, aligned at the end. */
bool sl_broadcast_of(size_t a_rank, const size_t *a_dims, size_t b_rank, const size_t *b_dims,
                     size_t out_rank, const size_t *out_dims, size_t element_bytes,
                     struct sl_broadcast_plan *out);

/* Mixes numbers, such as those of a shape, into a form; 0 is a start. */
uint64_t sl_weights_form(uint64_t form, const void *numbers, size_t bytes);
/* Settles on `kernel`. Weights that are constant and not packed for it yet get room: returns 1, and
 * the caller packs. 0: nothing to pack, or packed before; SL_E_LIMIT over the budget. */
int sl_weights_settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                      const struct sl_constants *constants);

/* Constants in the type that a kernel packs. */
struct sl_taken {
    const void *weights, *bias;
    void *own, *turned; /* what was converted; what was turned */
    size_t own_bytes, turned_bytes;
};
/* `type` of enum sl_element; of SL_BF16 biases are f32. 0 or SL_ET_MEMORY_ALLOCATION_FAILED. */
int sl_constants_take(const struct sl_constants *constants, int type, size_t weights, size_t biases,
                      struct sl_taken *out);
/* Settles on a kernel; where its weights are to be packed, taken->weights has them. `form` as
 * sl_weights_form() makes it. 0 or SL_ET_MEMORY_ALLOCATION_FAILED. */
int sl_weights_take(struct sl_weights *weights, const void *kernel, size_t bytes,
                    const struct sl_constants *of, int element, uint64_t form, size_t count,
                    size_t biases, struct sl_taken *taken);
/* Puts permuted weights in the place of what was taken. 0 or SL_ET_MEMORY_ALLOCATION_FAILED. */
int sl_constants_turn(const struct sl_constants *constants, size_t element_bytes,
                      const size_t dims[4], const size_t perm[4], struct sl_taken *taken);
void sl_constants_drop(const struct sl_constants *constants, struct sl_taken *taken);
