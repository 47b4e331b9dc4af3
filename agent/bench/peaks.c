/* agent/bench/peaks.c */
#include "agent/bench/peaks.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "agent/bench/crew.h"
#include "agent/trace/marks.h"
#include "common/base/buf.h"
#include "common/base/json.h"
#include "kernels/peak/peak.h"

enum {
    COUNTED_TURNS = 32,
    COUNTED_BYTES = 2 * COUNTED_TURNS * 16 * 256, /* at the longest vector */
    FAR_BYTES = 32 << 20,                         /* of a worker: more than caches hold */
    FIRST_TURNS = 1000,
    LEAST_NS = 5000000, /* of a round */
    ROUNDS = 5,
};

struct peaks {
    struct sl_buf *out;
    size_t svl_bytes;
    uint32_t isa;
};

static const char *kind_name(int kind)
{
    static const char *const names[] = {
        [SL_PEAK_OUTER] = "outer",    [SL_PEAK_MLA] = "multiply_add",
        [SL_PEAK_NEAR] = "near",      [SL_PEAK_FAR] = "memory",
        [SL_PEAK_MODE] = "mode",      [SL_PEAK_NEON_MLA] = "multiply_add",
        [SL_PEAK_NEON_NEAR] = "near", [SL_PEAK_NEON_FAR] = "memory",
        [SL_PEAK_LEVEL] = "level",    [SL_PEAK_NEON_LEVEL] = "level",
        [SL_PEAK_HAND] = "hand_over", [SL_PEAK_VECTOR] = "vector",
    };
    return names[kind];
}

static bool is_far(const struct sl_peak *peak)
{
    return peak->kind == SL_PEAK_FAR || peak->kind == SL_PEAK_NEON_FAR;
}

/* `ns` 0: counted. */
static int put(const struct peaks *p, const struct sl_peak *peak, size_t turns, unsigned workers,
               uint64_t ns)
{
    struct sl_json json;
    sl_json_init(&json, p->out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "peak", peak->name);
    sl_json_text(&json, "what", peak->what);
    sl_json_text(&json, "kind", kind_name(peak->kind));
    sl_json_u64(&json, "insns_a_turn", peak->insns);
    sl_json_u64(&json, "work_a_turn", peak->work);
    sl_json_u64(&json, "operations", sl_peak_operations(peak, p->svl_bytes));
    sl_json_u64(&json, "bytes", sl_peak_bytes(peak, p->svl_bytes));
    sl_json_u64(&json, "turns", turns);
    sl_json_u64(&json, "workers", workers);
    if (ns == 0)
        sl_json_null(&json, "ns");
    else
        sl_json_u64(&json, "ns", ns);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(p->out, "\n", 1);
}

static int count_peak(const struct peaks *p, const struct sl_peak *peak)
{
    struct sl_peak_job job = {.turns = COUNTED_TURNS};
    int rc = posix_memalign(&job.memory, 64, COUNTED_BYTES) != 0 ? -ENOMEM : 0;
    for (; rc == 0 && job.turns <= 2 * COUNTED_TURNS; job.turns *= 2) {
        sl_mark_begin();
        peak->run(&job);
        sl_mark_end();
        rc = put(p, peak, job.turns, 1, 0);
    }
    free(job.memory);
    return rc;
}

/* Counts the turns that take long enough for the clock. */
static int time_peak(const struct peaks *p, const struct sl_peak *peak, unsigned workers)
{
    size_t memory = is_far(peak) ? FAR_BYTES : sl_peak_footprint(peak), turns = FIRST_TURNS;
    uint64_t ns = 0;
    int rc = 0;
    if (is_far(peak)) {
        turns = sl_peak_turns(peak, p->svl_bytes, memory, 0);
    } else {
        for (; rc == 0 && ns < LEAST_NS; turns *= 2)
            rc = sl_crew_run(peak, turns, 1, 3, memory, &ns);
        turns /= 2;
    }
    for (unsigned count = 1; rc == 0 && count <= workers; count++) {
        rc = sl_crew_run(peak, turns, count, ROUNDS, memory, &ns);
        if (rc == 0)
            rc = put(p, peak, turns, count, ns > 0 ? ns : 1);
    }
    return rc;
}

int sl_bench_peaks(bool counted, unsigned workers, struct sl_buf *out)
{
    const struct peaks p = {out, sl_isa_svl_bytes(), sl_isa_detect()};
    const struct sl_peak *peak;
    int rc = 0;
    workers = workers == 0 ? sl_crew_cores() : workers;
    for (size_t i = 0; rc == 0 && (peak = sl_peak_at(i)) != NULL; i++) {
        if ((peak->needs & ~p.isa) == 0)
            rc = counted ? count_peak(&p, peak) : time_peak(&p, peak, workers);
    }
    return rc;
}
