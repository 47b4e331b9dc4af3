/* kernels/cpu/isa_linux.c: by HWCAP, HWCAP2 and prctl; nothing of another processor than Arm's. */
#include "kernels/cpu/isa.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "kernels/cpu/sve.h"

/* Linux's numbers, which no older kernel header need know. */
enum { PR_SME_SET_VL_NUMBER = 63, PR_SME_GET_VL_NUMBER = 64, SME_VL_LENGTH_MASK = 0xffff };
enum { SVL_LEAST_BYTES = 16, SVL_MOST_BYTES = 256 };

static const unsigned long hwcap_asimd = 1UL << 1, hwcap_asimdhp = 1UL << 10,
                           hwcap_asimddp = 1UL << 20, hwcap_sve = 1UL << 22;
static const unsigned long hwcap2_i8mm = 1UL << 13, hwcap2_bf16 = 1UL << 14, hwcap2_sme = 1UL << 23,
                           hwcap2_sme2 = 1UL << 37;

size_t sl_isa_svl_bytes(void)
{
    if (!(getauxval(AT_HWCAP2) & hwcap2_sme))
        return 0;
    int vl = prctl(PR_SME_GET_VL_NUMBER, 0, 0, 0, 0);
    return vl > 0 ? (size_t)vl & SME_VL_LENGTH_MASK : 0;
}

uint32_t sl_isa_svl_lengths(void)
{
    uint32_t lengths = 0;
    if (sl_isa_svl_bytes() == 0)
        return 0;
    int was = prctl(PR_SME_GET_VL_NUMBER, 0, 0, 0, 0); /* with its flags */
    for (int vl = SVL_LEAST_BYTES; vl <= SVL_MOST_BYTES; vl *= 2) {
        int got = prctl(PR_SME_SET_VL_NUMBER, vl, 0, 0, 0); /* or the next that there is */
        lengths |= got > 0 && (got & SME_VL_LENGTH_MASK) == vl ? (uint32_t)vl : 0;
    }
    prctl(PR_SME_SET_VL_NUMBER, was, 0, 0, 0);
    return lengths;
}

int sl_isa_set_svl_bytes(size_t bytes)
{
    return prctl(PR_SME_SET_VL_NUMBER, (unsigned long)bytes, 0, 0, 0) < 0 ? -1 : 0;
}

uint32_t sl_isa_detect(void)
{
    unsigned long cap = getauxval(AT_HWCAP), cap2 = getauxval(AT_HWCAP2);
    uint32_t isa = SL_ISA_NONE;
    isa |= cap & hwcap_asimd ? SL_ISA_NEON : 0;
    isa |= cap & hwcap_asimdhp ? SL_ISA_FP16 : 0;
    isa |= cap & hwcap_asimddp ? SL_ISA_DOTPROD : 0;
    isa |= cap & hwcap_sve ? SL_ISA_SVE : 0;
    isa |= cap2 & hwcap2_i8mm ? SL_ISA_I8MM : 0;
    isa |= cap2 & hwcap2_bf16 ? SL_ISA_BF16 : 0;
    if (sl_isa_svl_bytes() > 0) {
        isa |= SL_ISA_SME;
        isa |= cap2 & hwcap2_sme2 ? SL_ISA_SME2 : 0;
    }
    return isa;
}
#else
size_t sl_isa_svl_bytes(void)
{
    return 0;
}

uint32_t sl_isa_svl_lengths(void)
{
    return 0;
}

int sl_isa_set_svl_bytes(size_t bytes)
{
    (void)bytes;
    return -1;
}

uint32_t sl_isa_detect(void)
{
    return SL_ISA_NONE;
}
#endif
