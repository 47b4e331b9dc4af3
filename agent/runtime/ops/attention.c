/* agent/runtime/ops/attention.c: attention over a cache of keys and values, as ExecuTorch's
 * extension for language models has it (namespace llama). Tensors are [batch][position][head][d],
 * quantised ones also [batch][head][position][d]; several heads of queries may share one of keys
 * and values. The position is read at each call. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

static const char *const wrong_position = "its position leaves the cache";

/* Copies `value` into `cache` from a position on, or each token to a place of its own. */
struct update {
    const struct sl_tensor *value;
    struct sl_tensor *cache;
    uint32_t position;              /* argument */
    const struct sl_tensor *places; /* [batch][token], int64; or NULL */
};

/* Rows of d floats; int8 numbers become such in the workspace. */
struct rows {
    const struct sl_tensor *tensor;
    const struct sl_tensor *zeros, *scales; /* int8 and f32, one a row; NULL: floats */
    size_t scratch;
};

struct attention {
    struct rows query, keys, values;
    const struct sl_tensor *mask; /* [queries][keys], added; or NULL */
    struct sl_tensor *out;
    bool heads_first;
    uint32_t position; /* argument */
    bool causal;
    double scale;
    size_t scores; /* of the workspace: a row of as many as there are keys */
};

struct plan {
    struct update updates[2];
    uint32_t update_count;
    struct attention attention;
};

/* Rank 4, dense, of one type, and equal but in the second dimension. */
static bool has_tokens_of(const struct sl_tensor *value, const struct sl_tensor *cache)
{
    return value->rank == 4 && cache->rank == 4 && value->scalar_type == cache->scalar_type &&
           value->sizes[0] == cache->sizes[0] && value->sizes[2] == cache->sizes[2] &&
           value->sizes[3] == cache->sizes[3] && sl_tensor_contiguous(value) &&
           sl_tensor_contiguous(cache);
}

static bool fits_cache(const struct sl_tensor *value, const struct sl_tensor *cache)
{
    return has_tokens_of(value, cache) && value->sizes[1] <= cache->sizes[1];
}

/* The argument as a position from which `count` fit below `limit`; false with `failure` set. */
static bool read_position(struct sl_op_call *call, uint32_t argument, int32_t count, int32_t limit,
                          size_t *out)
{
    int64_t position = sl_op_int(call, argument, 0);
    if (position < 0 || position > limit || count > limit - position) {
        call->failure = wrong_position;
        return false;
    }
    *out = (size_t)position;
    return true;
}

static void run_update(struct sl_op_call *call, const struct update *u)
{
    size_t position = 0;
    size_t batches = (size_t)u->value->sizes[0];
    if (!read_position(call, u->position, u->value->sizes[1], u->cache->sizes[1], &position) ||
        u->value->nbytes == 0)
        return;
    size_t bytes = u->value->nbytes / batches, whole = u->cache->nbytes / batches;
    size_t row = whole / (size_t)u->cache->sizes[1];
    for (size_t b = 0; b < batches; b++)
        memcpy(u->cache->data + b * whole + position * row, u->value->data + b * bytes, bytes);
}

/* The last of several tokens with one place stays. */
static void run_places(struct sl_op_call *call, const struct update *u)
{
    size_t batches = (size_t)u->value->sizes[0], tokens = (size_t)u->value->sizes[1];
    const int64_t *places = (const int64_t *)(const void *)u->places->data;
    if (u->value->nbytes == 0)
        return;
    size_t row = u->value->nbytes / batches / tokens, rows = (size_t)u->cache->sizes[1];
    for (size_t i = 0; i < batches * tokens; i++)
        if (places[i] < 0 || places[i] >= u->cache->sizes[1]) {
            call->failure = wrong_position;
            return;
        }
    for (size_t i = 0; i < batches * tokens; i++)
        memcpy(u->cache->data + (i / tokens * rows + (size_t)places[i]) * row,
               u->value->data + i * row, row);
}

