/* common/base/bytes.h: little-endian loads and stores at any alignment. The
 * casts are for agent/executorch, which includes it from C++. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A borrowed run of bytes. */
struct sl_bytes {
    const uint8_t *data;
    size_t size;
};

static inline uint16_t sl_load_u16(const void *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t sl_load_u32(const void *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t sl_load_u64(const void *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint64_t)sl_load_u32(b) | (uint64_t)sl_load_u32(b + 4) << 32;
}

static inline float sl_load_f32(const void *at)
{
    uint32_t bits = sl_load_u32(at);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline double sl_load_f64(const void *at)
{
    uint64_t bits = sl_load_u64(at);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline void sl_store_u16(void *at, uint16_t value)
{
    uint8_t *b = (uint8_t *)at;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
}

static inline void sl_store_u32(void *at, uint32_t value)
{
    uint8_t *b = (uint8_t *)at;
    sl_store_u16(b, (uint16_t)value);
    sl_store_u16(b + 2, (uint16_t)(value >> 16));
}

static inline void sl_store_u64(void *at, uint64_t value)
{
    uint8_t *b = (uint8_t *)at;
    sl_store_u32(b, (uint32_t)value);
    sl_store_u32(b + 4, (uint32_t)(value >> 32));
}

/* 1 if [offset, offset + length) lies inside `size`; no sum can wrap. */
static inline int sl_range_ok(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}
