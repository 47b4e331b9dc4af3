/* tests/unit/agent/probe/test_dumpsys.c */
#include "agent/probe/dumpsys.h"

#include <string.h>

#include "tests/support/test.h"

typedef void (*parse_fn)(const char *text, size_t len, struct sl_health *out);

static struct sl_health parsed(parse_fn parse, const char *text)
{
    struct sl_health conditions = {.power_saver = -1};
    parse(text, strlen(text), &conditions);
    return conditions;
}

TEST(the_warmest_place_is_taken_as_the_hardware_tells_it_now)
{
    struct sl_health now =
        parsed(sl_dumpsys_thermal,
               "IsStatusOverride: false\nThermal Status: 0\nCached temperatures:\n"
               "\tTemperature{mValue=88.0, mType=0, mName=CPU0, mStatus=0}\nHAL Ready: true\n"
               "Current temperatures from HAL:\n"
               "\tTemperature{mValue=30.5, mType=3, mName=skin, mStatus=0}\n"
               "\tTemperature{mValue=41.062, mType=0, mName=CPU7, mStatus=0}\n"
               "\tTemperature{mValue=29.1, mType=2, mName=battery, mStatus=0}\n"
               "Current cooling devices from HAL:\n"
               "\tCoolingDevice{mValue=99, mType=2, mName=fan}\n");
    assert_int_equal(now.millidegrees, 41062);
    assert_string_equal(now.warmest, "CPU7");
}

TEST(temperatures_that_were_told_last_do_where_there_are_no_newer_ones)
{
    struct sl_health now =
        parsed(sl_dumpsys_thermal,
               "Cached temperatures:\n Temperature{mValue=-3.5, mType=3, mName=skin, mStatus=0}");
    assert_int_equal(now.millidegrees, -3500);
    assert_string_equal(now.warmest, "skin");
}

TEST(a_temperature_that_is_none_is_passed_over)
{
    static const char *const lines[] = {
        "Temperature{mValue=NaN, mType=0, mName=a}",
        "Temperature{mValue=, mType=0, mName=a}",
        "Temperature{mValue=-3.4028235E38, mType=0, mName=a}",
        "Temperature{mValue=99999999999999999999, mType=0, mName=a}",
        "Temperature{mValue=150.0, mName=a}",
        "Temperature{mValue=-40.0, mName=a}",
        "Temperature{mType=0, mName=a}",
        "Temperature{mValue=30.5, mType=0}",
        "TemperatureThreshold{mValue=30.5, mName=a}",
        "Temperature",
        ""};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_string_equal(parsed(sl_dumpsys_thermal, lines[i]).warmest, "");
}

TEST(a_name_has_no_steering_bytes_and_an_end)
{
    char line[300] = "Temperature{mValue=30, mName=\x1b[2J";
    memset(line + strlen(line), 'n', 200);
    struct sl_health now = parsed(sl_dumpsys_thermal, line);
    assert_int_equal(strlen(now.warmest), SL_HEALTH_NAME_BYTES - 1);
    assert_memory_equal(now.warmest, "?[2Jnn", 6);
    assert_string_equal(parsed(sl_dumpsys_thermal, "Temperature{mValue=1,mName=}").warmest, "?");
}

TEST(a_battery_has_a_level_of_its_scale_and_a_temperature_in_tenths)
{
    struct sl_health now =
        parsed(sl_dumpsys_battery,
               "Current Battery Service state:\r\n  AC powered: false\r\n  USB powered: true\r\n"
               "  level: 30\r\n  scale: 200\r\n  voltage: 4123\r\n  temperature: 285\r\n"
               "  technology: Li-ion\r\n");
    assert_int_equal(now.battery_percent, 15);
    assert_int_equal(now.millidegrees, 28500);
    assert_string_equal(now.warmest, "battery");
    assert_int_equal(parsed(sl_dumpsys_battery, "level: 77\n").battery_percent, 77);
}

TEST(a_level_that_is_none_leaves_the_battery_unknown)
{
    static const char *const texts[] = {"",
                                        "level: -1",
                                        "level: 101\n",
                                        "level: x\n",
                                        "level: 5\nscale: 0\n",
                                        "level: 5\nscale: -9\n",
                                        "mylevel: 5",
                                        "Can't find service: battery"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sl_health now = parsed(sl_dumpsys_battery, texts[i]);
        assert_int_equal(now.battery_percent, 0);
        assert_string_equal(now.warmest, "");
    }
}

TEST(the_power_saver_is_on_or_off_by_one_digit)
{
    assert_int_equal(parsed(sl_dumpsys_power_saver, "1\n").power_saver, 1);
    assert_int_equal(parsed(sl_dumpsys_power_saver, "0\n").power_saver, 0);
    assert_int_equal(parsed(sl_dumpsys_power_saver, "null\n").power_saver, -1);
    assert_int_equal(parsed(sl_dumpsys_power_saver, "7").power_saver, -1);
    assert_int_equal(parsed(sl_dumpsys_power_saver, "").power_saver, -1);
}
