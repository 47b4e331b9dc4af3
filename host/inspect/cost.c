/* host/inspect/cost.c */
#include "host/inspect/cost.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "host/inspect/inspect.h"
#include "host/inspect/why.h"

/* A formula counts blocks and their parts. A block is the part of the output that a kernel finishes
 * at once: `rows` by `columns`, in streaming vectors of 32-bit elements if `vectors` (a single row
 * stays one). A strip is a row of blocks, a lane a vector of a row, a line a vector of the input
 * that a row of the window covers.
 * insns = batch * (fixed + step * blocks * k + block * blocks + lane * strips * lanes * k
 *                  + line * lines + gather * m * taps) */
static const struct formula {
    const char *kernel;
    uint32_t rows, columns;
    bool vectors; /* `columns`, and `rows` above 1 too */
    double fixed, step, block, lane, line, gather;
} formulas[] = {
#define SL_COST(kernel, rows, columns, vectors, fixed, step, block, lane, line, gather)            \
    {#kernel, rows, columns, vectors, fixed, step, block, lane, line, gather},
#include "host/inspect/cost.inc"
#undef SL_COST
};

static int compare_names(const void *key, const void *row)
{
    return strcmp(key, ((const struct formula *)row)->kernel);
}

static double blocks_of(uint64_t extent, double width)
{
    return ceil((double)extent / width);
}

bool sl_cost_of(const struct sl_inspect_node *node, const char *kernel, uint32_t svl_bits,
                uint64_t *out_insns)
{
    const struct formula *f = bsearch(kernel, formulas, sizeof(formulas) / sizeof(formulas[0]),
                                      sizeof(formulas[0]), compare_names);
    if (!f || svl_bits == 0 || node->work == SL_WORK_OTHER)
        return false;
    double unit = f->vectors ? svl_bits / 32.0 : 1, lane = f->vectors ? unit : 4;
    double k = (double)node->k, taps = (double)node->taps, m = (double)node->m;
    double strips = blocks_of(node->m, f->rows > 1 ? f->rows * unit : 1);
    double blocks = strips * blocks_of(node->n, f->columns * unit);
    double lines = m * taps * ceil(k / taps / lane);
    double insns = (double)node->batch * (f->fixed + f->step * blocks * k + f->block * blocks +
                                          f->lane * strips * blocks_of(node->n, lane) * k +
                                          f->line * lines + f->gather * m * taps);
    if (!(insns >= 0 && insns < 9e15))
        return false;
    *out_insns = (uint64_t)insns;
    return true;
}

static void predict(const struct sl_inspect_node *node, struct sl_choice *choice, uint32_t svl_bits)
{
    if (choice->operators == 1)
        choice->predicted = sl_cost_of(node, choice->kernel, svl_bits, &choice->insns);
}

void sl_cost_predict(struct sl_inspect *inspect)
{
    for (uint32_t i = 0; i < inspect->node_count; i++) {
        struct sl_inspect_node *node = &inspect->nodes[i];
        predict(node, &node->off, inspect->svl_bits);
        predict(node, &node->on, inspect->svl_bits);
    }
}
