/* agent/run/expected.c */
#include "agent/run/expected.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/run/etlog.h"
#include "agent/run/session.h"
#include "agent/runtime/runtime.h"
#include "common/base/error.h"
#include "common/format/bundle.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"

/* Relative errors of numbers near zero are of this. */
#define LEAST_DIVIDER 1e-8

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

static bool close_enough(const struct sl_agent_run_options *o, double expected, double have)
{
    if (isnan(expected) && isnan(have))
        return true;
    if (isinf(expected) && isinf(have))
        return signbit(expected) == signbit(have);
    double error = fabs(expected - have); /* NaN and infinities are not near numbers */
    return error <= o->bundleio_atol + fabs(o->bundleio_rtol * have);
}

static void compare_tensor(const struct sl_session *session, const struct sl_bundle_value *expected,
                           const struct sl_session_output *have, struct errors *out)
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
        out->differ =
            out->differ || (is_float(type) && !close_enough(&session->options, want, got));
    }
    if (!is_float(type) && have->nbytes != 0 &&
        memcmp(expected->tensor.data.data, have->data, have->nbytes) != 0)
        out->differ = true;
}

/* Exporters bundle no outputs but tensors, and ExecuTorch compares no others. */
static void compare_output(const struct sl_session *session, const struct sl_bundle_value *expected,
                           const struct sl_session_output *have, struct errors *out)
{
    if (expected->kind == SL_BUNDLE_TENSOR) {
        compare_tensor(session, expected, have, out);
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

static int verdict(const struct sl_session *session, const struct errors *errors)
{
    const struct sl_agent_run_options *o = &session->options;
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
             sl_et_code(SL_ET_NOT_FOUND));
    return SL_E_LOGGED;
}

int sl_expected_verify(const struct sl_session *session)
{
    const struct sl_bundle_case *test = sl_session_bundle_case(session);
    int failed = 0;
    if (!test)
        return 0;
    for (size_t v = 0; v < session->options.variant_count; v++) {
        const struct sl_session_variant *variant = &session->variant[v];
        struct errors errors = {.differ = variant->output_count != test->output_count};
        if (test->output_count == 0) {
            SL_ETLOG('E', "The bundle expects no outputs: there is nothing to compare with");
            return SL_E_LOGGED;
        }
        if (errors.differ)
            SL_ETLOG('E', "The method has %zu outputs, the bundle %" PRIu32, variant->output_count,
                     test->output_count);
        for (size_t i = 0; i < variant->output_count && i < test->output_count; i++)
            compare_output(session, &test->outputs[i], &variant->outputs[i], &errors);
        if (session->options.paired)
            SL_ETLOG('I', "Variant %s:", variant->spec->name);
        log_errors(&errors);
        failed |= verdict(session, &errors);
    }
    return failed;
}
