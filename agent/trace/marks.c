/* agent/trace/marks.c: order and alignment of these functions are part of the contract. */
#include "agent/trace/marks.h"

/* No sanitizer may add code or prefix data. */
#if defined(__has_attribute)
#if __has_attribute(disable_sanitizer_instrumentation)
#define SL_MARK_BARE                                                                               \
    __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined", "function")))
#endif
#endif
#ifndef SL_MARK_BARE
#define SL_MARK_BARE
#endif

/* The empty assembly keeps calls from being dropped. */
#define SL_MARK(name)                                                                              \
    __attribute__((noinline, used, section(SL_MARK_SECTION),                                       \
                   aligned(SL_MARK_STEP))) SL_MARK_BARE void                                       \
    name(void)                                                                                     \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
    }

SL_MARK(sl_mark_pause)
SL_MARK(sl_mark_resume)
SL_MARK(sl_mark_begin)
SL_MARK(sl_mark_end)
