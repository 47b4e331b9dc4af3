/* host/analysis/sustained.c */
#include "host/analysis/sustained.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/bootstrap.h"

/* The measured runs, and when each began. */
struct series {
    double *values;
    uint64_t *started;
    size_t count;
};

static int take(const struct sl_attribution *a, struct series *out)
{
    out->values = sl_malloc(a->run_count, sizeof(*out->values));
    out->started = sl_malloc(a->run_count, sizeof(*out->started));
    if (!out->values || !out->started)
        return -ENOMEM;
    for (size_t i = 0; i < a->run_count; i++) {
        if (a->runs[i].warmup)
            continue;
        out->values[out->count] = (double)a->runs[i].end_to_end;
        out->started[out->count++] = a->runs[i].started;
    }
    return 0;
}

static void cut(const struct series *sides, int unit, struct sl_sustained *out)
{
    uint64_t begin =
        sides[0].started[0] < sides[1].started[0] ? sides[0].started[0] : sides[1].started[0];
    size_t fewer = sides[0].count < sides[1].count ? sides[0].count : sides[1].count;
    size_t count = fewer / SL_SUSTAINED_PIECE_RUNS;
    count = count < SL_SUSTAINED_PIECES ? count : SL_SUSTAINED_PIECES;
    for (size_t p = 0; p < count; p++) {
        struct sl_sustained_piece *piece = &out->pieces[p];
        for (int side = 0; side < 2; side++) {
            const struct series *s = &sides[side];
            size_t first = p * s->count / count;
            size_t end = (p + 1) * s->count / count;
            if (side == 0)
                piece->seconds = unit == SL_TRACE_NS && s->started[(first + end) / 2] >= begin
                                     ? (double)(s->started[(first + end) / 2] - begin) / 1e9
                                     : NAN;
            piece->medians[side] = sl_median_in_place(s->values + first, end - first);
        }
    }
    out->count = count;
    for (int side = 0; side < 2; side++)
        out->kept[side] = out->pieces[0].medians[side] / out->pieces[count - 1].medians[side];
}

int sl_sustained_make(const struct sl_attribution *baseline, const struct sl_attribution *candidate,
                      struct sl_sustained *out)
{
    struct series sides[2] = {{.values = NULL}, {.values = NULL}};
    struct sl_sustained made = {.kept = {NAN, NAN}};
    int rc = take(baseline, &sides[0]);
    if (rc == 0)
        rc = take(candidate, &sides[1]);
    if (rc == 0 && sides[0].count >= SL_SUSTAINED_MIN_RUNS &&
        sides[1].count >= SL_SUSTAINED_MIN_RUNS)
        cut(sides, baseline->unit, &made);
    for (int side = 0; side < 2; side++) {
        sl_free(sides[side].values);
        sl_free(sides[side].started);
    }
    if (rc == 0)
        *out = made;
    return rc;
}
