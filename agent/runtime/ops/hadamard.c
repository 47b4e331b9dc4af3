/* agent/runtime/ops/hadamard.c: each line times a Hadamard matrix over the root of its order, which
 * is a power of 2, or 28 times one. */
#include <math.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"

enum { PARTS = 28, CIRCLE = 7 };

struct hadamard {
    const struct sl_tensor *in, *out;
    sl_cast_load_fn load;
    sl_cast_store_fn store;
    size_t order, parts; /* of a line; how many powers of 2 it has */
    bool doubles;
    size_t room; /* in the workspace: a line */
};

/* The matrix of order 28 is four by four of circulants of order 7. The bits of a word, the lowest
 * first, are the minus signs of the first rows of four side by side. */
static const uint32_t circulants[4] = {0x32961fe, 0x4b9bf3c, 0x79f8cda, 0xfd0ed66};

static bool is_minus(size_t row, size_t column)
{
    size_t turned = (column % CIRCLE + CIRCLE - row % CIRCLE) % CIRCLE;
    return circulants[row / CIRCLE] >> (column - column % CIRCLE + turned) & 1;
}

#define HADAMARD(real)                                                                             \
    static void turn_powers_##real(size_t count, size_t size, real *x, real by)                    \
    {                                                                                              \
        for (size_t step = 1; step < size; step *= 2)                                              \
            for (size_t at = 0; at < count; at += 2 * step)                                        \
                for (size_t i = at; i < at + step; i++) {                                          \
                    real a = x[i], b = x[i + step];                                                \
                    x[i] = a + b;                                                                  \
                    x[i + step] = a - b;                                                           \
                }                                                                                  \
        for (size_t i = 0; i < count; i++)                                                         \
            x[i] *= by;                                                                            \
    }                                                                                              \
                                                                                                   \
    static void join_parts_##real(size_t size, real *x)                                            \
    {                                                                                              \
        for (size_t k = 0; k < size; k++) {                                                        \
            real from[PARTS];                                                                      \
            for (size_t i = 0; i < PARTS; i++)                                                     \
                from[i] = x[i * size + k];                                                         \
            for (size_t i = 0; i < PARTS; i++) {                                                   \
                real sum = 0;                                                                      \
                for (size_t j = 0; j < PARTS; j++)                                                 \
                    sum += is_minus(j, i) ? -from[j] : from[j];                                    \
                x[i * size + k] = sum;                                                             \
            }                                                                                      \
        }                                                                                          \
    }

HADAMARD(float)
HADAMARD(double)

static void run_hadamard(struct sl_op_call *call)
{
    const struct hadamard *h = call->state;
    void *line = (uint8_t *)call->method->workspace.base + h->room;
    size_t bytes = h->in->element_bytes, size = h->order / h->parts;
    double by = 1.0 / sqrt((double)size); /* that of order 28 stays as it is */
    for (size_t at = 0; at < h->in->nbytes; at += h->order * bytes) {
        h->load(h->in->data + at, (ptrdiff_t)bytes, h->order, line);
        if (h->doubles)
            turn_powers_double(h->order, size, line, by);
        else
            turn_powers_float(h->order, size, line, (float)by);
        if (h->parts == PARTS && h->doubles)
            join_parts_double(size, line);
        else if (h->parts == PARTS)
            join_parts_float(size, line);
        h->store(line, h->order, h->out->data + at, (ptrdiff_t)bytes);
    }
}

static int prepare_hadamard(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 1);
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    struct hadamard *h = rc == 0 ? sl_op_state(call, sizeof(*h)) : NULL;
    if (rc != 0)
        return rc;
    if (!h)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *h = (struct hadamard){.in = in, .out = out};
    h->order = in->rank == 0 ? 1 : (size_t)in->sizes[in->rank - 1];
    h->parts = h->order % PARTS == 0 ? PARTS : 1;
    size_t size = h->order / h->parts;
    if (in->scalar_type != out->scalar_type || !sl_cast_is_float(in->scalar_type) ||
        (size & (size - 1)) != 0 || !sl_tensor_contiguous(in) || !sl_tensor_contiguous(out))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its lines are not dense floats, a power of 2 or 28 times one of them");
    int class = sl_cast_class(in->scalar_type);
    h->doubles = class == SL_CAST_F64;
    h->load = sl_cast_load(class, in->scalar_type);
    h->store = sl_cast_store(class, in->scalar_type);
    h->room = sl_ref_scratch(call, h->order * sizeof(double)).offset;
    if (in->nbytes != 0)
        sl_op_own(call, "sl_hadamard_scalar", run_hadamard);
    return 0;
}

const struct sl_op sl_ops_hadamard[] = {
    {.name = "llama::fast_hadamard_transform.out", .signature = "aO", .prepare = prepare_hadamard},
    {0},
};
