/* agent/runtime/ops/exact_product.c: products of matrices of integers and of doubles. */
#include <string.h>

#include "agent/runtime/ops/exact.h"

enum { LHS, RHS, OUT, MORE };

struct product { /* the call's state */
    struct sl_exact exact;
    size_t batch, m, n, k;
    bool by_columns;                  /* the right side is [n][k], not [k][n] */
    size_t more_step[2];              /* of what is added, along m and n: 0 where it repeats */
    union sl_cast_number alpha, beta; /* of the product, and of what is added */
};

#define SL_NUMBER double
#define SL_MEMBER f64
#define SL_TYPED(name) name##_f64
#include "agent/runtime/ops/exact_product_typed.h"
#define SL_NUMBER uint64_t
#define SL_MEMBER i64
#define SL_TYPED(name) name##_i64
#include "agent/runtime/ops/exact_product_typed.h"

/* A product of matrices that fit together into `out`. */
static struct product *begin(struct sl_op_call *call, const struct sl_tensor *lhs,
                             const struct sl_tensor *rhs, uint32_t rank, bool by_columns,
                             struct sl_diag *diag, int *rc)
{
    struct product *p = sl_exact_new(call, lhs, sizeof(*p), diag, rc);
    bool fits = lhs->rank >= 2 && (rank == 0 || lhs->rank == rank) &&
                rhs->rank == (rank == 3 ? 3 : 2) && (rank != 3 || lhs->sizes[0] == rhs->sizes[0]) &&
                lhs->sizes[lhs->rank - 1] == rhs->sizes[rhs->rank - (by_columns ? 1 : 2)];
    if (*rc == 0 && !fits)
        *rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
    if (*rc != 0)
        return NULL;
    p->by_columns = by_columns;
    p->batch = rank == 3 ? (size_t)lhs->sizes[0] : 1;
    p->k = (size_t)lhs->sizes[lhs->rank - 1];
    p->n = (size_t)rhs->sizes[rhs->rank - (by_columns ? 2 : 1)];
    p->m = 1;
    for (uint32_t d = rank == 3 ? 1 : 0; d + 1 < lhs->rank; d++)
        p->m *= (size_t)lhs->sizes[d];
    sl_exact_hold(call, &p->exact, LHS, lhs);
    sl_exact_hold(call, &p->exact, RHS, rhs);
    return p;
}

static int finish(struct sl_op_call *call, struct product *p, struct sl_tensor *out,
                  struct sl_diag *diag)
{
    const struct sl_tensor *lhs = p->exact.tensors[LHS];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    memcpy(sizes, lhs->sizes, lhs->rank * sizeof(*sizes));
    sizes[lhs->rank - 1] = (int32_t)p->n;
    int rc = sl_tensor_resize(out, lhs->rank, sizes, diag);
    sl_exact_hold(call, &p->exact, OUT, out);
    if (rc == 0)
        rc = sl_exact_same_type(call, &p->exact, diag);
    if (rc == 0 && out->nbytes != 0)
        sl_op_own(call,
                  p->exact.class == SL_CAST_F64 ? "sl_product_f64_scalar" : "sl_product_i64_scalar",
                  p->exact.class == SL_CAST_F64 ? run_f64 : run_i64);
    return rc;
}

/* Takes the addend: rank 2 at most, each size 1 or the product's. False: its shape does not fit. */
static bool add(struct sl_op_call *call, struct product *p, const struct sl_tensor *more)
{
    const size_t sizes[2] = {p->m, p->n};
    size_t step = 1;
    if (more->rank > 2)
        return false;
    for (uint32_t d = more->rank; d > 0; d--) {
        uint32_t at = 2 - more->rank + d - 1;
        size_t size = (size_t)more->sizes[d - 1];
        if (size != 1 && size != sizes[at])
            return false;
        p->more_step[at] = size == 1 ? 0 : step;
        step *= size;
    }
    sl_exact_hold(call, &p->exact, MORE, more);
    return true;
}

static union sl_cast_number factor_of(const struct sl_op_call *call, const struct product *p,
                                      uint32_t arg)
{
    double number = sl_op_number(call, arg, 1.0);
    union sl_cast_number out = {.f64 = number};
    if (p->exact.class == SL_CAST_I64)
        out.i64 = sl_op_int(call, arg, sl_cast_to_int(number));
    return out;
}

static int prepare_addmm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct product *p =
        begin(call, sl_op_tensor(call, 1), sl_op_tensor(call, 2), 2, false, diag, &rc);
    if (!p)
        return rc;
    if (!add(call, p, sl_op_tensor(call, 0)))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its first operand does not broadcast to the product");
    p->beta = factor_of(call, p, 3);
    p->alpha = factor_of(call, p, 4);
    return finish(call, p, sl_op_tensor(call, 5), diag);
}

static int prepare_mm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct product *p =
        begin(call, sl_op_tensor(call, 0), sl_op_tensor(call, 1), 2, false, diag, &rc);
    return p ? finish(call, p, sl_op_tensor(call, 2), diag) : rc;
}

static int prepare_bmm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct product *p =
        begin(call, sl_op_tensor(call, 0), sl_op_tensor(call, 1), 3, false, diag, &rc);
    return p ? finish(call, p, sl_op_tensor(call, 2), diag) : rc;
}

static int prepare_linear(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *bias = sl_op_tensor(call, 2);
    struct product *p =
        begin(call, sl_op_tensor(call, 0), sl_op_tensor(call, 1), 0, true, diag, &rc);
    if (!p)
        return rc;
    if (bias && (bias->rank != 1 || !add(call, p, bias)))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its bias is not of its shape");
    if (p->exact.class == SL_CAST_F64)
        p->alpha.f64 = p->beta.f64 = 1.0;
    else
        p->alpha.i64 = p->beta.i64 = 1;
    return finish(call, p, sl_op_tensor(call, 3), diag);
}

const struct sl_op sl_ops_exact_product[] = {
    {.name = "aten::addmm.out", .signature = "aaannO", .prepare = prepare_addmm},
    {.name = "aten::mm.out", .signature = "aaO", .prepare = prepare_mm},
    {.name = "aten::bmm.out", .signature = "aaO", .prepare = prepare_bmm},
    {.name = "aten::linear.out", .signature = "aaAO", .prepare = prepare_linear},
    {0},
};
