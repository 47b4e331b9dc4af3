/* host/analysis/headroom.c */
#include "host/analysis/headroom.h"

#include <math.h>

#include "host/analysis/comparison.h"

void sl_headroom_find(const struct sl_comparison *comparison, struct sl_headroom *out)
{
    struct sl_headroom found = {.baseline = comparison->whole_baseline,
                                .candidate = comparison->whole_candidate};
    double gain = 0;
    double most = 0;
    for (size_t i = 0; i < comparison->operator_count; i++) {
        const struct sl_operator_shift *row = &comparison->operators[i];
        double less = row->baseline_cost - row->candidate_cost;
        if (!row->baseline || !row->candidate || !(less > 0))
            continue;
        gain += less;
        if (less > most)
            found.widest = row;
        most = fmax(most, less);
    }
    found.reachable = found.baseline - gain;
    *out = found;
}
