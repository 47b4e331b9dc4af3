/* tests/fuzz/fuzz_probe.c: the bytes are a file of /sys or /proc, read by each of the parsers. */
#include <stdint.h>
#include <stdlib.h>

#include "agent/probe/cores.h"
#include "agent/probe/sysfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    return 0;
}
