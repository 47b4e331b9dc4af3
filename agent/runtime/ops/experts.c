/* agent/runtime/ops/experts.c: feed-forward layers of which each token takes a few (a mixture of
 * experts), as ExecuTorch's extension for language models has it.
 *
 * A router scores all experts for a token; the best few transform it, out = W2 (silu(W1 x) * W3 x),
 * and their answers are added by weight. An expert's weights are numbers of 4 or 8 bits in groups
 * along the depth, each group with a scale, packed by torchao: for 8 outputs at a time, group by
 * group, blocks of 16 numbers of each, then 8 scales and 8 sums. They become floats 8 outputs at a
 * time; activations stay floats, as in ExecuTorch's published libraries. */
#include <math.h>
#include <string.h>

#include "agent/runtime/lanes.h"
#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

enum { INPUT, ROUTER, BIAS, UP_AND_GATE, DOWN, CHOSEN, EXPERTS, HIDDEN, DIM, GROUP, BITS, SCORING };
enum { ROUTE_SCALE = SCORING + 1, OUT };
enum {
    ROWS = 8,
    DEPTH = 16,
    RUN = 8, /* numbers of one output that lie together */
    BLOCK = ROWS * DEPTH,
    HEADER_BYTES = 64,
    MAGIC = 6712,
    UNIVERSAL = 1, /* the layout described above */
};

struct packed { /* one matrix for each expert */
    const struct sl_tensor *tensor;
    size_t outputs, depth;
};

struct experts {
    struct sl_tensor *input, *router, *bias, *out; /* bias: of no elements where there is none */
    struct packed up_and_gate, down;
    size_t tokens, count, chosen, hidden, dim, group;
    int32_t bits;
    bool sigmoid;
    float route_scale;
    /* In the workspace, as offsets: a token's scores; each token's experts and their weights;
     * 8 outputs' weights; outputs of both products of one expert. */
    size_t scores, picks, shares, rows, between;
};

static void *workspace(const struct sl_op_call *call, size_t offset)
{
    return (uint8_t *)call->method->workspace.base + offset;
}

static float *floats(const struct sl_tensor *tensor)
{
    return (float *)(void *)tensor->data;
}

