/* tests/unit/host/report/test_sme2_proof.c: never more is said than the evidence holds. */
#include "host/report/sme2_proof.h"

#include <string.h>

#include "tests/support/unit.h"

#include "host/analysis/attribution.h"
#include "host/report/kernel_log.h"

static struct sl_operator of(const char *name, const char *kernel)
{
    return (struct sl_operator){.name = name,
                                .name_len = (uint32_t)strlen(name),
                                .category = SL_CATEGORY_GEMM,
                                .delegated = true,
                                .xnnpack = true,
                                .instances = 2,
                                .kernel = kernel};
}

static const char *evidence(const char *name, const char *kernel, const struct sl_kernel_log *log,
                            const char **out_kernel)
{
    struct sl_operator op = of(name, kernel);
    return sl_sme2_evidence_of(&op, log, out_kernel);
}

TEST(log_makes_available_and_only_a_trace_makes_executed)
{
    static const char text[] =
        "Using gemm microkernel 'xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2'\n";
    struct sl_bytes bytes = {(const uint8_t *)text, sizeof(text) - 1};
    struct sl_kernel_log log;
    const char *kernel;
    assert_int_equal(sl_kernel_log_parse(bytes, &log, NULL), 0);
    assert_string_equal(evidence("Fully Connected (NC, PF32) GEMM", NULL, &log, &kernel),
                        "log-available");
    assert_string_equal(kernel, "xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2");
    assert_string_equal(evidence("Fully Connected (NC, F32) GEMM", NULL, &log, &kernel),
                        "not proven");
    assert_null(kernel);
    assert_string_equal(evidence("Fully Connected (NC, PF32) GEMM", NULL, NULL, &kernel),
                        "not proven");
    assert_string_equal(
        evidence("Fully Connected (NC, PF32) GEMM", "sl_gemv_f32_16vl_sme2", &log, &kernel),
        "executed");
    assert_string_equal(kernel, "sl_gemv_f32_16vl_sme2");
    /* The trace says that another kernel ran: the log does not overrule it. */
    assert_string_equal(
        evidence("Fully Connected (NC, PF32) GEMM", "sl_matmul_f32_4x8_neon_mla", &log, &kernel),
        "not proven");
    sl_kernel_log_fini(&log);
}

static bool leftover(const char *name, const char *kernel)
{
    struct sl_operator op = of(name, kernel);
    return sl_sme2_leftover(&op);
}

TEST(packed_names_and_kernels_of_sme_are_leftovers_of_an_off_arm)
{
    assert_true(leftover("Convolution (NHWC, PF32) IGEMM", NULL));
    assert_true(leftover("Convolution (NHWC, PQS8, QS8, QC8W) IGEMM", NULL));
    assert_true(leftover("Fully Connected (NC, PF16, F16, F16) GEMM", NULL));
    assert_false(leftover("Fully Connected (NC, QP8, F32, QC4W) GEMM", NULL)); /* NEON has it too */
    assert_false(leftover("Convolution (NHWC, F32) IGEMM", NULL));
    assert_false(leftover("PF32", NULL));
    assert_true(
        leftover("Convolution (NHWC, F32) IGEMM", "xnn_pf32_gemm_minmax_ukernel_32x32__neonsme"));
    assert_true(leftover("Convolution (NHWC, F32) IGEMM", "sl_gemv_f32_16vl_sme2"));
    assert_false(leftover("Convolution (NHWC, PF32) IGEMM", "sl_matmul_f32_4x8_neon_mla"));
    struct sl_operator operators[] = {of("Convolution (NHWC, PF32) IGEMM", NULL),
                                      of("Add (ND)", NULL)};
    struct sl_attribution off = {.operators = operators, .operator_count = 2};
    assert_int_equal(sl_sme2_leftovers(&off), 2); /* the first one's instances */
}
