/* tests/unit/host/analysis/test_kernel_name.c */
#include "host/analysis/kernel_name.h"

#include <string.h>

#include "tests/support/unit.h"

struct expected {
    const char *name, *types, *operation, *variant, *shape, *isa, *architecture;
};

static void check(const struct expected *e)
{
    struct sl_kernel_name parts;
    assert_true(sl_kernel_name_parse(e->name, strlen(e->name), &parts));
    assert_string_equal(parts.types, e->types);
    assert_string_equal(parts.operation, e->operation);
    assert_string_equal(parts.variant, e->variant);
    assert_string_equal(parts.shape, e->shape);
    assert_string_equal(parts.isa, e->isa);
    assert_string_equal(sl_kernel_architecture(&parts), e->architecture);
    assert_false(parts.sme && parts.sme2);
}

TEST(ad_30_names_of_several_types_keep_their_operator_and_sme2_is_not_sme)
{
    static const struct expected names[] = {
        {"xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2", "pf32", "gemm", "minmax", "32x32",
         "neonsme2", "SME2"},
        {"xnn_pf32_igemm_minmax_ukernel_32x32__neonsme", "pf32", "igemm", "minmax", "32x32",
         "neonsme", "SME"},
        {"xnn_qp8_f32_qc4w_gemm_minmax_ukernel_16x64c4__neonsme2", "qp8_f32_qc4w", "gemm", "minmax",
         "16x64c4", "neonsme2", "SME2"},
        {"xnn_qd8_f32_qc4w_gemm_minmax_ukernel_4x16c4__neondot", "qd8_f32_qc4w", "gemm", "minmax",
         "4x16c4", "neondot", "NEON"},
        {"xnn_pf16_f16_igemm_minmax_fp16_ukernel_32x32c2__neonsme2", "pf16_f16", "igemm",
         "minmax_fp16", "32x32c2", "neonsme2", "SME2"},
        {"xnn_f32_gemm_minmax_ukernel_6x8__asm_aarch64_neonfma_ld128", "f32", "gemm", "minmax",
         "6x8", "asm_aarch64_neonfma_ld128", "NEON"},
        {"xnn_f32_vadd_ukernel__neon_u8", "f32", "vadd", "", "", "neon_u8", "NEON"},
        {"xnn_x32_transposec_ukernel__4x4_aarch64_neon_tbl128", "x32", "transposec", "", "",
         "4x4_aarch64_neon_tbl128", "NEON"},
        {"xnn_qs8_vcvt_ukernel__scalar_u4", "qs8", "vcvt", "", "", "scalar_u4", "Other"},
        {"sl_matmul_f32_f32p1vlx1_f32p4vlx1_1vlx4vl_sme2_mopa", "f32_f32p1vlx1_f32p4vlx1", "matmul",
         "mopa", "1vlx4vl", "sme2", "SME2"},
        {"sl_pool_max_f32_f32_4vl_sme2", "f32_f32", "pool_max", "", "4vl", "sme2", "SME2"},
        {"sl_transpose_x32_x32_2vlx2vl_sme2", "x32_x32", "transpose", "", "2vlx2vl", "sme2",
         "SME2"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        check(&names[i]);
}

TEST(kleidiai_functions_say_their_operation_types_and_engine)
{
    static const struct expected names[] = {
        {"kai_run_matmul_clamp_f32_qai8dxp1vlx4_qsi4cxp4vlx4_1vlx4vl_sme2_mopa",
         "f32_qai8dxp1vlx4_qsi4cxp4vlx4", "matmul_clamp", "mopa", "1vlx4vl", "sme2", "SME2"},
        {"kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa",
         "f32_f32p2vlx1_f32p2vlx1biasf32", "matmul_clamp", "mopa", "", "sme2", "SME2"},
        {"kai_run_matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x16vl_sme2_dot",
         "qai8_qai8_qsi8cxp2vlx4sb", "matmul_clamp", "dot", "1x16vl", "sme2", "SME2"},
        {"kai_run_lhs_imatmul_pack_x32p2vlx1_x32p_sme", "x32p2vlx1_x32p", "lhs_imatmul_pack", "",
         "", "sme", "SME"},
        {"kai_run_matmul_clamp_f32_qai8dxp4x8_qsi4cxp8x8_8x8x32_neon_i8mm",
         "f32_qai8dxp4x8_qsi4cxp8x8", "matmul_clamp", "i8mm", "8x8x32", "neon", "NEON"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        check(&names[i]);
}

TEST(names_of_no_grammar_are_refused)
{
    static const char *const names[] = {
        "",   "xnn",   "xnn_f32_gemm",          "sl_matmul", "_",
        "__", "a_b_c", "xnn_ukernel_f32__neon", "memcpy",    "xnn_f32_ukernel__neon"};
    struct sl_kernel_name parts;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_false(sl_kernel_name_parse(names[i], strlen(names[i]), &parts));
    char lengthy[400];
    memset(lengthy, '_', sizeof(lengthy));
    assert_false(sl_kernel_name_parse(lengthy, sizeof(lengthy), &parts));
    memset(lengthy, 'x', 150);
    for (size_t i = 0; i < 150; i += 3)
        lengthy[i] = '_';
    assert_false(sl_kernel_name_parse(lengthy, 150, &parts));
}
