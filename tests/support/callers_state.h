/* tests/support/callers_state.h: what a caller of an SME2 kernel may rely on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef void (*sl_thunk_fn)(const void *context);

/* Calls thunk(context) with a live ZA and values in d8-d15. Fails unless both survive, ZA in its
 * place or saved as the ABI has it, and streaming mode is off afterwards. Needs SME2. */
void sl_case_survives(const char *name, sl_thunk_fn thunk, const void *context);

/* True for a kernel of SME2 that runs here. */
bool sl_case_is_sme2(const char *name, uint32_t needs);
