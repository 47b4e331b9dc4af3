/* host/analysis/insn_work.c: encodings from the Arm Architecture Reference Manual, DDI 0487, C4. */
#include "host/analysis/insn_work.h"

#include <stddef.h>

struct pattern {
    uint32_t mask, bits;
    unsigned char work, units;
};

/* The first line that fits counts: what is special stands before what is general. */
static const struct pattern table[] = {
    /* SME: outer products */
    {0xffe00008, 0x80800000, SL_WORK_OUTER_F32, 1},
    {0xffe00008, 0x80800008, SL_WORK_OUTER_I8, 1}, /* of single bits */
    {0xffe00000, 0x80c00000, SL_WORK_OUTER_F64, 1},
    {0xfe800000, 0x80800000, SL_WORK_OUTER_F16, 1},
    {0xfec00008, 0xa0800000, SL_WORK_OUTER_I8, 1},
    {0xfec00008, 0xa0800008, SL_WORK_OUTER_I16, 1},
    {0xfec00000, 0xa0c00000, SL_WORK_OUTER_I16_I64, 1},
    /* SME: loads and stores of several vectors, of slices and of ZT0 */
    {0xfea08000, 0xa0000000, SL_WORK_Z_LOAD_2, 1},
    {0xfea08000, 0xa0008000, SL_WORK_Z_LOAD_4, 1},
    {0xfea08000, 0xa0200000, SL_WORK_Z_STORE, 2},
    {0xfea08000, 0xa0208000, SL_WORK_Z_STORE, 4},
    {0xfe200000, 0xe0000000, SL_WORK_ZA_LOAD, 1},
    {0xfe200000, 0xe0200000, SL_WORK_ZA_STORE, 1},
    /* SME: moves, zero, sums of rows, tables */
    {0xff380000, 0xc0000000, SL_WORK_ZA_MOVE, 1},
    {0xfff80000, 0xc0480000, SL_WORK_ZA_MOVE, 1}, /* ZT0 */
    {0xffb80000, 0xc0080000, SL_WORK_ZA_ZERO, 1},
    {0xffbe0000, 0xc0900000, SL_WORK_ZA_ADD_SLICE, 1},
    {0xff980000, 0xc0880000, SL_WORK_Z_LOOKUP, 1},
    /* SME2: several Z vectors, by two and four */
    {0xff21e000, 0xc1208000, SL_WORK_Z_2, 1}, /* SEL */
    {0xff21e000, 0xc1218000, SL_WORK_Z_4, 1},
    {0xff30e000, 0xc120e000, SL_WORK_Z_2, 1}, /* converts, unpacks, permutes */
    {0xff30e000, 0xc130e000, SL_WORK_Z_4, 1},
    {0xff20f000, 0xc120d000, SL_WORK_Z_2, 1}, /* ZIP and UZP of two */
    {0xff208800, 0xc1208000, SL_WORK_Z_2, 1},
    {0xff208800, 0xc1208800, SL_WORK_Z_4, 1},
    /* SME2: ZA vectors and one vector; 16-bit floats first */
    {0xfff01c00, 0xc1200c00, SL_WORK_ZA_DOT16_1, 1}, /* FMLAL */
    {0xfff01c00, 0xc1201000, SL_WORK_ZA_DOT16_2, 1}, /* FDOT, BFDOT */
    {0xfff01c00, 0xc1301000, SL_WORK_ZA_DOT16_4, 1},
    {0xfff01c00, 0xc1200800, SL_WORK_ZA_DOT16_2, 1}, /* FMLAL */
    {0xfff01c00, 0xc1300800, SL_WORK_ZA_DOT16_4, 1},
    {0xffb01400, 0xc1200400, SL_WORK_ZA_MAC_1, 1}, /* SMLAL, SMLALL */
    {0xffb08000, 0xc1200000, SL_WORK_ZA_MAC_2, 1},
    {0xffb08000, 0xc1300000, SL_WORK_ZA_MAC_4, 1},
    /* SME2: ZA vectors and as many vectors */
    {0xffe11c00, 0xc1a01000, SL_WORK_ZA_DOT16_2, 1},
    {0xffe11c00, 0xc1a11000, SL_WORK_ZA_DOT16_4, 1},
    {0xffe11c00, 0xc1a00800, SL_WORK_ZA_DOT16_2, 1},
    {0xffe11c00, 0xc1a10800, SL_WORK_ZA_DOT16_4, 1},
    {0xffa18000, 0xc1a00000, SL_WORK_ZA_MAC_2, 1},
    {0xffa18000, 0xc1a10000, SL_WORK_ZA_MAC_4, 1},
    /* SME2: ZA vectors and an element */
    {0xfff09028, 0xc1501008, SL_WORK_ZA_DOT16_2, 1}, /* FDOT, BFDOT */
    {0xfff09028, 0xc1509008, SL_WORK_ZA_DOT16_4, 1},
    {0xfff00000, 0xc1800000, SL_WORK_ZA_DOT16_1, 1}, /* FMLAL, BFMLAL */
    {0xfff08000, 0xc1900000, SL_WORK_ZA_DOT16_2, 1},
    {0xfff08000, 0xc1908000, SL_WORK_ZA_DOT16_4, 1},
    {0xff300000, 0xc1000000, SL_WORK_ZA_MAC_1, 1},
    {0xff308000, 0xc1100000, SL_WORK_ZA_MAC_2, 1},
    {0xff308000, 0xc1108000, SL_WORK_ZA_MAC_4, 1},
    /* SVE: memory */
    {0xffc0e000, 0x85804000, SL_WORK_Z_LOAD_1, 1}, /* LDR Z */
    {0xffc0e010, 0x85800000, SL_WORK_Z_LOAD_1, 1}, /* LDR P */
    {0xfe408000, 0x84408000, SL_WORK_Z_LOAD_1, 1}, /* LD1R */
    {0xfe60c000, 0xa420c000, SL_WORK_Z_LOAD_2, 1}, /* LD2 */
    {0xfe40c000, 0xa440c000, SL_WORK_Z_LOAD_4, 1}, /* LD3, LD4 */
    {0xfe000000, 0xa4000000, SL_WORK_Z_LOAD_1, 1},
    {0xffc0e000, 0xe5804000, SL_WORK_Z_STORE, 1}, /* STR Z */
    {0xffc0e010, 0xe5800000, SL_WORK_Z_STORE, 1}, /* STR P */
    {0xfe70e000, 0xe430e000, SL_WORK_Z_STORE, 2}, /* ST2 to ST4 */
    {0xfe70e000, 0xe450e000, SL_WORK_Z_STORE, 3},
    {0xfe70e000, 0xe470e000, SL_WORK_Z_STORE, 4},
    {0xfe60e000, 0xe4206000, SL_WORK_Z_STORE, 2},
    {0xfe60e000, 0xe4406000, SL_WORK_Z_STORE, 3},
    {0xfe60e000, 0xe4606000, SL_WORK_Z_STORE, 4},
    {0xfe60e000, 0xe4006000, SL_WORK_Z_STORE, 1}, /* STNT1 */
    {0xfe00e000, 0xe400e000, SL_WORK_Z_STORE, 1},
    {0xfe00e000, 0xe4004000, SL_WORK_Z_STORE, 1},
    /* SVE: what the core itself does with lengths and addresses */
    {0xff20f800, 0x0420e000, SL_WORK_ALU, 1}, /* CNTB, INCB */
    {0xff20f000, 0x0420f000, SL_WORK_ALU, 1}, /* SQINCB */
    {0xff20f000, 0x04205000, SL_WORK_ALU, 1}, /* ADDVL, RDVL, RDSVL */
    /* SVE: predicates */
    {0xffffc21f, 0x2550c000, SL_WORK_Z_TO_CORE, 1}, /* PTEST */
    {0xff3fc000, 0x25208000, SL_WORK_Z_TO_CORE, 1}, /* CNTP */
    {0xff38f800, 0x25288800, SL_WORK_Z_TO_CORE, 1}, /* INCP to a register */
    {0xff204000, 0x25004000, SL_WORK_PREDICATE, 1},
    {0xff208000, 0x25200000, SL_WORK_PREDICATE, 1}, /* WHILE, PEXT, PSEL */
    {0xff20e010, 0x05204000, SL_WORK_PREDICATE, 1}, /* permutes of predicates */
    {0xff2ee000, 0x0520a000, SL_WORK_Z_TO_CORE, 1}, /* LASTA, LASTB, CLASTA to a register */
    /* SVE: vectors */
    {0xfffffc00, 0x0420bc00, SL_WORK_Z_PREFIX, 1},
    {0xff3ee000, 0x04102000, SL_WORK_Z_PREFIX, 1},
    {0xff20e000, 0x04002000, SL_WORK_Z_REDUCE, 1},
    {0xff3ce000, 0x04140000, SL_WORK_Z_DIVIDE, 1},
    {0xff20c000, 0x04004000, SL_WORK_Z_MAC, 1}, /* MLA, MLS */
    {0xff20c000, 0x0400c000, SL_WORK_Z_MAC, 1}, /* MAD, MSB */
    {0xff208000, 0x44000000, SL_WORK_Z_MAC, 1}, /* SDOT, SMLALB ... */
    {0xff20f800, 0x4400c800, SL_WORK_Z_MAC, 1}, /* SDOT of two */
    {0xff20e000, 0x44200000, SL_WORK_Z_MAC, 1}, /* the same by element */
    {0xff20fc00, 0x45009800, SL_WORK_Z_MAC, 1}, /* SMMLA */
    {0xff20f800, 0x64200000, SL_WORK_Z_MAC, 1}, /* FMLA by element */
    {0xffa0fc00, 0x64204000, SL_WORK_Z_DOT16, 1},
    {0xffa0fc00, 0x64208000, SL_WORK_Z_DOT16, 1},
    {0xff20fc00, 0x6420e400, SL_WORK_Z_DOT16, 1}, /* BFMMLA */
    {0xff200000, 0x65200000, SL_WORK_Z_MAC, 1},
    {0xff3ee000, 0x650c8000, SL_WORK_Z_DIVIDE, 1},
    {0xff3fe000, 0x650da000, SL_WORK_Z_SQRT, 1},
    {0xff38e000, 0x65002000, SL_WORK_Z_REDUCE, 1},
    {0xff3fe000, 0x65182000, SL_WORK_Z_REDUCE, 1}, /* FADDA */
    {0x9e000000, 0x04000000, SL_WORK_Z_1, 1},
    /* Branches and system */
    {0xfffffeff, 0xd503447f, SL_WORK_ZA_SWITCH, 1},
    {0xfffffbff, 0xd503437f, SL_WORK_SM_START, 1}, /* with ZA or without */
    {0xfffffbff, 0xd503427f, SL_WORK_SM_STOP, 1},
    {0xfe000000, 0xd4000000, SL_WORK_SYSTEM, 1},
    {0x1c000000, 0x14000000, SL_WORK_BRANCH, 1},
    /* Data processing of the core */
    {0x1c000000, 0x10000000, SL_WORK_ALU, 1},
    {0x7fe0f800, 0x1ac00800, SL_WORK_DIVIDE, 1},
    {0x1f000000, 0x1b000000, SL_WORK_MULTIPLY, 1},
    {0x0e000000, 0x0a000000, SL_WORK_ALU, 1},
    /* Memory: NEON's structures, whole and by lane */
    {0xbf60f000, 0x0c402000, SL_WORK_LOAD, 4}, /* LD1 of four to one */
    {0xbf60f000, 0x0c406000, SL_WORK_LOAD, 3},
    {0xbf60f000, 0x0c407000, SL_WORK_LOAD, 1},
    {0xbf60f000, 0x0c40a000, SL_WORK_LOAD, 2},
    {0xbf60f000, 0x0c400000, SL_WORK_LOAD, 4}, /* LD4, LD3, LD2 */
    {0xbf60f000, 0x0c404000, SL_WORK_LOAD, 3},
    {0xbf60f000, 0x0c408000, SL_WORK_LOAD, 2},
    {0xbf60f000, 0x0c002000, SL_WORK_STORE, 4},
    {0xbf60f000, 0x0c006000, SL_WORK_STORE, 3},
    {0xbf60f000, 0x0c007000, SL_WORK_STORE, 1},
    {0xbf60f000, 0x0c00a000, SL_WORK_STORE, 2},
    {0xbf60f000, 0x0c000000, SL_WORK_STORE, 4},
    {0xbf60f000, 0x0c004000, SL_WORK_STORE, 3},
    {0xbf60f000, 0x0c008000, SL_WORK_STORE, 2},
    {0xbf602000, 0x0d400000, SL_WORK_LOAD, 1},
    {0xbf602000, 0x0d600000, SL_WORK_LOAD, 2},
    {0xbf602000, 0x0d402000, SL_WORK_LOAD, 3},
    {0xbf602000, 0x0d602000, SL_WORK_LOAD, 4},
    {0xbf602000, 0x0d000000, SL_WORK_STORE, 1},
    {0xbf602000, 0x0d200000, SL_WORK_STORE, 2},
    {0xbf602000, 0x0d002000, SL_WORK_STORE, 3},
    {0xbf602000, 0x0d202000, SL_WORK_STORE, 4},
    /* Memory: pairs, exclusive and ordered, literals, single registers */
    {0x3a400000, 0x28400000, SL_WORK_LOAD, 2},
    {0x3a400000, 0x28000000, SL_WORK_STORE, 2},
    {0x3f400000, 0x08400000, SL_WORK_LOAD, 1},
    {0x3f400000, 0x08000000, SL_WORK_STORE, 1},
    {0x3b000000, 0x18000000, SL_WORK_LOAD, 1},
    {0x3fe00c00, 0x19000000, SL_WORK_STORE, 1}, /* STLUR */
    {0x3f200c00, 0x19000000, SL_WORK_LOAD, 1},  /* LDAPUR */
    {0x3b200c00, 0x38200000, SL_WORK_LOAD, 1},  /* LDADD, SWP */
    {0x3ac00000, 0x38000000, SL_WORK_STORE, 1},
    {0xfec00000, 0x3c800000, SL_WORK_STORE, 1}, /* of a whole vector */
    {0x3a000000, 0x38000000, SL_WORK_LOAD, 1},  /* prefetches too */
    /* Scalar floats: conversions and moves between register files, comparisons */
    {0x5f26fc00, 0x1e220000, SL_WORK_NEON, 1}, /* SCVTF, UCVTF */
    {0x5f27fc00, 0x1e270000, SL_WORK_NEON, 1}, /* FMOV from the core */
    {0x5f20fc00, 0x1e200000, SL_WORK_NEON_TO_CORE, 1},
    {0x5f3e0000, 0x1e180000, SL_WORK_NEON_TO_CORE, 1}, /* FCVTZS of fixed point */
    {0x5f20fc00, 0x1e202000, SL_WORK_NEON_TO_CORE, 1}, /* FCMP */
    {0x5f200c00, 0x1e200400, SL_WORK_NEON_TO_CORE, 1}, /* FCCMP */
    {0x5f20fc00, 0x1e201800, SL_WORK_NEON_DIVIDE, 1},
    {0x5f3ffc00, 0x1e21c000, SL_WORK_NEON_DIVIDE, 1}, /* FSQRT */
    {0x5f000000, 0x1f000000, SL_WORK_NEON_MAC, 1},
    /* NEON */
    {0xbfe0ec00, 0x0e002c00, SL_WORK_NEON_TO_CORE, 1}, /* SMOV, UMOV */
    {0xbfa0fc00, 0x2e20fc00, SL_WORK_NEON_DIVIDE, 1},
    {0xbfe0fc00, 0x2e403c00, SL_WORK_NEON_DIVIDE, 1}, /* f16 */
    {0xbfbffc00, 0x2ea1f800, SL_WORK_NEON_DIVIDE, 1}, /* FSQRT */
    {0xbffffc00, 0x2ef9f800, SL_WORK_NEON_DIVIDE, 1},
    {0xbf20fc00, 0x0e20cc00, SL_WORK_NEON_MAC, 1}, /* FMLA, FMLS */
    {0xbf60fc00, 0x0e400c00, SL_WORK_NEON_MAC, 1}, /* f16 */
    {0xbf80b400, 0x0f801000, SL_WORK_NEON_MAC, 1}, /* by element */
    {0xbfc0b400, 0x0f001000, SL_WORK_NEON_MAC, 1},
    {0xbf80b400, 0x1f801000, SL_WORK_NEON_MAC, 1}, /* the same of scalars */
    {0xbf60fc00, 0x0e20ec00, SL_WORK_NEON_MAC, 1}, /* FMLAL, FMLSL */
    {0xbf60fc00, 0x2e20cc00, SL_WORK_NEON_MAC, 1}, /* FMLAL2, FMLSL2 */
    {0xbfc0b400, 0x0f800000, SL_WORK_NEON_MAC, 1},
    {0xbfc0b400, 0x2f808000, SL_WORK_NEON_MAC, 1},
    {0x9f20fc00, 0x0e009400, SL_WORK_NEON_MAC, 1}, /* SDOT, UDOT; SQRDMLAH's space has bit 11 */
    {0xbf20fc00, 0x0e009c00, SL_WORK_NEON_MAC, 1}, /* USDOT */
    {0x9f20f400, 0x0e00a400, SL_WORK_NEON_MAC, 1}, /* SMMLA, UMMLA, USMMLA */
    {0xbf20ec00, 0x2e00ec00, SL_WORK_NEON_MAC, 1}, /* BFMMLA, BFDOT, BFMLAL */
    {0x9f00f400, 0x0f00e000, SL_WORK_NEON_MAC, 1}, /* SDOT, UDOT by element */
    {0xbf00f400, 0x0f00f000, SL_WORK_NEON_MAC, 1}, /* BFDOT, USDOT, BFMLAL by element */
    {0x9f20fc00, 0x0e209400, SL_WORK_NEON_MAC, 1}, /* MLA, MLS */
    {0xbf00b400, 0x2f000000, SL_WORK_NEON_MAC, 1}, /* by element */
    {0x9f20dc00, 0x0e208000, SL_WORK_NEON_MAC, 1}, /* SMLAL, SMLSL */
    {0x9f00b400, 0x0f002000, SL_WORK_NEON_MAC, 1},
    {0x0e000000, 0x0e000000, SL_WORK_NEON, 1},
};

struct sl_insn_work sl_insn_work(uint32_t word)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if ((word & table[i].mask) == table[i].bits)
            return (struct sl_insn_work){.work = table[i].work, .units = table[i].units};
    }
    return (struct sl_insn_work){.work = SL_WORK_UNCLASSIFIED, .units = 1};
}

const char *sl_work_name(int work)
{
    static const char *const names[] = {
#define SL_WORK(id, name) name,
#include "host/analysis/insn_work.inc"
#undef SL_WORK
    };
    return names[work];
}
