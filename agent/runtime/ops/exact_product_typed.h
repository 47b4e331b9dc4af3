/* agent/runtime/ops/exact_product_typed.h: products of matrices of SL_NUMBER, once for each. */

/* out[m][n] of lhs[m][k] and rhs[k][n]. */
static void SL_TYPED(by_rows)(const struct product *p, const SL_NUMBER *lhs, const SL_NUMBER *rhs,
                              SL_NUMBER *restrict out)
{
    memset(out, 0, p->m * p->n * sizeof(*out));
    for (size_t i = 0; i < p->m; i++, out += p->n)
        for (size_t k = 0; k < p->k; k++) {
            SL_NUMBER factor = *lhs++;
            for (size_t j = 0; j < p->n; j++)
                out[j] += factor * rhs[k * p->n + j];
        }
}

/* out[m][n] of lhs[m][k] and rhs[n][k]. */
static void SL_TYPED(by_columns)(const struct product *p, const SL_NUMBER *lhs,
                                 const SL_NUMBER *rhs, SL_NUMBER *restrict out)
{
    for (size_t i = 0; i < p->m; i++, lhs += p->k)
        for (size_t j = 0; j < p->n; j++) {
            SL_NUMBER sum = 0;
            for (size_t k = 0; k < p->k; k++)
                sum += lhs[k] * rhs[j * p->k + k];
            *out++ = sum;
        }
}

static void SL_TYPED(run)(struct sl_op_call *call)
{
    const struct product *p = call->state;
    const SL_NUMBER *lhs = sl_exact_read(call, &p->exact, LHS);
    const SL_NUMBER *rhs = sl_exact_read(call, &p->exact, RHS);
    const SL_NUMBER *more = sl_exact_read(call, &p->exact, MORE);
    SL_NUMBER *out = sl_exact_array(call, &p->exact, OUT);
    for (size_t b = 0; b < p->batch; b++)
        (p->by_columns ? SL_TYPED(by_columns) : SL_TYPED(by_rows))(
            p, lhs + b * p->m * p->k, rhs + b * p->k * p->n, out + b * p->m * p->n);
    for (size_t i = 0; more && i < p->m * p->n; i++)
        out[i] = out[i] * (SL_NUMBER)p->alpha.SL_MEMBER +
                 more[i / p->n * p->more_step[0] + i % p->n * p->more_step[1]] *
                     (SL_NUMBER)p->beta.SL_MEMBER;
    sl_exact_write(call, &p->exact, OUT);
}

#undef SL_NUMBER
#undef SL_MEMBER
#undef SL_TYPED
