/* tests/fuzz/fuzz_probe.c: the bytes are a file of /sys or /proc, or what a program of Android's
 * prints, read by each of the parsers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/probe/cores.h"
#include "agent/probe/dumpsys.h"
#include "agent/probe/sysfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_conditions(const char *text, size_t size)
{
    struct sl_health now = {.power_saver = -1};
    sl_dumpsys_thermal(text, size, &now);
    sl_dumpsys_battery(text, size, &now);
    sl_dumpsys_power_saver(text, size, &now);
    if (now.battery_percent > 100 || !memchr(now.warmest, '\0', sizeof(now.warmest)) ||
        now.millidegrees < -40000 || now.millidegrees > 150000)
        abort();
    for (const char *at = now.warmest; *at; at++)
        if (*at <= ' ' || *at > '~')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    bool flags[SL_SYSFS_MAX_INDEX], any = false;
    int64_t number = 0;
    uint64_t bytes;
    if (sl_sysfs_parse_number(text, size, &number))
        (void)sl_probe_core_name(number);
    bool known = sl_sysfs_parse_list(text, size, flags);
    for (size_t i = 0; i < SL_SYSFS_MAX_INDEX; i++)
        any = any || flags[i];
    if (any && !known)
        abort();
    sl_sysfs_parse_meminfo(text, size, "MemTotal", &bytes);
    sl_sysfs_parse_meminfo(text, size, "MemAvailable", &bytes);
    read_conditions(text, size);
    return 0;
}
