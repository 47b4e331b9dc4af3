/* host/analysis/history.c */
#include "host/analysis/history.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"

static const double scale = 1e9;     /* of the first value: to nine places */
static const double matters = 0.01;  /* of an arm */
static const double rounding = 1e-9; /* of means of equal counts */

/* A value as an integer, in parts of the first. */
static int64_t whole_of(const double *values, size_t i)
{
    return llround(fmin(scale * values[i] / values[0], 9e18));
}

/* Every figure that is not its neighbour's, the latest of them. */
static void find_exact(const double *values, size_t n, struct sl_steadiness *out)
{
    for (size_t i = n; i-- > 1 && out->change_count < SL_STEADINESS_MAX_CHANGES;)
        if (whole_of(values, i) != whole_of(values, i - 1))
            out->changes[out->change_count++] = i;
    for (size_t i = 0; 2 * i < out->change_count; i++) {
        size_t last = out->change_count - 1 - i, kept = out->changes[i];
        out->changes[i] = out->changes[last];
        out->changes[last] = kept;
    }
}

static int find(const double *values, size_t n, bool exact, struct sl_steadiness *out)
{
    *out = (struct sl_steadiness){.change_count = 0};
    if (exact) {
        find_exact(values, n, out);
        return 0;
    }
    int64_t *wholes = sl_malloc(n, sizeof(*wholes));
    if (!wholes)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        wholes[i] = whole_of(values, i);
    int rc = sl_steadiness_of(wholes, n, out);
    sl_free(wholes);
    return rc;
}

bool sl_history_takes(const char *verdict, double ratio)
{
    static const char *const none[] = {"unfit", "incomparable", "wrong"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        if (strcmp(verdict, none[i]) == 0)
            return false;
    return ratio > 0;
}

bool sl_history_is_alone(const char *verdict, double ratio, double baseline)
{
    return !(ratio > 0) && baseline > 0 && verdict[0] == '\0';
}

int sl_history_make(const double *values, size_t count, bool exact, struct sl_history *out)
{
    struct sl_steadiness found;
    struct sl_history made = {.exact = exact, .enough = exact || count >= SL_STEADINESS_MIN_RUNS};
    double *sorted = sl_malloc(count ? count : 1, sizeof(*sorted));
    int rc = sorted ? find(values, count, exact, &found) : -ENOMEM;
    for (size_t i = 0; rc == 0 && count > 0 && i <= found.change_count; i++) {
        struct sl_history_stretch *stretch = &made.stretches[made.count++];
        stretch->first = i > 0 ? found.changes[i - 1] : 0;
        stretch->count = (i < found.change_count ? found.changes[i] : count) - stretch->first;
        memcpy(sorted, values + stretch->first, stretch->count * sizeof(*sorted));
        stretch->median = sl_median_in_place(sorted, stretch->count);
    }
    sl_free(sorted);
    if (rc == 0)
        *out = made;
    return rc;
}

const char *sl_history_meaning(double off, double on, bool exact)
{
    double least = exact ? rounding : matters;
    if (fabs(off) < least && fabs(on) < least)
        return "neither arm moved by 1 %";
    if (off >= least && on >= least)
        return "both arms cost more";
    if (off <= -least && on <= -least)
        return "both arms cost less";
    if (fabs(on) < least)
        return off > 0 ? "off costs more and on no less: no improvement"
                       : "off costs less and on no more: no regression of on";
    if (fabs(off) < least)
        return on > 0 ? "on costs more" : "on costs less";
    return on > 0 ? "on costs more, off less" : "on costs less, off more";
}

bool sl_history_regressed(const struct sl_history *history, bool lower, double threshold)
{
    if (history->count < 2)
        return false;
    double before = history->stretches[history->count - 2].median;
    double last = history->stretches[history->count - 1].median;
    return (lower ? before / last : last / before) > 1 + threshold;
}
