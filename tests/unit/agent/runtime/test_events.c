/* tests/unit/agent/runtime/test_events.c: the events of a run against the real runtime's ETDump. */
#include <string.h>

#include "agent/trace/ring.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"
#include "tests/support/trace_case.h"

/* Loads and executes once, both recorded. */
static void record_run(const char *name, uint32_t isa, struct sl_trace_case *out)
{
    struct sl_model_case c;
    struct sl_buf input;
    sl_trace_case_open(out);
    sl_case_read(name, "input-0.bin", &input);
    sl_case_open(&c, name);
    struct sl_variant *variant = sl_case_compile(&c, isa, 0, out->recorder);
    sl_trace_case_loaded(out);
    size_t before = out->count;
    sl_case_run(&c, variant, &input, true);
    sl_trace_case_drain(out);
    assert_int_equal(out->count - before, sl_variant_events(variant));
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_buf_fini(&input);
}

static void check_trace(const char *model, const char *file, uint32_t isa)
{
    struct sl_trace_case trace;
    record_run(model, isa, &trace);
    sl_trace_case_check(&trace, model, file);
    sl_trace_case_close(&trace);
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
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        check_model(models[i]);
}

static void check_fixture(const char *model)
{
    if (sl_case_has(model, "aarch64-nosme.etdump") && sl_case_has(model, "input-0.bin") &&
        !sl_case_has(model, "weights.ptd"))
        check_model(model);
}

/* By portable kernels; on emulated CPUs test_fixtures.c looks at the events of the executions that
 * it has anyway. What remains different would be listed here with its reason: nothing does. */
TEST(every_fixture_leaves_the_real_events)
{
    if (sl_isa_detect() != SL_ISA_NONE || sl_case_each_fixture(check_fixture) == 0)
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
    struct sl_trace_case trace;
    struct sl_model_case c;
    struct sl_trace_record record;
    struct sl_buf input;
    sl_trace_case_open(&trace);
    sl_case_read("toy_cnn_f32_xnnpack", "input-0.bin", &input);
    sl_case_open(&c, "toy_cnn_f32_xnnpack");
    struct sl_variant *variant = sl_case_compile(&c, sl_isa_detect(), 0, trace.recorder);
    sl_trace_case_drain(&trace); /* the load's */
    sl_case_run(&c, variant, &input, false);
    assert_int_equal(sl_ring_pop(trace.ring, &record, 1), 0);
    sl_case_run(&c, variant, &input, true);
    assert_int_equal(sl_ring_pop(trace.ring, &record, 1), 1);
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_trace_case_close(&trace);
    sl_buf_fini(&input);
}

TEST(events_say_origin_kernel_and_shape)
{
    struct sl_trace_case trace;
    bool found = false;
    record_run("mobilenet_v2_f32_xnnpack", SL_ISA_NONE, &trace);
    for (size_t i = 0; i < trace.count; i++) {
        const struct sl_trace_record *event = &trace.events[i];
        if (strcmp(trace.names[event->name], "Fully Connected (NC, F32) GEMM #2") != 0)
            continue;
        found = true;
        assert_string_equal(trace.names[event->event.origin], "Conv2d");
        assert_int_equal(event->event.node, 4);
        assert_non_null(strstr(trace.names[event->event.kernel], "_scalar"));
        const struct sl_operands *operands = &trace.operands[event->event.operands];
        assert_int_equal(operands->in[1].of[1] * operands->in[1].of[2], 1);
        assert_int_equal(operands->out.of[1], 112);
        assert_int_equal(operands->macs, 112 * 112 * sl_dims_count(&operands->in[1]));
    }
    assert_true(found);
    sl_trace_case_close(&trace);
    record_run("toy_cnn_f32_portable", SL_ISA_NONE, &trace);
    assert_string_equal(trace.names[trace.events[2].name], "native_call_convolution.out");
    assert_string_equal(trace.names[trace.events[2].event.origin], "aten::convolution.out");
    sl_trace_case_close(&trace);
}
