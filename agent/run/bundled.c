/* agent/run/bundled.c */
#include "agent/run/bundled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/run/etlog.h"
#include "agent/run/state.h"
#include "agent/runtime/runtime.h"
#include "common/format/bundle.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"

/* Relative errors of numbers near zero are of this. */
#define LEAST_DIVIDER 1e-8

bool sl_run_file_is_bundled(const char *path)
{
    uint8_t head[8];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t got = fread(head, 1, sizeof(head), file);
    fclose(file);
    return sl_bundle_is((struct sl_bytes){head, got});
}

/* What a bundle calls a value of the program; -1 where it has no word for it. */
static int bundle_kind(const struct sl_tensor_view *view)
{
    static const int kinds[] = {
        [SL_PTE_INT] = SL_BUNDLE_INT,
        [SL_PTE_BOOL] = SL_BUNDLE_BOOL,
        [SL_PTE_DOUBLE] = SL_BUNDLE_DOUBLE,
    };
    int kind = view->plain.kind;
    if (view->scalar_type >= 0)
        return SL_BUNDLE_TENSOR;
    return kind >= SL_PTE_INT && kind <= SL_PTE_DOUBLE ? kinds[kind] : -1;
}

static const struct sl_bundle_case *find_case(const struct sl_run *run)
{
    const struct sl_bundle *bundle = sl_model_bundle(run->model);
    return bundle ? sl_bundle_find(bundle, run->method_name, 0) : NULL;
}

/* Whether the bundle names the method at all. */
static bool has_suite(const struct sl_run *run)
{
    const struct sl_bundle *bundle = sl_model_bundle(run->model);
    for (uint32_t i = 0; bundle && i < bundle->suite_count; i++)
        if (strcmp(bundle->suites[i].method, run->method_name) == 0)
            return true;
    return false;
}

static int inputs_failed(const struct sl_run *run, int code)
{
    (void)run;
    sl_etlog('F', "executor_runner.cpp", 742,
             "In function main(), assert failed (status == Error::Ok): LoadBundledInput failed "
             "with status 0x%x",
             (unsigned)code);
    return 1;
}

static int set_number(struct sl_run *run, size_t i, const struct sl_bundle_value *value)
{
    const uint8_t truth = value->kind == SL_BUNDLE_BOOL && value->bool_value;
    const void *data = value->kind == SL_BUNDLE_BOOL  ? &truth
                       : value->kind == SL_BUNDLE_INT ? (const void *)&value->int_value
                                                      : &value->double_value;
    return sl_method_set_input(run->method, i, data, value->kind == SL_BUNDLE_BOOL ? 1 : 8,
                               &run->diag);
}

/* A smaller shape than the program's bound is taken over. */
static int set_tensor(struct sl_run *run, size_t i, const struct sl_bundle_value *value)
{
    struct sl_tensor_view view;
    int rc = sl_method_input(run->method, i, &view);
    if (rc == 0 &&
        (view.scalar_type != value->tensor.scalar_type || view.rank != value->tensor.rank))
        rc = sl_diag_set(&run->diag, SL_ET_INVALID_ARGUMENT, NULL,
                         "input %zu of the bundle has another type or rank than the method's", i);
    if (rc == 0)
        rc = sl_method_resize_input(run->method, i, value->tensor.sizes, &run->diag);
    return rc != 0 ? rc
                   : sl_method_set_input(run->method, i, value->tensor.data.data,
                                         value->tensor.data.size, &run->diag);
}

