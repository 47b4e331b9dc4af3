/* host/device/insn_class.c: encodings from the Arm Architecture Reference Manual, DDI 0487, C4. */
#include "host/device/insn_class.h"

#include <stdbool.h>
#include <stddef.h>

struct pattern {
    uint32_t mask, bits;
};

static const struct pattern macs[] = {
    {0xbfa0fc00, 0x0e20cc00}, /* FMLA (vector) f32, f64 */
    {0xbfa0fc00, 0x0ea0cc00}, /* FMLS (vector) */
    {0xbf60fc00, 0x0e400c00}, /* FMLA, FMLS (vector) f16 */
    {0xbf80b400, 0x0f801000}, /* FMLA, FMLS (by element) f32, f64 */
    {0xbfc0b400, 0x0f001000}, /* the same, f16 */
    {0xbf60fc00, 0x0e20ec00}, /* FMLAL, FMLSL */
    {0x9fe0fc00, 0x0e809400}, /* MLA, SDOT, UDOT: sz 10 without and with U */
    {0xbfc0f400, 0x0f80e000}, /* SDOT (by element) */
    {0xbfc0f400, 0x2f80e000}, /* UDOT (by element) */
    {0xbf20fc00, 0x0e209400}, /* MLA (vector) */
    {0xbfe0fc00, 0x0e809c00}, /* USDOT */
    {0x9fe0f400, 0x0e80a400}, /* SMMLA, UMMLA, USMMLA */
    {0xffe0ec00, 0x6e40ec00}, /* BFMMLA, BFDOT */
    {0xff200000, 0x65200000}, /* SVE predicated FMLA, FMLS, FNMLA, FNMLS, FMAD, FMSB ... */
    {0xffa0f800, 0x64200000}, /* SVE FMLA, FMLS (indexed) f16 */
    {0xffa0f800, 0x64a00000}, /* SVE FMLA, FMLS (indexed) f32, f64 */
    {0xff20f800, 0x44000000}, /* SVE SDOT, UDOT */
    {0xffa09c10, 0xc1201800}, /* SME2 FMLA, FMLS: several vectors and one */
    {0xffa09c10, 0xc1a01800}, /* SME2 FMLA, FMLS: several vectors and several */
    {0xfff01020, 0xc1500000}, /* SME2 FMLA, FMLS by element */
    {0xffa09810, 0xc1201000}, /* SME2 dot products: several vectors and one */
    {0xffa09810, 0xc1a01000}, /* SME2 dot products: several vectors and several */
    {0xfff01020, 0xc1501020}, /* SME2 dot products by element */
};

static bool is_mac(uint32_t word)
{
    for (size_t i = 0; i < sizeof(macs) / sizeof(macs[0]); i++) {
        if ((word & macs[i].mask) == macs[i].bits)
            return true;
    }
    return false;
}

int sl_insn_classify(uint32_t word)
{
    /* "SME outer product": 32- and 64-bit tiles, floats and integers, add and subtract. */
    if ((word & 0xde800000) == 0x80800000)
        return SL_INSN_OUTER;
    /* MSR SVCRSM, SVCRZA, SVCRSMZA with #1. */
    if (word == 0xd503437f || word == 0xd503457f || word == 0xd503477f)
        return SL_INSN_SMSTART;
    return is_mac(word) ? SL_INSN_VECTOR_MAC : SL_INSN_ANY;
}
