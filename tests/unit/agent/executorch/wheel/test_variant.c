/* tests/unit/agent/executorch/wheel/test_variant.c: agent/executorch/{method,variant,apart_variant,
 * runtime}.c with the wheel's own libraries, in the emulator. A process has one order of variants:
 * the tests follow each other. */
#include "agent/executorch/variant.h"

#include "agent/executorch/apart.h"
#include "agent/executorch/apart_variant.h"
#include "agent/executorch/features.h"
#include "agent/executorch/method.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/error.h"
#include "common/format/scalar_type.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"
#include "tests/support/unit.h"

#define MODELS SL_TEST_DATA "/models/"
#define TOY "models/toy_cnn_f32_xnnpack/"

static struct sl_ring *ring;
static struct sl_recorder *recorder;
static size_t events; /* records of them that came */

static void take(void *user)
{
    struct sl_trace_record records[64];
    (void)user;
    for (long got; (got = sl_ring_pop(ring, records, 64)) > 0;)
        for (long i = 0; i < got; i++)
            events += records[i].kind == SL_TRACE_EVENT;
}

static int start(void **state)
{
    (void)state;
    sl_apart_start(sl_executorch_answer);
    assert_int_equal(sl_ring_new(256, &ring), 0);
    assert_int_equal(sl_recorder_new(ring, SL_TRACE_NS, 0, &recorder), 0);
    sl_recorder_on_full(recorder, take, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    sl_recorder_free(recorder);
    sl_ring_free(ring);
    sl_apart_stop();
    return 0;
}

TEST_GROUP(start, stop);

static struct sl_method *open_method(const char *path, struct sl_model **out_model)
{
    struct sl_method *method = NULL;
    struct sl_diag diag = {.what = ""};
    int rc = sl_model_open(path, NULL, NULL, out_model, &diag);
    if (rc == 0)
        rc = sl_method_new(*out_model, "", &method, &diag);
    if (rc != 0)
        fail_msg("%s: %d %s", path, rc, diag.what);
    return method;
}

TEST(an_input_has_the_programs_shape_and_takes_smaller_ones)
{
    struct sl_model *model;
    struct sl_method *method = open_method(MODELS "dynamic_sequence_f32_xnnpack/model.pte", &model);
    struct sl_tensor_view whole, view;
    struct sl_diag diag;
    int32_t sizes[SL_TENSOR_MAX_RANK];
    assert_string_equal(sl_method_name(method), "forward");
    assert_int_equal(sl_method_input_count(method), 1);
    assert_int_equal(sl_method_output_count(method), 1);
    assert_true(sl_method_planned_bytes(method, 0) > 0);
    assert_int_equal(sl_method_input(method, 0, &whole), 0);
    assert_int_equal(whole.scalar_type, SL_SCALAR_LONG);
    assert_int_equal(whole.nbytes, whole.max_nbytes);
    memcpy(sizes, whole.sizes, whole.rank * sizeof(*sizes));
    sizes[1] = 2;
    assert_int_equal(sl_method_resize_input(method, 0, sizes, &diag), 0);
    assert_int_equal(sl_method_fill_inputs(method, &diag), 0);
    assert_int_equal(sl_method_input(method, 0, &view), 0);
    assert_true(view.nbytes < view.max_nbytes && view.max_nbytes == whole.max_nbytes);
    assert_int_equal(sl_method_set_input(method, 0, view.data, view.nbytes, NULL), 0);
    assert_int_equal(sl_method_set_input(method, 0, view.data, view.nbytes - 1, NULL),
                     SL_ET_INVALID_ARGUMENT);
    sizes[1] = 1 << 20;
    assert_int_equal(sl_method_resize_input(method, 0, sizes, &diag), SL_ET_NOT_SUPPORTED);
    assert_non_null(strstr(diag.what, "dimension 1 of input 0 is 1048576"));
    sl_method_free(method);
    sl_model_free(model);
}

TEST(what_is_no_program_or_no_method_is_refused)
{
    struct sl_model *model = NULL;
    struct sl_method *method = NULL;
    struct sl_data *data = NULL;
    assert_int_equal(sl_model_open("/nonexistent", NULL, NULL, &model, NULL), SL_ET_ACCESS_FAILED);
    assert_int_equal(sl_model_open(SL_TEST_DATA "/README.md", NULL, NULL, &model, NULL),
                     SL_ET_INVALID_PROGRAM);
    assert_null(model);
    assert_int_equal(sl_data_open(MODELS "toy_cnn_f32_xnnpack/model.pte", NULL, &data, NULL) < 0,
                     true);
    assert_null(data);
    assert_int_equal(sl_model_open(MODELS "toy_cnn_bundled/model.bpte", NULL, NULL, &model, NULL),
                     0);
    assert_int_equal(sl_model_bundle(model)->suite_count, 1);
    assert_int_equal(sl_method_new(model, "backward", &method, NULL), SL_ET_INVALID_ARGUMENT);
    assert_null(method);
    sl_model_free(model);
}

TEST(without_neon_there_is_no_variant)
{
    struct sl_diag diag;
    assert_int_equal(sl_features_use(SL_ISA_NONE, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "NEON"));
}

/* Executes the toy and holds its output to the fixture's, bit by bit. */
static void execute(struct sl_method *method, struct sl_variant *variant, const char *fixture)
{
    struct sl_bytes input = sl_test_file(TOY "input-0.bin"), expected = sl_test_file(fixture);
    struct sl_tensor_view view;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_method_set_input(method, 0, input.data, input.size, &diag), 0);
    take(NULL);
    size_t before = events;
    if (sl_variant_execute(variant, SL_VARIANT_TRACED, &diag) != 0)
        fail_msg("%s", diag.what);
    assert_int_equal(sl_method_output(method, 0, &view), 0);
    assert_int_equal(view.scalar_type, SL_SCALAR_FLOAT);
    assert_int_equal(view.sizes[0], 1);
    assert_int_equal(view.dim_order[view.rank - 1], view.rank - 1);
    assert_int_equal(view.nbytes, expected.size);
    assert_memory_equal(view.data, expected.data, expected.size);
    take(NULL);
    assert_int_equal(events - before, sl_variant_events(variant));
    assert_true(sl_variant_events(variant) > 5);
    free((void *)(uintptr_t)input.data);
    free((void *)(uintptr_t)expected.data);
}

