/* kernels/cpu/isa.h: what the CPU can do, as bits, and which of it a run allows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A kernel names the bits it needs; it may run when all of them are in the mask of its run. Bits
 * from the eighth on say what the run keeps out of streaming mode (policy.h). */
enum sl_isa {
    SL_ISA_NONE = 0, /* portable C */
    SL_ISA_NEON = 1u << 0,
    SL_ISA_FP16 = 1u << 1, /* half-precision arithmetic */
    SL_ISA_DOTPROD = 1u << 2,
    SL_ISA_I8MM = 1u << 3,
    SL_ISA_BF16 = 1u << 4,
    SL_ISA_SME = 1u << 5,
    SL_ISA_SME2 = 1u << 6, /* outer products and streaming SVE; implies nothing about SVE outside
                              streaming mode */
};

/* The bits of this CPU, by HWCAP and HWCAP2 (Linux) or sysctl (macOS); no instruction is tried out.
 * SME bits need both the HWCAP2 bit and a vector length from prctl(PR_SME_GET_VL). */
uint32_t sl_isa_detect(void);

/* Streaming vector length in bytes, 0 without SME. By prctl, so it may be asked before any mask is
 * chosen. */
size_t sl_isa_svl_bytes(void);

/* Each length that the CPU may be set to, as the sum of them in bytes (they are powers of two); 0
 * where that is not known. Sets each in turn and then the one that was: not while anything of SME
 * runs on this thread. */
uint32_t sl_isa_svl_lengths(void);

/* Sets it for the calling thread and those that it begins; macOS has one length and takes no other.
 * 0, or -1 where it cannot be had. Not while anything of SME runs on this thread. */
int sl_isa_set_svl_bytes(size_t bytes);

/* Parses "sme2" (all the CPU has), "nosme2" (all but SME and SME2), "neon" (base NEON only),
 * "portable" (none) or a comma list of bit names. Bits that `detected` lacks are refused: returns
 * the mask, or -1 for an unknown word, -2 for a bit the CPU lacks. */
int64_t sl_isa_parse(const char *text, uint32_t detected);

/* Writes the names of these bits, separated by commas ("portable" for none), cut at `size`. */
void sl_isa_format(uint32_t isa, char *out, size_t size);
