/* tests/unit/host/spec/test_plugin_config.c */
#include "host/spec/plugin_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "tests/support/test.h"

/* How many there are, or the error; `document` is to be ended. */
static int parse(const char *text, struct sl_plugin_config out[SL_MAX_PLUGINS],
                 struct cJSON **document, struct sl_diag *diag)
{
    *diag = (struct sl_diag){.what = ""};
    struct sl_bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(sl_json_doc_parse(bytes, "test", document, diag), 0);
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, *document);
    struct sl_json_at list = sl_json_member(&root, "plugins");
    int count = (int)sl_plugin_configs_read(&list, out);
    return reader.error < 0 ? reader.error : count;
}

TEST(plug_ins_are_read_with_what_they_hear_of)
{
    struct sl_plugin_config all[SL_MAX_PLUGINS];
    struct cJSON *document;
    struct sl_diag diag;
    assert_int_equal(
        parse("{\"plugins\":[{\"name\":\"meter-1\",\"command\":[\"/usr/bin/python3\",\"/m.py\"],"
              "\"when\":[\"run\",\"power_cycle\"],\"devices\":\"tag=bench,sme2\",\"seconds\":9},"
              "{\"name\":\"tell\",\"command\":[\"/t\"],\"when\":[\"job_failed\",\"device_lost\","
              "\"device_quarantined\"]}]}",
              all, &document, &diag),
        2);
    assert_string_equal(all[0].name, "meter-1");
    assert_int_equal(all[0].word_count, 2);
    assert_string_equal(all[0].words[1], "/m.py");
    assert_int_equal(all[0].when, SL_PLUGIN_RUN | SL_PLUGIN_POWER_CYCLE);
    assert_int_equal(all[0].devices.count, 2);
    assert_int_equal(all[0].seconds, 9);
    assert_int_equal(all[1].when,
                     SL_PLUGIN_JOB_FAILED | SL_PLUGIN_DEVICE_LOST | SL_PLUGIN_DEVICE_QUARANTINED);
    assert_int_equal(all[1].devices.count, 0);
    assert_int_equal(all[1].seconds, 5);
    sl_json_doc_free(document);
    assert_int_equal(parse("{}", all, &document, &diag), 0);
    sl_json_doc_free(document);
    assert_string_equal(sl_plugin_when_name(SL_PLUGIN_RUN), "run");
    assert_null(sl_plugin_when_name(SL_PLUGIN_RUN | SL_PLUGIN_JOB_FAILED));
}

#define ONE(rest) "{\"plugins\":[{\"name\":\"a\",\"command\":[\"/x\"],\"when\":[\"run\"]" rest "}]}"

TEST(what_is_wrong_is_refused_at_its_place)
{
    static const struct {
        const char *text, *where, *word;
    } cases[] = {
        {"{\"plugins\":{}}", "/plugins", "list"},
        {"{\"plugins\":[7]}", "/plugins/0", "object"},
        {"{\"plugins\":[{\"name\":\"a\",\"command\":[\"/x\"]}]}", "/plugins/0/when", "no value"},
        {"{\"plugins\":[{\"name\":\"a b\",\"command\":[\"/x\"],\"when\":[\"run\"]}]}",
         "/plugins/0/name", "letters"},
        {"{\"plugins\":[{\"name\":\"a\",\"command\":[],\"when\":[\"run\"]}]}", "/plugins/0/command",
         "program"},
        {"{\"plugins\":[{\"name\":\"a\",\"command\":[\"x\"],\"when\":[\"run\"]}]}",
         "/plugins/0/command/0", "absolute"},
        {"{\"plugins\":[{\"name\":\"a\",\"command\":[\"/x\"],\"when\":[]}]}", "/plugins/0/when",
         "event"},
        {"{\"plugins\":[{\"name\":\"a\",\"command\":[\"/x\"],\"when\":[\"runs\"]}]}",
         "/plugins/0/when/0", "runs"},
        {ONE(",\"devices\":\"svl>x\""), "/plugins/0/devices", ""},
        {ONE(",\"seconds\":0"), "/plugins/0/seconds", "whole number"},
        {ONE(",\"seconds\":301"), "/plugins/0/seconds", "whole number"},
        {ONE(",\"second\":1"), "/plugins/0", "second"},
        {ONE("},{\"name\":\"a\",\"command\":[\"/x\"],\"when\":[\"run\"]"), "/plugins/1/name",
         "Two"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_plugin_config all[SL_MAX_PLUGINS];
        struct cJSON *document;
        struct sl_diag diag;
        assert_int_equal(parse(cases[i].text, all, &document, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.where, cases[i].where));
        assert_true(strstr(diag.what, cases[i].word) || strstr(diag.hint, cases[i].word));
        sl_json_doc_free(document);
    }
}

TEST(there_is_a_most_of_plug_ins_and_of_words)
{
    char text[4096] = "{\"plugins\":[";
    struct sl_plugin_config all[SL_MAX_PLUGINS];
    struct cJSON *document;
    struct sl_diag diag;
    for (int i = 0; i <= SL_MAX_PLUGINS; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used,
                 "%s{\"name\":\"p%d\",\"command\":[\"/x\"],\"when\":[\"run\"]}", i ? "," : "", i);
    }
    strcat(text, "]}");
    assert_int_equal(parse(text, all, &document, &diag), SL_E_FORMAT);
    sl_json_doc_free(document);
}

TEST(a_program_that_cannot_be_executed_is_named)
{
    struct sl_plugin_config two[2] = {{.name = "a", .words = {"/bin/sh"}, .word_count = 1},
                                      {.name = "hub", .words = {"/nowhere/hub"}, .word_count = 1}};
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_plugin_configs_check(two, 1, &diag), 0);
    assert_int_equal(sl_plugin_configs_check(two, 2, &diag), -ENOENT);
    assert_string_equal(diag.where, "/nowhere/hub");
    assert_non_null(strstr(diag.hint, "hub"));
    two[1].words[0] = "/etc/passwd";
    assert_int_equal(sl_plugin_configs_check(two, 2, &diag), -EACCES);
}
