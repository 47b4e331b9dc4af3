/* agent/runtime/step_batch_typed.h: products of many matrices, for the elements that the including
 * file names. */
static void run_pair(const struct SL_OF(sl_batch_gemm, ) * g, struct SL_OF(sl_matmul, _args) * args,
                     const SL_FLOAT *a, const SL_FLOAT *b, bool pack)
{
    if (pack)
        g->kernel->pack_rhs(args->n, args->k, b, !g->transposed, NULL, g->packed);
    args->lhs = a;
    g->kernel->run(args);
    args->dst += args->m * args->n;
}

/* Packs a right matrix again only when it is another than before. */
static void run_batch_gemm(const struct sl_step *step)
{
    const struct SL_OF(sl_batch_gemm, ) *g = &step->SL_PART.batch_gemm;
    struct SL_OF(sl_matmul, _args) args = g->args;
    size_t at[SL_STEP_MAX_RANK] = {0}, a_offset = 0, b_offset = 0, last = SIZE_MAX;
    args.dst = g->out;
    for (;;) {
        run_pair(g, &args, g->a + a_offset, g->b + b_offset, b_offset != last);
        last = b_offset;
        size_t d = g->rank;
        for (; d > 0; d--) {
            a_offset += g->a_strides[d - 1];
            b_offset += g->b_strides[d - 1];
            if (++at[d - 1] < g->dims[d - 1])
                break;
            a_offset -= g->a_strides[d - 1] * at[d - 1];
            b_offset -= g->b_strides[d - 1] * at[d - 1];
            at[d - 1] = 0;
        }
        if (d == 0)
            return;
    }
}

/* The packed matrix comes first in the workspace. */
static void bind_batch_gemm(struct sl_step *step, const struct sl_step_operands *o)
{
    struct SL_OF(sl_batch_gemm, ) *g = &step->SL_PART.batch_gemm;
    size_t packed = g->kernel->rhs_bytes(g->args.n, g->args.k);
    g->a = o->a;
    g->b = o->b;
    g->out = o->out;
    g->packed = o->workspace;
    g->args.rhs = o->workspace;
    g->args.workspace = (uint8_t *)o->workspace + ((packed + 63) & ~(size_t)63);
}

/* Outer dimensions, innermost last; a dimension of one has stride 0. */
static void set_outer(struct SL_OF(sl_batch_gemm, ) * g, const struct sl_batch_shape *s)
{
    size_t rank = s->a_rank > s->b_rank ? s->a_rank : s->b_rank;
    size_t a_stride = g->args.m * g->args.k, b_stride = g->args.n * g->args.k;
    g->rank = rank - 2;
    for (size_t i = 3; i <= rank; i++) { /* from the end */
        size_t a = i <= s->a_rank ? s->a_dims[s->a_rank - i] : 1;
        size_t b = i <= s->b_rank ? s->b_dims[s->b_rank - i] : 1;
        g->dims[rank - i] = a == 1 ? b : a;
        g->a_strides[rank - i] = a == 1 ? 0 : a_stride;
        g->b_strides[rank - i] = b == 1 ? 0 : b_stride;
        a_stride *= a;
        b_stride *= b;
    }
}

int SL_OF(sl_step_batch_gemm, )(struct sl_step *step, uint32_t isa,
                                const struct sl_batch_shape *shape)
{
    const size_t *a = shape->a_dims + shape->a_rank - 2, *b = shape->b_dims + shape->b_rank - 2;
    size_t m = a[0], k = a[1], n = b[shape->transposed ? 0 : 1];
    if (!sl_product_ok((size_t[]){m, k}, 2) || !sl_product_ok((size_t[]){n, k}, 2) ||
        !sl_product_ok((size_t[]){m, n}, 2) || m == 0 || n == 0 || k == 0)
        return SL_ET_INVALID_ARGUMENT;
    const struct SL_OF(sl_matmul, ) *kernel = SL_OF(sl_matmul, _select)(isa, m);
    *step = (struct sl_step){
        .run = run_batch_gemm,
        .axis = axis_batch_gemm,
        .kernel = kernel->name,
        .kind = SL_STEP_BATCH_GEMM,
        .workspace_bytes =
            ((kernel->rhs_bytes(n, k) + 63) & ~(size_t)63) + kernel->workspace_bytes(m, n, k),
        .bind = bind_batch_gemm,
        .places = {.min = SL_AT(batch_gemm.args.min), .max = SL_AT(batch_gemm.args.max)},
        .SL_PART.batch_gemm = {.kernel = kernel,
                               .args = {.m = m, .n = n, .k = k, .lhs_stride = k, .dst_stride = n},
                               .transposed = shape->transposed},
    };
    set_outer(&step->SL_PART.batch_gemm, shape);
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}
