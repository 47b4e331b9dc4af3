/* host/analysis/reach.c */
#include "host/analysis/reach.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/attribution.h"

static bool is_listed(const struct sl_attribution *a, const struct sl_position *at)
{
    return at->operator_index != SL_POSITION_NO_OPERATOR &&
           a->operators[at->operator_index].category != SL_CATEGORY_FRAMEWORK && at->operands;
}

int sl_reach_list(const struct sl_attribution *a, struct sl_reach *out)
{
    struct sl_reach made = {.reachable = NAN, .roof = NAN};
    double runs = (double)a->measured_count;
    made.rows = sl_calloc(a->position_count ? a->position_count : 1, sizeof(*made.rows));
    if (!made.rows)
        return -ENOMEM;
    for (size_t i = 0; i < a->run_count; i++)
        made.whole += a->runs[i].warmup ? 0 : (double)a->runs[i].end_to_end / runs;
    for (size_t i = 0; i < a->position_count; i++) {
        const struct sl_position *at = &a->positions[i];
        if (!is_listed(a, at))
            continue;
        const struct sl_operator *op = &a->operators[at->operator_index];
        struct sl_reach_row *row = &made.rows[made.count++];
        *row = (struct sl_reach_row){
            .op = op, .at = at, .now = (double)at->total / runs, .best = NAN, .roof = NAN};
        sl_workload_read(at->operands, at->origin, at->kernel, op->name, op->name_len, &row->work);
    }
    *out = made;
    return 0;
}

static double macs_of(const struct sl_reach_roof *roof, const char *element)
{
    return strcmp(element, "s8") == 0     ? roof->macs_s8
           : strcmp(element, "bf16") == 0 ? roof->macs_bf16
           : strcmp(element, "f16") == 0  ? roof->macs_f16
                                          : roof->macs_f32;
}

/* Nanoseconds for the arithmetic or for the bytes, whichever takes longer. */
static double roof_of(const struct sl_reach_roof *roof, const struct sl_workload *work)
{
    double rate = macs_of(roof, work->element);
    double bytes = (double)work->elements * (double)work->element_bytes;
    double seconds = roof->bytes > 0 ? bytes / roof->bytes : 0;
    if (!work->known || (work->macs > 0 && rate <= 0) || (work->macs == 0 && roof->bytes <= 0))
        return NAN;
    if (work->macs > 0)
        seconds = fmax(seconds, (double)work->macs / rate);
    return seconds * 1e9;
}

static const struct sl_reach_bench *find_bench(const struct sl_reach_bench *benches, size_t count,
                                               const struct sl_workload *work)
{
    for (size_t i = 0; work->times > 0 && i < count; i++)
        if (benches[i].kernel[0] && strcmp(benches[i].shape, work->bench) == 0)
            return &benches[i];
    return NULL;
}

static int larger_gain_first(const void *a, const void *b)
{
    const struct sl_reach_row *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    if (x->now != y->now)
        return x->now > y->now ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void sl_reach_take(struct sl_reach *reach, const struct sl_reach_bench *benches, size_t count,
                   bool comparable, const struct sl_reach_roof *roof)
{
    double gain = 0, above = 0;
    bool roofed = false;
    reach->measured = 0;
    for (size_t i = 0; i < reach->count; i++) {
        struct sl_reach_row *row = &reach->rows[i];
        row->bench = find_bench(benches, count, &row->work);
        if (row->bench) {
            uint64_t once = row->bench->cost + (row->work.packs_right ? row->bench->right_pack : 0);
            row->best = (double)row->work.times * (double)once;
            row->least = (double)row->work.times * (double)row->bench->least;
            row->gain = comparable ? fmax(row->now - row->best, 0) : 0;
            reach->measured += row->now;
        }
        row->roof = roof ? roof_of(roof, &row->work) : NAN;
        roofed = roofed || isfinite(row->roof);
        above += isfinite(row->roof) ? fmax(row->now - row->roof, 0) : 0;
        gain += row->gain;
    }
    qsort(reach->rows, reach->count, sizeof(*reach->rows), larger_gain_first);
    reach->reachable = comparable && reach->measured > 0 ? reach->whole - gain : NAN;
    reach->roof = roofed ? reach->whole - above : NAN;
}

void sl_reach_fini(struct sl_reach *reach)
{
    sl_free(reach->rows);
    *reach = (struct sl_reach){.rows = NULL};
}
