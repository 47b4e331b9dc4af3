/* tests/unit/agent/trace/test_recorder.c */
#include "agent/trace/recorder.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "agent/trace/ring.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "tests/support/test.h"

enum { RING_RECORDS = 16 };

struct fixture {
    struct sl_ring *ring;
    struct sl_recorder *recorder;
    struct sl_trace_record seen[64];
    size_t count;
};

static void take(void *user)
{
    struct fixture *f = user;
    long got = sl_ring_pop(f->ring, f->seen + f->count, 64 - f->count);
    assert_true(got >= 0);
    f->count += (size_t)got;
}

static void open_recorder(struct fixture *f, int unit)
{
    *f = (struct fixture){0};
    assert_int_equal(sl_ring_new(RING_RECORDS, &f->ring), 0);
    assert_int_equal(sl_recorder_new(f->ring, unit, 77, &f->recorder), 0);
    sl_recorder_on_full(f->recorder, take, f);
}

static void close_recorder(struct fixture *f)
{
    sl_recorder_free(f->recorder);
    sl_ring_free(f->ring);
}

TEST(null_recorder_does_nothing)
{
    struct sl_trace_span span;
    struct sl_trace_label label = {0};
    sl_recorder_begin(NULL, &span, &label);
    sl_recorder_end(NULL, &span, &label);
    sl_recorder_block(NULL, 1, 0, 0, 0, false);
    sl_recorder_meta_text(NULL, "a", "b");
    sl_recorder_meta_integer(NULL, "a", 1);
    sl_recorder_finish(NULL);
    sl_recorder_on_full(NULL, NULL, NULL);
    assert_int_equal(sl_recorder_name(NULL, "x"), 0);
    assert_int_equal(sl_recorder_ready(NULL, 1000000), 0);
    assert_int_equal(sl_recorder_error(NULL), 0);
    sl_recorder_free(NULL);
}

TEST(stream_starts_with_header_of_unit)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_MARKS);
    take(&f);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.seen[0].kind, SL_TRACE_HEADER);
    assert_memory_equal(f.seen[0].header.magic, SL_TRACE_MAGIC, 8);
    assert_int_equal(f.seen[0].header.unit, SL_TRACE_MARKS);
    assert_int_equal(f.seen[0].header.stream, 77);
    close_recorder(&f);
}

TEST(new_with_unknown_unit_is_refused)
{
    struct sl_ring *ring = NULL;
    struct sl_recorder *recorder = NULL;
    assert_int_equal(sl_ring_new(2, &ring), 0);
    assert_int_equal(sl_recorder_new(ring, SL_TRACE_INSTRUCTIONS, 0, &recorder), -EINVAL);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_recorder_new(ring, SL_TRACE_NS, 0, &recorder), -ENOMEM);
    assert_null(recorder);
    sl_ring_free(ring);
}

TEST(equal_names_get_one_id_and_one_definition)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_NS);
    uint32_t a = sl_recorder_name(f.recorder, "conv");
    uint32_t b = sl_recorder_name(f.recorder, "gemm");
    assert_int_equal(a, 1);
    assert_int_equal(b, 2);
    assert_int_equal(sl_recorder_name(f.recorder, "conv"), a);
    assert_int_equal(sl_recorder_name(f.recorder, NULL), 0);
    take(&f);
    assert_int_equal(f.count, 3);
    assert_int_equal(f.seen[2].kind, SL_TRACE_NAME);
    assert_int_equal(f.seen[2].name, b);
    assert_int_equal(f.seen[2].part.total_bytes, 4);
    assert_memory_equal(f.seen[2].part.text, "gemm", 5);
    close_recorder(&f);
}

TEST(long_name_comes_in_parts_in_order)
{
    struct fixture f;
    char text[101];
    memset(text, 'x', 100);
    text[100] = '\0';
    open_recorder(&f, SL_TRACE_NS);
    assert_int_equal(sl_recorder_name(f.recorder, text), 1);
    take(&f);
    assert_int_equal(f.count, 4);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(f.seen[i].part.total_bytes, 100);
        assert_int_equal(f.seen[i].part.part_offset, (i - 1) * 48);
    }
    assert_memory_equal(f.seen[3].part.text, "xxxx\0", 5);
    close_recorder(&f);
}

