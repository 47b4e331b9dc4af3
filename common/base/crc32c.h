/* common/base/crc32c.h: CRC-32C (Castagnoli, RFC 3720 appendix B.4). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The CRC of the bytes that `crc` stands for (0 for none) followed by `len` more. */
uint32_t sl_crc32c(uint32_t crc, const void *bytes, size_t len);

/* The same by tables, on any CPU; here both CRCs are inverted. */
uint32_t sl_crc32c_by_table(uint32_t crc, const uint8_t *bytes, size_t len);
