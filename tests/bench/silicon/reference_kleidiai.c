/* tests/bench/silicon/reference_kleidiai.c: reference_kleidiai M N K: one f32 product by KleidiAI,
 * both sides packed anew, between roi_begin() and roi_end(). */
#include <float.h>
#include <stdlib.h>

#include "kai/ukernels/matmul/matmul_clamp_f32_f32p_f32p/kai_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa.h"
#include "kai/ukernels/matmul/pack/kai_lhs_pack_f32p2vlx1_f32_sme.h"
#include "kai/ukernels/matmul/pack/kai_rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme.h"

__attribute__((noinline, used)) void roi_begin(void)
{
    __asm__ volatile("");
}
__attribute__((noinline, used)) void roi_end(void)
{
    __asm__ volatile("");
}

static void *fresh(size_t bytes)
{
    char *made = aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    for (size_t i = 0; made && i < bytes; i++)
        made[i] = 0;
    return made ? made : (abort(), NULL);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    size_t m = strtoul(argv[1], NULL, 10), n = strtoul(argv[2], NULL, 10),
           k = strtoul(argv[3], NULL, 10);
    size_t mr = kai_get_mr_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa();
    size_t nr = kai_get_nr_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa();
    void *a = fresh(m * k * sizeof(float)), *b = fresh(k * n * sizeof(float)),
         *bias = fresh(n * sizeof(float));
    void *c = fresh(m * n * sizeof(float));
    void *a_packed = fresh(kai_get_lhs_packed_size_lhs_pack_f32p2vlx1_f32_sme(m, k, mr, 1, 1));
    void *b_packed = fresh(kai_get_rhs_packed_size_rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme(n, k));
    roi_begin();
    kai_run_lhs_pack_f32p2vlx1_f32_sme(m, k, mr, 1, 1, 0, a, k * sizeof(float), a_packed);
    kai_run_rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme(1, n, k, nr, 1, 1, n * sizeof(float), b, bias,
                                                      NULL, b_packed, 0, NULL);
    kai_run_matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa(
        m, n, k, a_packed, b_packed, c, n * sizeof(float), sizeof(float), -FLT_MAX, FLT_MAX);
    roi_end();
    return 0;
}
