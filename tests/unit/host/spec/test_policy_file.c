/* tests/unit/host/spec/test_policy_file.c */
#include "host/spec/policy_file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

#define HEAD "{\"schema\":\"sme2lab.policy/1\",\"fingerprint\":\"emulated-0123\",\"unit\":\"ns\","

static struct sl_policy_file file;
static struct sl_diag diag;

static int parse(const char *text)
{
    diag = (struct sl_diag){0};
    return sl_policy_file_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)},
                                "policy.json", &file, &diag);
}

TEST(families_that_stay_out_become_a_list)
{
    assert_int_equal(parse(HEAD "\"streaming_off\":[\"unary\",\"conv_int8\"],\"families\":[]}"), 0);
    assert_string_equal(file.streaming_off, "unary,conv_int8");
    assert_string_equal(file.fingerprint, "emulated-0123");
    assert_string_equal(file.unit, "ns");
    assert_int_equal(parse(HEAD "\"streaming_off\":[]}"), 0);
    assert_string_equal(file.streaming_off, "none");
}

#define ESTIMATED                                                                                  \
    "{\"schema\":\"sme2lab.policy/1\",\"source\":\"estimated\",\"profile\":\"apple-m4\",\"unit\":\"ns\","

TEST(operators_of_an_estimated_table_stand_behind_the_families)
{
    char words[SL_POLICY_WORDS_BYTES];
    assert_int_equal(parse(ESTIMATED "\"streaming_off\":[],\"operators_off\":\"0.3.17-20,0.4\","
                                     "\"operators\":[{\"operator\":\"Add\"}]}"),
                     0);
    assert_string_equal(file.profile, "apple-m4");
    assert_string_equal(file.fingerprint, "");
    sl_policy_file_words(&file, words);
    assert_string_equal(words, "none;0.3.17-20,0.4");
    assert_int_equal(parse(ESTIMATED "\"streaming_off\":[\"unary\"]}"), 0);
    sl_policy_file_words(&file, words);
    assert_string_equal(words, "unary");
}

TEST(a_table_may_say_that_everything_streams)
{
    assert_int_equal(parse("{\"schema\":\"sme2lab.policy/1\",\"source\":\"all\","
                           "\"unit\":\"instructions\",\"streaming_off\":[]}"),
                     0);
    assert_string_equal(file.streaming_off, "none");
    assert_string_equal(file.fingerprint, "");
    assert_string_equal(file.profile, "");
}

TEST(what_is_no_table_is_refused_with_its_place)
{
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
        {"{\"schema\":\"sme2lab.policy/1\",\"source\":\"guessed\"}", "/source"},
        {"{\"schema\":\"sme2lab.policy/1\",\"source\":\"all\",\"unit\":\"s\"}", "/unit"},
        {"{\"schema\":\"sme2lab.policy/1\",\"source\":\"estimated\"}", "/profile"},
        {"{\"schema\":\"sme2lab.policy/1\",\"source\":\"estimated\",\"profile\":\"../m4\"}",
         "/profile"},
        {ESTIMATED "\"streaming_off\":[],\"operators_off\":\"0.3;unary\"}", "/operators_off"},
        {ESTIMATED "\"streaming_off\":[],\"operators_off\":[3]}", "/operators_off"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(file.streaming_off, sizeof(file.streaming_off), "kept");
        assert_int_equal(parse(bad[i][0]), SL_E_FORMAT);
        assert_string_equal(file.streaming_off, "kept");
        assert_true(strstr(diag.where, bad[i][1]) || strstr(diag.what, bad[i][1]));
    }
}

TEST(a_list_that_is_too_long_is_refused)
{
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

TEST(failed_allocations_are_said)
{
    sl_mem_fail_nth(1);
    assert_true(parse(HEAD "\"streaming_off\":[]}") < 0);
    assert_int_equal(parse(HEAD "\"streaming_off\":[]}"), 0);
}

TEST(an_emulated_device_is_another_than_the_real_one)
{
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