TEST(equal_operands_are_written_once_an_operand_a_record)
{
    struct fixture f;
    struct sl_operands operands = {640, 2, {{2, {1, 64}}, {2, {10, 64}}}, {2, {1, 10}}};
    open_recorder(&f, SL_TRACE_NS);
    assert_int_equal(sl_recorder_operands(f.recorder, &operands), 1);
    assert_int_equal(sl_recorder_operands(f.recorder, &operands), 1);
    operands.macs = 0;
    assert_int_equal(sl_recorder_operands(f.recorder, &operands), 2);
    operands.out.rank = 9;
    assert_int_equal(sl_recorder_operands(f.recorder, &operands), 0);
    assert_int_equal(sl_recorder_operands(NULL, &operands), 0);
    take(&f);
    assert_int_equal(f.count, 7);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(f.seen[1 + i].kind, SL_TRACE_OPERAND);
        assert_int_equal(f.seen[1 + i].name, 1);
        assert_int_equal(f.seen[1 + i].operand.index, i);
        assert_int_equal(f.seen[1 + i].operand.count, 3);
        assert_int_equal(f.seen[1 + i].operand.macs, 640);
        assert_int_equal(f.seen[4 + i].operand.macs, 0);
    }
    assert_int_equal(f.seen[2].operand.dims.of[0], 10);
    assert_int_equal(f.seen[3].operand.dims.of[1], 10);
    close_recorder(&f);
}

TEST(facts_carry_text_or_integer)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_NS);
    sl_recorder_meta_text(f.recorder, "unit", "ns");
    sl_recorder_meta_integer(f.recorder, "svl", -64);
    take(&f);
    assert_int_equal(f.count, 6);
    assert_int_equal(f.seen[3].kind, SL_TRACE_META);
    assert_int_equal(f.seen[3].name, 1);
    assert_int_equal(f.seen[3].meta.text, 2);
    assert_int_equal(f.seen[5].meta.text, 0);
    assert_int_equal(f.seen[5].meta.integer, -64);
    close_recorder(&f);
}

/* A parent with one child, as the runtime writes them. */
static void record_two(struct sl_recorder *recorder)
{
    struct sl_trace_span outer, inner;
    struct sl_trace_label parent = {.name = 5, .chain = -1};
    struct sl_trace_label child = {.name = 6,
                                   .kernel = 7,
                                   .origin = 8,
                                   .node = 9,
                                   .operands = 10,
                                   .instruction = 11,
                                   .event = 2};
    sl_recorder_begin(recorder, &outer, &parent);
    sl_recorder_begin(recorder, &inner, &child);
    sl_recorder_end(recorder, &inner, &child);
    sl_recorder_end(recorder, &outer, &parent);
}

TEST(the_other_side_finds_the_innermost_open_event)
{
    struct fixture f;
    struct sl_trace_span outer, inner;
    struct sl_trace_label parent = {.name = 5}, child = {.name = 6};
    open_recorder(&f, SL_TRACE_NS);
    assert_int_equal(sl_ring_current(f.ring), 0);
    sl_recorder_begin(f.recorder, &outer, &parent);
    assert_int_equal(sl_ring_current(f.ring), 5);
    for (int i = 0; i < 2; i++) {
        sl_recorder_begin(f.recorder, &inner, &child);
        assert_int_equal(sl_ring_current(f.ring), 6);
        sl_recorder_end(f.recorder, &inner, &child);
        assert_int_equal(sl_ring_current(f.ring), 5);
    }
    sl_recorder_end(f.recorder, &outer, &parent);
    assert_int_equal(sl_ring_current(f.ring), 0);
    close_recorder(&f);
}

