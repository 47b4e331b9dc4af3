/* tests/unit/agent/probe/test_phone.c */
#include "agent/probe/phone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/probe/probe.h"
#include "tests/support/test.h"

#define TREE SL_TEST_DATA "/probe/phone-3-clusters"
/* A system whose `getprop NAME` prints what the file NAME has. */
#define ANDROID                                                                                    \
    "mkdir -p system/bin && printf '#!/bin/sh\\ncat \"${0%%%%/*}/$1\"\\n' >system/bin/getprop && " \
    "chmod "                                                                                       \
    "755 system/bin/getprop && cd system/bin && echo SERIAL1 >ro.serialno && echo SOC1 "           \
    ">ro.soc.model && echo dev1 >ro.product.device && echo maker/dev1:15/A1 "                      \
    ">ro.build.fingerprint"

struct found {
    bool is_phone;
    struct sl_probe_phone phone;
    char fingerprint[SL_PROBE_FINGERPRINT_BYTES], id[SL_PROBE_PHONE_BYTES];
};

/* Probes the phone of ANDROID after the shell's `change` to it. */
static struct found after(const char *change)
{
    char folder[] = "/tmp/sl-phone-XXXXXX", command[1024];
    struct found found = {.is_phone = false};
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command), "cp -r " TREE "/. %s && cd %s && " ANDROID " && %s", folder,
             folder, change);
    assert_int_equal(system(command), 0);
    found.is_phone = sl_probe_phone_read(folder, &found.phone);
    assert_int_equal(sl_probe_fingerprint(folder, found.fingerprint, found.id), 0);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return found;
}

TEST(a_phone_is_its_serial_number_soc_and_product)
{
    static const char *const others[] = {"echo SERIAL2 >ro.serialno", "echo SOC2 >ro.soc.model",
                                         "echo dev2 >ro.product.device"};
    struct found one = after(":");
    assert_true(one.is_phone);
    assert_int_equal(strlen(one.phone.id), 16);
    assert_string_equal(one.phone.build, "maker/dev1:15/A1");
    assert_string_equal(one.id, one.phone.id);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct found other = after(others[i]);
        assert_string_not_equal(other.phone.id, one.phone.id);
        assert_string_not_equal(other.fingerprint, one.fingerprint);
    }
}

TEST(an_update_of_the_system_leaves_the_phone_and_ends_its_state)
{
    struct found before = after(":"),
                 updated = after("echo maker/dev1:16/B1 >ro.build.fingerprint");
    assert_string_equal(updated.id, before.id);
    assert_string_not_equal(updated.fingerprint, before.fingerprint);
}

TEST(cores_that_are_offline_or_unreadable_leave_phone_and_state)
{
    struct found whole = after(":"), hidden = after("rm -r ../../sys/devices/system/cpu");
    struct found unnamed = after("rm -r ../../sys/devices/soc0");
    assert_string_equal(hidden.id, whole.id);
    assert_string_equal(hidden.fingerprint, whole.fingerprint);
    assert_string_equal(unnamed.fingerprint, whole.fingerprint);
}

TEST(what_has_no_serial_number_of_its_own_is_told_by_its_kind)
{
    static const char *const none[] = {
        "rm getprop",
        "rm ro.serialno",
        "rm ro.soc.model", /* getprop fails: half an answer would be another phone's */
        "rm ro.build.fingerprint",
        ": >ro.serialno",
        "echo unknown >ro.serialno",
        "echo 00000000 >ro.serialno",
        "echo EMULATOR36X1X10X0 >ro.serialno",
    };
    char kind[SL_PROBE_FINGERPRINT_BYTES], id[SL_PROBE_PHONE_BYTES];
    assert_int_equal(sl_probe_fingerprint(TREE, kind, id), 0);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        struct found found = after(none[i]);
        assert_false(found.is_phone);
        assert_string_equal(found.id, "");
        assert_string_equal(found.fingerprint, kind);
    }
}
