/* agent/probe/health.c: Linux and Android; a Mac shows none of it to a program without rights.
 */
#include "agent/probe/health.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/probe/dumpsys.h"
#include "agent/probe/sysfs.h"
#include "common/base/child.h"
#include "common/base/path.h"

enum { MAX_ZONES = 128, TIMEOUT_MS = 1500 };

typedef void (*parse_fn)(const char *text, size_t len, struct sl_health *out);

static void read_zones(const char *root, const volatile sig_atomic_t *interrupted,
                       struct sl_health *out)
{
    uint32_t zones[MAX_ZONES];
    size_t count = sl_sysfs_indices(root, "sys/class/thermal", "thermal_zone", zones, MAX_ZONES);
    for (size_t i = 0; i < count && !*interrupted; i++) {
        char type[SL_HEALTH_NAME_BYTES];
        int64_t millidegrees;
        sl_sysfs_line(root, type, sizeof(type), "sys/class/thermal/thermal_zone%" PRIu32 "/type",
                      zones[i]);
        if (sl_sysfs_number(root, &millidegrees, "sys/class/thermal/thermal_zone%" PRIu32 "/temp",
                            zones[i]))
            sl_health_warm(out, millidegrees, type);
    }
}

static void read_supplies(const char *root, struct sl_health *out)
{
    static const char *const names[] = {"battery", "BAT0", "BAT1"};
    int64_t percent;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && out->battery_percent == 0; i++) {
        if (sl_sysfs_number(root, &percent, "sys/class/power_supply/%s/capacity", names[i]) &&
            percent > 0 && percent <= 100)
            out->battery_percent = (uint32_t)percent;
    }
}

/* Runs a program of Android's and reads what it prints. */
static void ask(const char *root, const char *const words[5],
                const volatile sig_atomic_t *interrupted, parse_fn parse, struct sl_health *out)
{
    char program[1024];
    const char *argv[6] = {program, words[1], words[2], words[3], words[4], NULL};
    const struct sl_child_spec spec = {
        .argv = argv, .timeout_ms = TIMEOUT_MS, .interrupted = interrupted};
    struct sl_child_result result;
    if (*interrupted || sl_path_join(program, sizeof(program), root, "%s", words[0]) < 0 ||
        access(program, X_OK) < 0 || sl_child_run(&spec, &result, NULL) < 0)
        return;
    if (result.exit_code == 0 && result.out.size > 0)
        parse((const char *)result.out.data, result.out.size, out);
    sl_child_fini(&result);
}

void sl_health_read(const char *root, const volatile sig_atomic_t *interrupted,
                    struct sl_health *out)
{
    static const char dumpsys[] = "system/bin/dumpsys", settings[] = "system/bin/settings";
    static const char *const thermal[5] = {dumpsys, "thermalservice"},
                             *const battery[5] = {dumpsys, "battery"},
                             *const saver[5] = {settings, "get", "global", "low_power"};
    *out = (struct sl_health){.power_saver = -1};
    read_zones(root, interrupted, out);
    read_supplies(root, out);
    if (!out->warmest[0])
        ask(root, thermal, interrupted, sl_dumpsys_thermal, out);
    if (!out->warmest[0] || out->battery_percent == 0)
        ask(root, battery, interrupted, sl_dumpsys_battery, out);
    ask(root, saver, interrupted, sl_dumpsys_power_saver, out);
}
