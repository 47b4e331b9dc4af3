/* agent/probe/sysctl_darwin.c */
#include "agent/probe/sysctl.h"

#include <sys/sysctl.h>

bool sl_sysctl_number(const char *name, int64_t *out)
{
    int64_t value = 0;
    size_t size = sizeof(value);
    if (sysctlbyname(name, &value, &size, NULL, 0) != 0 || size > sizeof(value))
        return false;
    *out = size == sizeof(int32_t) ? (int32_t)value : value;
    return true;
}

void sl_sysctl_text(const char *name, char *out, size_t size)
{
    size_t len = size - 1;
    if (sysctlbyname(name, out, &len, NULL, 0) != 0)
        len = 0;
    out[len] = '\0';
}
