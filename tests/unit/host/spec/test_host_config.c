/* tests/unit/host/spec/test_host_config.c */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/host_config.h"
#include "tests/support/test.h"

static int parse(const char *text, struct sl_host_config *config, struct sl_diag *diag)
{
    memset(diag, 0, sizeof(*diag));
    return sl_host_config_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "host.json",
                                config, diag);
}

TEST(an_empty_object_is_the_default)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(parse("{}", &config, &diag), 0);
    assert_int_equal(config.device_count, 1);
    assert_string_equal(config.devices[0].name, "counted-512");
    assert_int_equal(config.listen_count, 0);
    sl_host_config_fini(&config);
}

TEST(every_key_arrives)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(
        parse(
            "{\"state\":\"/s\",\"store\":\"sqlite:/x\",\"store_reader\":\"r\",\"listen\":[\"unix:/"
            "a\",\"tcp:127.0.0.1:1\"],\"log_file\":\"/"
            "l\",\"log_max_mib\":2,"
            "\"idle_exit_seconds\":9,\"lease_seconds\":5,\"devices\":[{\"name\":\"x\",\"kind\":"
            "\"local\"},"
            "{\"name\":\"y\",\"kind\":\"emulated\",\"cpu\":\"max,sme256=on\",\"svl\":256}]}",
            &config, &diag),
        0);
    assert_string_equal(config.state, "/s");
    assert_string_equal(config.store, "sqlite:/x");
    assert_string_equal(config.store_reader, "r");
    assert_int_equal(config.listen_count, 2);
    assert_string_equal(config.listen[1], "tcp:127.0.0.1:1");
    assert_string_equal(config.log_file, "/l");
    assert_int_equal(config.log_max_mib, 2);
    assert_int_equal(config.idle_exit_seconds, 9);
    assert_int_equal(config.lease_seconds, 5);
    assert_int_equal(config.device_count, 2);
    assert_int_equal(config.devices[0].way.kind, SL_DEVICE_LOCAL);
    assert_string_equal(config.devices[1].way.cpu, "max,sme256=on");
    assert_int_equal(config.devices[1].way.svl_bits, 256);
    sl_host_config_fini(&config);
}

TEST(what_a_client_may_have_and_whose_pages_may_ask_are_read)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(parse("{\"requests_per_second\":7,\"requests_at_once\":20,\"cors_origins\":["
                           "\"https://a.example\",\"http://localhost:3000\"]}",
                           &config, &diag),
                     0);
    assert_int_equal(config.requests_per_second, 7);
    assert_int_equal(config.requests_at_once, 20);
    assert_int_equal(config.cors_origin_count, 2);
    assert_string_equal(config.cors_origins[1], "http://localhost:3000");
    sl_host_config_fini(&config);
}

TEST(what_is_kept_and_what_the_disk_may_have_are_read)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(parse("{}", &config, &diag), 0);
    assert_int_equal(config.keep_days + config.keep_at_most + config.reserve_mib, 0);
    assert_int_equal(config.keep_newest, 1);
    assert_int_equal(config.keeper_seconds, 3600);
    sl_host_config_fini(&config);
    assert_int_equal(parse("{\"retention\":{\"days\":90,\"newest_per_series\":0,"
                           "\"most_per_series\":500,\"keep_labels\":[\"release\",\"a=b=c\"],"
                           "\"every_seconds\":60},\"disk\":{\"budget_mib\":9,\"reserve_mib\":7}}",
                           &config, &diag),
                     0);
    assert_int_equal(config.keep_days, 90);
    assert_int_equal(config.keep_newest, 0);
    assert_int_equal(config.keep_at_most, 500);
    assert_int_equal(config.keeper_seconds, 60);
    assert_int_equal(config.keep_label_count, 2);
    assert_string_equal(config.keep_labels[1], "a=b=c");
    assert_int_equal(config.budget_mib, 9);
    assert_int_equal(config.reserve_mib, 7);
    sl_host_config_fini(&config);
    static const char *const bad[] = {"{\"retention\":{\"days\":-1}}",
                                      "{\"retention\":{\"day\":1}}",
                                      "{\"retention\":{\"keep_labels\":[\"=x\"]}}",
                                      "{\"retention\":{\"keep_labels\":[\"x=\"]}}",
                                      "{\"retention\":{\"every_seconds\":0}}",
                                      "{\"disk\":{\"reserve_mib\":\"1\"}}"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse(bad[i], &config, &diag), SL_E_FORMAT);
}

