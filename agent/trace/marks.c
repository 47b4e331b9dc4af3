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
SL_MARK(sl_mark_zero)
SL_MARK(sl_mark_one)

static void tell(uint64_t address)
{
    for (int bit = 63; bit >= 0; bit--)
        (address >> bit & 1 ? sl_mark_one : sl_mark_zero)();
}

void sl_marks_tell_packing(uint64_t begin, uint64_t end)
{
    sl_mark_pause();
    tell(begin);
    tell(end);
    sl_mark_resume();
}
