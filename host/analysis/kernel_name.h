/* host/analysis/kernel_name.h: what the name of a micro-kernel says, by the grammar of XNNPACK
 * (xnn_TYPES_OP..._ukernel_TILE__ISA), of our own (sl_OP_TYPES_..._ENGINE_TECHNIQUE) and of
 * KleidiAI's exported functions (kai_run_ and the same). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_KERNEL_PART_SIZE = 64 };

struct sl_kernel_name {
    char types[SL_KERNEL_PART_SIZE];     /* "f32", "qd8_f32_qc4w" */
    char operation[SL_KERNEL_PART_SIZE]; /* "gemm", "igemm", "x32_packw" -> "packw" */
    char variant[SL_KERNEL_PART_SIZE];   /* "minmax_fp32"; may be empty */
    char shape[SL_KERNEL_PART_SIZE];     /* "32x32c4"; may be empty */
    char isa[SL_KERNEL_PART_SIZE];       /* "neonsme2", "asm_aarch64_neonfma_ld128" */
    bool sme, sme2;                      /* needs SME1 as such, needs SME2: never both */
};

/* False when the name is of no such grammar; `out` is then empty but for what it says of SME. */
bool sl_kernel_name_parse(const char *name, size_t len, struct sl_kernel_name *out);

/* "SME2", "SME", "NEON" or "Other". */
const char *sl_kernel_architecture(const struct sl_kernel_name *name);
