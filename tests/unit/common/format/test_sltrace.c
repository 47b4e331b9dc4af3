/* tests/unit/common/format/test_sltrace.c */
#include "common/format/sltrace.h"

#include <errno.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace_seal.h"
#include "tests/support/unit.h"

enum { BYTES = SL_TRACE_RECORD_BYTES };

static struct sl_trace_record header(uint32_t unit)
{
    struct sl_trace_record record = {.kind = SL_TRACE_HEADER};
    memcpy(record.header.magic, SL_TRACE_MAGIC, sizeof(record.header.magic));
    record.header.version = SL_TRACE_VERSION;
    record.header.record_bytes = BYTES;
    record.header.unit = unit;
    record.header.stream = 77;
    return record;
}

static struct sl_trace_record part(uint32_t name, const char *text, size_t total, size_t offset)
{
    struct sl_trace_record record = {.kind = SL_TRACE_NAME, .name = name};
    size_t len =
        total - offset < SL_TRACE_NAME_PART_BYTES ? total - offset : SL_TRACE_NAME_PART_BYTES;
    record.part.total_bytes = (uint16_t)total;
    record.part.part_offset = (uint16_t)offset;
    memcpy(record.part.text, text + offset, len);
    return record;
}

static struct sl_trace_record meta(uint32_t name, int64_t integer, uint32_t text)
{
    struct sl_trace_record record = {.kind = SL_TRACE_META, .name = name};
    record.meta.integer = integer;
    record.meta.text = text;
    return record;
}

static struct sl_trace_record event(uint32_t name, uint64_t start)
{
    struct sl_trace_record record = {.kind = SL_TRACE_EVENT, .name = name};
    record.event.start = start;
    record.event.end = start + 1;
    return record;
}

static const struct sl_trace_record block = {.kind = SL_TRACE_BLOCK, .name = 1};
static const struct sl_trace_record stall = {.kind = SL_TRACE_STALL};

static struct sl_trace_record end(uint64_t events, uint64_t stalls)
{
    struct sl_trace_record record = {.kind = SL_TRACE_END};
    record.end.events = events;
    record.end.stalls = stalls;
    return record;
}

/* Seals `count` records in cuts of `cut` into a fresh buffer. */
static struct sl_buf seal(const struct sl_trace_record *records, size_t count, size_t cut)
{
    struct sl_trace_sealer sealer;
    struct sl_buf out;
    sl_trace_sealer_init(&sealer);
    sl_buf_init(&out, 1 << 20);
    for (size_t i = 0; i < count; i += cut)
        assert_int_equal(
            sl_trace_sealer_put(&sealer, records + i, count - i < cut ? count - i : cut, &out), 0);
    assert_int_equal(sl_trace_sealer_flush(&sealer, &out), 0);
    assert_int_equal(sl_trace_sealer_flush(&sealer, &out), 0); /* nothing more to cover */
    return out;
}

static int parse_records(const struct sl_trace_record *records, size_t count)
{
    struct sl_trace trace;
    struct sl_buf stream = seal(records, count, count);
    int rc = sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, NULL);
    if (rc == 0)
        sl_trace_fini(&trace);
    sl_buf_fini(&stream);
    return rc;
}

#define PARSE(...)                                                                                 \
    parse_records((const struct sl_trace_record[]){__VA_ARGS__},                                   \
                  sizeof((const struct sl_trace_record[]){__VA_ARGS__}) / BYTES)

