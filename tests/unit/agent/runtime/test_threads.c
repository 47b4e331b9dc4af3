/* tests/unit/agent/runtime/test_threads.c: every program on several threads against one: the same
 * bytes. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/step_split.h"
#include "agent/runtime/variant.h"
#include "agent/runtime/workers.h"
#include "common/base/mem.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

enum { MAX_OUTPUTS = 80 };

struct outputs {
    size_t count;
    uint8_t *data[MAX_OUTPUTS]; /* owned */
    size_t bytes[MAX_OUTPUTS];
};

static void take_outputs(struct sl_model_case *c, struct outputs *out)
{
    struct sl_tensor_view view;
    out->count = sl_method_output_count(c->method);
    assert_true(out->count <= MAX_OUTPUTS);
    for (size_t i = 0; i < out->count; i++) {
        assert_int_equal(sl_method_output(c->method, i, &view), 0);
        out->bytes[i] = view.scalar_type < 0 ? 0 : view.nbytes;
        out->data[i] = sl_calloc(out->bytes[i] + 1, 1);
        assert_non_null(out->data[i]);
        if (out->bytes[i] != 0)
            memcpy(out->data[i], view.data, out->bytes[i]);
    }
}

/* Each part begins to write at the begin of a cache line, so no two parts write to one. */
static void check_lines(const struct sl_step *step)
{
    struct sl_step part;
    struct sl_step_axis axis;
    for (uint32_t i = 1; i < step->parts; i++) {
        assert_true(sl_step_part(step, i, NULL, &part));
        assert_true(part.axis(&part, part.crew, &axis));
        if ((uintptr_t)axis.out % 64 != 0)
            fail_msg("%s: part %u of %u begins to write %zu bytes behind a cache line's beginning",
                     step->kernel, i, step->parts, (size_t)((uintptr_t)axis.out % 64));
    }
}

/* Steps of the variant that fall into parts. */
static uint32_t cut_steps(const struct sl_variant *v)
{
    uint32_t cut = 0;
    for (uint32_t i = 0; i < v->instruction_count; i++) {
        const struct sl_instruction *from = &v->instructions[i];
        for (uint32_t k = 0; from->call && k < from->call->step_count; k++) {
            check_lines(&from->call->steps[k]);
            cut += from->call->steps[k].parts != 0;
        }
        for (uint32_t k = 0; from->plan && k < from->plan->step_count; k++) {
            check_lines(&from->plan->steps[k]);
            cut += from->plan->steps[k].parts != 0;
        }
    }
    return cut;
}

/* Runs with `threads`. Returns the steps cut. */
static uint32_t run_on(const char *model, const char *method, uint32_t isa, uint32_t threads,
                       struct outputs *out)
{
    struct sl_model_case c;
    struct sl_workers *workers = NULL;
    struct sl_diag diag = {0};
    if (threads > 1) {
        const struct sl_workers_config config = {.count = threads};
        assert_int_equal(sl_workers_new(&config, &workers), 0);
    }
    sl_case_open_method(&c, model, method);
    sl_method_set_workers(c.method, workers);
    struct sl_variant *variant = sl_case_compile(&c, isa, 0, NULL);
    char folder[80] = "";
    if (method)
        snprintf(folder, sizeof(folder), "%s/", method);
    sl_case_set_files(&c, model, folder);
    if (sl_variant_execute(variant, false, &diag) != 0)
        fail_msg("%s: %s", model, diag.what);
    take_outputs(&c, out);
    uint32_t cut = cut_steps(variant);
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_workers_free(workers);
    return cut;
}

static void drop(struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        sl_free(outputs->data[i]);
}

static uint32_t steps_cut; /* of all models so far */

static void check_method(const char *model, const char *method)
{
    uint32_t masks[SL_CASE_MASKS];
    unsigned count = sl_case_masks(masks);
    uint32_t first = 2;
    if (count > 1) { /* in the emulator, which is slow */
        count--;     /* portable kernels have their turn natively */
        first = 3;
    }
    for (unsigned i = 0; i < count; i++) {
        struct outputs serial, parallel;
        assert_int_equal(run_on(model, method, masks[i], 1, &serial), 0);
        for (uint32_t threads = first; threads <= 3; threads++) {
            uint32_t cut = run_on(model, method, masks[i], threads, &parallel);
            steps_cut += cut;
            for (size_t k = 0; k < serial.count; k++)
                if (serial.bytes[k] != parallel.bytes[k] ||
                    memcmp(serial.data[k], parallel.data[k], serial.bytes[k]) != 0)
                    fail_msg("%s, mask %x, %u threads (%u steps cut): output %zu differs", model,
                             masks[i], threads, cut, k);
            drop(&parallel);
        }
        drop(&serial);
    }
}

