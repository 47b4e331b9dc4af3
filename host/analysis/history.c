/* host/analysis/history.c */
#include "host/analysis/history.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"

static const double scale = 1e9; /* ratios as integers: to nine places */

/* Every figure that is not its neighbour's, the latest of them. */
static void find_exact(const double *ratios, size_t n, struct sl_steadiness *out)
{
    for (size_t i = n; i-- > 1 && out->change_count < SL_STEADINESS_MAX_CHANGES;)
        if (llround(scale * ratios[i]) != llround(scale * ratios[i - 1]))
            out->changes[out->change_count++] = i;
    for (size_t i = 0; 2 * i < out->change_count; i++) {
        size_t last = out->change_count - 1 - i, kept = out->changes[i];
        out->changes[i] = out->changes[last];
        out->changes[last] = kept;
    }
}

static int find(const double *ratios, size_t n, bool exact, struct sl_steadiness *out)
{
    *out = (struct sl_steadiness){.change_count = 0};
    if (exact) {
        find_exact(ratios, n, out);
        return 0;
    }
    int64_t *values = sl_malloc(n, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        values[i] = llround(scale * ratios[i]);
    int rc = sl_steadiness_of(values, n, out);
    sl_free(values);
    return rc;
}

int sl_history_make(const double *ratios, size_t count, bool exact, struct sl_history *out)
{
    struct sl_steadiness found;
    struct sl_history made = {.exact = exact, .enough = exact || count >= SL_STEADINESS_MIN_RUNS};
    double *sorted = sl_malloc(count ? count : 1, sizeof(*sorted));
    int rc = sorted ? find(ratios, count, exact, &found) : -ENOMEM;
    for (size_t i = 0; rc == 0 && count > 0 && i <= found.change_count; i++) {
        struct sl_history_stretch *stretch = &made.stretches[made.count++];
        stretch->first = i > 0 ? found.changes[i - 1] : 0;
        stretch->count = (i < found.change_count ? found.changes[i] : count) - stretch->first;
        memcpy(sorted, ratios + stretch->first, stretch->count * sizeof(*sorted));
        stretch->median = sl_median_in_place(sorted, stretch->count);
    }
    sl_free(sorted);
    if (rc == 0)
        *out = made;
    return rc;
}