TEST(from_sme2_on_to_off_takes_two_processes_and_both_give_the_fixtures_outputs)
{
    struct sl_model *model;
    struct sl_method *method = open_method(SL_TEST_DATA "/" TOY "model.pte", &model);
    struct sl_variant *on = NULL, *off = NULL;
    struct sl_diag diag = {.what = ""};
    const uint32_t all = sl_isa_detect(), sme = SL_ISA_SME | SL_ISA_SME2;
    sl_method_set_workers(method, NULL);
    assert_int_equal(sl_variant_new(method, all, 0, recorder, &on, &diag), 0);
    assert_false(on->apart);
    assert_null(strstr(sl_runtime_version(), "a process for each variant"));
    if (sl_variant_new(method, all & ~sme, 1, recorder, &off, &diag) != 0)
        fail_msg("%s", diag.what);
    assert_true(off->apart);
    assert_non_null(strstr(sl_runtime_version(), "ExecuTorch 1.5"));
    assert_non_null(strstr(sl_runtime_version(), "a process for each variant"));
    for (int i = 0; i < 2; i++) {
        execute(method, on, TOY "aarch64-sme2-0.bin");
        execute(method, off, TOY "aarch64-nosme-0.bin");
    }
    assert_true(sl_variant_events(on) == sl_variant_events(off));
    sl_variant_free(off);
    sl_variant_free(on);
    sl_method_free(method);
    sl_model_free(model);
}

/* The count in the state of a program, after some executions. */
static void outputs_of(struct sl_method *method, struct sl_variant *variant, struct sl_buf *out)
{
    struct sl_tensor_view view;
    assert_int_equal(sl_method_fill_inputs(method, NULL), 0);
    assert_int_equal(sl_variant_execute(variant, SL_VARIANT_UNTRACED, NULL), 0);
    for (size_t i = 0; i < sl_method_output_count(method); i++) {
        assert_int_equal(sl_method_output(method, i, &view), 0);
        assert_int_equal(sl_buf_append(out, view.data, view.nbytes), 0);
    }
}

TEST(state_goes_on_until_the_method_is_reset)
{
    struct sl_model *model;
    struct sl_method *method = open_method(MODELS "control_flow_portable/model.pte", &model);
    struct sl_variant *variant = NULL;
    struct sl_buf outputs[3];
    assert_int_equal(sl_variant_new(method, sl_isa_detect(), 0, NULL, &variant, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        sl_buf_init(&outputs[i], 1 << 20);
        if (i == 2)
            sl_method_reset(method);
        outputs_of(method, variant, &outputs[i]);
    }
    assert_int_equal(outputs[0].size, outputs[2].size);
    assert_memory_not_equal(outputs[0].data, outputs[1].data, outputs[0].size);
    assert_memory_equal(outputs[0].data, outputs[2].data, outputs[0].size);
    assert_int_equal(sl_variant_events(variant), 0);
    for (size_t i = 0; i < 3; i++)
        sl_buf_fini(&outputs[i]);
    sl_variant_free(variant);
    sl_method_free(method);
    sl_model_free(model);
}
