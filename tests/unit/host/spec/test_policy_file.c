/* tests/unit/host/spec/test_policy_file.c */
#include "host/spec/policy_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/base/mem.h"

#define HEAD "{\"schema\":\"sme2lab.policy/1\",\"fingerprint\":\"emulated-0123\",\"unit\":\"ns\","

static struct sl_policy_file file;
static struct sl_diag diag;

static int parse(const char *text)
{
    diag = (struct sl_diag){0};
    return sl_policy_file_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)},
                                "policy.json", &file, &diag);
}

static void families_that_stay_out_become_a_list(void **state)
{
    (void)state;
    assert_int_equal(parse(HEAD "\"streaming_off\":[\"unary\",\"conv_int8\"],\"families\":[]}"), 0);
    assert_string_equal(file.streaming_off, "unary,conv_int8");
    assert_string_equal(file.fingerprint, "emulated-0123");
    assert_string_equal(file.unit, "ns");
    assert_int_equal(parse(HEAD "\"streaming_off\":[]}"), 0);
    assert_string_equal(file.streaming_off, "none");
}

static void what_is_no_table_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"[]", ""},
        {HEAD "\"streaming_off\":[\"Unary\"]}", "/streaming_off/0"},
        {HEAD "\"streaming_off\":[\"a,b\"]}", "/streaming_off/0"},
        {HEAD "\"streaming_off\":[\"\"]}", "/streaming_off/0"},
        {HEAD "\"streaming_off\":\"unary\"}", "/streaming_off"},
        {HEAD "\"streaming_off\":[],\"else\":1}", "else"},
        {HEAD "\"x\":1}", "x"},
        {"{\"schema\":\"sme2lab.policy/2\",\"streaming_off\":[]}", "/schema"},
        {"{\"schema\":\"sme2lab.policy/1\",\"fingerprint\":\"../x\",\"streaming_off\":[]}",
         "/fingerprint"},
        {"{\"schema\":\"sme2lab.policy/1\",\"fingerprint\":\"a\",\"unit\":\"s\"}", "/unit"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(file.streaming_off, sizeof(file.streaming_off), "kept");
        assert_int_equal(parse(bad[i][0]), SL_E_FORMAT);
        assert_string_equal(file.streaming_off, "kept");
        assert_true(strstr(diag.where, bad[i][1]) || strstr(diag.what, bad[i][1]));
    }
}

static void a_list_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[4096] = HEAD "\"streaming_off\":[\"a\"";
    for (size_t i = 0; i < SL_POLICY_FILE_MAX_FAMILIES; i++)
        strcat(text, ",\"a\"");
    strcat(text, "]}");
    assert_int_equal(parse(text), SL_E_FORMAT);
    snprintf(text, sizeof(text), HEAD "\"streaming_off\":[\"abcdefghijklmnopqrstuvwxyz01234\"");
    for (size_t i = 0; i < 8; i++)
        strcat(text, ",\"abcdefghijklmnopqrstuvwxyz01234\"");
    strcat(text, "]}");
    assert_int_equal(parse(text), SL_E_FORMAT);
}

static void failed_allocations_are_said(void **state)
{
    (void)state;
    sl_mem_fail_nth(1);
    assert_true(parse(HEAD "\"streaming_off\":[]}") < 0);
    assert_int_equal(parse(HEAD "\"streaming_off\":[]}"), 0);
}

static void an_emulated_device_is_another_than_the_real_one(void **state)
{
    (void)state;
    char real[SL_FINGERPRINT_BYTES], counted[SL_FINGERPRINT_BYTES], emulated[SL_FINGERPRINT_BYTES],
        path[SL_PATH_BYTES];
    assert_int_equal(sl_device_fingerprint("0123456789abcdef", false, real), 0);
    assert_int_equal(sl_device_fingerprint("0123456789abcdef", true, counted), 0);
    assert_int_equal(sl_device_fingerprint("0123456789abcdef", true, emulated), 0);
    assert_string_equal(real, "0123456789abcdef");
    assert_string_equal(counted, "emulated-0123456789abcdef");
    assert_string_equal(emulated, counted);
    assert_int_equal(sl_device_fingerprint("../../../../etc/", false, real), SL_E_FORMAT);
    assert_int_equal(sl_device_fingerprint("", false, real), SL_E_FORMAT);
    assert_int_equal(sl_device_file_path("/state", counted, "policy.json", path), 0);
    assert_string_equal(path, "/state/devices/emulated-0123456789abcdef/policy.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_that_stay_out_become_a_list),
        cmocka_unit_test(what_is_no_table_is_refused_with_its_place),
        cmocka_unit_test(a_list_that_is_too_long_is_refused),
        cmocka_unit_test(failed_allocations_are_said),
        cmocka_unit_test(an_emulated_device_is_another_than_the_real_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
