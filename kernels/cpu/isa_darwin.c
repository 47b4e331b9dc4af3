/* kernels/cpu/isa_darwin.c: by sysctl. No Mac has SVE outside streaming mode, so that bit is never
 * set. */
#include "kernels/cpu/isa.h"

#include <sys/types.h>

#include <sys/sysctl.h>

/* Some are four bytes long, some eight. */
static uint32_t sysctl_number(const char *name)
{
    uint64_t value = 0;
    size_t size = sizeof(value);
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 ? (uint32_t)value : 0;
}

size_t sl_isa_svl_bytes(void)
{
    return sysctl_number("hw.optional.arm.sme_max_svl_b");
}

uint32_t sl_isa_svl_lengths(void)
{
    return (uint32_t)sl_isa_svl_bytes(); /* the only one */
}

int sl_isa_set_svl_bytes(size_t bytes)
{
    return bytes == sl_isa_svl_bytes() ? 0 : -1;
}

uint32_t sl_isa_detect(void)
{
    uint32_t isa = SL_ISA_NEON;
    isa |= sysctl_number("hw.optional.arm.FEAT_FP16") ? SL_ISA_FP16 : 0;
    isa |= sysctl_number("hw.optional.arm.FEAT_DotProd") ? SL_ISA_DOTPROD : 0;
    isa |= sysctl_number("hw.optional.arm.FEAT_I8MM") ? SL_ISA_I8MM : 0;
    isa |= sysctl_number("hw.optional.arm.FEAT_BF16") ? SL_ISA_BF16 : 0;
    if (sl_isa_svl_bytes() > 0) {
        isa |= sysctl_number("hw.optional.arm.FEAT_SME") ? SL_ISA_SME : 0;
        isa |= sysctl_number("hw.optional.arm.FEAT_SME2") ? SL_ISA_SME2 : 0;
    }
    return isa;
}
