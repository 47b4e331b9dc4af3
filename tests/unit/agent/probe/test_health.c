/* tests/unit/agent/probe/test_health.c: devices of folders and scripts. */
#include "agent/probe/dumpsys.h"
#include "agent/probe/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/test.h"

#define ZONE(n, type, temp)                                                                        \
    "mkdir -p sys/class/thermal/thermal_zone" #n " && echo " type                                  \
    " >sys/class/thermal/thermal_zone" #n "/type && echo " temp                                    \
    " >sys/class/thermal/thermal_zone" #n "/temp"
/* `dumpsys SERVICE` prints what the file SERVICE has, `settings get global low_power` 1. */
#define ANDROID                                                                                    \
    "mkdir -p system/bin && printf '#!/bin/sh\\ncat \"${0%%/*}/$1\"\\n' >system/bin/dumpsys && "   \
    "printf '#!/bin/sh\\n[ \"$*\" = \"get global low_power\" ] && echo 1\\n' "                     \
    ">system/bin/settings && chmod 755 system/bin/* && cd system/bin && "                          \
    "echo 'Temperature{mValue=36.6, mName=skin}' >thermalservice && "                              \
    "printf 'level: 40\\nscale: 100\\ntemperature: 301\\n' >battery && cd ../.."

/* The conditions of what the shell makes in an empty folder. */
static struct sl_health of(const char *device, sig_atomic_t interrupted)
{
    char folder[] = "/tmp/sl-health-XXXXXX", command[2048];
    volatile sig_atomic_t stop = interrupted;
    struct sl_health conditions;
    assert_non_null(mkdtemp(folder));
    int size = snprintf(command, sizeof(command), "cd %s && %s", folder, device);
    assert_true(size > 0 && (size_t)size < sizeof(command));
    assert_int_equal(system(command), 0);
    sl_health_read(folder, &stop, &conditions);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return conditions;
}

TEST(the_warmest_zone_that_can_be_a_temperature_is_taken)
{
    struct sl_health now = of(ZONE(0, "soc", "41500") " && " ZONE(1, "cpu-1", "52000") " && " ZONE(
                                  2, "vbat", "4123000") " && " ZONE(3, "broken", "none"),
                              0);
    assert_int_equal(now.millidegrees, 52000);
    assert_string_equal(now.warmest, "cpu-1");
    assert_int_equal(now.battery_percent, 0);
    assert_int_equal(now.power_saver, -1);
}

TEST(a_supply_of_linux_tells_the_battery)
{
    assert_int_equal(of("mkdir -p sys/class/power_supply/BAT0 && echo 83 "
                        ">sys/class/power_supply/BAT0/capacity",
                        0)
                         .battery_percent,
                     83);
    assert_int_equal(of("mkdir -p sys/class/power_supply/battery && echo 830 "
                        ">sys/class/power_supply/battery/capacity",
                        0)
                         .battery_percent,
                     0);
}

TEST(an_android_that_hides_its_zones_is_asked)
{
    struct sl_health now = of(ANDROID, 0);
    assert_int_equal(now.millidegrees, 36600);
    assert_string_equal(now.warmest, "skin");
    assert_int_equal(now.battery_percent, 40);
    assert_int_equal(now.power_saver, 1);
}

TEST(an_android_without_a_thermal_service_has_its_batterys_temperature)
{
    struct sl_health now = of(ANDROID " && rm system/bin/thermalservice", 0);
    assert_int_equal(now.millidegrees, 30100);
    assert_string_equal(now.warmest, "battery");
}

TEST(a_program_that_hangs_ends_and_what_was_known_stays)
{
    uint64_t begin = sl_clock_ns();
    struct sl_health now =
        of(ZONE(0, "soc", "41500") " && mkdir -p system/bin && printf '#!/bin/sh\\nsleep 60\\n' "
                                   ">system/bin/settings && chmod 755 system/bin/settings",
           0);
    assert_int_equal(now.millidegrees, 41500);
    assert_int_equal(now.power_saver, -1);
    assert_true(sl_clock_ns() - begin < 20000000000ULL);
}

TEST(one_that_is_interrupted_starts_nothing)
{
    struct sl_health now = of(ANDROID, 1);
    assert_string_equal(now.warmest, "");
    assert_int_equal(now.battery_percent, 0);
    assert_int_equal(now.power_saver, -1);
}
