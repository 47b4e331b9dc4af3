/* tests/unit/agent/runtime/test_fixtures.c: every exported program against the real runtime, on
 * every engine: those of tests/data, and all of the directory that SL_FIXTURES names, these with
 * the events of what they execute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"
#include "tests/support/trace_case.h"

/* The ETDump whose events an execution by these kernels has; NULL when the fixture has none. */
static const char *events_of(const char *model, uint32_t isa)
{
    const char *file = (isa & SL_ISA_SME2) != 0 ? "aarch64-sme2.etdump" : "aarch64-nosme.etdump";
    bool is_there = model[0] == '/' && isa != SL_ISA_NONE && sl_case_has(model, file) &&
                    !sl_case_has(model, "weights.ptd");
    return is_there ? file : NULL;
}

static void run_traced(struct sl_model_case *c, const char *model, uint32_t isa, int gate,
                       const char *events)
{
    struct sl_trace_case trace;
    sl_trace_case_open(&trace);
    struct sl_variant *variant = sl_case_compile(c, isa, 0, trace.recorder);
    sl_trace_case_loaded(&trace);
    c->traced = true;
    sl_case_run_gated(c, variant, isa, model, "", gate);
    sl_trace_case_drain(&trace);
    sl_trace_case_check(&trace, model, events);
    sl_variant_free(variant);
    sl_trace_case_close(&trace);
}

static void run_method(const char *model, const char *method, const char *folder, int gate)
{
    uint32_t masks[SL_CASE_MASKS];
    unsigned count = model[0] == '/' ? sl_case_fixture_masks(masks) : sl_case_own_masks(masks);
    for (unsigned i = 0; i < count; i++) {
        struct sl_model_case c;
        const char *events = method ? NULL : events_of(model, masks[i]);
        sl_case_open_method(&c, model, method);
        if (events) {
            run_traced(&c, model, masks[i], gate, events);
        } else {
            struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
            sl_case_run_gated(&c, variant, masks[i], model, folder, gate);
            sl_variant_free(variant);
        }
        sl_case_close(&c);
    }
}

TEST(static_int8_gives_the_real_bytes)
{
    run_method("toy_cnn_int8_xnnpack", NULL, "", SL_GATE_EXACT);
    run_method("quant_ops_int8_xnnpack", NULL, "", SL_GATE_EXACT);
}

TEST(static_int8_with_floats_between_stays_near)
{
    run_method("unet_int8_xnnpack", NULL, "", SL_GATE_INT8);
}

TEST(half_precision_stays_near)
{
    run_method("toy_cnn_f16_xnnpack", NULL, "", SL_GATE_F16);
    run_method("delegate_ops_f16_xnnpack", NULL, "", SL_GATE_F16);
}

TEST(dynamic_int8_and_int4_stay_near)
{
    run_method("linear_qd8_qb4w_xnnpack", NULL, "", SL_GATE_DYNAMIC);
    run_method("transformer_dynq_xnnpack", NULL, "", SL_GATE_DYNAMIC);
}

TEST(external_weights_are_taken_from_their_file)
{
    run_method("external_weights_xnnpack", NULL, "", SL_GATE_F32);
    run_method("external_weights_portable", NULL, "", SL_GATE_F32);
}

/* By the kind that the fixture's facts name. Static int8 is exact where the real runtime is the
 * same on every CPU. */
static int gate_of(const char *model, const char *facts)
{
    static const char *const exact[] = {"/toy_cnn_int8_xnnpack", "/mobilenet_v2_int8_xnnpack",
                                        "/quant_ops_int8_xnnpack"};
    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        if (strcmp(model + strlen(model) - strlen(exact[i]), exact[i]) == 0)
            return SL_GATE_EXACT;
    return strstr(facts, "\"kind\": \"f16\"")    ? SL_GATE_F16
           : strstr(facts, "\"kind\": \"int8\"") ? SL_GATE_INT8
           : strstr(facts, "\"kind\": \"dynq\"") ? SL_GATE_DYNAMIC
                                                 : SL_GATE_F32;
}

/* An emulator computes halves in software: NEON's kernels of f16 take half a minute for two
 * programs here, and are held to the real runtime by the f16 programs of tests/data as well. */
static bool has_sme2_or_time(void)
{
    uint32_t isa = sl_isa_detect();
    return isa == SL_ISA_NONE || (isa & SL_ISA_SME2) != 0 || getenv("SL_ALL_SVL");
}

static void run_fixture(const char *model)
{
    struct sl_buf facts;
    sl_case_read(model, "facts.json", &facts);
    assert_int_equal(sl_buf_append(&facts, "", 1), 0);
    int gate = gate_of(model, (const char *)facts.data);
    sl_buf_fini(&facts);
    if (gate == SL_GATE_F16 && !has_sme2_or_time())
        return;
    if (sl_case_has(model, "input-0.bin")) {
        run_method(model, NULL, "", gate);
        return;
    }
    run_method(model, "encode", "encode/", gate); /* the fixture of several methods */
    run_method(model, "decode", "decode/", gate);
}

TEST(every_fixture_agrees_with_the_real_runtime)
{
    if (sl_case_each_fixture(run_fixture) == 0)
        skip();
}
