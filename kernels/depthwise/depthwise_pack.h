/* kernels/depthwise/depthwise_pack.h: weights of a block of channels. Internal to the kernels. */
#pragma once

#include <stddef.h>
#include <string.h>

/* `count` channels of `from` from c on, zeros behind the last one and where `from` is NULL. Returns
 * the end of what was written. */
static inline __attribute__((always_inline)) void *sl_depthwise_put(const void *from,
                                                                    size_t element_bytes, size_t c,
                                                                    size_t channels, size_t count,
                                                                    void *out)
{
    size_t there = from && c < channels ? channels - c : 0;
    const char *at = from ? (const char *)from + c * element_bytes : NULL;
    if (there >= count) {
        memcpy(out, at, count * element_bytes);
    } else {
        memset(out, 0, count * element_bytes);
        if (there != 0)
            memcpy(out, at, there * element_bytes);
    }
    return (char *)out + count * element_bytes;
}
