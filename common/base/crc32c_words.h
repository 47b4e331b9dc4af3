/* common/base/crc32c_words.h: the inner loop of CRC-32C by the CPU's own instructions, where it has
 * them. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes `count` words of eight bytes into *crc, which is inverted as in the loop of sl_crc32c().
 * How many were taken: all, or 0 where the CPU cannot. */
size_t sl_crc32c_words(uint32_t *crc, const uint8_t *bytes, size_t count);
