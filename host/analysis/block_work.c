/* host/analysis/block_work.c */
#include "host/analysis/block_work.h"

#include <stdbool.h>
#include <string.h>

enum { REGISTERS = 32, GROUPS = 32, ACCUMULATORS = REGISTERS > GROUPS ? REGISTERS : GROUPS };

/* The signed field of `bits` bits at `shift`, of instructions, in bytes. */
static uint64_t offset_of(uint32_t word, unsigned shift, unsigned bits)
{
    uint64_t field = word >> shift & ((UINT32_C(1) << bits) - 1);
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return ((field ^ sign) - sign) * 4;
}

/* True if the block ends in a branch to its own begin. */
static bool loops(const uint32_t *words, size_t count, uint64_t pc)
{
    uint32_t last = words[count - 1];
    uint64_t target = pc + 4 * (uint64_t)(count - 1);
    if ((last & 0xff000000) == 0x54000000 || (last & 0x7e000000) == 0x34000000)
        target += offset_of(last, 5, 19); /* B.cond, CBZ, CBNZ */
    else if ((last & 0x7e000000) == 0x36000000)
        target += offset_of(last, 5, 14); /* TBZ, TBNZ */
    else if ((last & 0xfc000000) == 0x14000000)
        target += offset_of(last, 0, 26); /* B */
    else
        return false;
    return target == pc;
}

static bool is_outer(int work)
{
    return work >= SL_WORK_OUTER_F32 && work <= SL_WORK_OUTER_I16_I64;
}

static bool is_za_vectors(int work)
{
    return work >= SL_WORK_ZA_MAC_1 && work <= SL_WORK_ZA_DOT16_4;
}

static bool is_register_mac(int work)
{
    return work == SL_WORK_NEON_MAC || work == SL_WORK_Z_MAC || work == SL_WORK_Z_DOT16;
}

/* FMADD adds a register of its own: only where that is the result does it accumulate. */
static bool accumulates(uint32_t word)
{
    return (word & 0x5f000000) != 0x1f000000 || (word & 31) == (word >> 10 & 31);
}

/* The tile, the group of ZA vectors (select register and offset) or the vector it adds to. */
static uint32_t accumulator_of(uint32_t word, int work)
{
    if (is_za_vectors(work))
        return (word >> 13 & 3) * 8 + (word & 7);
    return is_outer(work) ? word & 7 : word & 31;
}

/* Registers that something else than a multiply-accumulate writes: their sums begin anew in each
 * execution of the block, so nothing waits for the last one. Bit n is register n. */
static uint32_t written(const uint32_t *words, size_t count)
{
    uint32_t registers = 0;
    for (size_t i = 0; i < count; i++) {
        int work = sl_insn_work(words[i]).work;
        bool vectors = work == SL_WORK_NEON || work == SL_WORK_NEON_DIVIDE ||
                       (work == SL_WORK_ZA_MOVE && (words[i] & 0x20000) != 0) ||
                       work == SL_WORK_Z_1 ||
                       (work >= SL_WORK_Z_LOAD_1 && work <= SL_WORK_Z_LOAD_4) ||
                       (work == SL_WORK_LOAD && (words[i] & 0x04000000) != 0) ||
                       (is_register_mac(work) && !accumulates(words[i]));
        if (vectors)
            registers |= UINT32_C(1) << (words[i] & 31);
        if (work == SL_WORK_LOAD && (words[i] & 0x3e400000) == 0x2c400000)
            registers |= UINT32_C(1) << (words[i] >> 10 & 31); /* the second of a pair */
    }
    return registers;
}

static void find_chains(const uint32_t *words, size_t count, struct sl_block_work *out)
{
    uint32_t sums[SL_WORK_COUNT][ACCUMULATORS] = {{0}};
    uint32_t fresh = written(words, count);
    for (size_t i = 0; i < count; i++) {
        int work = sl_insn_work(words[i]).work;
        if (!is_outer(work) && !is_za_vectors(work) && !is_register_mac(work))
            continue;
        uint32_t at = accumulator_of(words[i], work);
        if (is_register_mac(work) && (fresh >> at & 1 || !accumulates(words[i])))
            continue;
        if (++sums[work][at] > out->chain[work])
            out->chain[work] = sums[work][at];
    }
}

void sl_block_work_make(const uint32_t *words, size_t count, uint64_t pc, struct sl_block_work *out)
{
    memset(out, 0, sizeof(*out));
    out->insns = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct sl_insn_work insn = sl_insn_work(words[i]);
        out->units[insn.work] += insn.units;
    }
    if (count > 0 && loops(words, count, pc))
        find_chains(words, count, out);
}
