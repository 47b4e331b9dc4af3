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
#include "kernels/cpu/small.h"

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
