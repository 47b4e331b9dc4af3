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
    if (p->out->nbytes == 0)
        return 0;
    if (p->k == 0 && !p->bias) {
        sl_step_fill(sl_op_step(call), sizeof(float), sl_tensor_count(p->out), 0);
        sl_op_operands(call, sl_ref_none(), sl_ref_none(), sl_ref_tensor(p->out));
        return 0;
    }
    if (p->k == 0)
        return sl_op_exactly(call, diag);
    if (!has_memory(p->rhs) || (p->bias && !has_memory(p->bias)))
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "its operands have no memory");
    bool constant = p->rhs->constant && (!p->bias || p->bias->constant);
    const struct sl_constants constants =
        sl_op_constants(call, constant ? p->rhs : NULL, constant ? p->bias : NULL);
    int rc = sl_step_gemm(&gemm, call->isa, SL_F32, p->m, p->n, p->k, p->transposed, &constants,
                          &call->weights);
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
    int32_t sizes[SL_TENSOR_MAX_RANK];
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
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_MULTIPLY, 1, &count, 0, NULL, 1,
                   &count);
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
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_ADD, 2, out_dims, self->rank,
                   self_dims, 2, out_dims);
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
    if (!self) /* 'W' of a signature is a bias, which others may go without */
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "argument 0 is not of the kind it takes");
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

/* One product after the other: their right sides are packed one by one. */
struct batch {
    const struct sl_tensor *lhs, *rhs, *out;
    size_t count, lhs_bytes, rhs_bytes, out_bytes;
    struct sl_step pack, gemm;
    size_t packed, scratch; /* of the workspace */
};

static void run_batch(struct sl_op_call *call)
{
    struct batch *b = call->state;
    uint8_t *base = call->method->workspace.base;
    for (size_t i = 0; i < b->count; i++) {
        const struct sl_step_operands pack = {.a = b->rhs->data + i * b->rhs_bytes,
                                              .out = base + b->packed,
                                              .workspace = base + b->scratch};
        const struct sl_step_operands gemm = {.a = b->lhs->data + i * b->lhs_bytes,
                                              .b = base + b->packed,
                                              .out = b->out->data + i * b->out_bytes,
                                              .workspace = base + b->scratch};
        sl_step_bind(&b->pack, &pack);
        b->pack.run(&b->pack);
        sl_step_bind(&b->gemm, &gemm);
        b->gemm.run(&b->gemm);
    }
}

static int prepare_bmm(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *lhs = sl_op_tensor(call, 0), *rhs = sl_op_tensor(call, 1);
    struct sl_tensor *out = sl_op_tensor(call, 2);
    const struct sl_constants constants = {.budget = &call->method->budget};
    struct batch *b = sl_op_state(call, sizeof(*b));
    size_t packed_bytes = 0;
    if (!b)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (lhs->rank != 3 || rhs->rank != 3 || lhs->sizes[0] != rhs->sizes[0] ||
        lhs->sizes[2] != rhs->sizes[1] || !sl_tensor_contiguous(lhs) ||
        !sl_tensor_contiguous(rhs) || !sl_tensor_contiguous(out))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
    const int32_t sizes[3] = {lhs->sizes[0], lhs->sizes[1], rhs->sizes[2]};
    int rc = sl_tensor_resize(out, 3, sizes, diag);
    if (rc != 0 || out->nbytes == 0)
        return rc;
    if (lhs->sizes[2] == 0)
        return sl_op_exactly(call, diag);
    *b = (struct batch){.lhs = lhs, .rhs = rhs, .out = out, .count = (size_t)sizes[0]};
    b->lhs_bytes = lhs->nbytes / b->count;
    b->rhs_bytes = rhs->nbytes / b->count;
    b->out_bytes = out->nbytes / b->count;
    rc = sl_step_gemm(&b->gemm, call->isa, SL_F32, (size_t)sizes[1], (size_t)sizes[2],
                      (size_t)lhs->sizes[2], true, &constants, &call->weights);
    if (rc != 0)
        return sl_op_fail(call, diag, rc, "its operands go over a limit");
    sl_step_pack(&b->pack, &b->gemm, true, &packed_bytes);
    b->packed = sl_ref_scratch(call, packed_bytes).offset;
    size_t scratch = b->gemm.workspace_bytes > b->pack.workspace_bytes ? b->gemm.workspace_bytes
                                                                       : b->pack.workspace_bytes;
    b->scratch = sl_ref_scratch(call, scratch).offset;
    sl_op_own(call, b->gemm.kernel, run_batch);
    return 0;
}

const struct sl_op sl_ops_matmul[] = {
#define PRODUCT(id, letters)                                                                       \
    {.name = "aten::" #id ".out",                                                                  \
     .signature = letters,                                                                         \
     .prepare = prepare_##id,                                                                      \
     .exact = sl_ops_exact_product}
    PRODUCT(addmm, "Wtwnno"), PRODUCT(mm, "two"), PRODUCT(bmm, "tto"), PRODUCT(linear, "twWo"), {0},
};