TEST(stream_comes_back_as_written)
{
    char text[120];
    memset(text, 'k', sizeof(text));
    const struct sl_trace_record records[] = {
        header(SL_TRACE_NS),    part(1, "Execute", 7, 0),
        part(2, text, 120, 0),  part(2, text, 120, 48),
        part(2, text, 120, 96), part(3, "", 0, 0),
        meta(1, 0, 2),          meta(1, 0, 1),
        meta(2, -5, 0),         block,
        event(2, 10),           stall,
        event(1, 12),           end(2, 1),
    };
    struct sl_buf stream = seal(records, sizeof(records) / BYTES, 3);
    struct sl_trace trace;
    struct sl_diag diag = {0};
    const char *fact = NULL;
    int64_t number = 0;
    assert_int_equal(sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, &diag), 0);
    assert_true(trace.ended);
    assert_string_equal(diag.what, "");
    assert_int_equal(trace.unit, SL_TRACE_NS);
    assert_int_equal(trace.stream, 77);
    assert_int_equal(trace.name_count, 3);
    assert_string_equal(trace.names[0], "");
    assert_string_equal(trace.names[1], "Execute");
    assert_int_equal(strlen(trace.names[2]), 120);
    assert_string_equal(trace.names[3], "");
    assert_int_equal(trace.record_count, 7);
    assert_int_equal(trace.records[4].event.start, 10);
    assert_true(sl_trace_meta_text(&trace, "Execute", &fact));
    assert_string_equal(fact, "Execute");
    assert_true(sl_trace_meta_integer(&trace, trace.names[2], &number));
    assert_int_equal(number, -5);
    assert_false(sl_trace_meta_integer(&trace, "Execute", &number));
    assert_false(sl_trace_meta_text(&trace, trace.names[2], &fact));
    assert_false(sl_trace_meta_text(&trace, "none", &fact));
    sl_trace_fini(&trace);
    sl_buf_fini(&stream);
}

/* A stream of several spans. */
static struct sl_buf long_stream(size_t count, size_t cut)
{
    struct sl_trace_record *records = calloc(count + 4, sizeof(*records));
    assert_non_null(records);
    records[0] = header(SL_TRACE_NS);
    records[1] = part(1, "Execute", 7, 0);
    records[2] = block;
    for (size_t i = 0; i < count; i++)
        records[3 + i] = event(1, i);
    records[3 + count] = end(count, 0);
    struct sl_buf stream = seal(records, count + 4, cut);
    free(records);
    return stream;
}

TEST(sealed_bytes_do_not_depend_on_the_cuts)
{
    struct sl_buf whole = long_stream(1000, 2000);
    static const size_t cuts[] = {1, 7, 255, 256, 700};
    assert_int_equal(whole.size, (1004 + 4) * BYTES);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        struct sl_buf other = long_stream(1000, cuts[i]);
        assert_int_equal(other.size, whole.size);
        assert_memory_equal(other.data, whole.data, whole.size);
        sl_buf_fini(&other);
    }
    sl_buf_fini(&whole);
}

TEST(sealer_without_room_changes_nothing)
{
    struct sl_trace_sealer sealer;
    struct sl_buf out;
    struct sl_trace_record two[2] = {header(SL_TRACE_NS), stall};
    sl_trace_sealer_init(&sealer);
    sl_buf_init(&out, BYTES);
    assert_int_equal(sl_trace_sealer_put(&sealer, two, 2, &out), SL_E_LIMIT);
    assert_int_equal(sealer.offset, 0);
    assert_int_equal(sl_trace_sealer_put(&sealer, two, 1, &out), 0);
    assert_int_equal(sealer.offset, BYTES);
    assert_int_equal(sl_trace_sealer_flush(&sealer, &out), SL_E_LIMIT);
    assert_int_equal(sealer.records, 1);
    sl_buf_fini(&out);
}

TEST(stream_cut_anywhere_is_read_to_the_last_span)
{
    struct sl_buf stream = long_stream(600, 1000);
    enum { SPAN = (SL_TRACE_CRC_SPAN + 1) * BYTES };
    for (size_t size = 0; size < stream.size; size += size % SPAN < 70 ? 1 : 29) {
        struct sl_trace trace;
        struct sl_diag diag = {0};
        uint8_t *copy = sl_test_copy(stream.data, size);
        int rc = sl_trace_parse((struct sl_bytes){copy, size}, &trace, &diag);
        assert_int_equal(rc, size < SPAN ? SL_E_TRUNCATED : 0);
        assert_true(diag.what[0] != '\0');
        if (rc == 0) { /* all but header, name and the CRC records */
            assert_false(trace.ended);
            assert_int_equal(trace.record_count, size / SPAN * SL_TRACE_CRC_SPAN - 2);
            sl_trace_fini(&trace);
        }
        free(copy);
    }
    sl_buf_fini(&stream);
}

