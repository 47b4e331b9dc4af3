/* host/analysis/insn_work.h: what an A64 instruction keeps busy, by its encoding. Tests hold the
 * table against LLVM's disassembler. */
#pragma once

#include <stdint.h>

enum sl_work {
#define SL_WORK(id, name) SL_WORK_##id,
#include "host/analysis/insn_work.inc"
#undef SL_WORK
    SL_WORK_COUNT
};

struct sl_insn_work {
    int work;       /* enum sl_work */
    unsigned units; /* registers that are loaded or stored; else 1 */
};

struct sl_insn_work sl_insn_work(uint32_t word);

/* The name of a class, as profiles spell it; `work` in range. */
const char *sl_work_name(int work);
