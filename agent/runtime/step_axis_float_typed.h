/* agent/runtime/step_axis_float_typed.h: along what the other steps over floats may be cut
 * (step_split.h), for the elements that the including file names. */

static void move_batch_workspace(struct sl_step *step, void *workspace)
{
    struct SL_OF(sl_batch_gemm, ) *g = &step->SL_PART.batch_gemm;
    g->args.workspace =
        (uint8_t *)workspace + ((const uint8_t *)g->args.workspace - (const uint8_t *)g->packed);
    g->args.rhs = g->packed = workspace;
}

/* By the outermost dimension of products that has several; a single product by its rows. */
static bool axis_batch_gemm(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct SL_OF(sl_batch_gemm, ) *g = &step->SL_PART.batch_gemm;
    struct SL_OF(sl_matmul, _args) *a = &g->args;
    size_t d = 0, inner = a->m * a->n;
    (void)crew;
    while (d < g->rank && g->dims[d] == 1)
        d++;
    for (size_t i = d + 1; i < g->rank; i++)
        inner *= g->dims[i];
    if (d < g->rank) {
        sl_axis_of_rows(&g->dims[d], g->out, inner * sizeof(SL_FLOAT), (uint64_t)inner * a->k, out);
        sl_axis_move(out, &g->a, g->a_strides[d] * sizeof(SL_FLOAT));
        sl_axis_move(out, &g->b, g->b_strides[d] * sizeof(SL_FLOAT));
        sl_axis_move(out, &g->out, inner * sizeof(SL_FLOAT));
    } else {
        sl_axis_of_rows(&a->m, g->out, a->n * sizeof(SL_FLOAT), (uint64_t)a->n * a->k, out);
        out->unit *= g->kernel->m_step();
        out->chunks = 1; /* each packs the right matrix for itself */
        sl_axis_move(out, &g->a, a->lhs_stride * sizeof(SL_FLOAT));
        sl_axis_move(out, &g->out, a->n * sizeof(SL_FLOAT));
    }
    out->set_workspace = move_batch_workspace;
    out->workspace_bytes = ((g->kernel->rhs_bytes(a->n, a->k) + 63) & ~(size_t)63) +
                           g->kernel->workspace_bytes(a->m, a->n, a->k);
    return true;
}

static bool axis_unary(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    (void)crew;
    sl_axis_of_elements(
        &step->SL_PART.unary.count, step->SL_PART.unary.out, sizeof(SL_FLOAT),
        step->SL_PART.unary.kernel->op == SL_UNARY_CLAMP ? SL_WORK_ELEMENT : SL_WORK_FUNCTION, out);
    sl_axis_move(out, &step->SL_PART.unary.in, sizeof(SL_FLOAT));
    sl_axis_move(out, &step->SL_PART.unary.out, sizeof(SL_FLOAT));
    return true;
}

static bool axis_reduce(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct SL_OF(sl_reduce, _args) *a = &step->SL_PART.reduce.args;
    bool folds = sl_reduce_folds(step->SL_PART.reduce.kernel->op);
    size_t row = a->reduced * a->inner * sizeof(SL_FLOAT);
    size_t out_row = folds ? a->inner * sizeof(SL_FLOAT) : row;
    (void)crew;
    if (row == 0)
        return false;
    sl_axis_of_rows(&a->outer, a->out, out_row,
                    (uint64_t)a->reduced * a->inner * (folds ? SL_WORK_ELEMENT : SL_WORK_FUNCTION),
                    out);
    sl_axis_move(out, &a->in, row);
    sl_axis_move(out, &a->out, out_row);
    if (!folds && a->mean) { /* three outputs that begin with a line: units of all end with one */
        if (((uintptr_t)a->out | (uintptr_t)a->mean | (uintptr_t)a->rstd) % 64 != 0)
            return false;
        while (out->unit * sizeof(*a->mean) % 64 != 0)
            out->unit *= 2;
        sl_axis_move(out, &a->mean, sizeof(*a->mean));
        sl_axis_move(out, &a->rstd, sizeof(*a->rstd));
    }
    return true;
}