TEST(each_bit_flip_is_noticed_or_cuts_the_stream)
{
    struct sl_buf stream = long_stream(260, 1000);
    for (size_t bit = 0; bit < 8 * stream.size; bit += 11) {
        struct sl_trace trace;
        struct sl_diag diag = {0};
        stream.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int rc = sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, &diag);
        stream.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(diag.what[0] != '\0');
        if (rc == 0) /* the last CRC record is none any more: its span is lost */
            sl_trace_fini(&trace);
    }
    sl_buf_fini(&stream);
}

TEST(undefined_names_are_refused)
{
    const struct sl_trace_record h = header(SL_TRACE_NS), n = part(1, "x", 1, 0);
    struct sl_trace_record bad = event(1, 0);
    bad.event.kernel = 2;
    assert_int_equal(PARSE(h, n, block, event(1, 0)), 0);
    assert_int_equal(PARSE(h, block), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, block, event(0, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, block, event(2, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, block, bad), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, meta(2, 0, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, meta(1, 0, 2)), SL_E_FORMAT);
}

static struct sl_trace_record operand(uint32_t index, uint32_t count, uint64_t macs, uint32_t dim)
{
    struct sl_trace_record record = {.kind = SL_TRACE_OPERAND, .name = 1};
    record.operand.index = index;
    record.operand.count = count;
    record.operand.macs = macs;
    record.operand.dims = (struct sl_dims){2, {1, dim}};
    return record;
}

TEST(operands_come_back_with_the_events_that_have_them)
{
    struct sl_trace_record e = event(1, 0);
    e.event.operands = 1;
    const struct sl_trace_record records[] = {header(SL_TRACE_NS),
                                              part(1, "x", 1, 0),
                                              operand(0, 3, 640, 64),
                                              operand(1, 3, 640, 7),
                                              operand(2, 3, 640, 9),
                                              block,
                                              e,
                                              end(1, 0)};
    struct sl_buf stream = seal(records, sizeof(records) / BYTES, 3);
    struct sl_trace trace;
    char words[64];
    assert_int_equal(sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, NULL), 0);
    assert_int_equal(trace.version, 2);
    assert_int_equal(trace.operands_count, 1);
    const struct sl_operands *operands = &trace.operands[trace.records[1].event.operands];
    assert_int_equal(operands->macs, 640);
    assert_string_equal(sl_operands_words(operands, words, sizeof(words)), "1x64 * 1x7 -> 1x9");
    sl_trace_fini(&trace);
    sl_buf_fini(&stream);
}

TEST(no_event_holds_more_packing_than_it_lasts)
{
    struct sl_trace_record h = header(SL_TRACE_INSTRUCTIONS), e = event(1, 0);
    e.event.start = 100;
    e.event.end = 110;
    e.event.packing = 11;
    assert_int_equal(PARSE(h, part(1, "x", 1, 0), block, e), 0); /* it says nothing */
    h.flags = SL_TRACE_PACKING;
    assert_int_equal(PARSE(h, part(1, "x", 1, 0), block, e), SL_E_FORMAT);
    e.event.packing = 10;
    assert_int_equal(PARSE(h, part(1, "x", 1, 0), block, e), 0);
}

TEST(packing_is_of_counted_instructions_alone)
{
    static const struct {
        uint32_t unit;
        int result;
    } cases[] = {
        {SL_TRACE_NS, SL_E_FORMAT}, {SL_TRACE_MARKS, SL_E_FORMAT}, {SL_TRACE_INSTRUCTIONS, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_trace_record h = header(cases[i].unit);
        h.flags = SL_TRACE_PACKING;
        assert_int_equal(PARSE(h, part(1, "x", 1, 0), block, event(1, 0)), cases[i].result);
    }
}

TEST(operands_out_of_turn_are_refused)
{
    const struct sl_trace_record h = header(SL_TRACE_NS), n = part(1, "x", 1, 0);
    struct sl_trace_record e = event(1, 0), deep = operand(0, 1, 5, 7), scalar = deep,
                           second = deep, none = operand(0, 2, 5, 7);
    e.event.operands = 1;
    deep.operand.dims.rank = 9;
    scalar.operand.dims.rank = 0;
    second.name = 2;
    none.operand.dims.rank = 0;
    assert_int_equal(PARSE(h, n, block, e), SL_E_FORMAT); /* not defined */
    assert_int_equal(PARSE(h, n, operand(0, 1, 5, 7), block, e), 0);
    assert_int_equal(PARSE(h, scalar), 0); /* no output */
    assert_int_equal(PARSE(h, deep), SL_E_FORMAT);
    assert_int_equal(PARSE(h, second), SL_E_FORMAT);
    assert_int_equal(PARSE(h, none, operand(1, 2, 5, 7)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 0, 5, 7)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 10, 5, 7)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(1, 2, 5, 7)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 2, 5, 7), stall), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 2, 5, 7), n), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 2, 5, 7), operand(1, 3, 5, 7)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 2, 5, 7), operand(1, 2, 6, 7)), SL_E_FORMAT);
}

