/* tests/unit/agent/runtime/test_models.c: whole models against what the real runtime computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "kernels/cpu/isa.h"

enum { MAX_FILE = 64 << 20 };

static void read_file(const char *model, const char *file, struct sl_buf *out)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/models/%s/%s", SL_TEST_DATA, model, file);
    assert_int_equal(sl_buf_read_file(path, MAX_FILE, out), 0);
}

static void print_log(void *user, char level, const char *file, int line, const char *message)
{
    (void)user;
    printf("%c %s:%d] %s\n", level, file, line, message);
}

struct loaded {
    struct sl_model *model;
    struct sl_method *method;
};

static void load(const char *name, struct loaded *out)
{
    static const struct sl_runtime_log log = {print_log, NULL};
    char path[512];
    struct sl_diag diag = {0};
    snprintf(path, sizeof(path), "%s/models/%s/model.pte", SL_TEST_DATA, name);
    if (sl_model_open(path, &log, &out->model, &diag) != 0 ||
        sl_method_new(out->model, NULL, &out->method, &diag) != 0)
        fail_msg("%s: %s %s", name, diag.what, diag.where);
}

static void unload(struct loaded *loaded)
{
    sl_method_free(loaded->method);
    sl_model_free(loaded->model);
}

static struct sl_variant *compile(struct sl_method *method, uint32_t isa)
{
    struct sl_variant *variant = NULL;
    struct sl_diag diag = {0};
    if (sl_variant_new(method, isa, 0, NULL, &variant, &diag) != 0)
        fail_msg("%s %s", diag.what, diag.where);
    return variant;
}

static void run(struct sl_method *method, struct sl_variant *variant, const struct sl_buf *input)
{
    struct sl_diag diag = {0};
    if (sl_method_set_input(method, 0, input->data, input->size, &diag) != 0 ||
        sl_variant_execute(variant, false, &diag) != 0)
        fail_msg("%s %s", diag.what, diag.where);
}

/* Within 1e-4 of the expected output's peak. */
static void check_close(const struct sl_method *method, const struct sl_buf *expected)
{
    struct sl_tensor_view view;
    assert_int_equal(sl_method_output(method, 0, &view), 0);
    assert_int_equal(view.nbytes, expected->size);
    float peak = 0.0f, worst = 0.0f;
    for (size_t i = 0; i < view.nbytes / sizeof(float); i++) {
        float want, have;
        memcpy(&want, expected->data + i * sizeof(float), sizeof(want));
        memcpy(&have, (const uint8_t *)view.data + i * sizeof(float), sizeof(have));
        float error = have > want ? have - want : want - have;
        float size = want < 0.0f ? -want : want;
        peak = size > peak ? size : peak;
        worst = error <= worst ? worst : error; /* a NaN is taken */
    }
    printf("worst %g of peak %g\n", (double)worst, (double)peak);
    assert_true(worst <= 1e-4f * peak);
}

static void check_model(const char *name)
{
    const uint32_t all = sl_isa_detect();
    const uint32_t masks[] = {all, all & ~(uint32_t)(SL_ISA_SME | SL_ISA_SME2), SL_ISA_NONE};
    struct sl_buf input, expected;
    struct loaded loaded;
    read_file(name, "input-0.bin", &input);
    read_file(name, "runtime-0.bin", &expected);
    load(name, &loaded);
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        if (i > 0 && masks[i] == masks[i - 1])
            continue;
        struct sl_variant *variant = compile(loaded.method, masks[i]);
        run(loaded.method, variant, &input);
        check_close(loaded.method, &expected);
        sl_variant_free(variant);
    }
    unload(&loaded);
    sl_buf_fini(&input);
    sl_buf_fini(&expected);
}

static void toy_cnn_xnnpack_agrees_with_the_real_runtime(void **state)
{
    (void)state;
    check_model("toy_cnn_f32_xnnpack");
}

static void toy_cnn_portable_agrees_with_the_real_runtime(void **state)
{
    (void)state;
    check_model("toy_cnn_f32_portable");
}

static void dynamic_shape_agrees_with_the_real_runtime(void **state)
{
    (void)state;
    check_model("dynamic_shape_f32_xnnpack");
}

static void mobilenet_v2_agrees_with_the_real_runtime(void **state)
{
    (void)state;
    check_model("mobilenet_v2_f32_xnnpack");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toy_cnn_xnnpack_agrees_with_the_real_runtime),
        cmocka_unit_test(toy_cnn_portable_agrees_with_the_real_runtime),
        cmocka_unit_test(dynamic_shape_agrees_with_the_real_runtime),
        cmocka_unit_test(mobilenet_v2_agrees_with_the_real_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
