/* tests/unit/host/spec/test_device_facts.c */
#include "host/spec/device_facts.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

#define KERNELS ",\"kernels\":[{\"needs\":\"neon\"},{\"needs\":\"fp16,sme2\"}]"
#define LINUX(release)                                                                             \
    ",\"system\":{\"sysname\":\"Linux\",\"release\":\"" release "\",\"machine\":\"aarch64\""
#define CORES(type) ",\"cores\":[{\"type\":\"" type "\"},{\"type\":\"" type "\"}]"

static struct sl_device_record told(const char *probe, const char *system)
{
    struct sl_device_facts facts;
    struct sl_device_record record = {.name = "a"};
    snprintf(record.system, sizeof(record.system), "%s", system);
    assert_int_equal(
        sl_device_facts_read((struct sl_bytes){(const uint8_t *)probe, strlen(probe)}, &facts), 0);
    sl_device_facts_tell(&facts, &record);
    return record;
}

TEST(a_device_with_sme2_has_its_facts_and_no_reason)
{
    struct sl_device_record record = told(
        "{\"isa\":[\"neon\",\"sme\",\"sme2\"],\"svl_bytes\":64,\"svl_lengths_bytes\":[16,32,64],"
        "\"soc\":\"SM8850\",\"memory\":{\"total_bytes\":8589934592}" KERNELS LINUX("6.12.1") "}}",
        "");
    assert_int_equal(record.sme2, SL_MAYBE_YES);
    assert_string_equal(record.no_sme2, "");
    assert_int_equal(record.svl_bits, 512);
    assert_string_equal(record.svl_lengths, "128,256,512");
    assert_int_equal(record.memory_bytes, 8589934592);
    assert_string_equal(record.soc, "SM8850");
    assert_string_equal(record.system, "Linux 6.12.1");
}

