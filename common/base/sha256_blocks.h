/* common/base/sha256_blocks.h: SHA-256's inner function by the CPU's own instructions, where it has
 * them: five to ten times as fast as without. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_SHA256_BLOCK_BYTES = 64 };

/* Takes whole blocks into the state. How many were taken: all, or 0 where the CPU cannot. */
size_t sl_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);
