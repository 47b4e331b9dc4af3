/* tests/unit/agent/runtime/test_events.c: the events of a run against the real runtime's ETDump. */
#include <string.h>

#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

enum { RECORDS = 4096, MAX_NAMES = 2048, NAME_BYTES = 512, EVERYTHING = 16384 };

/* What a run left in its ring. */
struct trace {
    char (*names)[NAME_BYTES]; /* by id */
    struct sl_trace_record *events;
    size_t count;
};

static void take_record(struct trace *trace, const struct sl_trace_record *record)
{
    if (record->kind == SL_TRACE_NAME) {
        assert_true(record->name < MAX_NAMES);
        assert_true(record->part.total_bytes < NAME_BYTES);
        size_t left = (size_t)record->part.total_bytes - record->part.part_offset;
        if (left > SL_TRACE_NAME_PART_BYTES)
            left = SL_TRACE_NAME_PART_BYTES;
        memcpy(trace->names[record->name] + record->part.part_offset, record->part.text, left);
    } else if (record->kind == SL_TRACE_EVENT) {
        trace->events[trace->count++] = *record;
    }
}

static void drain(struct sl_ring *ring, struct trace *trace)
{
    struct sl_trace_record record;
    while (sl_ring_pop(ring, &record, 1) == 1)
        take_record(trace, &record);
}

/* Loads and executes once, both recorded. */
static void record_run(const char *name, uint32_t isa, struct trace *out)
{
    struct sl_ring *ring = NULL;
    struct sl_recorder *recorder = NULL;
    struct sl_model_case c;
    struct sl_buf input;
    out->names = sl_calloc(MAX_NAMES, NAME_BYTES);
    out->events = sl_calloc(EVERYTHING, sizeof(*out->events));
    out->count = 0;
    assert_non_null(out->names);
    assert_non_null(out->events);
    assert_int_equal(sl_ring_new(RECORDS, &ring), 0);
    assert_int_equal(sl_recorder_new(ring, SL_TRACE_NS, 1, &recorder), 0);
    sl_case_read(name, "input-0.bin", &input);
    sl_case_open(&c, name);
    sl_recorder_block(recorder, sl_recorder_name(recorder, "Default"), 0, UINT32_MAX, 0, false);
    struct sl_variant *variant = sl_case_compile(&c, isa, 0, recorder);
    sl_recorder_block(recorder, sl_recorder_name(recorder, "Execute"), 0, 0, 0, false);
    drain(ring, out);
    size_t before = out->count;
    sl_case_run(&c, variant, &input, true);
    drain(ring, out);
    assert_int_equal(out->count - before, sl_variant_events(variant));
    assert_int_equal(sl_recorder_error(recorder), 0);
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_recorder_free(recorder);
    sl_ring_free(ring);
    sl_buf_fini(&input);
}

static void trace_fini(struct trace *trace)
{
    sl_free(trace->names);
    sl_free(trace->events);
}

static void check_event(const struct trace *trace, const struct sl_trace_record *have,
                        const struct sl_etdump_event *want)
{
    const char *text = want->delegate_id ? want->delegate_id : want->name;
    size_t len = want->delegate_id ? want->delegate_id_len : want->name_len;
    const char *name = trace->names[have->name];
    if (strlen(name) != len || memcmp(name, text, len) != 0)
        fail_msg("'%s' where the real runtime has '%.*s'", name, (int)len, text);
    assert_int_equal(have->event.event == SL_TRACE_DELEGATE, want->delegate_id != NULL);
    assert_int_equal(have->event.chain, want->chain_index);
    assert_int_equal(have->event.instruction, want->instruction_id);
    assert_true(have->event.end >= have->event.start);
}

static void check_trace(const char *model, const char *file, uint32_t isa)
{
    struct sl_buf bytes;
    struct sl_etdump etdump;
    struct trace trace;
    size_t at = 0;
    sl_case_read(model, file, &bytes);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){bytes.data, bytes.size}, &etdump, NULL), 0);
    record_run(model, isa, &trace);
    for (uint32_t run = 0; run < 2; run++) /* Default, and the first Execute */
        for (uint32_t i = 0; i < etdump.runs[run].event_count; i++) {
            struct sl_etdump_event event;
            sl_etdump_event_read(&etdump.runs[run], i, &event);
            if (event.kind != SL_ETDUMP_PROFILE)
                continue;
            assert_true(at < trace.count);
            check_event(&trace, &trace.events[at++], &event);
        }
    assert_int_equal(at, trace.count);
    trace_fini(&trace);
    sl_etdump_fini(&etdump);
    sl_buf_fini(&bytes);
}

/* With SME2 the names differ, not the kernels of a CPU without it. Where the CPU has other kernels
 * than the portable ones but no SME2, the bit may not be claimed. */
static void check_model(const char *model)
{
    uint32_t all = sl_isa_detect(), sme = SL_ISA_SME | SL_ISA_SME2;
    check_trace(model, "aarch64-nosme.etdump", all & ~sme);
    if (all == SL_ISA_NONE || (all & SL_ISA_SME2) != 0)
        check_trace(model, "aarch64-sme2.etdump", all | sme);
}

