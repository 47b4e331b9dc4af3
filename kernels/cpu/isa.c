/* kernels/cpu/isa.c */
#include "kernels/cpu/isa.h"

#include <stdio.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/types.h>

#include <sys/sysctl.h>
#endif

#include "kernels/cpu/sve.h"

static const struct {
    const char *name;
    uint32_t bit;
} names[] = {
    {"neon", SL_ISA_NEON}, {"fp16", SL_ISA_FP16}, {"dotprod", SL_ISA_DOTPROD},
    {"i8mm", SL_ISA_I8MM}, {"bf16", SL_ISA_BF16}, {"sve", SL_ISA_SVE},
    {"sme", SL_ISA_SME},   {"sme2", SL_ISA_SME2},
};

#if defined(__aarch64__) && defined(__linux__)
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
#elif defined(__aarch64__) && defined(__APPLE__)
static uint32_t sysctl_number(const char *name)
{
    uint32_t value = 0;
    size_t size = sizeof(value);
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

size_t sl_isa_svl_bytes(void)
{
    return sysctl_number("hw.optional.arm.sme_max_svl_b");
}

uint32_t sl_isa_svl_lengths(void)
{
    return (uint32_t)sl_isa_svl_bytes(); /* the only one */
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
#else
size_t sl_isa_svl_bytes(void)
{
    return 0;
}

uint32_t sl_isa_svl_lengths(void)
{
    return 0;
}

uint32_t sl_isa_detect(void)
{
    return SL_ISA_NONE;
}
#endif

/* The bit of one name of `length` bytes, 0 when there is none. */
static uint32_t bit_named(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, text, length) == 0)
            return names[i].bit;
    return 0;
}

static int64_t parse_list(const char *text, uint32_t detected)
{
    uint32_t isa = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        uint32_t bit = bit_named(text, length);
        if (!bit)
            return -1;
        isa |= bit;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    return isa & ~detected ? -2 : (int64_t)isa;
}

int64_t sl_isa_parse(const char *text, uint32_t detected)
{
    if (strcmp(text, "sme2") == 0)
        return detected & SL_ISA_SME2 ? (int64_t)detected : -2;
    if (strcmp(text, "nosme2") == 0)
        return detected & ~(uint32_t)(SL_ISA_SME | SL_ISA_SME2);
    if (strcmp(text, "portable") == 0)
        return SL_ISA_NONE;
    return parse_list(text, detected); /* "neon" is a list of one */
}

void sl_isa_format(uint32_t isa, char *out, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < size; i++)
        if (isa & names[i].bit)
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", names[i].name);
    if (used == 0)
        snprintf(out, size, "portable");
}
