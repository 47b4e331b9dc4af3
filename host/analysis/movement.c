/* host/analysis/movement.c */
#include "host/analysis/movement.h"

#include <string.h>

#include "host/analysis/attribution.h"

void sl_movement_totals(const struct sl_attribution *attribution, int64_t out[SL_MOVEMENT_COUNT])
{
    memset(out, 0, SL_MOVEMENT_COUNT * sizeof(*out));
    for (size_t i = 0; i < attribution->operator_count; i++) {
        const struct sl_operator *op = &attribution->operators[i];
        if (op->category != SL_CATEGORY_MOVEMENT)
            continue;
        int64_t *total = &out[sl_movement_of(op->name, op->name_len)];
        *total = (int64_t)((uint64_t)*total + (uint64_t)op->total);
    }
}

static double mean_of(int64_t total, const struct sl_attribution *attribution)
{
    size_t runs = attribution->measured_count;
    return runs > 0 ? (double)total / (double)runs : 0;
}

size_t sl_movement_compare(const struct sl_attribution *baseline,
                           const struct sl_attribution *candidate,
                           struct sl_movement_shift out[SL_MOVEMENT_COUNT])
{
    int64_t off[SL_MOVEMENT_COUNT], on[SL_MOVEMENT_COUNT];
    sl_movement_totals(baseline, off);
    sl_movement_totals(candidate, on);
    for (size_t i = 0; i < SL_MOVEMENT_COUNT; i++)
        out[i] = (struct sl_movement_shift){mean_of(off[i], baseline), mean_of(on[i], candidate)};
    return SL_MOVEMENT_COUNT;
}
