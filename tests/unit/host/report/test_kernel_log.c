/* tests/unit/host/report/test_kernel_log.c */
#include "host/report/kernel_log.h"

#include <string.h>

#include "tests/support/unit.h"

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/analysis/attribution.h"

static const char on_log[] =
    "Note (XNNPACK): Using gemm microkernel 'xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2'. "
    "(init)\n"
    "11-21 10:00:00.0  1  1 I XNNPACK : Using gemm microkernel "
    "'xnn_pqs8_qc8w_gemm_minmax_ukernel_32x32c4__neonsme2'\n"
    "Note (XNNPACK): Using igemm microkernel "
    "'xnn_pqs8_qc8w_igemm_minmax_fp32_ukernel_32x32c4__neonsme2'. (init)\n"
    "Note (XNNPACK): Using qp8gemm microkernel "
    "'xnn_qp8_f32_qb4w_gemm_minmax_ukernel_16x4c8__neoni8mm'. (init)\n"
    "Note (XNNPACK): Using transposec microkernel 'xnn_x32_transposec_ukernel__4x4_neon'. (init)\n"
    "Note (XNNPACK): Using gemm microkernel 'xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2'. "
    "(init)\n";
static const char off_log[] = "Note (XNNPACK): Using gemm microkernel "
                              "'xnn_pf32_gemm_minmax_ukernel_32x32__neonsme'. (init)\n";

static struct sl_kernel_log parse(const char *text)
{
    struct sl_kernel_log log;
    struct sl_bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(sl_kernel_log_parse(bytes, &log, NULL), 0);
    return log;
}

static const char *found(const struct sl_kernel_log *log, const char *name)
{
    const struct sl_operator op = {
        .name = name, .name_len = (uint32_t)strlen(name), .delegated = true, .xnnpack = true};
    const struct sl_logged_kernel *kernel = sl_kernel_log_find(log, &op);
    return kernel ? kernel->name : "none";
}

TEST(each_kernel_stands_once_whatever_the_transport)
{
    struct sl_kernel_log log = parse(on_log);
    assert_int_equal(log.count, 5);
    assert_int_equal(log.kernels[0].lines, 2);
    assert_string_equal(log.kernels[4].category, "transpose");
    assert_string_equal(log.kernels[3].parts.types, "qp8_f32_qb4w");
    sl_kernel_log_fini(&log);
}

TEST(evidence_is_of_the_operators_own_types_and_of_sme2_alone)
{
    struct sl_kernel_log log = parse(on_log);
    assert_string_equal(found(&log, "Fully Connected (NC, PF32) GEMM"),
                        "xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2");
    assert_string_equal(found(&log, "Convolution (NHWC, PQS8, QS8, QC8W) IGEMM"),
                        "xnn_pqs8_qc8w_igemm_minmax_fp32_ukernel_32x32c4__neonsme2");
    assert_string_equal(found(&log, "Convolution (NHWC, PF32) IGEMM"), "none");
    assert_string_equal(found(&log, "Fully Connected (NC, F32) GEMM"), "none");
    assert_string_equal(found(&log, "Fully Connected (NC, QP8, F32, QB4W) GEMM"), "none");
    assert_string_equal(found(&log, "Convolution (NHWC, F32) DWConv"), "none");
    assert_string_equal(found(&log, "GEMM"), "none");
    sl_kernel_log_fini(&log);
}

TEST(off_arm_with_kernels_of_sme1_is_named)
{
    struct sl_kernel_log on = parse(on_log);
    struct sl_kernel_log off = parse(off_log);
    struct sl_buf out;
    assert_int_equal(sl_kernel_log_sme1(&on), 0);
    assert_int_equal(sl_kernel_log_sme1(&off), 1);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_kernel_log_view(&out, &on, &off, false), 0);
    const char *page = (const char *)out.data;
    assert_non_null(
        strstr(page, "| Kernel Name | SME2-On | SME2-Off | Architecture | Delegation |"));
    assert_non_null(
        strstr(page, "| xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2 | yes |  | SME2 |"));
    assert_non_null(strstr(page, "| xnn_pf32_gemm_minmax_ukernel_32x32__neonsme |  | yes | SME |"));
    assert_non_null(strstr(page, "The off arm still has 1 kernels of SME1"));
    sl_buf_fini(&out);
    sl_kernel_log_fini(&on);
    sl_kernel_log_fini(&off);
}

TEST(log_without_a_kernel_is_refused)
{
    struct sl_kernel_log log;
    struct sl_diag diag = {.what = ""};
    struct sl_bytes bytes = {(const uint8_t *)"Using nothing\n", 14};
    assert_int_equal(sl_kernel_log_parse(bytes, &log, &diag), SL_E_NOT_FOUND);
    assert_true(diag.what[0] != '\0');
}
