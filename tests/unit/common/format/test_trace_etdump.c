/* tests/unit/common/format/test_trace_etdump.c */
#include "common/format/trace_etdump.h"

#include <errno.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"
#include "tests/support/unit.h"
#include "tests/support/vector_etdump.h"

struct stream {
    struct sl_trace_sealer sealer;
    struct sl_buf out;
    uint32_t names;
    uint64_t events;
};

static void put(struct stream *stream, struct sl_trace_record record)
{
    stream->events += record.kind == SL_TRACE_EVENT;
    assert_int_equal(sl_trace_sealer_put(&stream->sealer, &record, 1, &stream->out), 0);
}

static void begin_stream(struct stream *stream, uint32_t unit)
{
    struct sl_trace_record record = {.kind = SL_TRACE_HEADER};
    *stream = (struct stream){0};
    sl_trace_sealer_init(&stream->sealer);
    sl_buf_init(&stream->out, 16 << 20);
    memcpy(record.header.magic, SL_TRACE_MAGIC, sizeof(record.header.magic));
    record.header.version = SL_TRACE_VERSION;
    record.header.record_bytes = SL_TRACE_RECORD_BYTES;
    record.header.unit = unit;
    put(stream, record);
}

static void end_stream(struct stream *stream)
{
    struct sl_trace_record record = {.kind = SL_TRACE_END};
    record.end.events = stream->events;
    put(stream, record);
    assert_int_equal(sl_trace_sealer_flush(&stream->sealer, &stream->out), 0);
}

static uint32_t put_name(struct stream *stream, const char *text, size_t len)
{
    stream->names++;
    for (size_t done = 0; done == 0 || done < len; done += SL_TRACE_NAME_PART_BYTES) {
        struct sl_trace_record record = {.kind = SL_TRACE_NAME, .name = stream->names};
        size_t part = len - done < SL_TRACE_NAME_PART_BYTES ? len - done : SL_TRACE_NAME_PART_BYTES;
        record.part.total_bytes = (uint16_t)len;
        record.part.part_offset = (uint16_t)done;
        memcpy(record.part.text, text + done, part);
        put(stream, record);
    }
    return stream->names;
}

static void put_block(struct stream *stream, const char *name, size_t len, uint16_t variant)
{
    uint32_t id = put_name(stream, name, len);
    put(stream, (struct sl_trace_record){.kind = SL_TRACE_BLOCK, .variant = variant, .name = id});
}

static void put_event(struct stream *stream, const char *name, size_t len, uint16_t variant,
                      uint32_t kind, const struct sl_etdump_event *event, uint32_t order)
{
    struct sl_trace_record record = {.kind = SL_TRACE_EVENT, .variant = variant};
    record.name = put_name(stream, name, len);
    record.event.chain = (int32_t)event->chain_index;
    record.event.instruction = event->instruction_id;
    record.event.start = event->start;
    record.event.end = event->end;
    record.event.order = order;
    record.event.event = kind;
    put(stream, record);
}

static void simple_event(struct stream *stream, const char *name, uint16_t variant, uint32_t kind,
                         int64_t chain, uint64_t start, uint64_t end, uint32_t order)
{
    struct sl_etdump_event event = {.chain_index = chain, .start = start, .end = end};
    put_event(stream, name, strlen(name), variant, kind, &event, order);
}

static int convert(const struct stream *stream, uint32_t variant, struct sl_buf *out,
                   struct sl_diag *diag)
{
    struct sl_trace trace;
    int rc = sl_trace_parse((struct sl_bytes){stream->out.data, stream->out.size}, &trace, diag);
    sl_buf_init(out, 16 << 20);
    if (rc < 0)
        return rc;
    rc = sl_trace_to_etdump(&trace, variant, out, diag);
    sl_trace_fini(&trace);
    return rc;
}

/* The test vector as variant 1, with a second variant's events between. */
static void put_vector(struct stream *stream, uint32_t unit)
{
    begin_stream(stream, unit);
    put_block(stream, "Default", 7, 1);
    simple_event(stream, "Method::init", 1, SL_TRACE_FRAMEWORK, -1, 1000, 1100, 0);
    put_block(stream, "Execute", 7, 0);
    put_block(stream, "Execute", 7, 1);
    simple_event(stream, "Method::execute", 0, SL_TRACE_FRAMEWORK, -1, 7, 8, 0);
    simple_event(stream, "Add (ND) #1", 1, SL_TRACE_DELEGATE, 0, 5000, 6000, 2);
    simple_event(stream, "DELEGATE_CALL", 1, SL_TRACE_OPERATOR, 0, 1300, 1400, 1);
    simple_event(stream, "Method::execute", 1, SL_TRACE_FRAMEWORK, -1, 1200, 1500, 0);
    end_stream(stream);
}

TEST(variant_among_others_gives_the_vector)
{
    struct stream stream;
    struct sl_buf out;
    put_vector(&stream, SL_TRACE_NS);
    assert_int_equal(convert(&stream, 1, &out, NULL), 0);
    assert_int_equal(out.size, sizeof(vector_etdump));
    assert_memory_equal(out.data, vector_etdump, sizeof(vector_etdump));
    sl_buf_fini(&out);
    sl_buf_fini(&stream.out);
}