/* Elements from one to the next. */
struct steps {
    size_t batch, position, head;
};

static int32_t positions_of(const struct attention *a, const struct sl_tensor *tensor)
{
    return tensor->sizes[a->heads_first ? 2 : 1];
}

static int32_t heads_of(const struct attention *a, const struct sl_tensor *tensor)
{
    return tensor->sizes[a->heads_first ? 1 : 2];
}

static struct steps steps_of(const struct attention *a, const struct sl_tensor *tensor)
{
    size_t d = (size_t)tensor->sizes[3], inner = (size_t)tensor->sizes[2] * d;
    return (struct steps){(size_t)tensor->sizes[1] * inner, a->heads_first ? d : inner,
                          a->heads_first ? inner : d};
}

static float *scratch_at(const struct sl_op_call *call, size_t at)
{
    return (float *)(void *)((uint8_t *)call->method->workspace.base + at);
}

static const float *floats_of(const struct sl_op_call *call, const struct rows *rows)
{
    if (!rows->zeros)
        return (const float *)(const void *)rows->tensor->data;
    float *out = scratch_at(call, rows->scratch);
    const int8_t *in = (const int8_t *)rows->tensor->data;
    const int8_t *zeros = (const int8_t *)rows->zeros->data;
    const float *scales = (const float *)(const void *)rows->scales->data;
    size_t d = (size_t)rows->tensor->sizes[3], count = rows->tensor->nbytes / d;
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; i < d; i++)
            out[row * d + i] = (float)(in[row * d + i] - zeros[row]) * scales[row];
    return out;
}

/* Scores of one query against `count` keys become weights that sum to 1. */
static void weigh(const struct attention *a, size_t d, const float *query, const float *keys,
                  size_t step, const float *mask, size_t count, float *scores)
{
    float largest = -INFINITY, sum = 0.0f;
    for (size_t k = 0; k < count; k++) {
        float dot = 0.0f;
        for (size_t i = 0; i < d; i++)
            dot += query[i] * keys[k * step + i];
        scores[k] = dot * (float)a->scale + (mask ? mask[k] : 0.0f);
        largest = scores[k] > largest ? scores[k] : largest;
    }
    for (size_t k = 0; k < count; k++)
        sum += scores[k] = largest == -INFINITY ? 0.0f : expf(scores[k] - largest);
    for (size_t k = 0; k < count && sum != 0.0f; k++)
        scores[k] /= sum;
}

static void add_weighed(size_t d, const float *scores, const float *values, size_t step,
                        size_t count, float *out)
{
    memset(out, 0, d * sizeof(*out));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < d; i++)
            out[i] += scores[k] * values[k * step + i];
}

static void run_attention(struct sl_op_call *call, const struct attention *a)
{
    const struct sl_tensor *q = a->query.tensor, *k = a->keys.tensor;
    size_t heads = (size_t)heads_of(a, q), d = (size_t)q->sizes[3];
    size_t queries = (size_t)positions_of(a, q), keys = (size_t)positions_of(a, k), position = 0;
    size_t sharing = heads / (size_t)heads_of(a, k);
    struct steps q_step = steps_of(a, q), k_step = steps_of(a, k);
    float *scores = scratch_at(call, a->scores);
    if (!read_position(call, a->position, positions_of(a, q), positions_of(a, k), &position) ||
        q->nbytes == 0)
        return;
    const float *query = floats_of(call, &a->query), *key = floats_of(call, &a->keys);
    const float *value = floats_of(call, &a->values);
    for (size_t b = 0; b < (size_t)q->sizes[0]; b++)
        for (size_t s = 0; s < queries; s++)
            for (size_t h = 0; h < heads; h++) {
                size_t at = b * q_step.batch + s * q_step.position + h * q_step.head;
                size_t first = b * k_step.batch + h / sharing * k_step.head;
                size_t count = a->mask ? keys : position + (a->causal ? s + 1 : queries);
                const float *mask =
                    a->mask ? (const float *)(const void *)a->mask->data + s * keys : NULL;
                weigh(a, d, query + at, key + first, k_step.position, mask, count, scores);
                add_weighed(d, scores, value + first, k_step.position, count,
                            (float *)(void *)a->out->data + at);
            }
}

