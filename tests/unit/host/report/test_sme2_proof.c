/* tests/unit/host/report/test_sme2_proof.c: never more is said than the evidence holds. */
#include "host/report/sme2_proof.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/support/unit.h"

#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
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
    return sl_sme2_evidence_of(&op, log, false, out_kernel);
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

/* Foreign files have only names; these tell beside an off arm that has none such. */
TEST(packed_names_prove_sme2_beside_an_off_arm_without_them)
{
    struct sl_operator packed = of("Convolution (NHWC, PF32) IGEMM", NULL);
    struct sl_operator plain = of("Convolution (NHWC, F32) IGEMM", NULL);
    struct sl_attribution off = {.operators = &plain, .operator_count = 1};
    const char *kernel;
    assert_true(sl_sme2_names_tell(&off));
    assert_string_equal(sl_sme2_evidence_of(&packed, NULL, true, &kernel), "executed");
    assert_string_equal(sl_sme2_evidence_of(&plain, NULL, true, &kernel), "not proven");
    off.operators = &packed;
    assert_false(sl_sme2_names_tell(&off));
    packed.kernel = "sl_conv_f32_f32_f32p16x1_5x16_neon_mla"; /* a trace knows better */
    assert_string_equal(sl_sme2_evidence_of(&packed, NULL, true, &kernel), "not proven");
}

/* An operator that could use SME2 counts even when it did not: by its work and types, as its kernel
 * has them. */
TEST(an_operator_that_lost_its_kernel_still_counts)
{
    struct sl_operator op = of("Max Pooling (NHWC, F32)", "sl_pool_max_f32_f32_4vl_sme2");
    op.category = SL_CATEGORY_OTHER;
    assert_true(sl_sme2_matters(&op));
    op.kernel = "sl_pool_max_f32_f32_1x32_neon";
    assert_true(sl_sme2_matters(&op));
    assert_string_equal(sl_sme2_evidence(&op), "not proven");
    op.kernel = "sl_map_f32_scalar"; /* there is none of that work */
    assert_false(sl_sme2_matters(&op));
    op.kernel = "sl_pool_max_s64_s64_1x32_neon"; /* nor of that type */
    assert_false(sl_sme2_matters(&op));
    op.kernel = NULL;
    assert_false(sl_sme2_matters(&op));
    op.category = SL_CATEGORY_CONV;
    assert_true(sl_sme2_matters(&op));
}

TEST(kernels_lost_and_gained_since_the_baseline_are_said)
{
    struct sl_operator sme2 = of("Add (ND)", "sl_binary_add_f32_f32_f32_16vl_sme2");
    struct sl_operator neon = of("Add (ND)", "sl_binary_add_f32_f32_f32_1x32_neon");
    struct sl_operator unknown = of("Add (ND)", NULL);
    struct sl_operator_shift rows[] = {{.baseline = &sme2, .candidate = &neon},
                                       {.baseline = &neon, .candidate = &sme2},
                                       {.baseline = &sme2, .candidate = &unknown},
                                       {.baseline = &sme2, .candidate = &sme2}};
    struct sl_comparison c = {.operators = rows, .operator_count = 4};
    struct sl_sme2_changes changes;
    struct sl_sme2_policies policies = {.now = NULL};
    char text[200];
    sl_sme2_compare(&c, &policies, &changes);
    assert_true(changes.lost == 2 && changes.gained == 2); /* instances */
    assert_ptr_equal(changes.first_lost, &neon);
    assert_true(sl_sme2_lost_text(&c, &policies, text, sizeof(text)));
    assert_string_equal(text,
                        "2 operators lost their SME2 kernel since the baseline (Add (ND) first)");
    cJSON *policy = cJSON_Parse("{\"streaming_off\":[\"binary\"],\"table\":null}");
    assert_non_null(policy);
    policies.now = policy;
    sl_sme2_compare(&c, &policies, &changes); /* it took it away, and so nothing is lost */
    assert_true(changes.lost == 0 && changes.gained == 2);
    assert_false(sl_sme2_lost_text(&c, &policies, text, sizeof(text)));
    policies.before = policy; /* it let the kernel run before: another cause has taken it */
    sl_sme2_compare(&c, &policies, &changes);
    assert_true(changes.lost == 2 && changes.gained == 2);
    cJSON_Delete(policy);
    policies = (struct sl_sme2_policies){.now = NULL};
    c.operators = &rows[1];
    c.operator_count = 1;
    assert_false(sl_sme2_lost_text(&c, &policies, text, sizeof(text)));
}

/* The operator has four events, so many of them of small shapes. */
static const char *by_shapes(const char *kernel, const char *off, uint64_t small)
{
    char text[400];
    struct sl_operator op = of("X", kernel);
    op.count = 4;
    op.small_count = small;
    snprintf(text, sizeof(text), "{\"streaming_off\":%s,\"table\":null}", off);
    cJSON *policy = cJSON_Parse(text);
    assert_non_null(policy);
    const char *evidence = sl_sme2_evidence_by(&op, policy, sl_sme2_evidence(&op));
    cJSON_Delete(policy);
    return evidence;
}

static const char *by(const char *kernel, const char *off)
{
    return by_shapes(kernel, off, 0);
}

