#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"
#include "host/device/count_log.h"
#include "host/device/trace_resolve.h"
#include "tests/support/test.h"

/* The work between marks has the second word. */
#define NOP "d503201f nop"
#define SMSTART "d503477f smstart"

/* The kernel that the events of a stream name; "": none. */
static const char *claimed = "";
/* The features that the stream says its variant may use. */
static const char *allowed = "sme2";
static bool starts_streaming;
/* The function of the block of three words between marks; "": the program has no symbols. */
static const char *function = "";
/* Whose libraries ran: "" is ours. */
static const char *runtime = "";
static bool tells;               /* of a function that packs, in a library */
static uint64_t claimed_packing; /* that events of the agent claim to hold */

/* A log with three begin or end marks, `BEGIN` with 0, 3 and 6 instructions before it. */
static struct sl_count_log *make_log(void)
{
    static const struct sl_count_marks marks = {
        .pause = 0x1000, .resume = 0x1010, .begin = 0x1020, .end = 0x1030, .one = 0x1050};
#define ONE "IN: \n0x00001050:  d65f03c0 ret\n\nTrace 0: 0xa2 [1/0000000000001050/1/1] f\n"
#define WORK "Trace 0: 0xb0 [1/0000000000002000/1/1] f\n"
#define LOG(word)                                                                                  \
    "IN: \n0x00001020:  d65f03c0 ret\n\nTrace 0: 0xa0 [1/0000000000001020/1/1] f\n"                \
    "IN: %s\n0x00002000:  " word "\n0x00002004:  " NOP "\n0x00002008:  d65f03c0 ret\n\n" WORK      \
    "Trace 0: 0xa0 [1/0000000000001020/1/1] f\n" WORK                                              \
    "IN: \n0x00001030:  d65f03c0 ret\n\nTrace 0: 0xa1 [1/0000000000001030/1/1] f\n" WORK           \
    "Trace 0: 0xa1 [1/0000000000001030/1/1] f\n"
    char text[1024];
    snprintf(text, sizeof(text), starts_streaming ? LOG(SMSTART) : LOG(NOP), function);
    struct sl_count_log *log = NULL;
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    for (int bit = 0; tells && bit < 128; bit++)
        assert_int_equal(sl_count_log_push(log, ONE, strlen(ONE), NULL), 0);
    assert_int_equal(sl_count_log_push(log, text, strlen(text), NULL), 0);
    return log;
}

static void put_name(struct sl_trace_sealer *sealer, uint32_t id, const char *text,
                     struct sl_buf *out)
{
    struct sl_trace_record record = {.kind = SL_TRACE_NAME, .name = id};
    record.part.total_bytes = (uint16_t)strlen(text);
    memcpy(record.part.text, text, strlen(text));
    assert_int_equal(sl_trace_sealer_put(sealer, &record, 1, out), 0);
}

static void put_allowed(struct sl_trace_sealer *sealer, struct sl_buf *out)
{
    const struct sl_trace_record fact = {.kind = SL_TRACE_META, .name = 1, .meta.text = 2};
    put_name(sealer, 1, "variant.0.isa", out);
    put_name(sealer, 2, allowed, out);
    assert_int_equal(sl_trace_sealer_put(sealer, &fact, 1, out), 0);
}

static void put_runtime(struct sl_trace_sealer *sealer, struct sl_buf *out)
{
    const struct sl_trace_record fact = {.kind = SL_TRACE_META, .name = 4, .meta.text = 5};
    put_name(sealer, 4, "runtime", out);
    put_name(sealer, 5, runtime, out);
    assert_int_equal(sl_trace_sealer_put(sealer, &fact, 1, out), 0);
}

