/* host/analysis/block_work.h: what one execution of a block of instructions keeps busy, without any
 * figure of silicon. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/analysis/insn_work.h"

struct sl_block_work {
    uint32_t insns;
    uint32_t units[SL_WORK_COUNT]; /* instructions, or registers of loads and stores */
    /* The multiply-accumulates of a class on the one accumulator that has most of them, if the
     * block jumps back to itself: each waits for the one before it. Else 0. */
    uint32_t chain[SL_WORK_COUNT];
};

/* `words` are `count` instructions, the first at guest address `pc`. */
void sl_block_work_make(const uint32_t *words, size_t count, uint64_t pc,
                        struct sl_block_work *out);
