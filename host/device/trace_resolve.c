/* host/device/trace_resolve.c */
#include "host/device/trace_resolve.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"
#include "host/device/count_log.h"
#include "host/device/trace_pairs.h"

struct resolver {
    const struct sl_count_mark *marks; /* borrowed */
    size_t count;
    bool packing; /* the log knows which functions pack */
    struct sl_diag *diag;
};

/* The count at mark `*ordinal`, which must be an end or a begin, to *ordinal itself. */
static int resolve_mark(const struct resolver *r, uint64_t *ordinal, int is_end)
{
    if (*ordinal >= r->count)
        return sl_diag_set(r->diag, SL_E_MISMATCH, NULL,
                           "The trace has a mark %" PRIu64 ", the emulator's log only %zu",
                           *ordinal, r->count);
    const struct sl_count_mark *mark = &r->marks[*ordinal];
    if (!mark->is_end != !is_end)
        return sl_diag_set(r->diag, SL_E_MISMATCH, NULL,
                           "Mark %" PRIu64 " is %s in the emulator's log, but not in the trace",
                           *ordinal, mark->is_end ? "an end" : "a begin");
    *ordinal = mark->insns[SL_INSN_ANY] - r->marks[0].insns[SL_INSN_ANY];
    return 0;
}

/* Stalls fall outside measured windows, between two marks: the count at the next one. */
static void resolve_stall(const struct resolver *r, uint64_t *ordinal)
{
    size_t at = *ordinal < r->count ? (size_t)*ordinal : r->count - 1;
    *ordinal = r->count == 0 ? 0 : r->marks[at].insns[SL_INSN_ANY] - r->marks[0].insns[SL_INSN_ANY];
}

static int resolve_record(const struct resolver *r, struct sl_trace_record *record)
{
    if (record->kind == SL_TRACE_HEADER) {
        record->header.unit = SL_TRACE_INSTRUCTIONS;
        record->flags = r->packing ? SL_TRACE_PACKING : 0;
    }
    if (record->kind == SL_TRACE_STALL) {
        resolve_stall(r, &record->stall.start);
        resolve_stall(r, &record->stall.end);
    }
    if (record->kind != SL_TRACE_EVENT)
        return 0;
    const uint64_t begin = record->event.start, end = record->event.end;
    int rc = resolve_mark(r, &record->event.start, 0);
    if (rc == 0)
        rc = resolve_mark(r, &record->event.end, 1);
    record->event.packing = 0; /* the agent's says nothing */
    if (rc == 0 && r->packing)
        record->event.packing =
            r->marks[end].insns[SL_INSN_PACKING] - r->marks[begin].insns[SL_INSN_PACKING];
    return rc;
}

/* Does the trace say which instructions a variant may use, and is SME not among them? */
static bool forbids_sme(const struct sl_trace *trace, unsigned variant)
{
    char key[40];
    const char *isa;
    snprintf(key, sizeof(key), "variant.%u.isa", variant);
    return sl_trace_meta_text(trace, key, &isa) && strstr(isa, "sme") == NULL;
}

/* A kernel that is named for SME has started streaming mode, or ZA, within its event; a variant
 * without SME never did: it would be no baseline. */
static int check_claims(const struct sl_trace *trace, const struct resolver *r)
{
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind != SL_TRACE_EVENT || record->event.end >= r->count ||
            record->event.start > record->event.end)
            continue;
        const char *kernel = trace->names[record->event.kernel];
        const uint64_t *begin = r->marks[record->event.start].insns;
        const uint64_t *end = r->marks[record->event.end].insns;
        uint64_t starts = end[SL_INSN_SMSTART] - begin[SL_INSN_SMSTART];
        if (starts != 0 && forbids_sme(trace, record->variant))
            return sl_diag_set(r->diag, SL_E_MISMATCH, NULL,
                               "%.60s of variant %u executed SMSTART %" PRIu64
                               " times, and that variant may not use SME",
                               trace->names[record->name], record->variant, starts);
        if (starts == 0 && strstr(kernel, "_sme"))
            return sl_diag_set(r->diag, SL_E_MISMATCH, NULL,
                               "%.60s is said to have run %.80s, but executed no SMSTART",
                               trace->names[record->name], kernel);
    }
    return 0;
}

/* All records but the CRCs, resolved and sealed anew. */
static int seal_again(struct sl_bytes stream, const struct resolver *resolver, struct sl_buf *out)
{
    struct sl_trace_sealer sealer;
    int rc = 0;
    sl_trace_sealer_init(&sealer);
    for (size_t at = 0; at + SL_TRACE_RECORD_BYTES <= stream.size && rc == 0;
         at += SL_TRACE_RECORD_BYTES) {
        struct sl_trace_record record;
        memcpy(&record, stream.data + at, sizeof(record));
        if (record.kind == SL_TRACE_CRC)
            continue;
        rc = resolve_record(resolver, &record);
        if (rc == 0)
            rc = sl_trace_sealer_put(&sealer, &record, 1, out);
    }
    return rc < 0 ? rc : sl_trace_sealer_flush(&sealer, out);
}

int sl_trace_resolve(struct sl_bytes stream, const struct sl_count_log *log, struct sl_buf *out,
                     struct sl_diag *diag)
{
    struct sl_trace trace;
    struct resolver resolver = {.diag = diag};
    int rc = sl_trace_parse(stream, &trace, diag); /* checks the CRCs */
    if (rc < 0)
        return rc;
    resolver.marks = sl_count_log_marks(log, &resolver.count);
    const char *runtime; /* ExecuTorch's: the log has no names of what its libraries hold */
    resolver.packing = sl_trace_meta_text(&trace, "runtime", &runtime)
                           ? sl_count_log_told_packing(log)
                           : sl_count_log_names_functions(log);
    if (trace.unit != SL_TRACE_MARKS)
        rc = sl_diag_set(diag, SL_E_STATE, NULL, "The trace's times are not marks");
    else if (!trace.ended)
        rc = sl_diag_set(diag, SL_E_TRUNCATED, NULL, "The trace breaks off before its end");
    else
        rc = check_claims(&trace, &resolver);
    if (rc == 0)
        rc = sl_trace_pairs_check(&trace, resolver.marks, resolver.count, diag);
    sl_trace_fini(&trace);
    return rc < 0 ? rc : seal_again(stream, &resolver, out);
}