static void run_plan(struct sl_op_call *call)
{
    const struct plan *plan = call->state;
    for (uint32_t i = 0; i < plan->update_count && !call->failure; i++)
        (plan->updates[i].places ? run_places : run_update)(call, &plan->updates[i]);
    if (plan->attention.out && !call->failure)
        run_attention(call, &plan->attention);
}

static int refuse(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
}

/* Scale, cause and mask stand at `first` + 0 mask, 2 causal, 3 scale. */
static int prepare_attention(struct sl_op_call *call, struct attention *a, uint32_t first,
                             struct sl_diag *diag)
{
    const struct sl_tensor *q = a->query.tensor, *k = a->keys.tensor, *v = a->values.tensor;
    a->mask = sl_op_tensor(call, first);
    a->causal = sl_op_bool(call, first + 2);
    if (!fits_cache(k, v) || k->sizes[1] != v->sizes[1] || q->rank != 4 ||
        q->sizes[0] != k->sizes[0] || q->sizes[3] != k->sizes[3] || heads_of(a, k) == 0 ||
        heads_of(a, q) % heads_of(a, k) != 0 || q->sizes[3] == 0 || !sl_tensor_contiguous(q))
        return refuse(call, diag);
    if (a->mask &&
        (a->causal || a->mask->rank != 2 || !sl_tensor_contiguous(a->mask) ||
         a->mask->sizes[0] != positions_of(a, q) || a->mask->sizes[1] != positions_of(a, k)))
        return refuse(call, diag);
    a->scale = sl_op_number(call, first + 3, 1.0 / sqrt((double)q->sizes[3]));
    a->scores = sl_ref_scratch(call, (size_t)positions_of(a, k) * sizeof(float)).offset;
    return sl_tensor_resize(a->out, 4, q->sizes, diag);
}

static struct plan *new_plan(struct sl_op_call *call, struct sl_diag *diag)
{
    struct plan *plan = sl_op_state(call, sizeof(*plan));
    if (!plan)
        sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    else
        *plan = (struct plan){.update_count = 0};
    return plan;
}

static int prepare_update_cache(struct sl_op_call *call, struct sl_diag *diag)
{
    struct plan *plan = new_plan(call, diag);
    if (!plan)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    plan->updates[plan->update_count++] =
        (struct update){sl_op_tensor(call, 0), sl_op_tensor(call, 1), 2, NULL};
    if (!fits_cache(plan->updates[0].value, plan->updates[0].cache))
        return refuse(call, diag);
    sl_op_own(call, "sl_cache_update", run_plan);
    return 0;
}

static int prepare_update_places(struct sl_op_call *call, struct sl_diag *diag)
{
    struct plan *plan = new_plan(call, diag);
    const struct sl_tensor *value = sl_op_tensor(call, 0), *places = sl_op_tensor(call, 3);
    if (!plan)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    plan->updates[plan->update_count++] = (struct update){value, sl_op_tensor(call, 1), 2, places};
    if (!has_tokens_of(value, plan->updates[0].cache) || places->rank != 2 ||
        places->scalar_type != SL_SCALAR_LONG || !sl_tensor_contiguous(places) ||
        places->sizes[0] != value->sizes[0] || places->sizes[1] != value->sizes[1])
        return refuse(call, diag);
    sl_op_own(call, "sl_cache_update", run_plan);
    return 0;
}

static int prepare_custom_sdpa(struct sl_op_call *call, struct sl_diag *diag)
{
    struct plan *plan = new_plan(call, diag);
    if (!plan)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    plan->attention = (struct attention){.query.tensor = sl_op_tensor(call, 0),
                                         .keys.tensor = sl_op_tensor(call, 1),
                                         .values.tensor = sl_op_tensor(call, 2),
                                         .out = sl_op_tensor(call, 8),
                                         .position = 3};
    int rc = prepare_attention(call, &plan->attention, 4, diag);
    if (rc == 0)
        sl_op_own(call, "sl_attention_f32_scalar", run_plan);
    return rc;
}