/* Header, block, two nested events from the given marks, a stall, the end. */
static void make_stream(struct sl_buf *out, int unit, const uint64_t marks[4], bool ended)
{
    struct sl_trace_record records[7];
    struct sl_trace_sealer sealer;
    memset(records, 0, sizeof(records));
    records[0].kind = SL_TRACE_HEADER;
    memcpy(records[0].header.magic, SL_TRACE_MAGIC, 8);
    records[0].header.version = SL_TRACE_VERSION;
    records[0].header.record_bytes = SL_TRACE_RECORD_BYTES;
    records[0].header.unit = (uint32_t)unit;
    records[1].kind = SL_TRACE_NAME;
    records[1].name = 3;
    const char *name = claimed[0] ? claimed : "e";
    records[1].part.total_bytes = (uint16_t)strlen(name);
    memcpy(records[1].part.text, name, strlen(name));
    records[2].kind = SL_TRACE_BLOCK;
    records[2].name = 3;
    for (int i = 0; i < 2; i++) {
        records[3 + i].kind = SL_TRACE_EVENT;
        records[3 + i].name = 3;
        records[3 + i].event.kernel = claimed[0] ? 3 : 0;
        records[3 + i].event.start = marks[2 * i];
        records[3 + i].event.end = marks[2 * i + 1];
        records[3 + i].event.node = SL_TRACE_NO_NODE;
        records[3 + i].event.packing = claimed_packing;
    }
    records[5].kind = SL_TRACE_STALL;
    records[5].stall.start = records[5].stall.end = 4;
    records[6].kind = SL_TRACE_END;
    records[6].end.events = 2;
    records[6].end.stalls = 1;
    sl_buf_init(out, 1 << 16);
    sl_trace_sealer_init(&sealer);
    assert_int_equal(sl_trace_sealer_put(&sealer, records, 1, out), 0);
    put_allowed(&sealer, out);
    assert_int_equal(sl_trace_sealer_put(&sealer, records + 1, 1, out), 0);
    if (runtime[0])
        put_runtime(&sealer, out);
    assert_int_equal(sl_trace_sealer_put(&sealer, records + 2, ended ? 5 : 4, out), 0);
    assert_int_equal(sl_trace_sealer_flush(&sealer, out), 0);
}

static int resolve(int unit, const uint64_t marks[4], bool ended, struct sl_buf *resolved)
{
    struct sl_buf stream;
    struct sl_diag diag = {0};
    struct sl_count_log *log = make_log();
    make_stream(&stream, unit, marks, ended);
    sl_buf_init(resolved, 1 << 16);
    int rc = sl_trace_resolve((struct sl_bytes){stream.data, stream.size}, log, resolved, &diag);
    assert_true(rc == 0 || diag.what[0] != '\0');
    sl_buf_fini(&stream);
    sl_count_log_free(log);
    return rc;
}

TEST(events_get_the_counts_of_their_marks)
{
    struct sl_buf resolved;
    struct sl_trace trace;
    static const uint64_t marks[4] = {1, 2, 0, 3};
    assert_int_equal(resolve(SL_TRACE_MARKS, marks, true, &resolved), 0);
    assert_int_equal(sl_trace_parse((struct sl_bytes){resolved.data, resolved.size}, &trace, NULL),
                     0);
    assert_int_equal(trace.unit, SL_TRACE_INSTRUCTIONS);
    assert_true(trace.ended);
    assert_int_equal(trace.records[2].event.start, 3);
    assert_int_equal(trace.records[2].event.end, 6);
    assert_int_equal(trace.records[3].event.start, 0);
    assert_int_equal(trace.records[3].event.end, 9);
    assert_int_equal(trace.records[4].stall.start, 9);
    sl_trace_fini(&trace);
    sl_buf_fini(&resolved);
}

/* The inner event holds one of the three blocks, the outer two. What the agent says itself counts
 * nowhere. */
