/* tests/support/model_case.c */
#include "tests/support/model_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/cpu/isa.h"

enum { MAX_FILE = 64 << 20 };

void sl_case_read(const char *model, const char *file, struct sl_buf *out)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/models/%s/%s", SL_TEST_DATA, model, file);
    if (sl_buf_read_file(path, MAX_FILE, out) != 0)
        fail_msg("cannot read %s", path);
}

void sl_case_log(void *user, char level, const char *file, int line, const char *message)
{
    struct sl_model_case *c = user;
    size_t len = strlen(c->log);
    (void)line;
    snprintf(c->log + len, sizeof(c->log) - len, "%c %s: %s\n", level, file, message);
}

void sl_case_open(struct sl_model_case *c, const char *model)
{
    char path[512];
    struct sl_diag diag = {0};
    *c = (struct sl_model_case){0};
    const struct sl_runtime_log log = {sl_case_log, c};
    snprintf(path, sizeof(path), "%s/models/%s/model.pte", SL_TEST_DATA, model);
    if (sl_model_open(path, &log, &c->model, &diag) != 0 ||
        sl_method_new(c->model, NULL, &c->method, &diag) != 0)
        fail_msg("%s: %s %s", model, diag.what, diag.where);
}

void sl_case_close(struct sl_model_case *c)
{
    sl_method_free(c->method);
    sl_model_free(c->model);
    sl_buf_fini(&c->program);
}

unsigned sl_case_masks(uint32_t masks[SL_CASE_MASKS])
{
    uint32_t all = sl_isa_detect(), off = all & ~(uint32_t)(SL_ISA_SME | SL_ISA_SME2);
    unsigned count = 0;
    masks[count++] = all;
    if (off != all)
        masks[count++] = off;
    if (off != SL_ISA_NONE)
        masks[count++] = SL_ISA_NONE;
    return count;
}

struct sl_variant *sl_case_compile(struct sl_model_case *c, uint32_t isa, uint16_t index,
                                   struct sl_recorder *recorder)
{
    struct sl_variant *variant = NULL;
    struct sl_diag diag = {0};
    if (sl_variant_new(c->method, isa, index, recorder, &variant, &diag) != 0)
        fail_msg("%s %s\n%s", diag.what, diag.where, c->log);
    return variant;
}

void sl_case_run(struct sl_model_case *c, struct sl_variant *variant, const struct sl_buf *input,
                 bool traced)
{
    struct sl_diag diag = {0};
    if (sl_method_fill_inputs(c->method, &diag) != 0 ||
        sl_method_set_input(c->method, 0, input->data, input->size, &diag) != 0 ||
        sl_variant_execute(variant, traced, &diag) != 0)
        fail_msg("%s %s\n%s", diag.what, diag.where, c->log);
}

static void check_close(const struct sl_model_case *c, uint32_t k, const struct sl_buf *expected)
{
    struct sl_tensor_view view;
    float peak = 0.0f, worst = 0.0f;
    assert_int_equal(sl_method_output(c->method, k, &view), 0);
    assert_int_equal(view.nbytes, expected->size);
    for (size_t i = 0; i < view.nbytes / sizeof(float); i++) {
        float want, have;
        memcpy(&want, expected->data + i * sizeof(float), sizeof(want));
        memcpy(&have, (const uint8_t *)view.data + i * sizeof(float), sizeof(have));
        float error = have > want ? have - want : want - have;
        float size = want < 0.0f ? -want : want;
        peak = size > peak ? size : peak;
        worst = error <= worst ? worst : error; /* a NaN is taken */
    }
    if (!(worst <= 1e-4f * peak))
        fail_msg("output %u: worst difference %g where the peak is %g", k, (double)worst,
                 (double)peak);
}

void sl_case_check_close(const struct sl_model_case *c, const struct sl_buf *expected)
{
    check_close(c, 0, expected);
}

void sl_case_run_files(struct sl_model_case *c, struct sl_variant *variant, const char *model,
                       const char *folder)
{
    struct sl_diag diag = {0};
    char file[96];
    struct sl_buf bytes;
    for (uint32_t i = 0; i < sl_method_input_count(c->method); i++) {
        snprintf(file, sizeof(file), "%sinput-%u.bin", folder, i);
        sl_case_read(model, file, &bytes);
        if (sl_method_set_input(c->method, i, bytes.data, bytes.size, &diag) != 0)
            fail_msg("%s %s", diag.what, diag.where);
        sl_buf_fini(&bytes);
    }
    if (sl_variant_execute(variant, false, &diag) != 0)
        fail_msg("%s %s\n%s", diag.what, diag.where, c->log);
    for (uint32_t i = 0; i < sl_method_output_count(c->method); i++) {
        snprintf(file, sizeof(file), "%sruntime-%u.bin", folder, i);
        sl_case_read(model, file, &bytes);
        check_close(c, i, &bytes);
        sl_buf_fini(&bytes);
    }
}

void sl_case_output(const struct sl_model_case *c, struct sl_buf *out)
{
    struct sl_tensor_view view;
    assert_int_equal(sl_method_output(c->method, 0, &view), 0);
    assert_non_null(view.data);
    sl_buf_init(out, MAX_FILE);
    assert_int_equal(sl_buf_append(out, view.data, view.nbytes), 0);
}
