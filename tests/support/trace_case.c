/* tests/support/trace_case.c */
#include "tests/support/trace_case.h"

#include <string.h>

#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

enum { RECORDS = 4096, MAX_NAMES = 2048, EVERYTHING = 16384 };

void sl_trace_case_open(struct sl_trace_case *t)
{
    *t = (struct sl_trace_case){.names = sl_calloc(MAX_NAMES, SL_TRACE_CASE_NAME),
                                .events = sl_calloc(EVERYTHING, sizeof(*t->events))};
    t->operands = sl_calloc(MAX_NAMES, sizeof(*t->operands));
    assert_non_null(t->operands);
    assert_non_null(t->names);
    assert_non_null(t->events);
    assert_int_equal(sl_ring_new(RECORDS, &t->ring), 0);
    assert_int_equal(sl_recorder_new(t->ring, SL_TRACE_NS, 1, &t->recorder), 0);
    sl_recorder_block(t->recorder, sl_recorder_name(t->recorder, "Default"), 0, UINT32_MAX, 0,
                      false);
}

void sl_trace_case_loaded(struct sl_trace_case *t)
{
    sl_recorder_block(t->recorder, sl_recorder_name(t->recorder, "Execute"), 0, 0, 0, false);
    sl_trace_case_drain(t);
}

static void take_record(struct sl_trace_case *t, const struct sl_trace_record *record)
{
    if (record->kind == SL_TRACE_NAME) {
        assert_true(record->name < MAX_NAMES);
        assert_true(record->part.total_bytes < SL_TRACE_CASE_NAME);
        size_t left = (size_t)record->part.total_bytes - record->part.part_offset;
        if (left > SL_TRACE_NAME_PART_BYTES)
            left = SL_TRACE_NAME_PART_BYTES;
        memcpy(t->names[record->name] + record->part.part_offset, record->part.text, left);
    } else if (record->kind == SL_TRACE_OPERAND) {
        assert_true(record->name < MAX_NAMES);
        struct sl_operands *operands = &t->operands[record->name];
        operands->macs = record->operand.macs;
        operands->count = record->operand.count - 1;
        if (record->operand.index == operands->count)
            operands->out = record->operand.dims;
        else
            operands->in[record->operand.index] = record->operand.dims;
    } else if (record->kind == SL_TRACE_EVENT) {
        assert_true(t->count < EVERYTHING);
        t->events[t->count++] = *record;
    }
}

void sl_trace_case_drain(struct sl_trace_case *t)
{
    struct sl_trace_record record;
    while (sl_ring_pop(t->ring, &record, 1) == 1)
        take_record(t, &record);
}

static void check_event(const struct sl_trace_case *t, const struct sl_trace_record *have,
                        const struct sl_etdump_event *want)
{
    const char *text = want->delegate_id ? want->delegate_id : want->name;
    size_t len = want->delegate_id ? want->delegate_id_len : want->name_len;
    const char *name = t->names[have->name];
    if (strlen(name) != len || memcmp(name, text, len) != 0)
        fail_msg("'%s' where the real runtime has '%.*s'", name, (int)len, text);
    assert_int_equal(have->event.event == SL_TRACE_DELEGATE, want->delegate_id != NULL);
    assert_int_equal(have->event.chain, want->chain_index);
    assert_int_equal(have->event.instruction, want->instruction_id);
    assert_true(have->event.end >= have->event.start);
}

void sl_trace_case_check(const struct sl_trace_case *t, const char *model, const char *file)
{
    struct sl_buf bytes;
    struct sl_etdump etdump;
    size_t at = 0;
    sl_case_read(model, file, &bytes);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){bytes.data, bytes.size}, &etdump, NULL), 0);
    assert_int_equal(sl_recorder_error(t->recorder), 0);
    for (uint32_t run = 0; run < 2; run++) /* Default, and the first Execute */
        for (uint32_t i = 0; i < etdump.runs[run].event_count; i++) {
            struct sl_etdump_event event;
            sl_etdump_event_read(&etdump.runs[run], i, &event);
            if (event.kind != SL_ETDUMP_PROFILE)
                continue;
            assert_true(at < t->count);
            check_event(t, &t->events[at++], &event);
        }
    assert_int_equal(at, t->count);
    sl_etdump_fini(&etdump);
    sl_buf_fini(&bytes);
}

void sl_trace_case_close(struct sl_trace_case *t)
{
    sl_recorder_free(t->recorder);
    sl_ring_free(t->ring);
    sl_free(t->names);
    sl_free(t->operands);
    sl_free(t->events);
}