TEST(what_a_policy_keeps_on_neon_by_its_family_has_a_state_of_its_own)
{
    static const char add[] = "sl_binary_add_f32_f32_f32_1x32_neon",
                      qs8[] = "sl_binary_add_qs8_qs8_qs8_1x16_neon",
                      product[] = "sl_matmul_f32_f32_f32p16x1_5x16_neon_mla";
    assert_string_equal(by(add, "[\"unary\",\"binary\"]"), SL_SME2_FAMILY_OUT);
    assert_string_equal(by(add, "[\"binary_int8\",\"unary\",7]"), "not proven");
    assert_string_equal(by(qs8, "[\"binary_int8\"]"), SL_SME2_FAMILY_OUT);
    assert_string_equal(by(qs8, "[\"binary\"]"), "not proven");
    assert_string_equal(by(product, "[\"gemv\"]"), SL_SME2_FAMILY_OUT); /* one row or many */
    assert_string_equal(by(product, "[\"matmul\"]"), SL_SME2_FAMILY_OUT);
    assert_string_equal(by("sl_transpose_x16_x16_16x8_neon_tbl", "[\"layout\"]"),
                        SL_SME2_FAMILY_OUT);
    assert_string_equal(by("sl_quantise_qd8_rows_neon", "[\"convert\"]"), SL_SME2_FAMILY_OUT);
    assert_string_equal(by("sl_matmul_qd8_q4_8x8_neon_dot", "[\"matmul_int8\"]"),
                        SL_SME2_FAMILY_OUT);
    assert_string_equal(by("sl_map_f32_scalar", "[\"unary\"]"), "not proven"); /* no SME2 kernel */
    assert_string_equal(by(NULL, "[\"binary\"]"), "not proven");
    assert_string_equal(by("sl_binary_add_f32_f32_f32_16vl_sme2", "[\"binary\"]"), "executed");
    assert_string_equal(by(add, "null"), "not proven");
    assert_string_equal(by(add, "[]"), "not proven");
    assert_true(sl_sme2_kept_out(SL_SME2_FAMILY_OUT) && sl_sme2_kept_out(SL_SME2_KEPT_OUT));
    assert_false(sl_sme2_kept_out("executed") || sl_sme2_kept_out("not proven"));
}

/* The default list names these classes: large operators without their kernel stay "not proven". */
TEST(a_class_covers_only_what_is_of_its_shapes_or_type)
{
    static const char off[] = "[\"pool\",\"matmul_small\",\"matmul_int8_small\",\"conv_small\","
                              "\"conv_int8_small\",\"depthwise_f16\"]";
    static const char *const kernels[] = {"sl_matmul_f32_f32_f32p16x1_5x16_neon_mla",
                                          "sl_matmul_qd8_q4_8x8_neon_dot",
                                          "sl_conv_f32_f32_f32p16x1_5x16_neon_mla"};
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        assert_string_equal(by_shapes(kernels[i], off, 4), SL_SME2_FAMILY_OUT);
        assert_string_equal(by_shapes(kernels[i], off, 3), "not proven");
        assert_string_equal(by_shapes(kernels[i], off, 0), "not proven");
        assert_string_equal(by_shapes(kernels[i], "[\"pool\"]", 4), "not proven");
    }
    assert_string_equal(by("sl_depthwise_f32_f32_f32_4x16_neon_mla", off), "not proven");
    assert_string_equal(by("sl_depthwise_f16_f16_f16_4x32_neon_mla", off), SL_SME2_FAMILY_OUT);
}

/* A table of single operators says why one ran on NEON; it never takes proof away. */
TEST(what_a_table_keeps_on_neon_has_a_state_of_its_own)
{
    static const char text[] =
        "{\"source\":\"estimated\",\"table\":{\"operators\":["
        "{\"operator\":\"Add (ND, F32) #2\",\"kernel_on\":\"sl_add_sme2\",\"streams\":false},"
        "{\"operator\":\"Clamp (NC, F32) #1\",\"kernel_on\":\"sl_clamp_neon\",\"streams\":false},"
        "{\"operator\":\"Mean #1\",\"kernel_on\":\"sl_mean_sme2\",\"streams\":true},"
        "{\"operator\":3,\"streams\":false},7]}}";
    cJSON *policy = cJSON_Parse(text);
    struct sl_operator add = of("Add (ND, F32)", "sl_add_neon"), other = of("Add (ND", NULL),
                       clamp = of("Clamp (NC, F32)", NULL), mean = of("Mean", NULL);
    assert_non_null(policy);
    assert_string_equal(sl_sme2_evidence_by(&add, policy, "not proven"), SL_SME2_KEPT_OUT);
    assert_string_equal(sl_sme2_evidence_by(&add, policy, "executed"), "executed");
    assert_string_equal(sl_sme2_evidence_by(&other, policy, "not proven"), "not proven");
    assert_string_equal(sl_sme2_evidence_by(&clamp, policy, "not proven"), "not proven");
    assert_string_equal(sl_sme2_evidence_by(&mean, policy, "not proven"), "not proven");
    assert_string_equal(sl_sme2_evidence_by(&add, NULL, "not proven"), "not proven");
    cJSON_Delete(policy);
}
