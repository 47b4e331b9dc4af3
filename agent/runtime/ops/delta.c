/* agent/runtime/ops/delta.c: linear attention that keeps a state of keys by values and corrects it
 * by each token (the gated delta rule), as ExecuTorch's extension for language models has it.
 *
 * Tensors are [batch][head][token][d]; several heads of queries may share one of keys and values.
 * A token's decay is one number, or one for each element of its key. */
#include <string.h>

#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

enum { QUERY, KEY, VALUE, DECAY, BETA, STATE, OUT, FINAL, TENSORS };

struct delta {
    struct sl_tensor *tensors[TENSORS];
    size_t heads, groups; /* of keys; queries for each */
    size_t tokens, keys, values;
    size_t gates;   /* decays of a token */
    size_t scratch; /* in the workspace: what the state does not know of a value */
};

static float *floats(const struct delta *d, int tensor)
{
    return (float *)(void *)d->tensors[tensor]->data;
}

/* Token n of all batches and heads: state = decay * state, state += key (beta (value - key state)).
 */
static void correct(const struct delta *d, size_t n, float *state, float *rest)
{
    const float *key = floats(d, KEY) + n * d->keys, *value = floats(d, VALUE) + n * d->values;
    const float *decay = floats(d, DECAY) + n * d->gates, beta = floats(d, BETA)[n];
    memcpy(rest, value, d->values * sizeof(*rest));
    for (size_t k = 0; k < d->keys; k++) {
        float *row = state + k * d->values, by = decay[d->gates == 1 ? 0 : k];
        for (size_t i = 0; i < d->values; i++) {
            row[i] *= by;
            rest[i] -= row[i] * key[k];
        }
    }
    for (size_t k = 0; k < d->keys; k++)
        for (size_t i = 0; i < d->values; i++)
            state[k * d->values + i] += key[k] * beta * rest[i];
}

/* out = query * state */
static void ask(const struct delta *d, const float *query, const float *state, float *out)
{
    memset(out, 0, d->values * sizeof(*out));
    for (size_t k = 0; k < d->keys; k++)
        for (size_t i = 0; i < d->values; i++)
            out[i] += query[k] * state[k * d->values + i];
}

static void run_delta(struct sl_op_call *call)
{
    const struct delta *d = call->state;
    float *rest = (float *)(void *)((uint8_t *)call->method->workspace.base + d->scratch);
    memcpy(d->tensors[FINAL]->data, d->tensors[STATE]->data, d->tensors[STATE]->nbytes);
    for (size_t head = 0; head < d->heads; head++) {
        float *state = floats(d, FINAL) + head * d->keys * d->values;
        for (size_t t = 0; t < d->tokens; t++) {
            correct(d, head * d->tokens + t, state, rest);
            for (size_t g = 0; g < d->groups; g++) {
                size_t at = (head * d->groups + g) * d->tokens + t;
                ask(d, floats(d, QUERY) + at * d->keys, state, floats(d, OUT) + at * d->values);
            }
        }
    }
}

/* True of rank `rank` with these sizes; -1 fits any. */
static bool has_sizes(const struct sl_tensor *tensor, uint32_t rank, const int32_t *sizes)
{
    bool fits = tensor->rank == rank && sl_tensor_contiguous(tensor);
    for (uint32_t i = 0; i < rank && fits; i++)
        fits = sizes[i] < 0 || tensor->sizes[i] == sizes[i];
    return fits;
}

static bool fit(struct sl_tensor *const *t)
{
    static const int32_t any[4] = {-1, -1, -1, -1};
    const struct sl_tensor *k = t[KEY], *v = t[VALUE], *q = t[QUERY];
    if (!has_sizes(k, 4, any) || !has_sizes(v, 4, any) || !has_sizes(q, 4, any))
        return false;
    const int32_t state[4] = {k->sizes[0], k->sizes[1], k->sizes[3], v->sizes[3]};
    const int32_t values[4] = {k->sizes[0], k->sizes[1], k->sizes[2], -1};
    const int32_t queries[4] = {k->sizes[0], -1, k->sizes[2], k->sizes[3]};
    return has_sizes(v, 4, values) && has_sizes(q, 4, queries) && has_sizes(t[STATE], 4, state) &&
           has_sizes(t[BETA], 3, k->sizes) &&
           (has_sizes(t[DECAY], 3, k->sizes) || has_sizes(t[DECAY], 4, k->sizes)) &&
           k->sizes[1] != 0 && q->sizes[1] % k->sizes[1] == 0;
}

static int prepare_delta(struct sl_op_call *call, struct sl_diag *diag)
{
    struct delta *d = sl_op_state(call, sizeof(*d));
    if (!d)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    for (uint32_t i = 0; i < TENSORS; i++)
        d->tensors[i] = sl_op_tensor(call, i);
    const struct sl_tensor *k = d->tensors[KEY], *q = d->tensors[QUERY];
    if (!fit(d->tensors))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
    d->keys = (size_t)k->sizes[3];
    d->values = (size_t)d->tensors[VALUE]->sizes[3];
    d->tokens = (size_t)k->sizes[2];
    d->heads = (size_t)k->sizes[0] * (size_t)k->sizes[1];
    d->groups = (size_t)(q->sizes[1] / k->sizes[1]);
    d->gates = d->tensors[DECAY]->rank == 4 ? d->keys : 1;
    const int32_t sizes[4] = {q->sizes[0], q->sizes[1], q->sizes[2], (int32_t)d->values};
    int rc = sl_tensor_resize(d->tensors[OUT], 4, sizes, diag);
    if (rc == 0)
        rc = sl_tensor_resize(d->tensors[FINAL], 4, d->tensors[STATE]->sizes, diag);
    if (rc != 0)
        return rc;
    if (!sl_tensor_contiguous(d->tensors[OUT]) || !sl_tensor_contiguous(d->tensors[FINAL]))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its outputs are not dense");
    d->scratch = sl_ref_scratch(call, d->values * sizeof(float)).offset;
    sl_op_own(call, "sl_delta_f32_scalar", run_delta);
    return 0;
}

/* ExecuTorch runs both by one function, which begins the event itself. */
static const char event[] = "native_call_llama::gated_delta_rule.out";

const struct sl_op sl_ops_delta[] = {
    {.name = "llama::gated_delta_rule.out",
     .event = event,
     .signature = "ttttttoo",
     .prepare = prepare_delta},
    {.name = "llama::channelwise_gated_delta_rule.out",
     .event = event,
     .signature = "ttttttoo",
     .prepare = prepare_delta},
    {0},
};
