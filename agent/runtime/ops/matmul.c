/* agent/runtime/ops/matmul.c: products of matrices outside delegates. */
#include "agent/runtime/ops/op.h"

struct product {
    const struct sl_tensor *lhs, *rhs, *bias; /* bias: [n], folded into the product, or NULL */
    struct sl_tensor *out;
    size_t m, n, k;
    bool transposed; /* rhs is [k][n] */
};

static bool has_memory(const struct sl_tensor *tensor)
{
    return tensor->data && tensor->nbytes <= tensor->room_bytes;
}

/* Adds the product, and before it the packing of a right side that the program computes. */
static int add_product(struct sl_op_call *call, const struct product *p, struct sl_diag *diag)
{
    struct sl_step gemm;
    struct sl_ref packed = sl_ref_none();
    if (p->m == 0 || p->n == 0 || p->k == 0)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "an empty operand is not supported");
    if (!has_memory(p->rhs) || (p->bias && !has_memory(p->bias)))
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "its operands have no memory");
    bool constant = p->rhs->constant && (!p->bias || p->bias->constant);
    const struct sl_constants constants = {
        .weights = constant ? (const float *)(const void *)p->rhs->data : NULL,
        .bias = constant && p->bias ? (const float *)(const void *)p->bias->data : NULL,
        .budget = &call->method->budget,
    };
    int rc =
        sl_step_gemm(&gemm, call->isa, p->m, p->n, p->k, p->transposed, &constants, &call->weights);
    if (rc != 0)
        return sl_op_fail(call, diag, rc, "its operands go over a limit");
    if (!constant) {
        size_t bytes = 0;
        sl_step_pack(sl_op_step(call), &gemm, p->transposed, &bytes);
        packed = sl_ref_scratch(call, bytes);
        sl_op_operands(call, sl_ref_tensor(p->rhs),
                       p->bias ? sl_ref_tensor(p->bias) : sl_ref_none(), packed);
    }
    *sl_op_step(call) = gemm;
    sl_op_operands(call, sl_ref_tensor(p->lhs), packed, sl_ref_tensor(p->out));
    call->main_step = call->step_count - 1;
    return 0;
}

static int shape_product(struct sl_op_call *call, struct product *p, struct sl_diag *diag)
{
    const struct sl_tensor *lhs = p->lhs, *rhs = p->rhs;
    int32_t sizes[SL_PTE_MAX_RANK];
    if (lhs->rank < 1 || rhs->rank != 2 || p->out->rank != lhs->rank ||
        !sl_tensor_contiguous(lhs) || !sl_tensor_contiguous(rhs) || !sl_tensor_contiguous(p->out))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                          "its operands' ranks or memory order are not supported");
    p->k = (size_t)lhs->sizes[lhs->rank - 1];
    p->n = (size_t)rhs->sizes[p->transposed ? 1 : 0];
    if ((size_t)rhs->sizes[p->transposed ? 0 : 1] != p->k)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
    p->m = p->k != 0 ? sl_tensor_count(lhs) / p->k : 0;
    for (uint32_t i = 0; i + 1 < lhs->rank; i++)
        sizes[i] = lhs->sizes[i];
    sizes[lhs->rank - 1] = (int32_t)p->n;
    return sl_tensor_resize(p->out, lhs->rank, sizes, diag);
}

static void add_scaled(struct sl_op_call *call, struct sl_ref from, size_t count, double factor,
                       struct sl_ref to)
{
    sl_step_binary(sl_op_step(call), call->isa, SL_BINARY_MULTIPLY, 1, &count, 0, NULL, 1, &count);
    sl_op_operands(call, from, sl_ref_number(call, (float)factor), to);
}

/* out = alpha * out + beta * self, where self broadcasts. */
static int add_combination(struct sl_op_call *call, const struct product *p,
                           const struct sl_tensor *self, double alpha, double beta,
                           struct sl_diag *diag)
{
    const size_t out_dims[2] = {p->m, p->n};
    size_t self_dims[2];
    if (self->rank > 2 || !sl_tensor_contiguous(self) || self->nbytes == 0)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its first operand is not supported");
    for (uint32_t i = 0; i < self->rank; i++) {
        self_dims[i] = (size_t)self->sizes[i];
        if (self_dims[i] != 1 && self_dims[i] != out_dims[2 - self->rank + i])
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                              "its first operand does not broadcast to the product");
    }
    struct sl_ref out = sl_ref_tensor(p->out), other = sl_ref_tensor(self);
    if (alpha != 1.0)
        add_scaled(call, out, p->m * p->n, alpha, out);
    if (beta != 1.0) {
        other = sl_ref_scratch(call, self->nbytes);
        add_scaled(call, sl_ref_tensor(self), sl_tensor_count(self), beta, other);
    }
    sl_step_binary(sl_op_step(call), call->isa, SL_BINARY_ADD, 2, out_dims, self->rank, self_dims,
                   2, out_dims);
    sl_op_operands(call, out, other, out);
    return 0;
}

static int prepare_addmm(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *self = sl_op_tensor(call, 0);
    double beta = sl_op_number(call, 3, 1.0), alpha = sl_op_number(call, 4, 1.0);
    struct product p = {.lhs = sl_op_tensor(call, 1),
                        .rhs = sl_op_tensor(call, 2),
                        .out = sl_op_tensor(call, 5),
                        .transposed = true};
    int rc = shape_product(call, &p, diag);
    if (rc != 0)
        return rc;
    bool folds = alpha == 1.0 && beta == 1.0 && self->rank >= 1 && self->rank <= 2 &&
                 sl_tensor_count(self) == p.n && (size_t)self->sizes[self->rank - 1] == p.n;
    if (folds)
        p.bias = self;
    rc = add_product(call, &p, diag);
    return rc != 0 || folds ? rc : add_combination(call, &p, self, alpha, beta, diag);
}

static int prepare_mm(struct sl_op_call *call, struct sl_diag *diag)
{
    struct product p = {.lhs = sl_op_tensor(call, 0),
                        .rhs = sl_op_tensor(call, 1),
                        .out = sl_op_tensor(call, 2),
                        .transposed = true};
    int rc = shape_product(call, &p, diag);
    return rc != 0 ? rc : add_product(call, &p, diag);
}

static int prepare_linear(struct sl_op_call *call, struct sl_diag *diag)
{
    struct product p = {.lhs = sl_op_tensor(call, 0),
                        .rhs = sl_op_tensor(call, 1),
                        .bias = sl_op_tensor(call, 2),
                        .out = sl_op_tensor(call, 3)};
    int rc = shape_product(call, &p, diag);
    if (rc == 0 && p.bias && sl_tensor_count(p.bias) != p.n)
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its bias is not of its shape");
    return rc != 0 ? rc : add_product(call, &p, diag);
}

const struct sl_op sl_ops_matmul[] = {
    {.name = "aten::addmm.out", .signature = "tttnno", .prepare = prepare_addmm},
    {.name = "aten::mm.out", .signature = "tto", .prepare = prepare_mm},
    {.name = "aten::linear.out", .signature = "ttTo", .prepare = prepare_linear},
    {0},
};
