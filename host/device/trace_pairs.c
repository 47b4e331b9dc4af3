/* host/device/trace_pairs.c */
#include "host/device/trace_pairs.h"

#include <inttypes.h>
#include <stdbool.h>

#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "host/device/count_log.h"

/* The records of a variant's last execution. */
struct block {
    const struct sl_trace_record *first;
    size_t count;
};

static struct block last_block(const struct sl_trace *trace, unsigned variant)
{
    struct block found = {NULL, 0};
    bool inside = false;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind == SL_TRACE_BLOCK) {
            inside = record->variant == variant && record->block.iteration != UINT32_MAX;
            if (inside)
                found = (struct block){record + 1, 0};
        } else if (inside) {
            found.count = (size_t)(record - found.first) + 1;
        }
    }
    return found;
}

struct cost {
    uint64_t insns, starts;
};

/* False: its marks are not there. */
static bool cost_of(const struct sl_trace_record *event, const struct sl_count_mark *marks,
                    size_t count, struct cost *out)
{
    if (event->event.end >= count || event->event.start > event->event.end)
        return false;
    const uint64_t *begin = marks[event->event.start].insns, *end = marks[event->event.end].insns;
    out->insns = end[SL_INSN_ANY] - begin[SL_INSN_ANY];
    out->starts = end[SL_INSN_SMSTART] - begin[SL_INSN_SMSTART];
    return true;
}

static bool is_operator(const struct sl_trace_record *record)
{
    return record->kind == SL_TRACE_EVENT && record->event.event == SL_TRACE_DELEGATE;
}

int sl_trace_pairs_check(const struct sl_trace *trace, const struct sl_count_mark *marks,
                         size_t count, struct sl_diag *diag)
{
    const char *runtime;
    struct block off = last_block(trace, 0), on = last_block(trace, 1);
    if (!sl_trace_meta_text(trace, "runtime", &runtime) || off.count != on.count)
        return 0; /* ours, one variant, or two plans that differ */
    for (size_t i = 0; i < off.count; i++) {
        struct cost a, b;
        if (!is_operator(&off.first[i]) || !is_operator(&on.first[i]) ||
            off.first[i].name != on.first[i].name || !cost_of(&off.first[i], marks, count, &a) ||
            !cost_of(&on.first[i], marks, count, &b) || a.starts != 0 || b.starts != 0)
            continue;
        if (a.insns != b.insns) {
            sl_diag_hint(diag, "the variants differ in more than SME; say --variants off,on");
            return sl_diag_set(diag, SL_E_MISMATCH, NULL,
                               "%.80s does not use SME, and executed %" PRIu64
                               " instructions in one variant and %" PRIu64 " in the other",
                               trace->names[off.first[i].name], a.insns, b.insns);
        }
    }
    return 0;
}
