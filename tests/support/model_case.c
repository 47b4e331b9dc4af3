/* tests/support/model_case.c */
#include "tests/support/model_case.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/sve.h"
#include "tests/support/test.h"

enum { MAX_FILE = 64 << 20 };

static void path_of(const char *model, const char *file, char path[512])
{
    if (model[0] == '/')
        snprintf(path, 512, "%s/%s", model, file);
    else
        snprintf(path, 512, "%s/models/%s/%s", SL_TEST_DATA, model, file);
}

bool sl_case_has(const char *model, const char *file)
{
    char path[512];
    path_of(model, file, path);
    return access(path, R_OK) == 0;
}

void sl_case_read(const char *model, const char *file, struct sl_buf *out)
{
    char path[512];
    path_of(model, file, path);
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
    sl_case_open_method(c, model, NULL);
}

void sl_case_open_method(struct sl_model_case *c, const char *model, const char *method)
{
    char path[512];
    struct sl_diag diag = {0};
    *c = (struct sl_model_case){0};
    const struct sl_runtime_log log = {sl_case_log, c};
    path_of(model, "weights.ptd", path);
    if (sl_case_has(model, "weights.ptd") && sl_data_open(path, &log, &c->data, &diag) != 0)
        fail_msg("%s: %s %s", path, diag.what, diag.where);
    path_of(model, "model.pte", path);
    if (sl_model_open(path, NULL, &log, &c->model, &diag) != 0)
        fail_msg("%s: %s %s", model, diag.what, diag.where);
    sl_model_set_data(c->model, c->data);
    if (sl_method_new(c->model, method, &c->method, &diag) != 0)
        fail_msg("%s: %s %s", model, diag.what, diag.where);
}

void sl_case_close(struct sl_model_case *c)
{
    sl_method_free(c->method);
    sl_model_free(c->model);
    sl_data_free(c->data);
    sl_buf_fini(&c->program);
}

/* Every folder with such a file; returns their number. */
static unsigned walk(const char *folder, const char *file, void (*run)(const char *model))
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char model[400];
        snprintf(model, sizeof(model), "%.200s/%.150s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || !sl_case_has(model, file))
            continue;
        printf("%s\n", model);
        run(model);
        count++;
    }
    closedir(dir);
    assert_true(count > 0);
    return count;
}

unsigned sl_case_each_fixture_with(const char *file, void (*run)(const char *model))
{
    const char *folder = getenv("SL_FIXTURES");
    size_t svl = sl_isa_svl_bytes();
    if (!folder || !folder[0] || (svl != 64 && svl != 0 && !getenv("SL_ALL_SVL")))
        return 0;
    return walk(folder, file, run);
}

unsigned sl_case_each_model_with(const char *file, void (*run)(const char *model))
{
    return walk(SL_TEST_DATA "/models", file, run);
}

unsigned sl_case_each_fixture(void (*run)(const char *model))
{
    return sl_case_each_fixture_with("model.pte", run);
}

