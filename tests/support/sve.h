/* tests/support/sve.h: has the CPU SVE outside streaming mode too? The emulated ones tell
 * themselves apart by that. */
#pragma once

#include <stdbool.h>

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

static inline bool sl_case_has_sve(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
}
#else
static inline bool sl_case_has_sve(void)
{
    return false;
}
#endif