TEST(missing_variant_is_not_found)
{
    struct stream stream;
    struct sl_buf out;
    struct sl_diag diag = {0};
    put_vector(&stream, SL_TRACE_NS);
    assert_int_equal(convert(&stream, 2, &out, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.what, "the trace has no block of variant 2");
    sl_buf_fini(&out);
    sl_buf_fini(&stream.out);
}

TEST(unresolved_marks_are_refused)
{
    struct stream stream;
    struct sl_buf out;
    struct sl_diag diag = {0};
    put_vector(&stream, SL_TRACE_MARKS);
    assert_int_equal(convert(&stream, 1, &out, &diag), SL_E_STATE);
    assert_true(diag.what[0] != '\0');
    sl_buf_fini(&out);
    sl_buf_fini(&stream.out);
}

TEST(counted_trace_says_its_unit_first)
{
    struct stream stream;
    struct sl_buf out;
    struct sl_etdump dump;
    put_vector(&stream, SL_TRACE_INSTRUCTIONS);
    assert_int_equal(convert(&stream, 1, &out, NULL), 0);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){out.data, out.size}, &dump, NULL), 0);
    assert_int_equal(dump.run_count, 2);
    assert_int_equal(dump.runs[0].event_count, 1);
    assert_int_equal(dump.runs[1].event_count, 3);
    static const char first[] = "Default (" SL_ETDUMP_INSTRUCTIONS_MARKER ")";
    assert_int_equal(dump.runs[0].name_len, strlen(first));
    assert_memory_equal(dump.runs[0].name, first, strlen(first));
    assert_int_equal(dump.runs[1].name_len, 7);
    assert_memory_equal(dump.runs[1].name, "Execute", 7);
    sl_etdump_fini(&dump);
    sl_buf_fini(&out);
    sl_buf_fini(&stream.out);
}

TEST(warm_ups_have_a_name_of_their_own)
{
    static const char *names[] = {"", "Execute"};
    struct sl_trace trace = {.unit = SL_TRACE_NS, .names = names, .name_count = 1};
    struct sl_trace_record block = {.kind = SL_TRACE_BLOCK, .name = 1};
    char name[SL_TRACE_BLOCK_NAME_BYTES];
    assert_string_equal(sl_trace_block_name(&trace, &block, true, name), "Execute");
    block.flags = SL_TRACE_BLOCK_WARMUP;
    assert_string_equal(sl_trace_block_name(&trace, &block, true, name), "Warmup");
    trace.unit = SL_TRACE_INSTRUCTIONS;
    assert_string_equal(sl_trace_block_name(&trace, &block, false, name), "Warmup");
}

TEST(conversion_survives_each_failed_allocation)
{
    struct stream stream;
    struct sl_trace trace;
    put_vector(&stream, SL_TRACE_NS);
    struct sl_bytes bytes = {stream.out.data, stream.out.size};
    assert_int_equal(sl_trace_parse(bytes, &trace, NULL), 0);
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_buf out;
        sl_buf_init(&out, 1 << 20);
        sl_mem_fail_nth(nth);
        rc = sl_trace_to_etdump(&trace, 1, &out, NULL);
        sl_mem_fail_nth(0);
        sl_buf_fini(&out);
    }
    assert_int_equal(rc, 0);
    sl_trace_fini(&trace);
    sl_buf_fini(&stream.out);
}

/* Events of `run` that began before `event`: their names stand further back. */
static uint32_t order_of(const struct sl_etdump_run *run, const struct sl_etdump_event *event)
{
    const char *text = event->name ? event->name : event->delegate_id;
    uint32_t order = 0;
    for (uint32_t i = 0; i < run->event_count; i++) {
        struct sl_etdump_event room;
        const struct sl_etdump_event *other = sl_etdump_event_read(run, i, &room);
        order += (other->name ? other->name : other->delegate_id) > text;
    }
    return order;
}

static void put_etdump(struct stream *stream, const struct sl_etdump *dump)
{
    begin_stream(stream, SL_TRACE_NS);
    for (uint32_t r = 0; r < dump->run_count; r++) {
        const struct sl_etdump_run *run = &dump->runs[r];
        put_block(stream, run->name, run->name_len, 0);
        for (uint32_t i = 0; i < run->event_count; i++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *event = sl_etdump_event_read(run, i, &room);
            uint32_t kind = !event->name               ? SL_TRACE_DELEGATE
                            : event->chain_index == -1 ? SL_TRACE_FRAMEWORK
                                                       : SL_TRACE_OPERATOR;
            put_event(stream, event->name ? event->name : event->delegate_id,
                      event->name ? event->name_len : event->delegate_id_len, 0, kind, event,
                      order_of(run, event));
        }
    }
    end_stream(stream);
}

TEST(real_runs_as_traces_give_the_same_etdump)
{
    static const char *const files[] = {
        "models/toy_cnn_f32_xnnpack/run.etdump",
        "models/toy_cnn_f32_portable/aarch64-sme2.etdump",
        "models/mobilenet_v2_f32_xnnpack/run.etdump",
        "etdump/transformer_dynq_xnnpack/run.etdump",
        "etdump/kitchen_shape_portable/run.etdump",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct sl_bytes file = sl_test_file(files[i]);
        struct sl_etdump dump;
        struct stream stream;
        struct sl_buf out;
        assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
        put_etdump(&stream, &dump);
        assert_int_equal(convert(&stream, 0, &out, NULL), 0);
        assert_int_equal(out.size, file.size);
        assert_memory_equal(out.data, file.data, file.size);
        sl_etdump_fini(&dump);
        sl_buf_fini(&out);
        sl_buf_fini(&stream.out);
        free((void *)(uintptr_t)file.data);
    }
}