unsigned sl_case_each_model(void (*run)(const char *model))
{
    return sl_case_each_model_with("model.pte", run);
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

unsigned sl_case_own_masks(uint32_t masks[SL_CASE_MASKS])
{
    unsigned count = sl_case_masks(masks);
    return getenv("SL_ALL_SVL") ? count : 1;
}

unsigned sl_case_fixture_masks(uint32_t masks[SL_CASE_MASKS])
{
    unsigned count = sl_case_own_masks(masks);
    return count > 1 || (masks[0] & SL_ISA_SME2) == 0 || sl_case_has_sve() ? count : 0;
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

void sl_case_set_files(struct sl_model_case *c, const char *model, const char *folder)
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
}

static void run_inputs(struct sl_model_case *c, struct sl_variant *variant, const char *model,
                       const char *folder)
{
    struct sl_diag diag = {0};
    sl_case_set_files(c, model, folder);
    if (sl_variant_execute(variant, c->traced, &diag) != 0)
        fail_msg("%s %s\n%s", diag.what, diag.where, c->log);
}

/* The difference of an output from the expected one. */
struct difference {
    double worst, peak;     /* the largest absolute one, and the largest expected magnitude */
    double squares, energy; /* sums of squares of both */
};

static float element_of(const uint8_t *data, int scalar_type, size_t i)
{
    float value;
    uint16_t bits;
    if (scalar_type == SL_SCALAR_FLOAT) {
        memcpy(&value, data + i * sizeof(value), sizeof(value));
        return value;
    }
    memcpy(&bits, data + i * sizeof(bits), sizeof(bits));
    return scalar_type == SL_SCALAR_HALF ? sl_half_to_float(bits) : sl_bfloat_to_float(bits);
}

static struct difference compare(const struct sl_tensor_view *view, const struct sl_buf *expected)
{
    struct difference d = {0};
    size_t bytes = view->scalar_type == SL_SCALAR_FLOAT ? 4 : 2;
    for (size_t i = 0; i < view->nbytes / bytes; i++) {
        double want = (double)element_of(expected->data, view->scalar_type, i);
        double have = (double)element_of(view->data, view->scalar_type, i);
        double error = have == want || (isnan(have) && isnan(want)) ? 0 : fabs(have - want);
        d.worst = error <= d.worst ? d.worst : error; /* a NaN is taken */
        d.squares += error * error;
        d.peak = fabs(want) <= d.peak || !isfinite(want) ? d.peak : fabs(want);
        d.energy += isfinite(want) ? want * want : 0;
    }
    return d;
}

static bool passes(const struct difference *d, int gate)
{
    double peak = d->worst == 0 ? 0 : d->worst / d->peak;
    double rms = d->squares == 0 ? 0 : sqrt(d->squares / d->energy);
    switch (gate) {
    case SL_GATE_EXACT:
        return peak <= 1e-6;
    case SL_GATE_F32:
        return peak <= 1e-4;
    case SL_GATE_F16:
        return peak <= 2e-2 && rms <= 5e-3;
    case SL_GATE_INT8:
        return rms <= 2e-2;
    default:
        return rms <= 3e-2;
    }
}

/* Compares output k with `file`; false when it is not near. */
static bool is_near(const struct sl_model_case *c, uint32_t k, const char *model, const char *file,
                    int gate, struct difference *out)
{
    struct sl_tensor_view view;
    struct sl_buf expected;
    assert_int_equal(sl_method_output(c->method, k, &view), 0);
    sl_case_read(model, file, &expected);
    assert_int_equal(view.nbytes, expected.size);
    bool floats = view.scalar_type == SL_SCALAR_FLOAT || view.scalar_type == SL_SCALAR_HALF ||
                  view.scalar_type == SL_SCALAR_BFLOAT16;
    *out = floats ? compare(&view, &expected) : (struct difference){0};
    bool near = floats ? passes(out, gate)
                       : view.nbytes == 0 || memcmp(view.data, expected.data, view.nbytes) == 0;
    sl_buf_fini(&expected);
    return near;
}

static void check_output(const struct sl_model_case *c, uint32_t k, uint32_t isa, const char *model,
                         const char *folder, int gate)
{
    static const char *const of_sme2[] = {"aarch64-sme2", "runtime"};
    static const char *const of_neon[] = {"aarch64-nosme", "runtime"};
    static const char *const of_all[] = {"aarch64-sme2", "aarch64-nosme", "runtime", "expected"};
    /* The real runtime itself differs by 2.9e-2 from CPU to CPU where a layer norm stands between
     * static int8 operators: any of its answers will do. */
    bool any = isa == SL_ISA_NONE || gate == SL_GATE_F16 || gate == SL_GATE_INT8;
    const char *const *names = any ? of_all : (isa & SL_ISA_SME2) != 0 ? of_sme2 : of_neon;
    struct difference d = {0};
    unsigned compared = 0;
    char file[96] = "";
    for (int i = 0; i < (any ? 4 : 2) && (any || compared == 0); i++) {
        snprintf(file, sizeof(file), "%s%s-%u.bin", folder, names[i], k);
        if (!sl_case_has(model, file))
            continue;
        compared++;
        if (is_near(c, k, model, file, gate, &d))
            return;
    }
    fail_msg("%s, isa 0x%x, output %u: %u references, of the last (%s) worst %g, peak %g, rms %g",
             model, isa, k, compared, file, d.worst, d.peak, sqrt(d.squares / d.energy));
}

void sl_case_run_gated(struct sl_model_case *c, struct sl_variant *variant, uint32_t isa,
                       const char *model, const char *folder, int gate)
{
    run_inputs(c, variant, model, folder);
    for (uint32_t i = 0; i < sl_method_output_count(c->method); i++)
        check_output(c, i, isa, model, folder, gate);
}

void sl_case_run_files(struct sl_model_case *c, struct sl_variant *variant, const char *model,
                       const char *folder)
{
    char file[96];
    struct sl_buf bytes;
    run_inputs(c, variant, model, folder);
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