/* There the number is a name's: of words that are not read. */
TEST(a_trace_of_version_1_is_read_without_operands)
{
    struct sl_trace_record h = header(SL_TRACE_NS), e = event(1, 0);
    h.header.version = 1;
    e.event.operands = 1;
    const struct sl_trace_record records[] = {h, part(1, "1 -> 1", 6, 0), block, e};
    struct sl_buf stream = seal(records, sizeof(records) / BYTES, 9);
    struct sl_trace trace;
    assert_int_equal(sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, NULL), 0);
    assert_int_equal(trace.version, 1);
    assert_int_equal(trace.records[1].event.operands, 0);
    sl_trace_fini(&trace);
    sl_buf_fini(&stream);
    e.event.operands = 2;
    assert_int_equal(PARSE(h, part(1, "1 -> 1", 6, 0), block, e), SL_E_FORMAT);
    assert_int_equal(PARSE(h, operand(0, 1, 5, 7)), SL_E_FORMAT);
    h.header.version = 3;
    assert_int_equal(PARSE(h), SL_E_FORMAT);
}

TEST(names_out_of_turn_are_refused)
{
    char text[5000] = {0};
    memset(text, 'x', sizeof(text) - 1);
    const struct sl_trace_record h = header(SL_TRACE_NS);
    assert_int_equal(PARSE(h, part(2, "x", 1, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, part(1, text, 4097, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, part(1, text, 60, 0), part(1, text, 61, 48)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, part(1, text, 60, 48)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, part(1, text, 60, 0), stall), SL_E_FORMAT);
    assert_int_equal(PARSE(h, part(1, "a\0b", 3, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, part(1, text, 60, 0), part(1, text, 60, 48)), 0);
}

TEST(records_out_of_place_are_refused)
{
    const struct sl_trace_record h = header(SL_TRACE_NS), n = part(1, "x", 1, 0);
    struct sl_trace_record other = event(1, 0), kind = event(1, 0), strange = {.kind = 99};
    other.variant = 1;
    kind.event.event = 3;
    assert_int_equal(PARSE(h, n, event(1, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, block, other), SL_E_FORMAT);
    assert_int_equal(PARSE(h, n, block, kind), SL_E_FORMAT);
    assert_int_equal(PARSE(h, strange), SL_E_FORMAT);
    assert_int_equal(PARSE(h, h), SL_E_FORMAT);
    assert_int_equal(PARSE(h, end(0, 0), stall), SL_E_FORMAT);
    assert_int_equal(PARSE(h, end(1, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, stall, end(0, 0)), SL_E_FORMAT);
    assert_int_equal(PARSE(h, stall, end(0, 1)), 0);
    assert_int_equal(PARSE(stall), SL_E_FORMAT);
    assert_int_equal(PARSE(header(0)), SL_E_FORMAT);
    assert_int_equal(PARSE(header(4)), SL_E_FORMAT);
}

TEST(parse_survives_each_failed_allocation)
{
    struct sl_buf stream = long_stream(300, 1000);
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_trace trace;
        sl_mem_fail_nth(nth);
        rc = sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, NULL);
        sl_mem_fail_nth(0);
        if (rc == 0)
            sl_trace_fini(&trace);
    }
    assert_int_equal(rc, 0);
    sl_buf_fini(&stream);
}