TEST(a_link_says_how_the_device_is_reached)
{
    struct sl_host_config config;
    struct sl_diag diag = {0};
    assert_int_equal(parse("{\"devices\":[{\"name\":\"board\",\"link\":\"tcp:127.0.0.1:7070\","
                           "\"secret_file\":\"/s\",\"allow_unencrypted\":true}]}",
                           &config, &diag),
                     0);
    assert_int_equal(config.devices[0].way.kind, SL_DEVICE_TCP);
    assert_string_equal(config.devices[0].way.link, "tcp:127.0.0.1:7070");
    assert_string_equal(config.devices[0].way.secret_file, "/s");
    assert_true(config.devices[0].way.allow_unencrypted);
    assert_false(config.adb);
    sl_host_config_fini(&config);
    assert_int_equal(
        parse("{\"adb\":true,\"devices\":[{\"name\":\"p\",\"link\":\"adb:X:1\"}]}", &config, &diag),
        0);
    assert_true(config.adb);
    assert_int_equal(config.devices[0].way.kind, SL_DEVICE_ADB);
    sl_host_config_fini(&config);
    assert_int_equal(
        parse("{\"devices\":[{\"name\":\"p\",\"link\":\"adb-tcp:[::1]:5555\"}]}", &config, &diag),
        0);
    assert_int_equal(config.devices[0].way.kind, SL_DEVICE_ADB);
    sl_host_config_fini(&config);
}

TEST(tags_are_words_that_devices_are_chosen_by)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(
        parse("{\"devices\":[{\"name\":\"x\",\"kind\":\"local\",\"tags\":[\"bench\",\"usb3\"]},"
              "{\"name\":\"y\",\"kind\":\"local\",\"tags\":[]}]}",
              &config, &diag),
        0);
    assert_string_equal(config.devices[0].tags, "bench,usb3");
    assert_string_equal(config.devices[1].tags, "");
    sl_host_config_fini(&config);
    static const char *const bad[] = {"\"a\"",
                                      "[1]",
                                      "[\"a,b\"]",
                                      "[\"a=b\"]",
                                      "[\"\"]",
                                      "[\"0123456789012345678901234567890x\"]",
                                      "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"]"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{\"devices\":[{\"name\":\"x\",\"kind\":\"local\",\"tags\":%s}]}", bad[i]);
        if (parse(text, &config, &diag) != SL_E_FORMAT)
            fail_msg("%s was taken", bad[i]);
        assert_non_null(strstr(diag.where, "/devices/0/tags"));
    }
}

TEST(a_hook_and_its_times_are_read)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(parse("{}", &config, &diag), 0);
    assert_int_equal(config.hook_words, 0);
    assert_int_equal(config.pause_seconds, 5);
    sl_host_config_fini(&config);
    assert_int_equal(parse("{\"recovery\":{\"hook\":[\"/bin/cycle\",\"-p\"],"
                           "\"hook_seconds\":9,\"pause_seconds\":2}}",
                           &config, &diag),
                     0);
    assert_int_equal(config.hook_words, 2);
    assert_string_equal(config.hook[1], "-p");
    assert_int_equal(config.hook_seconds, 9);
    assert_int_equal(config.pause_seconds, 2);
    sl_host_config_fini(&config);
}