TEST(why_there_is_none_follows_of_cores_kernel_and_agent)
{
    static const struct {
        const char *probe, *why;
    } cases[] = {
        {"{\"isa\":[],\"system\":{\"machine\":\"x86_64\"}}",
         "its CPU is x86_64: SME2 belongs to Arm's"},
        {"{\"isa\":[\"sme\",\"sme2\"]" LINUX("6.12") "}}",
         "the CPU has it, and the agent there holds no kernel for it: use the agent that sme2lab "
         "brings"},
        {"{\"isa\":[\"sme\"],\"hwcap2\":\"0x800000\"" KERNELS LINUX("6.1.75-android14") "}}",
         "the CPU has SME; whether it has SME2 Linux 6.1.75-android14 (Android 14) cannot say: "
         "Linux 6.3 is the first that can"},
        {"{\"isa\":[\"sme\"],\"hwcap2\":\"0x800000\"" KERNELS LINUX("6.6") "}}",
         "the CPU has SME but not SME2 (HWCAP2 0x800000)"},
        {"{\"isa\":[],\"hwcap2\":\"0x2000800000\"" KERNELS LINUX("6.6") "}}",
         "Linux 6.6 (Android 14) says that the CPU has SME, and refuses a streaming vector length "
         "(PR_SME_GET_VL)"},
        {"{\"isa\":[],\"hwcap2\":\"0x1\"" KERNELS CORES("Cortex-X4") LINUX("5.15") "}}",
         "its cores have none: Cortex-X4"},
        {"{\"isa\":[],\"hwcap2\":\"0x1\"" KERNELS CORES("C1-Ultra")
             LINUX("6.6") ",\"config_sme\":false}}",
         "Linux 6.6 (Android 14) is built without CONFIG_ARM64_SME, though these cores have SME2: "
         "C1-Ultra"},
        {"{\"isa\":[],\"hwcap2\":\"0x1\"" KERNELS CORES("C1-Ultra") LINUX("5.15.8") "}}",
         "Linux 5.15.8 (Android 14) is older than 6.3, the first Linux that offers SME2; these "
         "cores have it: C1-Ultra"},
        {"{\"isa\":[],\"hwcap2\":\"0x1\"" KERNELS CORES("Oryon") LINUX("6.6") "}}",
         "Linux 6.6 (Android 14) offers none (HWCAP2 0x1); cores: Oryon"},
        {"{\"isa\":[],\"hwcap2\":null" KERNELS ",\"cores\":[{\"type\":null}]" LINUX("6.6") "}}",
         "Linux 6.6 (Android 14) offers none"},
        {"{\"isa\":[],\"system\":{\"sysname\":\"Darwin\",\"release\":\"24\",\"machine\":\"arm64\"}"
         "}",
         "Darwin 24 (Android 14) offers none"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_device_record record = told(cases[i].probe, "Android 14");
        assert_string_equal(record.no_sme2, cases[i].why);
        assert_int_equal(record.sme2, SL_MAYBE_NO);
        assert_string_equal(record.system, "Android 14");
    }
}

TEST(one_core_that_has_it_is_enough_and_one_unknown_core_leaves_it_open)
{
    struct sl_device_record record =
        told("{\"isa\":[],\"cores\":[{\"type\":\"Cortex-A520\"},{\"type\":\"C1-Pro\"},{\"type\":"
             "\"Cortex-A520\"}]" LINUX("5.10") "}}",
             "");
    assert_string_equal(record.no_sme2, "Linux 5.10 is older than 6.3, the first Linux that offers "
                                        "SME2; these cores have it: Cortex-A520, C1-Pro");
    record = told("{\"isa\":[],\"cores\":[{\"type\":\"Cortex-A520\"},{\"type\":null}],\"hwcap2\":"
                  "\"0x0\"" LINUX("6.9") "}}",
                  "");
    assert_string_equal(record.no_sme2, "Linux 6.9 offers none (HWCAP2 0x0); cores: Cortex-A520");
}

TEST(what_a_phone_says_itself_stays_and_steering_bytes_do_not)
{
    struct sl_device_record record = {.soc = "SM1", .system = "Android 15"};
    struct sl_device_facts facts;
    static const char probe[] =
        "{\"isa\":[],\"soc\":\"x\\u001b[2Jy\",\"svl_bytes\":1e300,\"svl_lengths_bytes\":[1e9,-1,64]"
        ","
        "\"memory\":{\"total_bytes\":-5},\"system\":{\"machine\":\"\\u001b[1m\"}}";
    assert_int_equal(
        sl_device_facts_read((struct sl_bytes){(const uint8_t *)probe, sizeof(probe) - 1}, &facts),
        0);
    assert_string_equal(facts.soc, "x?[2Jy");
    sl_device_facts_tell(&facts, &record);
    assert_string_equal(record.soc, "SM1");
    assert_string_equal(record.svl_lengths, "512");
    assert_int_equal(record.svl_bits, 0);
    assert_int_equal(record.memory_bytes, 0);
    assert_string_equal(record.no_sme2, "its CPU is ?[1m: SME2 belongs to Arm's");
}

TEST(what_is_no_probe_changes_nothing)
{
    struct sl_device_record record = {.name = "a"};
    static const char *const texts[] = {"", "[]", "{}", "{\"isa\":\"sme2\"}", "{\"isa\":[", "null"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sl_device_facts facts;
        struct sl_bytes text = {(const uint8_t *)texts[i], strlen(texts[i])};
        assert_int_equal(sl_device_facts_read(text, &facts), SL_E_FORMAT);
        sl_device_facts_tell(&facts, &record);
    }
    assert_int_equal(record.sme2, SL_MAYBE_UNKNOWN);
    struct sl_device_facts facts;
    assert_int_equal(sl_device_facts_of(NULL, &facts), SL_E_FORMAT);
}

TEST(conditions_are_whole_degrees_above_zero_and_replace_those_before)
{
    struct sl_device_record record = {.name = "a"};
    struct sl_device_conditions now = {.millidegrees = 41500,
                                       .warmest = "cpu-1",
                                       .battery_percent = 83,
                                       .power_saver = SL_MAYBE_NO};
    sl_device_conditions_tell(&now, 7, &record);
    assert_int_equal(record.temperature_celsius, 42);
    assert_string_equal(record.warmest, "cpu-1");
    assert_int_equal(record.battery_percent, 83);
    assert_int_equal(record.power_saver, SL_MAYBE_NO);
    assert_int_equal(record.looked_ms, 7);
    now = (struct sl_device_conditions){.millidegrees = -5000, .warmest = "skin"};
    sl_device_conditions_tell(&now, 8, &record);
    assert_int_equal(record.temperature_celsius, 0);
    assert_string_equal(record.warmest, "");
    assert_int_equal(record.battery_percent, 0);
    assert_int_equal(record.power_saver, SL_MAYBE_UNKNOWN);
    now = (struct sl_device_conditions){.millidegrees = INT32_MAX, .warmest = "lies"};
    sl_device_conditions_tell(&now, 9, &record);
    assert_int_equal(record.temperature_celsius, 0);
    now = (struct sl_device_conditions){.millidegrees = 30000};
    sl_device_conditions_tell(&now, 10, &record);
    assert_int_equal(record.temperature_celsius, 0);
}
