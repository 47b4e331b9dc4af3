/* tests/unit/agent/probe/test_sysfs.c */
#include "agent/probe/sysfs.h"

#include <stdint.h>
#include <string.h>

#include "tests/support/test.h"

#define TREE(name) SL_TEST_DATA "/probe/" name

static bool number(const char *text, int64_t *out)
{
    return sl_sysfs_parse_number(text, strlen(text), out);
}

TEST(number_alone_in_its_file_is_read)
{
    int64_t value = 0;
    assert_true(number("2270000\n", &value));
    assert_int_equal(value, 2270000);
    assert_true(number("-40000", &value));
    assert_int_equal(value, -40000);
    assert_true(number("0x00000000410FD8a0\n", &value));
    assert_int_equal(value, 0x410fd8a0);
    assert_true(number("9223372036854775807", &value));
    assert_true(value == INT64_MAX);
}

TEST(anything_else_is_no_number)
{
    const char *const bad[] = {"",   "\n",  "-",  "0x", "12x", "1 2", "9223372036854775808",
                               "+1", "--1", "0xg"};
    int64_t value = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(number(bad[i], &value));
    assert_int_equal(value, 7);
}

TEST(list_sets_its_ranges)
{
    bool flags[SL_SYSFS_MAX_INDEX];
    assert_true(sl_sysfs_parse_list("0-2,5\n", 6, flags));
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(flags[i], i <= 2 || i == 5);
    assert_true(sl_sysfs_parse_list("1000-5000,77777777777777777777", 30, flags));
    assert_false(flags[999]);
    assert_true(flags[SL_SYSFS_MAX_INDEX - 1]);
}

TEST(garbage_list_sets_nothing)
{
    const char *const bad[] = {"", "\n", "1,,2", "3-1", "1-", "a", "1,2,", "1;2", "0-3,x"};
    bool flags[SL_SYSFS_MAX_INDEX];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(sl_sysfs_parse_list(bad[i], strlen(bad[i]), flags));
        for (size_t k = 0; k < SL_SYSFS_MAX_INDEX; k++)
            assert_false(flags[k]);
    }
}

static bool meminfo(const char *text, const char *key, uint64_t *out)
{
    return sl_sysfs_parse_meminfo(text, strlen(text), key, out);
}

TEST(meminfo_value_is_found_by_whole_key)
{
    uint64_t bytes = 0;
    const char *text = "MemTotalX:  1 kB\nMemTotal:    12 kB\nMemAvailable:\t3 kB";
    assert_true(meminfo(text, "MemTotal", &bytes));
    assert_int_equal(bytes, 12 * 1024);
    assert_true(meminfo(text, "MemAvailable", &bytes));
    assert_int_equal(bytes, 3 * 1024);
    assert_false(meminfo(text, "MemFree", &bytes));
}

TEST(meminfo_without_a_sane_value_is_not_known)
{
    const char *const bad[] = {"K:", "K: kB", "K: 12", "K: 12 MB", "K: 1234567890123456789 kB"};
    uint64_t bytes;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(meminfo(bad[i], "K", &bytes));
}

TEST(line_is_cut_and_cleaned)
{
    char text[64];
    assert_true(sl_sysfs_line(TREE("garbage"), text, sizeof(text),
                              "sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", 0));
    assert_string_equal(text, "???gov\"ernor");
    assert_true(
        sl_sysfs_line(TREE("garbage"), text, sizeof(text), "sys/class/thermal/thermal_zone3/type"));
    assert_int_equal(strlen(text), 63);
    assert_false(sl_sysfs_line(TREE("garbage"), text, sizeof(text), "no/such/file"));
    assert_string_equal(text, "");
}

TEST(indices_are_sorted_with_their_holes)
{
    uint32_t zones[8];
    assert_int_equal(
        sl_sysfs_indices(TREE("phone-3-clusters"), "sys/class/thermal", "thermal_zone", zones, 8),
        4);
    const uint32_t expected[] = {0, 1, 2, 10};
    assert_memory_equal(zones, expected, sizeof(expected));
    assert_int_equal(
        sl_sysfs_indices(TREE("phone-3-clusters"), "sys/class/thermal", "thermal_zone", zones, 2),
        2);
    assert_int_equal(sl_sysfs_indices(TREE("nowhere"), "sys", "cpu", zones, 8), 0);
}
