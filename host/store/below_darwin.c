/* host/store/below_darwin.c */
#include "host/store/below.h"

#include <errno.h>

int sl_below_open(int at, const char *path, int flags)
{
    (void)at;
    (void)path;
    (void)flags;
    return -ENOSYS;
}