/* Elsewhere the emulated CPUs take the small programs alone. */
static bool takes_all(void)
{
    return sl_isa_svl_bytes() == 0 || sl_isa_svl_bytes() == 64;
}

static void check_model(const char *model)
{
    bool quick = strstr(model, "toy_cnn") || strstr(model, "_ops_");
    if (!quick && !takes_all()) {
        return;
    } else if (sl_case_has(model, "input-0.bin")) {
        check_method(model, NULL);
    } else { /* the fixture of several methods */
        check_method(model, "encode");
        check_method(model, "decode");
    }
}

TEST(every_program_gives_the_same_bytes_on_any_number_of_threads)
{
    sl_case_each_model(check_model);
    printf("%u steps cut\n", steps_cut);
    assert_true(steps_cut > (takes_all() ? 100 : 20));
}

TEST(every_fixture_gives_the_same_bytes_on_any_number_of_threads)
{
    bool portable = sl_isa_detect() == SL_ISA_NONE; /* elsewhere it takes an hour */
    if (!portable || sl_case_each_fixture(check_model) == 0)
        skip();
}

enum { SMALL = 1 << 17 };
static float small[SMALL], products[SMALL];
static _Atomic uint32_t parts_run;

static void multiply_small(const struct sl_step *step)
{
    const float *in = step->unary.in;
    volatile float one = 1.0f; /* a known 1 would be left out */
    float *out = step->unary.out;
    for (size_t i = 0; i < step->unary.count; i++)
        out[i] = in[i] * one;
    atomic_fetch_add(&parts_run, 1);
}

static bool axis_small(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    (void)crew;
    sl_axis_of_elements(&step->unary.count, step->unary.out, sizeof(float), SL_WORK_FUNCTION, out);
    sl_axis_move(out, &step->unary.in, sizeof(float));
    sl_axis_move(out, &step->unary.out, sizeof(float));
    return true;
}

/* In a delegate they are zero on aarch64, on whatever thread. */
TEST(subnormals_are_on_all_threads_what_they_are_on_the_callers)
{
    struct sl_crew crew = {0};
    struct sl_step step = {.run = multiply_small, .axis = axis_small};
    step.unary.in = small;
    step.unary.out = products;
    step.unary.count = SMALL;
    for (size_t i = 0; i < SMALL; i++)
        small[i] = 1e-40f;
    assert_int_equal(sl_workers_new(&(struct sl_workers_config){.count = 3}, &crew.workers), 0);
    assert_int_equal(sl_step_cut(&step, crew.workers), 0);
    assert_true(step.parts > 2);
    for (int round = 0; round < 20; round++) {
        bool flush = round % 2 == 1;
        uint64_t before = sl_denormals_now();
        if (flush)
            sl_denormals_flush();
        sl_step_go(&step, &crew);
        sl_denormals_restore(before);
        float product = products[0];
#if defined(__aarch64__)
        assert_int_equal(product == 0, flush);
#else
        assert_true(product > 0);
#endif
        for (size_t i = 0; i < SMALL; i++)
            assert_memory_equal(&products[i], &product, sizeof(product));
    }
    assert_int_equal(parts_run, 20 * step.parts);
    sl_workers_free(crew.workers);
}

static bool axis_small_rows(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    size_t row = step->unary.in ? 16 * sizeof(float) : 12;
    (void)crew;
    sl_axis_of_rows(&step->unary.count, step->unary.out, row, 1 << 10, out);
    sl_axis_move(out, &step->unary.out, row);
    return true;
}

/* Rows of 64 bytes have no such places unless the first has; of rows of 12 bytes some do. */
TEST(rows_whose_ends_are_in_cache_lines_are_not_cut)
{
    static _Alignas(64) float out[4096];
    struct sl_workers *workers;
    assert_int_equal(sl_workers_new(&(struct sl_workers_config){.count = 3}, &workers), 0);
    for (size_t at = 0; at < 16; at++)
        for (int long_rows = 0; long_rows < 2; long_rows++) {
            struct sl_step step = {.run = multiply_small, .axis = axis_small_rows};
            step.unary.in = long_rows ? small : NULL;
            step.unary.out = out + at;
            step.unary.count = 200;
            sl_step_cut(&step, workers);
            assert_int_equal(step.parts > 1, !long_rows || at == 0);
            check_lines(&step);
        }
    sl_workers_free(workers);
}