int sl_run_set_bundled_inputs(struct sl_run *run)
{
    const struct sl_bundle_case *test = find_case(run);
    size_t count = sl_method_input_count(run->method);
    if (!test) {
        if (has_suite(run))
            sl_etlog('E', "bundled_program.cpp", 285, "testset_idx 0 is out of range [0, 0]");
        else
            sl_etlog('E', "bundled_program.cpp", 270,
                     "No method named '%s' in given bundled program", run->method_name);
        return inputs_failed(run, SL_ET_INVALID_ARGUMENT);
    }
    if (test->input_count != count) {
        SL_ETLOG('E', "The method takes %zu inputs, the bundle has %" PRIu32, count,
                 test->input_count);
        return inputs_failed(run, SL_ET_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < count; i++) {
        struct sl_tensor_view view;
        int rc = sl_method_input(run->method, i, &view);
        if (rc == 0 && test->inputs[i].kind != bundle_kind(&view))
            rc = sl_diag_set(&run->diag, SL_ET_INVALID_TYPE, NULL,
                             "input %zu of the bundle is of another kind than the method's", i);
        if (rc == 0)
            rc = test->inputs[i].kind == SL_BUNDLE_TENSOR ? set_tensor(run, i, &test->inputs[i])
                                                          : set_number(run, i, &test->inputs[i]);
        if (rc != 0) {
            sl_run_log_diag(run);
            return inputs_failed(run, SL_ET_NOT_SUPPORTED);
        }
    }
    return 0;
}

/* Element i; `bytes` is its size. */
static double number_at(const uint8_t *data, int scalar_type, size_t i)
{
    uint64_t raw = 0;
    size_t bytes = sl_scalar_size(scalar_type);
    memcpy(&raw, data + i * bytes, bytes <= sizeof(raw) ? bytes : sizeof(raw)); /* little-endian */
    uint16_t half = (uint16_t)raw;
    uint32_t word = (uint32_t)raw;
    float single;
    double number;
    memcpy(&single, &word, sizeof(single));
    memcpy(&number, &raw, sizeof(number));
    switch (scalar_type) {
    case SL_SCALAR_FLOAT:
        return (double)single;
    case SL_SCALAR_DOUBLE:
        return number;
    case SL_SCALAR_HALF:
        return (double)sl_half_to_float(half);
    case SL_SCALAR_BFLOAT16:
        return (double)sl_bfloat_to_float(half);
    default: /* integers and Booleans: compared as bytes, shown as what they are */
        return bytes == 8   ? (double)(int64_t)raw
               : bytes == 4 ? (double)(int32_t)word
               : bytes == 2 ? (double)(int16_t)half
                            : (double)(int8_t)(uint8_t)raw;
    }
}

struct errors {
    double sum_absolute, max_absolute, sum_relative, max_relative;
    uint64_t count;
    bool differ;
};

static bool is_float(int scalar_type)
{
    return scalar_type == SL_SCALAR_FLOAT || scalar_type == SL_SCALAR_DOUBLE ||
           scalar_type == SL_SCALAR_HALF || scalar_type == SL_SCALAR_BFLOAT16;
}

static bool close_enough(const struct sl_run_options *o, double expected, double have)
{
    if (isnan(expected) && isnan(have))
        return true;
    if (isinf(expected) && isinf(have))
        return signbit(expected) == signbit(have);
    double error = fabs(expected - have); /* NaN and infinities are not near numbers */
    return error <= o->bundleio_atol + fabs(o->bundleio_rtol * have);
}

static void compare_tensor(const struct sl_run *run, const struct sl_bundle_value *expected,
                           const struct sl_run_output *have, struct errors *out)
{
    int type = expected->tensor.scalar_type;
    size_t element = sl_scalar_size(type), rank = expected->tensor.rank;
    if (type != have->scalar_type || rank != have->rank ||
        expected->tensor.data.size != have->nbytes ||
        (rank != 0 && (memcmp(expected->tensor.sizes, have->sizes, rank * sizeof(int32_t)) != 0 ||
                       memcmp(expected->tensor.dim_order, have->dim_order, rank) != 0))) {
        SL_ETLOG('E', "An output has another type, shape or memory order than the bundle expects");
        out->differ = true;
        return;
    }
    for (size_t i = 0; i < have->nbytes / element; i++) {
        double want = number_at(expected->tensor.data.data, type, i);
        double got = number_at(have->data, type, i), error = fabs(want - got);
        double divider = fmax(fmax(fabs(want), fabs(got)), LEAST_DIVIDER);
        double relative = error / divider;
        out->sum_absolute += error;
        out->sum_relative += relative;
        out->max_absolute = error > out->max_absolute ? error : out->max_absolute;
        out->max_relative = relative > out->max_relative ? relative : out->max_relative;
        out->count++;
        out->differ = out->differ || (is_float(type) && !close_enough(&run->options, want, got));
    }
    if (!is_float(type) && have->nbytes != 0 &&
        memcmp(expected->tensor.data.data, have->data, have->nbytes) != 0)
        out->differ = true;
}

/* Exporters bundle no outputs but tensors, and ExecuTorch compares no others. */
static void compare_output(const struct sl_run *run, const struct sl_bundle_value *expected,
                           const struct sl_run_output *have, struct errors *out)
{
    if (expected->kind == SL_BUNDLE_TENSOR) {
        compare_tensor(run, expected, have, out);
        return;
    }
    sl_etlog('E', "bundled_program.cpp", 536, "Data type %d not supported", expected->kind);
    out->differ = true;
}

static void log_errors(const struct errors *errors)
{
    double count = errors->count != 0 ? (double)errors->count : 1;
    sl_etlog('I', "executor_runner.cpp", 883, "=== Error stats for testset %d ===", 0);
    sl_etlog('I', "executor_runner.cpp", 884, " mean_absolute_error: %f",
             errors->sum_absolute / count);
    sl_etlog('I', "executor_runner.cpp", 885, " max_absolute_error:  %f", errors->max_absolute);
    sl_etlog('I', "executor_runner.cpp", 886, " mean_relative_error: %f",
             errors->sum_relative / count);
    sl_etlog('I', "executor_runner.cpp", 887, " max_relative_error:  %f", errors->max_relative);
}

static int verdict(const struct sl_run *run, const struct errors *errors)
{
    const struct sl_run_options *o = &run->options;
    if (!errors->differ) {
        sl_etlog('I', "executor_runner.cpp", 904,
                 "Model output match expected BundleIO bpte ref data.");
        sl_etlog('I', "executor_runner.cpp", 905, "TEST: BundleIO index[%d] Test_result: PASS", 0);
        return 0;
    }
    sl_etlog('E', "bundled_program.cpp", 526, "Method's output data mismatched the expected one.");
    sl_etlog('E', "executor_runner.cpp", 912,
             "Model output don't match expected BundleIO bpte ref data. rtol=%f atol=%f",
             o->bundleio_rtol, o->bundleio_atol);
    sl_etlog('E', "executor_runner.cpp", 913, "TEST: BundleIO index[%d] Test_result: FAIL", 0);
    sl_etlog('E', "executor_runner.cpp", 917, "Bundle verification failed with status 0x%x",
             SL_ET_NOT_FOUND);
    return 1;
}

int sl_run_verify(const struct sl_run *run)
{
    const struct sl_bundle_case *test = find_case(run);
    int failed = 0;
    if (!test)
        return 0;
    for (size_t v = 0; v < run->options.variant_count; v++) {
        const struct sl_run_variant *variant = &run->variant[v];
        struct errors errors = {.differ = variant->output_count != test->output_count};
        if (test->output_count == 0) {
            SL_ETLOG('E', "The bundle expects no outputs: there is nothing to compare with");
            return 1;
        }
        if (errors.differ)
            SL_ETLOG('E', "The method has %zu outputs, the bundle %" PRIu32, variant->output_count,
                     test->output_count);
        for (size_t i = 0; i < variant->output_count && i < test->output_count; i++)
            compare_output(run, &test->outputs[i], &variant->outputs[i], &errors);
        if (run->options.paired)
            SL_ETLOG('I', "Variant %s:", variant->spec->name);
        log_errors(&errors);
        failed |= verdict(run, &errors);
    }
    return failed;
}
