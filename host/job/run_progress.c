/* host/job/run_progress.c */
#include "host/job/run_progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"

enum { PHASE_WARMING = 3, PHASE_MEASURING = 4 }; /* of proto/job.proto */

static const char execute_name[] = "Method::execute";

/* Both of a pair have ended: nanoseconds are added up, marks wait for what they count. */
static void finish_pair(struct sl_job_run_progress *p)
{
    struct sl_job_run_progress_pair pair;
    if (!p->variants[0].ended || !p->variants[1].ended ||
        p->variants[0].pair != p->variants[1].pair)
        return;
    for (size_t i = 0; i < SL_JOB_RUN_PROGRESS_VARIANTS; i++) {
        pair.marks[2 * i] = p->variants[i].start;
        pair.marks[2 * i + 1] = p->variants[i].end;
        p->variants[i].ended = false;
    }
    if (p->unit == SL_TRACE_NS)
        sl_job_run_progress_add(p, pair.marks[1] - pair.marks[0], pair.marks[3] - pair.marks[2]);
    else if (p->pending_count < SL_JOB_RUN_PROGRESS_PENDING)
        p->pending[p->pending_count++] = pair;
}

static void take_name(struct sl_job_run_progress *p, const struct sl_trace_record *record)
{
    size_t len = sizeof(execute_name) - 1;
    if (record->part.total_bytes == len && record->part.part_offset == 0 &&
        memcmp(record->part.text, execute_name, len) == 0)
        p->execute = record->name;
}

static void take_block(struct sl_job_run_progress *p, const struct sl_trace_record *record)
{
    bool counts = !(record->flags & SL_TRACE_BLOCK_WARMUP) && record->block.iteration != UINT32_MAX;
    p->variants[record->variant].pair = counts ? record->block.pair : UINT32_MAX;
    p->variants[record->variant].ended = false;
}

static void take_event(struct sl_job_run_progress *p, const struct sl_trace_record *record)
{
    if (record->name != p->execute || p->execute == 0 || record->event.end < record->event.start ||
        p->variants[record->variant].pair == UINT32_MAX)
        return;
    p->variants[record->variant].start = record->event.start;
    p->variants[record->variant].end = record->event.end;
    p->variants[record->variant].ended = true;
    finish_pair(p);
}

static void take_record(struct sl_job_run_progress *p, const uint8_t bytes[SL_TRACE_RECORD_BYTES])
{
    struct sl_trace_record record;
    memcpy(&record, bytes, sizeof(record));
    if (record.kind == SL_TRACE_HEADER)
        p->unit = record.header.unit;
    else if (record.kind == SL_TRACE_NAME)
        take_name(p, &record);
    else if (record.variant >= SL_JOB_RUN_PROGRESS_VARIANTS)
        return;
    else if (record.kind == SL_TRACE_BLOCK)
        take_block(p, &record);
    else if (record.kind == SL_TRACE_EVENT)
        take_event(p, &record);
}

void sl_job_run_progress_take(struct sl_job_run_progress *p, uint64_t offset, const uint8_t *bytes,
                              size_t len)
{
    uint64_t next = p->offset + p->record_bytes;
    if (offset > next || offset + len <= next)
        return;
    bytes += next - offset;
    len -= (size_t)(next - offset);
    while (len > 0) {
        size_t want = SL_TRACE_RECORD_BYTES - p->record_bytes, n = len < want ? len : want;
        memcpy(p->record + p->record_bytes, bytes, n);
        p->record_bytes += n;
        bytes += n;
        len -= n;
        if (p->record_bytes < SL_TRACE_RECORD_BYTES)
            return;
        take_record(p, p->record);
        p->offset += SL_TRACE_RECORD_BYTES;
        p->record_bytes = 0;
    }
}

void sl_job_run_progress_adopt(struct sl_job_run_progress *p,
                               const struct sl_job_run_progress *read)
{
    struct sl_job_run_progress own = *p;
    *p = *read;
    p->phase = own.phase;
    p->warmup = own.warmup;
    p->reference = own.reference;
    p->pair = own.pair;
    p->pairs = own.pairs;
}

void sl_job_run_progress_add(struct sl_job_run_progress *p, uint64_t off, uint64_t on)
{
    p->sums[0] += (double)off;
    p->sums[1] += (double)on;
    p->finished++;
    if (p->on_pair)
        p->on_pair(p->user, off, on);
}

