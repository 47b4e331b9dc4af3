/* agent/runtime/step_typed.h: what step.h holds once for each type of floats. */
/* numpy broadcasting: `outer` calls of the kernel over the innermost run. */
struct SL_OF(sl_broadcast, ) {
    const struct SL_OF(sl_binary, ) * kernel;
    struct SL_OF(sl_binary, _args) args;
    struct sl_broadcast_plan plan;
};

/* Products of matrices [m][k] and [k][n], for each index of the outer dimensions; the right ones
 * are packed at each run. */
struct SL_OF(sl_batch_gemm, ) {
    const struct SL_OF(sl_matmul, ) * kernel;
    struct SL_OF(sl_matmul,
                 _args) args; /* of each product; addresses but the packed one's are set in run */
    bool transposed;          /* the right matrices are [n][k] */
    size_t rank;              /* outer dimensions */
    size_t dims[SL_STEP_MAX_RANK];
    size_t a_strides[SL_STEP_MAX_RANK], b_strides[SL_STEP_MAX_RANK]; /* elements */
    const SL_FLOAT *a, *b;
    SL_FLOAT *out;
    void *packed;
};

/* A transposed convolution whose windows do not overlap: a product for each image. */
struct SL_OF(sl_deconv, ) {
    const struct SL_OF(sl_matmul, ) * gemm;
    struct SL_OF(sl_matmul, _args) args; /* of the first product; dst is the patches */
    size_t batch, in_h, in_w, kernel_h;
    size_t run; /* elements of a patch that stay together */
    SL_FLOAT *out;
};

/* Weights that are computed by the program, packed before each use. */
struct SL_OF(sl_pack, ) {
    const struct SL_OF(sl_matmul, ) * gemm; /* one of these three */
    const struct SL_OF(sl_conv, ) * conv;
    const struct SL_OF(sl_depthwise, ) * depthwise;
    size_t n, k;
    bool transposed;
    struct sl_conv_shape conv_shape;
    struct sl_depthwise_shape depthwise_shape;
    const SL_FLOAT *weights, *bias;
    void *packed;
};

/* A kernel with its arguments. */
#define SL_BOUND(family)                                                                           \
    struct {                                                                                       \
        const struct SL_OF(family, ) * kernel;                                                     \
        struct SL_OF(family, _args) args;                                                          \
    }

union SL_OF(sl_step_floats, ) {
    SL_BOUND(sl_matmul) gemm;
    struct SL_OF(sl_batch_gemm, ) batch_gemm;
    SL_BOUND(sl_conv) conv;
    struct SL_OF(sl_deconv, ) deconv;
    SL_BOUND(sl_resize) resize;
    struct {
        const struct SL_OF(sl_depthwise, ) * kernel;
        struct SL_OF(sl_depthwise, _args) args; /* the shape has no multiplier */
        struct sl_step_repeat repeat;
    } depthwise;
    SL_BOUND(sl_pool) pool;
    struct SL_OF(sl_broadcast, ) binary;
    struct {
        const struct SL_OF(sl_unary, ) * kernel;
        size_t count;
        const SL_FLOAT *in;
        SL_FLOAT *out;
        float a, b;
    } unary;
    SL_BOUND(sl_reduce) reduce;
    struct SL_OF(sl_pack, ) pack;
};
#undef SL_BOUND