TEST(toy_cnn_xnnpack_leaves_the_real_events)
{
    check_model("toy_cnn_f32_xnnpack");
}

TEST(toy_cnn_portable_leaves_the_real_events)
{
    check_model("toy_cnn_f32_portable");
}

TEST(dynamic_shape_leaves_the_real_events)
{
    check_model("dynamic_shape_f32_xnnpack");
}

TEST(delegate_of_nearly_every_node_leaves_the_real_events)
{
    check_model("delegate_ops_f32_xnnpack");
}

TEST(channels_last_leaves_the_real_events)
{
    check_model("toy_cnn_channels_last_f32_xnnpack");
}

TEST(encoder_with_bounds_leaves_the_real_events)
{
    check_model("dynamic_sequence_f32_xnnpack");
}

TEST(quantised_and_half_delegates_leave_the_real_events)
{
    static const char *const models[] = {
        "toy_cnn_int8_xnnpack",     "quant_ops_int8_xnnpack",   "unet_int8_xnnpack",
        "toy_cnn_f16_xnnpack",      "delegate_ops_f16_xnnpack", "linear_qd8_qb4w_xnnpack",
        "transformer_dynq_xnnpack",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        check_model(models[i]);
}

static void check_fixture(const char *model)
{
    if (sl_case_has(model, "aarch64-nosme.etdump") && sl_case_has(model, "input-0.bin") &&
        !sl_case_has(model, "weights.ptd")) {
        uint32_t masks[SL_CASE_MASKS];
        bool all = sl_case_fixture_masks(masks) > 1 || sl_isa_detect() == SL_ISA_NONE;
        if (all)
            check_model(model);
        else if (masks[0] != SL_ISA_NONE)
            check_trace(model,
                        (masks[0] & SL_ISA_SME2) != 0 ? "aarch64-sme2.etdump"
                                                      : "aarch64-nosme.etdump",
                        masks[0]);
    }
}

/* Of emulated CPUs, one with SME2 and one without it do the work.
 * What remains different would be listed here with its reason: nothing does. */
TEST(every_fixture_leaves_the_real_events)
{
    if (sl_case_each_fixture(check_fixture) == 0)
        skip();
}

TEST(mobilenet_v2_leaves_the_real_events)
{
    check_model("mobilenet_v2_f32_xnnpack");
}

TEST(kitchens_leave_the_real_events)
{
    check_model("kitchen_math_portable");
    check_model("kitchen_shape_portable");
    check_model("kitchen_nn_portable");
    check_model("toy_cnn_f16_portable");
}

TEST(an_execution_that_is_not_traced_leaves_nothing)
{
    struct sl_ring *ring = NULL;
    struct sl_recorder *recorder = NULL;
    struct sl_model_case c;
    struct sl_trace_record record;
    struct sl_buf input;
    (void)state;
    assert_int_equal(sl_ring_new(RECORDS, &ring), 0);
    assert_int_equal(sl_recorder_new(ring, SL_TRACE_NS, 1, &recorder), 0);
    sl_case_read("toy_cnn_f32_xnnpack", "input-0.bin", &input);
    sl_case_open(&c, "toy_cnn_f32_xnnpack");
    struct sl_variant *variant = sl_case_compile(&c, sl_isa_detect(), 0, recorder);
    while (sl_ring_pop(ring, &record, 1) == 1)
        ; /* the load's */
    sl_case_run(&c, variant, &input, false);
    assert_int_equal(sl_ring_pop(ring, &record, 1), 0);
    sl_case_run(&c, variant, &input, true);
    assert_int_equal(sl_ring_pop(ring, &record, 1), 1);
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_recorder_free(recorder);
    sl_ring_free(ring);
    sl_buf_fini(&input);
}

TEST(events_say_origin_kernel_and_shape)
{
    struct trace trace;
    bool found = false;
    (void)state;
    record_run("mobilenet_v2_f32_xnnpack", SL_ISA_NONE, &trace);
    for (size_t i = 0; i < trace.count; i++) {
        const struct sl_trace_record *event = &trace.events[i];
        if (strcmp(trace.names[event->name], "Fully Connected (NC, F32) GEMM #2") != 0)
            continue;
        found = true;
        assert_string_equal(trace.names[event->event.origin], "Conv2d");
        assert_int_equal(event->event.node, 4);
        assert_non_null(strstr(trace.names[event->event.kernel], "_scalar"));
        assert_non_null(strstr(trace.names[event->event.shape], "x1x1x"));
        assert_non_null(strstr(trace.names[event->event.shape], " -> 1x112x112x"));
    }
    assert_true(found);
    trace_fini(&trace);
    record_run("toy_cnn_f32_portable", SL_ISA_NONE, &trace);
    assert_string_equal(trace.names[trace.events[2].name], "native_call_convolution.out");
    assert_string_equal(trace.names[trace.events[2].event.origin], "aten::convolution.out");
    trace_fini(&trace);
}
