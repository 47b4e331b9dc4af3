/* kernels/cpu/policy.h: which families of kernels run in streaming mode where the CPU has it.
 *
 * Fewer instructions are not less time: some silicon runs plain vector code slowly in streaming
 * mode. So a run's mask (isa.h) also has a bit for each family that it keeps out of that mode: the
 * family's _select() then passes over kernels that need SME or SME2. A class of a family's shapes
 * or types has a bit of its own. policy.inc is the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"

enum sl_policy_family {
#define SL_POLICY(family, name, streams, about) SL_POLICY_##family,
#include "kernels/cpu/policy.inc"
#undef SL_POLICY
    SL_POLICY_END
};

enum { SL_POLICY_SHIFT = 8, SL_POLICY_TEXT_BYTES = 256 };
_Static_assert((int)SL_POLICY_SHIFT + (int)SL_POLICY_END <= 32, "a mask has room for every family");

/* The bit of a mask that keeps a family out of streaming mode. */
#define SL_POLICY_BIT(family) (UINT32_C(1) << (SL_POLICY_SHIFT + (family)))

/* The mask as the family's kernels see it. */
static inline uint32_t sl_policy_isa(uint32_t isa, int family)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2;
    return isa & SL_POLICY_BIT(family) ? isa & ~sme : isa;
}

/* Small: [m][k] by [k][n] with few multiply-adds, or with few rows or columns of a tile in use.
 * There the way into streaming mode, or what the tile leaves empty, takes longer than the core
 * needs for the whole (configs/silicon/README.md). */
enum {
    SL_POLICY_SMALL_MACS = 8192,
    SL_POLICY_SMALL_INT8_MACS = 65536, /* with several rows: they may be quantised first */
    SL_POLICY_FEW = 8,
    SL_POLICY_FEW_COLUMNS = 16, /* of one row, and of int8 */
    SL_POLICY_SHORT_SUM = 64, /* of int8 rows: what is done to each sum takes longer than the sum */
};

static inline bool sl_policy_few_macs(size_t m, size_t n, size_t k)
{
    return (double)m * (double)n * (double)k < (double)SL_POLICY_SMALL_MACS;
}

static inline bool sl_policy_small(size_t m, size_t n, size_t k)
{
    return sl_policy_few_macs(m, n, k) || n < (m > 1 ? SL_POLICY_FEW : SL_POLICY_FEW_COLUMNS);
}

static inline bool sl_policy_small_int8(size_t m, size_t n, size_t k)
{
    bool rows = m > 1 && (m < SL_POLICY_FEW || k <= SL_POLICY_SHORT_SUM ||
                          (double)m * (double)n * (double)k < (double)SL_POLICY_SMALL_INT8_MACS);
    return rows || n < SL_POLICY_FEW_COLUMNS || sl_policy_few_macs(m, n, k);
}

/* The name of a family below SL_POLICY_END, and what it is in a few words. */
const char *sl_policy_name(int family);
const char *sl_policy_about(int family);

/* The bits of the families that the default table keeps out. */
uint32_t sl_policy_default(void);

/* The bits of a comma list of names; "default", and "none" for no family. -1: an unknown name. */
int64_t sl_policy_parse(const char *text);

/* Writes the names of the families that the mask keeps out, separated by commas, "none" for no
 * family; SL_POLICY_TEXT_BYTES are enough for all. */
void sl_policy_format(uint32_t isa, char out[SL_POLICY_TEXT_BYTES]);
