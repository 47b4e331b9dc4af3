/* host/analysis/steady_runs.c */
#include "host/analysis/steady_runs.h"

#include <errno.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "host/analysis/attribution.h"
#include "host/analysis/steadiness.h"

int sl_steadiness_of_runs(const struct sl_attribution *attribution, struct sl_steadiness *out,
                          size_t *out_warming)
{
    size_t count = attribution->run_count;
    int64_t *values = sl_malloc(count, sizeof(*values));
    size_t *places = sl_malloc(count + 1, sizeof(*places));
    size_t n = 0;
    size_t measured = 0;
    int rc = values && places ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (attribution->runs[i].warmup && measured > 0)
            continue;
        measured += !attribution->runs[i].warmup;
        values[n] = attribution->runs[i].end_to_end;
        places[n++] = i;
    }
    if (rc == 0)
        rc = sl_steadiness_of(values, n, out);
    if (rc == 0) {
        size_t leading = n - measured;
        *out_warming = out->from > leading ? out->from - leading : 0;
        out->from = n > 0 ? places[out->from] : 0;
        for (size_t c = 0; c < out->change_count; c++)
            out->changes[c] = places[out->changes[c]];
    }
    sl_free(values);
    sl_free(places);
    return rc;
}
