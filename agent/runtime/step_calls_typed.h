/* agent/runtime/step_calls_typed.h: the makers of steps that step.h declares once for each type of
 * floats.
 *
 * All of these return 0 or a code of enum sl_et_error: SL_ET_MEMORY_ALLOCATION_FAILED when packing
 * goes over the budget, SL_ET_INVALID_ARGUMENT for shapes beyond limits. A kernel once chosen stays
 * as long as it serves the shape. With constants->weights NULL, bind packed weights as operand b.
 */
int SL_OF(sl_step_gemm, )(struct sl_step *step, uint32_t isa, size_t m, size_t n, size_t k,
                          bool transposed, const struct sl_constants *constants,
                          struct sl_weights *weights);
int SL_OF(sl_step_conv, )(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                          const struct sl_constants *constants, struct sl_weights *weights);
/* The shape's input and output are the transposed convolution's own; weights as of a convolution,
 * [groups * group_out_c][kernel_h][kernel_w][group_in_c], and constant. */
int SL_OF(sl_step_deconv, )(struct sl_step *step, uint32_t isa, const struct sl_conv_shape *shape,
                            const struct sl_constants *constants, struct sl_weights *weights);
int SL_OF(sl_step_depthwise, )(struct sl_step *step, uint32_t isa,
                               const struct sl_depthwise_shape *serialized,
                               const struct sl_constants *constants, struct sl_weights *weights);
/* Packs weights that sl_step_gemm/conv/depthwise() `of` will use; *out_bytes is the pack's size. */
void SL_OF(sl_step_pack, )(struct sl_step *step, const struct sl_step *of, bool transposed,
                           size_t *out_bytes);
int SL_OF(sl_step_batch_gemm, )(struct sl_step *step, uint32_t isa,
                                const struct sl_batch_shape *shape);
/* `shape` has everything but addresses, kernel and clamp. */
int SL_OF(sl_step_pool, )(struct sl_step *step, uint32_t isa, const struct sl_pool_args *shape);
/* `shape` has everything but addresses; nothing in it is 0. */
void SL_OF(sl_step_resize, )(struct sl_step *step, uint32_t isa,
                             const struct sl_resize_args *shape);
/* a and b broadcast to `out_dims`; the ranks are at most SL_STEP_MAX_RANK, aligned at the end. */
int SL_OF(sl_step_binary, )(struct sl_step *step, uint32_t isa, int op, size_t a_rank,
                            const size_t *a_dims, size_t b_rank, const size_t *b_dims,
                            size_t out_rank, const size_t *out_dims);
/* `op` of enum sl_unary_op with its parameters. */
void SL_OF(sl_step_unary, )(struct sl_step *step, uint32_t isa, int op, size_t count, float a,
                            float b);
void SL_OF(sl_step_reduce, )(struct sl_step *step, uint32_t isa, int op, size_t outer,
                             size_t reduced, size_t inner);
