/* common/format/operands.c */
#include "common/format/operands.h"

#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"

void sl_dims_add(struct sl_dims *dims, uint64_t size)
{
    if (dims->rank < SL_OPERANDS_RANK)
        dims->of[dims->rank] = (uint32_t)size;
    dims->rank += size <= UINT32_MAX ? 1 : SL_OPERANDS_RANK + 1;
}

struct sl_dims *sl_operands_add(struct sl_operands *operands, struct sl_dims *beyond)
{
    uint32_t at = operands->count++;
    return at < SL_OPERANDS_MAX ? &operands->in[at] : beyond;
}

bool sl_operands_are_whole(const struct sl_operands *operands)
{
    bool whole = operands->count <= SL_OPERANDS_MAX && operands->out.rank <= SL_OPERANDS_RANK;
    for (uint32_t i = 0; whole && i < operands->count; i++)
        whole = operands->in[i].rank > 0 && operands->in[i].rank <= SL_OPERANDS_RANK;
    return whole;
}

uint64_t sl_dims_product(const struct sl_dims *dims, uint32_t first, uint32_t end)
{
    uint64_t all = 1;
    for (uint32_t i = first; i < end; i++)
        all = sl_times(all, dims->of[i]);
    return all;
}

uint64_t sl_dims_count(const struct sl_dims *dims)
{
    return sl_dims_product(dims, 0, dims->rank);
}

uint64_t sl_dims_back(const struct sl_dims *dims, uint32_t back)
{
    return back < dims->rank ? dims->of[dims->rank - 1 - back] : 1;
}

enum way { PRODUCT, SUM, WINDOW, DEPTHWISE, BACKWARDS };

static const struct {
    const char *kind;
    enum way way;
} ways[] = {
    {"FullyConnected", PRODUCT},
    {"BatchMatrixMultiply", PRODUCT},
    {"aten::mm.out", PRODUCT},
    {"aten::bmm.out", PRODUCT},
    {"aten::linear.out", PRODUCT},
    {"aten::addmm.out", SUM},
    {"Conv2d", WINDOW},
    {"aten::convolution.out", WINDOW},
    {"DepthwiseConv2d", DEPTHWISE},
    {"ConvTranspose2d", BACKWARDS},
};

/* Weights stand as [out][height][width][in of a group] in XNNPACK's graphs, as [out][in][..] in
 * others, those of aten's transposed convolutions as [in][out][..]: so many numbers meet each
 * output, or each input of a transposed one. */
static uint64_t macs_of(enum way way, const struct sl_operands *o, bool turned)
{
    const struct sl_dims *in = &o->in[0], *weights = &o->in[1];
    uint64_t outputs = sl_dims_count(&o->out), groups;
    switch (way) {
    case PRODUCT:
        return sl_times(outputs, sl_dims_back(in, turned ? 1 : 0));
    case SUM: /* what is added comes first */
        return sl_times(outputs, sl_dims_back(weights, 0));
    case WINDOW:
        return weights->rank < 2 ? 0
                                 : sl_times(turned ? sl_dims_count(in) : outputs,
                                            sl_dims_product(weights, 1, weights->rank));
    case DEPTHWISE:
        return weights->rank == 4 ? sl_times(outputs, sl_dims_product(weights, 1, 3)) : 0;
    case BACKWARDS:
        if (weights->rank != 4 || sl_dims_back(in, 0) == 0 || weights->of[3] == 0)
            return 0;
        groups = sl_dims_back(in, 0) / weights->of[3];
        return groups == 0 ? 0
                           : sl_times(sl_dims_count(in), sl_dims_product(weights, 0, 3) / groups);
    }
    return 0;
}

void sl_operands_finish(struct sl_operands *operands, const char *kind, bool turned)
{
    bool multiplies = operands->count > 1 && operands->out.rank > 0;
    if (!sl_operands_are_whole(operands)) {
        *operands = (struct sl_operands){.macs = 0};
        return;
    }
    operands->macs = 0;
    for (size_t i = 0; multiplies && i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(kind, ways[i].kind) == 0)
            operands->macs = macs_of(ways[i].way, operands, turned);
}

static void append(char *text, size_t size, const char *more)
{
    size_t len = strlen(text);
    snprintf(text + len, size - len, "%s", more);
}

static void append_dims(char *text, size_t size, const struct sl_dims *dims)
{
    for (uint32_t i = 0; i < dims->rank && i < SL_OPERANDS_RANK; i++) {
        size_t len = strlen(text);
        snprintf(text + len, size - len, "%s%u", i == 0 ? "" : "x", dims->of[i]);
    }
}

const char *sl_dims_words(const struct sl_dims *dims, char *text, size_t size)
{
    text[0] = '\0';
    append_dims(text, size, dims);
    return text;
}

const char *sl_operands_words(const struct sl_operands *operands, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < operands->count && i < SL_OPERANDS_MAX; i++) {
        append(text, size, i > 0 ? " * " : "");
        append_dims(text, size, &operands->in[i]);
    }
    if (operands->out.rank == 0)
        return text;
    append(text, size, operands->count > 0 ? " -> " : "-> ");
    append_dims(text, size, &operands->out);
    return text;
}