TEST(what_is_wrong_is_refused_at_its_place)
{
    static const struct {
        const char *text, *where, *word;
    } cases[] = {
        {"[]", "", "object"},
        {"{\"devicse\":[]}", "", "devices"},
        {"{\"listen\":\"unix:/a\"}", "/listen", ""},
        {"{\"requests_at_once\":0}", "/requests_at_once", ""},
        {"{\"requests_at_once\":5121}", "/requests_at_once", ""},
        {"{\"cors_origins\":\"https://a\"}", "/cors_origins", ""},
        {"{\"cors_origins\":[\"https://a\",7]}", "/cors_origins/1", ""},
        {"{\"cors_origins\":[\"*\"]}", "/cors_origins/0", "https://lab.example"},
        {"{\"cors_origins\":[\"https://a/\"]}", "/cors_origins/0", "https://lab.example"},
        {"{\"listen\":[\"tcp:0.0.0.0:80\"]}", "/listen/0", "allow_remote"},
        {"{\"listen\":[\"tls:127.0.0.1:80\"]}", "/listen/0", "certificate"},
        {"{\"tls\":{\"certificate\":\"/c\"}}", "/tls", "key"},
        {"{\"tls\":{\"certificate\":\"c\",\"key\":\"/k\"}}", "/tls/certificate", "absolute"},
        {"{\"tls\":{\"ca\":\"/c\"}}", "/tls", "ca"},
        {"{\"tls\":[]}", "/tls", "object"},
        {"{\"allow_remote\":1}", "/allow_remote", "true or false"},
        {"{\"devices\":[{\"name\":\"a\"}]}", "/devices/0", "kind"},
        {"{\"devices\":[{\"name\":\"a\",\"kind\":\"usb\"}]}", "/devices/0/kind", "usb"},
        {"{\"devices\":[{\"kind\":\"local\"}]}", "/devices/0", "name"},
        {"{\"devices\":[{\"name\":\"a\",\"kind\":\"tcp\"}]}", "/devices/0/kind", "link"},
        {"{\"devices\":[{\"name\":\"a\",\"link\":\"local:x\"}]}", "/devices/0/link", "no link"},
        {"{\"devices\":[{\"name\":\"a\",\"link\":\"usb-adb:x\"}]}", "/devices/0/link", "no link"},
        {"{\"devices\":[{\"name\":\"a\",\"link\":\"tcp:[::1]:7\",\"kind\":\"tcp\"}]}",
         "/devices/0/kind", "besides"},
        {"{\"devices\":[{\"name\":\"../a\",\"kind\":\"local\"}]}", "/devices/0/name", "letters"},
        {"{\"devices\":[{\"name\":\"a\",\"kind\":\"local\"},{\"name\":\"a\",\"kind\":\"local\"}]}",
         "/devices/1/name", "Two"},
        {"{\"devices\":[{\"name\":\"a\",\"kind\":\"counted\",\"svl\":300}]}", "/devices/0/svl",
         "2048"},
        {"{\"adb\":1}", "/adb", "true or false"},
        {"{\"recovery\":{\"hook\":[\"reboot\"]}}", "/recovery/hook/0", "absolute"},
        {"{\"recovery\":{\"hook\":\"/r\"}}", "/recovery/hook", ""},
        {"{\"recovery\":{\"pause_seconds\":0}}", "/recovery/pause_seconds", "whole"},
        {"{\"recovery\":{\"pause\":1}}", "/recovery", "pause"},
        {"{\"log_max_mib\":0}", "/log_max_mib", "whole number"},
        {"{", "", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_host_config config;
        struct sl_diag diag;
        assert_int_equal(parse(cases[i].text, &config, &diag), SL_E_FORMAT);
        assert_true(strstr(diag.where, cases[i].where) || strstr(diag.what, cases[i].where));
        assert_true(strstr(diag.what, cases[i].word) || strstr(diag.hint, cases[i].word));
    }
}

TEST(a_remote_address_can_be_asked_for)
{
    struct sl_host_config config;
    struct sl_diag diag;
    assert_int_equal(parse("{\"listen\":[\"tls:[::]:443\"],"
                           "\"tls\":{\"certificate\":\"/c.pem\",\"key\":\"/k.pem\"}}",
                           &config, &diag),
                     0);
    assert_string_equal(config.certificate, "/c.pem");
    assert_string_equal(config.key, "/k.pem");
    sl_host_config_fini(&config);
    assert_int_equal(
        parse("{\"allow_remote\":true,\"listen\":[\"tcp:0.0.0.0:80\"]}", &config, &diag), 0);
    sl_host_config_fini(&config);
}
