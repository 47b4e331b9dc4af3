/* kernels/matmul/gemv_qs8_16vl_sme2.c: static int8 products of a single row, SME2: multi-vector
 * SDOT into ZA. */
#include <arm_sme.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/matmul/mopa_qs8.h"
#include "kernels/matmul/qs8_gemv.h"

enum { PANEL_VL = 16, LEAST_VL = 4 };

static size_t m_step(void)
{
    return 1;
}

static size_t n_step(void)
{
    return PANEL_VL * svcntsw();
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return sl_rhs_qs8_bytes(n, sl_rhs_qs8_steps(1, k), LEAST_VL, svcntsw());
}

static void pack_rhs(size_t n, size_t k, const int8_t *rhs, bool transposed,
                     const struct sl_requant *requant, void *packed)
{
    const struct sl_rhs_qs8 job = {n, 1, k, rhs, transposed, requant, PANEL_VL, LEAST_VL, packed};
    sl_rhs_qs8_pack_sme2(&job);
}

/* A row that is not whole words is copied and filled up. */
static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n;
    return k % 4 ? k + 4 - k % 4 : 0;
}

static void body(const void *job) __arm_streaming __arm_inout("za")
{
    sl_gemv_qs8_sme2_asm(job);
}

static void run(const struct sl_matmul_qs8_args *args)
{
    struct sl_gemv_qs8 job = sl_gemv_qs8_of(args);
    if (args->m == 0 || args->n == 0)
        return;
    if (args->k % 4) {
        int8_t *row = args->workspace;
        memset(row + args->k / 4 * 4, 0, 4);
        memcpy(row, args->lhs, args->k);
        job.row = row;
    }
    sl_streaming_run_za(body, &job);
}

const struct sl_matmul_qs8 sl_matmul_qs8_qs8_qs8p16vlx4_1x16vl_sme2_dot = {
    .name = "sl_matmul_qs8_qs8_qs8p16vlx4_1x16vl_sme2_dot",
    .needs = SL_ISA_SME2,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
