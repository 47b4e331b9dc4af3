/* host/device/launch_linux.c */
#include "host/device/launch.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

bool sl_device_local_has_sme2(void)
{
#if defined(__aarch64__)
    return getauxval(AT_HWCAP2) >> 37 & 1; /* HWCAP2_SME2 */
#else
    return false;
#endif
}