TEST(events_say_what_of_them_packed_where_the_log_knows)
{
    static const uint64_t marks[4] = {1, 2, 0, 2};
    static const struct {
        const char *function, *runtime;
        bool tells, known;
        uint64_t inner;
    } cases[] = {
        {"sl_pack_lhs_f32_sme2", "", false, true, 3},
        {"sl_mopa_f32_sme2_asm", "", false, true, 0},
        {"", "", false, false, 0},
        {"pack_of_the_agent", "ExecuTorch", false, false, 0},
        {"pack_of_the_agent", "ExecuTorch", true, true, 3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_buf resolved;
        struct sl_trace trace;
        function = cases[i].function;
        runtime = cases[i].runtime;
        tells = cases[i].tells;
        claimed_packing = 2;
        assert_int_equal(resolve(SL_TRACE_MARKS, marks, true, &resolved), 0);
        assert_int_equal(
            sl_trace_parse((struct sl_bytes){resolved.data, resolved.size}, &trace, NULL), 0);
        const struct sl_trace_record *events = trace.records + trace.record_count - 3;
        assert_int_equal(trace.packing, cases[i].known);
        assert_int_equal(events[0].event.end - events[0].event.start, 3);
        assert_int_equal(events[1].event.end - events[1].event.start, 6);
        assert_int_equal(events[0].event.packing, cases[i].inner);
        assert_int_equal(events[1].event.packing, 2 * cases[i].inner);
        sl_trace_fini(&trace);
        sl_buf_fini(&resolved);
    }
    function = runtime = "";
    tells = false;
    claimed_packing = 0;
}

TEST(a_trace_and_a_log_of_different_runs_are_refused)
{
    struct sl_buf resolved;
    static const uint64_t beyond[4] = {1, 2, 0, 4}, swapped[4] = {2, 3, 0, 3};
    assert_int_equal(resolve(SL_TRACE_MARKS, beyond, true, &resolved), SL_E_MISMATCH);
    sl_buf_fini(&resolved);
    assert_int_equal(resolve(SL_TRACE_MARKS, swapped, true, &resolved), SL_E_MISMATCH);
    sl_buf_fini(&resolved);
}

/* Proof of SME2 is what was executed, not what a name says. */
TEST(a_kernel_for_sme_that_started_no_streaming_mode_is_refused)
{
    static const uint64_t marks[4] = {1, 2, 0, 3};
    static const struct {
        const char *kernel;
        bool starts;
        int code;
    } cases[] = {
        {"sl_k_sme2_mopa", true, 0},
        {"sl_k_sme2_mopa", false, SL_E_MISMATCH},
        {"sl_k_neon", false, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_buf resolved;
        claimed = cases[i].kernel;
        starts_streaming = cases[i].starts;
        assert_int_equal(resolve(SL_TRACE_MARKS, marks, true, &resolved), cases[i].code);
        sl_buf_fini(&resolved);
    }
    claimed = "";
    starts_streaming = false;
}

TEST(a_variant_without_sme_that_started_streaming_mode_is_refused)
{
    static const uint64_t marks[4] = {1, 2, 0, 3};
    static const struct {
        const char *isa;
        bool starts;
        int code;
    } cases[] = {
        {"neon,fp16,sme,sme2", true, 0},
        {"neon,fp16", true, SL_E_MISMATCH},
        {"neon,fp16", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_buf resolved;
        allowed = cases[i].isa;
        starts_streaming = cases[i].starts;
        assert_int_equal(resolve(SL_TRACE_MARKS, marks, true, &resolved), cases[i].code);
        sl_buf_fini(&resolved);
    }
    allowed = "sme2";
    starts_streaming = false;
}

TEST(a_trace_of_times_is_refused)
{
    struct sl_buf resolved;
    static const uint64_t marks[4] = {1, 2, 0, 3};
    assert_int_equal(resolve(SL_TRACE_NS, marks, true, &resolved), SL_E_STATE);
    sl_buf_fini(&resolved);
}

TEST(a_trace_that_breaks_off_is_refused)
{
    struct sl_buf resolved;
    static const uint64_t marks[4] = {1, 2, 0, 3};
    assert_int_equal(resolve(SL_TRACE_MARKS, marks, false, &resolved), SL_E_TRUNCATED);
    sl_buf_fini(&resolved);
}
