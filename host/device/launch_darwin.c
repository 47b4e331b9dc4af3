/* host/device/launch_darwin.c */
#include "host/device/launch.h"

#include <sys/sysctl.h>

bool sl_device_local_has_sme2(void)
{
    int has = 0;
    size_t size = sizeof(has);
    return sysctlbyname("hw.optional.arm.FEAT_SME2", &has, &size, NULL, 0) == 0 && has != 0;
}