/* int8 rows of the tensor `argument`; their zero points stand at `first`, their scales behind. */
static bool read_rows(struct sl_op_call *call, uint32_t argument, uint32_t first, struct rows *out)
{
    const struct sl_tensor *t = sl_op_tensor(call, argument);
    *out = (struct rows){t, sl_op_tensor(call, first), sl_op_tensor(call, first + 1), 0};
    if (t->scalar_type != SL_SCALAR_CHAR || t->rank != 4 || t->sizes[3] == 0 || !out->zeros ||
        !out->scales || out->zeros->scalar_type != SL_SCALAR_CHAR ||
        out->scales->scalar_type != SL_SCALAR_FLOAT)
        return false;
    size_t rows = t->nbytes / (size_t)t->sizes[3];
    out->scratch = sl_ref_scratch(call, t->nbytes * sizeof(float)).offset;
    return sl_tensor_contiguous(out->zeros) && sl_tensor_contiguous(out->scales) &&
           sl_tensor_count(out->zeros) == rows && sl_tensor_count(out->scales) == rows;
}

static int prepare_quantized_sdpa(struct sl_op_call *call, struct sl_diag *diag)
{
    struct plan *plan = new_plan(call, diag);
    if (!plan)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    struct attention *a = &plan->attention;
    *a = (struct attention){
        .out = sl_op_tensor(call, 15), .position = 3, .heads_first = sl_op_bool(call, 14)};
    if (!read_rows(call, 0, 8, &a->query) || !read_rows(call, 1, 10, &a->keys) ||
        !read_rows(call, 2, 12, &a->values))
        return refuse(call, diag);
    int rc = prepare_attention(call, a, 4, diag);
    if (rc == 0)
        sl_op_own(call, "sl_attention_qs8_scalar", run_plan);
    return rc;
}

static int prepare_sdpa_with_kv_cache(struct sl_op_call *call, struct sl_diag *diag)
{
    struct plan *plan = new_plan(call, diag);
    if (!plan)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    for (uint32_t i = 0; i < 2; i++) {
        struct update *u = &plan->updates[plan->update_count++];
        *u = (struct update){sl_op_tensor(call, 1 + i), sl_op_tensor(call, 3 + i), 5, NULL};
        if (!fits_cache(u->value, u->cache))
            return refuse(call, diag);
    }
    plan->attention = (struct attention){.query.tensor = sl_op_tensor(call, 0),
                                         .keys.tensor = sl_op_tensor(call, 3),
                                         .values.tensor = sl_op_tensor(call, 4),
                                         .out = sl_op_tensor(call, 11),
                                         .position = 5};
    if (plan->attention.query.tensor->rank != 4 ||
        plan->attention.query.tensor->sizes[1] != plan->updates[0].value->sizes[1])
        return refuse(call, diag);
    int rc = prepare_attention(call, &plan->attention, 7, diag);
    if (rc == 0)
        sl_op_own(call, "sl_attention_f32_scalar", run_plan);
    return rc;
}

const struct sl_op sl_ops_attention[] = {
    {.name = "llama::update_cache.out", .signature = "aOiO", .prepare = prepare_update_cache},
    {.name = "llama::update_cache_with_indices.out",
     .signature = "aOiaO",
     .prepare = prepare_update_places},
    {.name = "llama::custom_sdpa.out", .signature = "tttiTnbNo", .prepare = prepare_custom_sdpa},
    {.name = "llama::custom_quantized_sdpa.out",
     .signature = "aaaiTnbNAAAAAAbo",
     .prepare = prepare_quantized_sdpa},
    {.name = "llama::sdpa_with_kv_cache.out",
     .signature = "tttooiiTnbNo",
     .prepare = prepare_sdpa_with_kv_cache},
    {0},
};