void sl_job_run_progress_step(struct sl_job_run_progress *p, int phase, uint32_t pair,
                              uint32_t pairs)
{
    if (phase == PHASE_WARMING && p->phase != PHASE_WARMING)
        p->insns_at_warmup = p->insns;
    if (phase == PHASE_MEASURING && p->phase != PHASE_MEASURING)
        p->insns_at_pairs = p->insns_at_pair = p->insns;
    if (pair != p->pair)
        p->insns_at_pair = p->insns;
    p->phase = phase;
    p->pair = pair;
    p->pairs = pairs;
}

/* Gives the instructions of one pair, from those that are over or from the warm-up; 0: not known
 * yet. The emulator's count lags behind the agent's word of a phase, so a warm-up may look too
 * small. A first pair that has already taken more than the warm-up shows that it was. */
static double pair_insns(const struct sl_job_run_progress *p)
{
    if (p->phase != PHASE_MEASURING || p->insns_at_pairs == 0)
        return 0;
    if (p->pair > 0 && p->insns_at_pair > p->insns_at_pairs)
        return (double)(p->insns_at_pair - p->insns_at_pairs) / p->pair;
    if (p->pair > 0 || p->warmup == 0 || p->insns_at_warmup >= p->insns_at_pairs)
        return 0;
    double each = (double)(p->insns_at_pairs - p->insns_at_warmup) / p->warmup;
    return (double)(p->insns - p->insns_at_pairs) <= each ? each : 0;
}

/* How far the pairs are, and what they will have counted. */
static void put_share(const struct sl_job_run_progress *p, bool precise, char *out, size_t size)
{
    double each = pair_insns(p), expected = (double)p->insns_at_pairs + each * p->pairs;
    double share = p->pairs > 0 ? (double)p->pair / p->pairs : 0;
    size_t used = 0;
    out[0] = '\0';
    if (p->pairs == 0 || p->pair > p->pairs || precise || p->reference)
        return;
    if (each > 0 && p->insns > p->insns_at_pairs)
        share = fmax(share, fmin(1, (double)(p->insns - p->insns_at_pairs) / (each * p->pairs)));
    if (p->phase == PHASE_MEASURING)
        used = (size_t)snprintf(out, size, ",\"percent\":%.1f", 100 * share);
    if (each > 0)
        snprintf(out + used, size - used, ",\"expected_insns\":%.0f",
                 fmax(expected, (double)p->insns));
}

static void put_looks(const struct sl_job_run_looked *looked, char *out, size_t size)
{
    out[0] = '\0';
    if (!(looked->precision_percent > 0))
        return;
    int used = snprintf(out, size, ",\"precision_percent\":%.4g,\"looks\":%" PRIu32,
                        looked->precision_percent, looked->looks);
    if (looked->half_width_percent > 0)
        snprintf(out + used, size - (size_t)used, ",\"half_width_percent\":%.4g",
                 looked->half_width_percent);
}

void sl_job_run_progress_json(const struct sl_job_run_progress *p,
                              const struct sl_job_run_looked *looked, char *out, size_t size)
{
    static const char *const phases[] = {"waiting",    "accepted",  "loading",
                                         "warming-up", "measuring", "finishing"};
    char insns[48] = "", ratio[160] = "", seen[128], share[96];
    const char *unit = p->unit == SL_TRACE_NS ? "ns" : "insns";
    if (p->insns != 0)
        snprintf(insns, sizeof(insns), ",\"insns\":%" PRIu64, p->insns);
    if (p->finished > 0 && p->sums[1] > 0)
        snprintf(ratio, sizeof(ratio), ",\"ratio\":%.6g,\"off_%s\":%.0f,\"on_%s\":%.0f",
                 p->sums[0] / p->sums[1], unit, p->sums[0] / (double)p->finished, unit,
                 p->sums[1] / (double)p->finished);
    put_looks(looked, seen, sizeof(seen));
    put_share(p, looked->precision_percent > 0, share, sizeof(share));
    snprintf(out, size,
             "{\"phase\":\"%s\",\"part\":\"%s\",\"pair\":%" PRIu32 ",\"pairs\":%" PRIu32
             "%s%s%s%s}",
             phases[p->phase >= 0 && p->phase <= 5 ? p->phase : 0],
             p->reference ? "reference" : "measured", p->pair <= p->pairs ? p->pair : 0, p->pairs,
             insns, share, ratio, seen);
}
