/* kernels/cpu/denormals.h: whether subnormal floats count as zero on this thread. */
#pragma once

#include <stdint.h>

/* From here on subnormal operands and results are zero, f32 and half precision; returns what
 * sl_denormals_restore() needs. XNNPACK computes so, and sums of halves show it. Where this is not
 * aarch64, nothing changes. */
static inline uint64_t sl_denormals_flush(void)
{
    uint64_t before = 0;
#if defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    uint64_t flushing = before | 1u << 24 | 1u << 19; /* FZ, FZ16 */
    __asm__ volatile("msr fpcr, %0" : : "r"(flushing) : "memory");
#endif
    return before;
}

/* As it is, for another thread's sl_denormals_restore(). */
static inline uint64_t sl_denormals_now(void)
{
    uint64_t now = 0;
#if defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
#endif
    return now;
}

static inline void sl_denormals_restore(uint64_t before)
{
#if defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before) : "memory");
#else
    (void)before;
#endif
}
