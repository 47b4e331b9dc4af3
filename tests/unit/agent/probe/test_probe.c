/* tests/unit/agent/probe/test_probe.c */
#include "agent/probe/probe.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "kernels/cpu/isa.h"
#include "tests/support/test.h"

#define TREE(name) SL_TEST_DATA "/probe/" name

static const char *probe(const char *root, struct sl_buf *text)
{
    sl_buf_init(text, 1 << 20);
    assert_int_equal(sl_probe_write(root, text), 0);
    return (const char *)text->data;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no %s in %s", part, text);
}

TEST(phone_is_described)
{
    struct sl_buf text;
    const char *json = probe(TREE("phone-3-clusters"), &text);
    has(json, "\"schema\":\"sme2lab.probe/1\"");
    has(json, "{\"cores\":[4,5,6],\"max_khz\":2900000,\"capacity\":790,\"midr\":\"0x410fd8b0\","
              "\"type\":\"C1-Pro\",\"governor\":\"walt\"}");
    has(json, "\"total_bytes\":11933790208,\"available_bytes\":5243224064");
    has(json, "{\"index\":10,\"type\":\"skin\",\"millidegrees\":-40000}");
    has(json, "\"family\":\"matmul\"");
    has(json, "_scalar\",\"needs\":\"portable\",\"usable\":true}");
    sl_buf_fini(&text);
}

TEST(its_soc_and_what_its_kernel_was_built_with_are_told)
{
    static const struct {
        const char *tree, *config, *soc;
    } cases[] = {
        {TREE("phone-3-clusters"), "\"config_sme\":false", "\"soc\":\"SM8750\",\"board\":null"},
        {TREE("phone-2-clusters"), "\"config_sme\":true", "\"soc\":\"jep106:0426:8006\""},
        {TREE("vm-without-cpufreq"), "\"config_sme\":null",
         "\"soc\":\"i.MX8MP\",\"board\":\"Board of NXP\""},
        {TREE("garbage"), "\"config_sme\":null", "\"soc\":null"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_buf text;
        const char *json = probe(cases[i].tree, &text);
        has(json, cases[i].config);
        has(json, cases[i].soc);
        sl_buf_fini(&text);
    }
}

/* The fingerprint of the tree, copied and then changed by the shell. */
static void print_of(const char *tree, const char *change, char out[SL_PROBE_FINGERPRINT_BYTES])
{
    char folder[] = "/tmp/sl-probe-XXXXXX", command[1024], phone[SL_PROBE_PHONE_BYTES];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command), "cp -r %s/. %s && cd %s && %s", tree, folder, folder,
             change);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_probe_fingerprint(folder, out, phone), 0);
    assert_string_equal(phone, "");
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

TEST(cores_that_are_offline_leave_the_fingerprint)
{
#define CORE "sys/devices/system/cpu/cpu"
#define OFF(n) "rm -r " CORE #n "/regs " CORE #n "/cpufreq"
    static const char unnamed[] = "rm -r sys/devices/soc0";
    char whole[SL_PROBE_FINGERPRINT_BYTES], changed[SL_PROBE_FINGERPRINT_BYTES];
    print_of(TREE("phone-3-clusters"), ":", whole);
    print_of(TREE("phone-3-clusters"), OFF(7), changed); /* the only one of its kind */
    assert_string_equal(changed, whole);
    print_of(TREE("phone-3-clusters"), "echo SM8850 >sys/devices/soc0/machine", changed);
    assert_string_not_equal(changed, whole);
    print_of(TREE("phone-3-clusters"), unnamed, whole);
    print_of(TREE("phone-3-clusters"), "rm -r sys/devices/soc0 && " OFF(1) " && " OFF(5), changed);
    assert_string_equal(changed, whole);
    print_of(TREE("phone-3-clusters"),
             "rm -r sys/devices/soc0 && for n in 0 1 2 3; do echo 0x410fd4f0 >" CORE
             "$n/regs/identification/midr_el1; done",
             changed);
    assert_string_not_equal(changed, whole);
}

TEST(vector_lengths_are_those_that_can_be_set_and_stay_as_they_were)
{
    size_t before = sl_isa_svl_bytes();
    uint32_t lengths = sl_isa_svl_lengths();
    assert_int_equal(sl_isa_svl_bytes(), before);
    assert_int_equal(lengths & before, before);
    assert_int_equal(lengths & 15, 0);
    assert_int_equal(lengths != 0, before != 0);
}

TEST(what_is_missing_or_garbage_is_null)
{
    struct sl_buf text;
    const char *json = probe(TREE("nowhere"), &text);
    has(json, "\"cores\":[],\"clusters\":[]");
    has(json, "\"total_bytes\":null,\"available_bytes\":null");
    has(json, "\"thermal_zones\":[]");
    sl_buf_fini(&text);
    json = probe(TREE("garbage"), &text);
    has(json, "\"total_bytes\":null,\"available_bytes\":null");
    has(json, "{\"index\":0,\"type\":null,\"millidegrees\":null}");
    has(json, "\"governor\":\"???gov\\\"ernor\"");
    sl_buf_fini(&text);
}

TEST(full_buffer_and_failed_allocations_are_said)
{
    struct sl_buf text;
    sl_buf_init(&text, 100);
    assert_int_equal(sl_probe_write(TREE("holes"), &text), SL_E_LIMIT);
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 20);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_probe_write(TREE("holes"), &text), -ENOMEM);
    sl_mem_fail_nth(0);
    sl_buf_fini(&text);
}