static float total(sl_lanes v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/* out[i] = sum of a[k] * rows[i][k], for ROWS rows; `depth` is a multiple of SL_LANES. */
static void multiply(const float *a, const float *rows, size_t depth, float *out)
{
    sl_lanes sums[ROWS] = {{0}};
    for (size_t k = 0; k < depth; k += SL_LANES) {
        sl_lanes at = sl_lanes_load(a + k);
        for (size_t i = 0; i < ROWS; i++)
            sums[i] += at * sl_lanes_load(rows + i * depth + k);
    }
    for (size_t i = 0; i < ROWS; i++)
        out[i] = total(sums[i]);
}

static float score(const float *a, const float *b, size_t depth)
{
    sl_lanes sums[4] = {{0}};
    for (size_t k = 0; k < depth; k += DEPTH)
        for (size_t i = 0; i < 4; i++)
            sums[i] += sl_lanes_load(a + k + i * SL_LANES) * sl_lanes_load(b + k + i * SL_LANES);
    return total((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/* The numbers of a block: half the depth of each output, then the other half. Those of 4 bits are
 * 32 to 16 bytes: the first 16 in the low halves, with 8 added. */
static void read_block(const uint8_t *block, int32_t bits, int8_t *out)
{
    if (bits == 8) {
        memcpy(out, block, BLOCK);
        return;
    }
    for (size_t run = 0; run < BLOCK / 32; run++)
        for (size_t i = 0; i < 16; i++) {
            uint8_t two = block[16 * run + i];
            out[32 * run + i] = (int8_t)((two & 15) - 8);
            out[32 * run + 16 + i] = (int8_t)((two >> 4) - 8);
        }
}

static void spread(const int8_t *numbers, const float *scales, size_t depth, float *rows)
{
    for (size_t half = 0; half < 2; half++)
        for (size_t i = 0; i < ROWS; i++, numbers += RUN)
            for (size_t k = 0; k < RUN; k++)
                rows[i * depth + half * RUN + k] = (float)numbers[k] * scales[i];
}

/* Bytes of ROWS outputs of one group. */
static size_t group_bytes(const struct experts *e)
{
    return e->group / DEPTH * (BLOCK / 8) * (size_t)e->bits +
           ROWS * (sizeof(float) + sizeof(int32_t));
}

/* The weights of ROWS outputs, packed at `from`, as [output][depth]. */
static void read_rows(const struct experts *e, const uint8_t *from, size_t depth, float *rows)
{
    const size_t block_bytes = BLOCK / 8 * (size_t)e->bits;
    int8_t numbers[BLOCK];
    float scales[ROWS];
    for (size_t g = 0; g < depth; g += e->group, from += group_bytes(e)) {
        memcpy(scales, from + e->group / DEPTH * block_bytes, sizeof(scales));
        for (size_t k = 0; k < e->group; k += DEPTH) {
            read_block(from + k / DEPTH * block_bytes, e->bits, numbers);
            spread(numbers, scales, depth, rows + g + k);
        }
    }
}

/* The first packed number of an expert; NULL where its header says another layout. */
static const uint8_t *weights_of(const struct experts *e, const struct packed *packed,
                                 size_t expert)
{
    const int32_t wanted[] = {MAGIC, UNIVERSAL, e->bits, 0, 0, ROWS, DEPTH, DEPTH / RUN};
    const uint8_t *at =
        (const uint8_t *)packed->tensor->data + expert * (size_t)packed->tensor->sizes[1];
    return memcmp(at, wanted, sizeof(wanted)) == 0 ? at + HEADER_BYTES : NULL;
}

/* The best of those not picked; of equals the first; of no numbers the first that is left. */
static size_t best(const struct experts *e, const float *scores, const int32_t *picks, size_t count)
{
    size_t found = e->count, left = e->count;
    for (size_t i = e->count; i-- > 0;) {
        bool taken = false;
        for (size_t k = 0; k < count && !taken; k++)
            taken = (size_t)picks[k] == i;
        if (taken)
            continue;
        left = i;
        if (!isnan(scores[i]) && (found == e->count || scores[i] >= scores[found]))
            found = i;
    }
    return found == e->count ? left : found;
}

static void share_by_sigmoid(const struct experts *e, float *shares)
{
    float sum = 0.0f;
    for (size_t k = 0; k < e->chosen; k++)
        sum += shares[k];
    for (size_t k = 0; k < e->chosen; k++)
        shares[k] *= e->route_scale / (sum + 1e-20f);
}

static void share_by_softmax(const struct experts *e, float *shares)
{
    float most = shares[0], sum = 0.0f;
    for (size_t k = 1; k < e->chosen; k++)
        most = shares[k] > most ? shares[k] : most;
    for (size_t k = 0; k < e->chosen; k++)
        sum += shares[k] = expf(shares[k] - most);
    for (size_t k = 0; k < e->chosen; k++)
        shares[k] *= sum > 0.0f ? 1.0f / sum : 0.0f;
}

/* Picks a token's experts and weighs them; a bias changes only who is picked. */
static void route(const struct experts *e, const float *token, float *scores, int32_t *picks,
                  float *shares)
{
    const float *bias = sl_tensor_count(e->bias) != 0 ? floats(e->bias) : NULL;
    float *ranked = scores + e->count;
    for (size_t i = 0; i < e->count; i++) {
        scores[i] = score(token, floats(e->router) + i * e->dim, e->dim);
        if (e->sigmoid)
            scores[i] = 1.0f / (1.0f + expf(-scores[i]));
        ranked[i] = scores[i] + (bias ? bias[i] : 0.0f);
    }
    for (size_t k = 0; k < e->chosen; k++) {
        picks[k] = (int32_t)best(e, ranked, picks, k);
        shares[k] = scores[picks[k]];
    }
    if (e->sigmoid)
        share_by_sigmoid(e, shares);
    else
        share_by_softmax(e, shares);
}

static void gate(const struct experts *e, float *row)
{
    for (size_t i = 0; i < e->hidden; i++)
        row[i] = row[i] / (1.0f + expf(-row[i])) * row[e->hidden + i];
}

/* The pair of token and place from `at` on that picked this expert; the count of pairs at the end.
 */
static size_t next_pair(const struct experts *e, const int32_t *picks, size_t expert, size_t at)
{
    while (at < e->tokens * e->chosen && (size_t)picks[at] != expert)
        at++;
    return at;
}

static void ask(const struct sl_op_call *call, const struct experts *e, size_t expert,
                const uint8_t *up, const uint8_t *down)
{
    const int32_t *picks = workspace(call, e->picks);
    const float *shares = workspace(call, e->shares);
    float *rows = workspace(call, e->rows), *between = workspace(call, e->between), sums[ROWS];
    const size_t pairs = e->tokens * e->chosen, width = 2 * e->hidden;
    for (size_t n = 0; n < width; n += ROWS, up += e->dim / e->group * group_bytes(e)) {
        read_rows(e, up, e->dim, rows);
        float *to = between + n;
        for (size_t p = next_pair(e, picks, expert, 0); p < pairs; to += width) {
            multiply(floats(e->input) + p / e->chosen * e->dim, rows, e->dim, sums);
            memcpy(to, sums, (width - n < ROWS ? width - n : ROWS) * sizeof(*to));
            p = next_pair(e, picks, expert, p + 1);
        }
    }
    float *row = between;
    for (size_t p = next_pair(e, picks, expert, 0); p < pairs; row += width) {
        gate(e, row);
        p = next_pair(e, picks, expert, p + 1);
    }
    for (size_t n = 0; n < e->dim; n += ROWS, down += e->hidden / e->group * group_bytes(e)) {
        read_rows(e, down, e->hidden, rows);
        row = between;
        for (size_t p = next_pair(e, picks, expert, 0); p < pairs; row += width) {
            float *to = floats(e->out) + p / e->chosen * e->dim + n;
            multiply(row, rows, e->hidden, sums);
            for (size_t i = 0; i < ROWS; i++) /* `dim` is a multiple of DEPTH */
                to[i] += shares[p] * sums[i];
            p = next_pair(e, picks, expert, p + 1);
        }
    }
}

static void run_experts(struct sl_op_call *call)
{
    const struct experts *e = call->state;
    int32_t *picks = workspace(call, e->picks);
    float *shares = workspace(call, e->shares);
    memset(e->out->data, 0, e->out->nbytes);
    for (size_t t = 0; t < e->tokens; t++)
        route(e, floats(e->input) + t * e->dim, workspace(call, e->scores), picks + t * e->chosen,
              shares + t * e->chosen);
    for (size_t i = 0; i < e->count; i++) {
        if (next_pair(e, picks, i, 0) == e->tokens * e->chosen)
            continue;
        const uint8_t *up = weights_of(e, &e->up_and_gate, i), *down = weights_of(e, &e->down, i);
        if (!up || !down) {
            call->failure = "an expert's weights are not packed in torchao's universal layout";
            return;
        }
        ask(call, e, i, up, down);
    }
}

static bool is_matrix(const struct sl_tensor *tensor, size_t rows, size_t columns)
{
    return tensor->rank == 2 && (size_t)tensor->sizes[0] == rows &&
           (columns == 0 || (size_t)tensor->sizes[1] == columns) && sl_tensor_contiguous(tensor);
}

/* One row of bytes for each expert, long enough for header and weights. */
static bool holds_experts(const struct experts *e, const struct packed *packed)
{
    const struct sl_tensor *tensor = packed->tensor;
    if (tensor->scalar_type != SL_SCALAR_BYTE || !is_matrix(tensor, e->count, 0) ||
        tensor->sizes[1] < HEADER_BYTES)
        return false;
    size_t bytes = packed->depth / e->group * group_bytes(e); /* of ROWS outputs */
    return ((size_t)tensor->sizes[1] - HEADER_BYTES) / bytes >=
           packed->outputs / ROWS + (packed->outputs % ROWS != 0);
}

/* A whole number above 0; 0 for others. */
static size_t read_count(const struct sl_op_call *call, uint32_t argument)
{
    int64_t count = sl_op_int(call, argument, 0);
    return count > 0 && count <= INT32_MAX ? (size_t)count : 0;
}

static const char *read_numbers(struct sl_op_call *call, struct experts *e)
{
    const char *scoring = sl_op_string(call, SCORING);
    e->chosen = read_count(call, CHOSEN);
    e->count = read_count(call, EXPERTS);
    e->hidden = read_count(call, HIDDEN);
    e->dim = read_count(call, DIM);
    e->group = read_count(call, GROUP);
    e->bits = (int32_t)read_count(call, BITS);
    e->route_scale = (float)sl_op_number(call, ROUTE_SCALE, 1.0);
    e->sigmoid = scoring && strcmp(scoring, "sigmoid") == 0;
    if (!e->sigmoid && (!scoring || strcmp(scoring, "softmax") != 0))
        return "its scores are neither of sigmoid nor of softmax";
    if (e->bits != 4 && e->bits != 8)
        return "its weights are neither of 4 nor of 8 bits";
    if (e->chosen == 0 || e->chosen > e->count)
        return "it picks no expert, or more than there are";
    if (e->group == 0 || e->group % DEPTH != 0)
        return "its groups are no multiples of 16 weights";
    if (e->dim == 0 || e->dim % e->group != 0 || e->hidden == 0 || e->hidden % e->group != 0)
        return "its rows are no whole number of groups";
    return NULL;
}

static const char *read_operands(struct sl_op_call *call, struct experts *e)
{
    e->input = sl_op_tensor(call, INPUT);
    e->router = sl_op_tensor(call, ROUTER);
    e->bias = sl_op_tensor(call, BIAS);
    e->out = sl_op_tensor(call, OUT);
    e->up_and_gate = (struct packed){sl_op_tensor(call, UP_AND_GATE), 2 * e->hidden, e->dim};
    e->down = (struct packed){sl_op_tensor(call, DOWN), e->dim, e->hidden};
    if (e->input->rank != 2 || !is_matrix(e->input, (size_t)e->input->sizes[0], e->dim) ||
        !is_matrix(e->router, e->count, e->dim))
        return "its tokens and its router do not fit together";
    const size_t biases = sl_tensor_count(e->bias);
    if (biases != 0 && (!e->sigmoid || e->bias->rank != 1 || biases != e->count))
        return "its bias is not one number for each expert whose score is a sigmoid";
    if (!holds_experts(e, &e->up_and_gate) || !holds_experts(e, &e->down))
        return "its packed weights are not bytes, or too few";
    e->tokens = (size_t)e->input->sizes[0];
    return NULL;
}

static int prepare_experts(struct sl_op_call *call, struct sl_diag *diag)
{
    struct experts *e = sl_op_state(call, sizeof(*e));
    if (!e)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    const char *wrong = read_numbers(call, e);
    if (!wrong)
        wrong = read_operands(call, e);
    if (wrong)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, wrong);
    int rc = sl_tensor_resize(e->out, 2, e->input->sizes, diag);
    if (rc != 0)
        return rc;
    if (!sl_tensor_contiguous(e->out))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output is not dense");
    const size_t deepest = e->dim > e->hidden ? e->dim : e->hidden;
    e->scores = sl_ref_scratch(call, 2 * e->count * sizeof(float)).offset;
    e->picks = sl_ref_scratch(call, e->tokens * e->chosen * sizeof(int32_t)).offset;
    e->shares = sl_ref_scratch(call, e->tokens * e->chosen * sizeof(float)).offset;
    e->rows = sl_ref_scratch(call, ROWS * deepest * sizeof(float)).offset;
    e->between = sl_ref_scratch(call, e->tokens * 2 * e->hidden * sizeof(float)).offset;
    sl_op_own(call, "sl_experts_f32_scalar", run_experts);
    return 0;
}

const struct sl_op sl_ops_experts[] = {
    {.name = "llama::quantized_moe_ffn.out",
     .signature = "tttaaiiiiiizno",
     .prepare = prepare_experts},
    {0},
};