TEST(events_stand_in_order_of_end_with_order_of_begin)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_NS);
    sl_recorder_block(f.recorder, 3, 1, 4, 5, true);
    record_two(f.recorder);
    sl_recorder_finish(f.recorder);
    take(&f);
    assert_int_equal(f.count, 5);
    const struct sl_trace_record *block = &f.seen[1], *child = &f.seen[2], *parent = &f.seen[3];
    assert_int_equal(block->kind, SL_TRACE_BLOCK);
    assert_int_equal(block->flags, SL_TRACE_BLOCK_WARMUP);
    assert_int_equal(block->variant, 1);
    assert_int_equal(block->block.iteration, 4);
    assert_int_equal(block->block.pair, 5);
    assert_int_equal(child->variant, 1);
    assert_int_equal(child->event.order, 1);
    assert_int_equal(parent->event.order, 0);
    assert_int_equal(child->event.kernel, 7);
    assert_int_equal(child->event.origin, 8);
    assert_int_equal(child->event.node, 9);
    assert_int_equal(child->event.operands, 10);
    assert_int_equal(child->event.instruction, 11);
    assert_int_equal(child->event.event, SL_TRACE_DELEGATE);
    assert_int_equal(parent->event.chain, -1);
    assert_true(parent->event.start <= child->event.start);
    assert_true(child->event.start <= child->event.end);
    assert_true(child->event.end <= parent->event.end);
    assert_int_equal(f.seen[4].kind, SL_TRACE_END);
    assert_int_equal(f.seen[4].end.events, 2);
    close_recorder(&f);
}

TEST(marks_number_begins_and_ends_of_the_process)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_MARKS);
    sl_recorder_block(f.recorder, 3, 0, 0, 0, false);
    record_two(f.recorder);
    sl_recorder_block(f.recorder, 3, 1, 0, 0, false);
    record_two(f.recorder);
    take(&f);
    const uint64_t expected[][2] = {{1, 2}, {0, 3}, {5, 6}, {4, 7}};
    const size_t at[] = {2, 3, 5, 6};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(f.seen[at[i]].event.start, expected[i][0]);
        assert_int_equal(f.seen[at[i]].event.end, expected[i][1]);
    }
    close_recorder(&f);
}

TEST(waiting_for_room_is_a_stall)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_NS);
    for (int i = 0; i < 10; i++)
        sl_recorder_block(f.recorder, 1, 0, 0, 0, false);
    assert_int_equal(sl_recorder_ready(f.recorder, 4), 0);
    assert_int_equal(f.count, 0); /* enough as it is */
    assert_int_equal(sl_recorder_ready(f.recorder, 10), 0);
    assert_int_equal(f.count, 11);
    sl_recorder_finish(f.recorder);
    take(&f);
    assert_int_equal(f.seen[11].kind, SL_TRACE_STALL);
    assert_true(f.seen[11].stall.end >= f.seen[11].stall.start);
    assert_int_equal(f.seen[12].end.stalls, 1);
    close_recorder(&f);
}

TEST(window_larger_than_the_ring_is_refused)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_NS);
    assert_int_equal(sl_recorder_ready(f.recorder, RING_RECORDS - 1), 0);
    assert_int_equal(sl_recorder_ready(f.recorder, RING_RECORDS), SL_E_LIMIT);
    assert_int_equal(sl_recorder_error(f.recorder), SL_E_LIMIT);
    close_recorder(&f);
}

TEST(event_without_slot_is_counted_as_lost)
{
    struct fixture f;
    open_recorder(&f, SL_TRACE_NS);
    for (int i = 0; i < RING_RECORDS; i++)
        record_two(f.recorder);
    assert_int_equal(sl_recorder_error(f.recorder), SL_E_FULL);
    take(&f);
    assert_int_equal(f.count, RING_RECORDS);
    close_recorder(&f);
}

TEST(interning_survives_each_failed_allocation)
{
    for (unsigned nth = 1; nth <= 2; nth++) {
        struct fixture f;
        open_recorder(&f, SL_TRACE_NS);
        sl_mem_fail_nth(nth);
        sl_recorder_meta_text(f.recorder, "key", "value");
        sl_mem_fail_nth(0);
        assert_int_equal(sl_recorder_error(f.recorder), -ENOMEM);
        take(&f);
        for (size_t i = 0; i < f.count; i++)
            assert_int_not_equal(f.seen[i].kind, SL_TRACE_META);
        close_recorder(&f);
    }
}
