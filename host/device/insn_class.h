/* host/device/insn_class.h: what kind of work an A64 instruction does, by its encoding. */
#pragma once

#include <stdint.h>

enum sl_insn_class {
    SL_INSN_ANY = 0,    /* every instruction */
    SL_INSN_OUTER,      /* SME outer products: *MOPA, *MOPS */
    SL_INSN_VECTOR_MAC, /* vector multiply-accumulates: NEON, SVE, SME2 into ZA array vectors */
    SL_INSN_SMSTART,    /* SMSTART, of streaming mode, of ZA or of both */
    SL_INSN_PACKING,    /* in a function that packs: by its name, not by their encoding */
    SL_INSN_CLASS_COUNT,
};

/* The class besides SL_INSN_ANY that the instruction belongs to, or SL_INSN_ANY if to none. */
int sl_insn_classify(uint32_t word);
