/* tests/unit/host/cli/test_import_pairs.c */
#include "host/cli/import_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "tests/support/test.h"

static const char names[][SL_IMPORT_NAME_BYTES] = {"off", "off", "off_trace", "on", "one"};
static const struct sl_import_names experiments = {names, sizeof(names) / sizeof(names[0])};
static char text[512];

static int put(const char *pair, struct sl_diag *diag)
{
    struct sl_buf out;
    struct sl_json json;
    memset(diag, 0, sizeof(*diag));
    sl_buf_init(&out, sizeof(text));
    sl_json_init(&json, &out);
    sl_json_open_object(&json, NULL);
    int rc = sl_import_pairs_put(&json, pair, &experiments, diag);
    sl_json_close_object(&json);
    snprintf(text, sizeof(text), "%s", (const char *)out.data);
    sl_buf_fini(&out);
    return rc;
}

TEST(a_name_in_full_comes_before_names_that_begin_so)
{
    struct sl_diag diag;
    assert_int_equal(put("off=on", &diag), 0);
    assert_string_equal(text, "{\"pair\":{\"baseline\":\"off\",\"candidate\":\"on\"}}");
    assert_int_equal(put("off_=one", &diag), 0);
    assert_string_equal(text, "{\"pair\":{\"baseline\":\"off_trace\",\"candidate\":\"one\"}}");
}

TEST(what_begins_several_names_or_none_is_refused)
{
    struct sl_diag diag;
    assert_int_equal(put("of=on", &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "'of' begins both 'off' and 'off_trace'"));
    assert_int_equal(put("off=x", &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "no experiment is called 'x'"));
}

TEST(a_configuration_that_is_not_there_is_an_error)
{
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    struct sl_json json;
    sl_buf_init(&out, 64);
    sl_json_init(&json, &out);
    assert_true(sl_import_pairs_put_config(&json, "/nonexistent/kit.json", &experiments, &diag) <
                0);
    assert_non_null(strstr(diag.what, "cannot be read"));
    sl_buf_fini(&out);
}

#define RUNNERS                                                                                    \
    "{\"model\":\"toy.pte\",\"experiments\":["                                                     \
    "{\"name\":\"off\",\"runner_path\":\"r\",\"threads\":[4]},"                                    \
    "{\"name\":\"on\",\"runner_path\":\"r\",\"threads\":[4]},"                                     \
    "{\"name\":\"zero\",\"runner_path\":\"r\",\"threads\":[4]}]"
#define SIDE(name) "{\"experiment\":\"" name "\",\"threads\":4}"

static int put_config(const char *config, struct sl_diag *diag)
{
    char path[] = "/tmp/sl-kit-XXXXXX";
    struct sl_buf out;
    struct sl_json json;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, config, strlen(config)), strlen(config));
    close(file);
    memset(diag, 0, sizeof(*diag));
    sl_buf_init(&out, sizeof(text));
    sl_json_init(&json, &out);
    sl_json_open_object(&json, NULL);
    int rc = sl_import_pairs_put_config(&json, path, &experiments, diag);
    sl_json_close_object(&json);
    snprintf(text, sizeof(text), "%s", (const char *)out.data);
    sl_buf_fini(&out);
    unlink(path);
    return rc;
}

TEST(pairs_of_a_configuration_are_of_experiments_that_were_found)
{
    struct sl_diag diag;
    assert_int_equal(put_config(RUNNERS ",\"analysis\":{\"compare_pairs\":[{\"baseline\":" SIDE(
                                    "off") ",\"candidate\":" SIDE("on") ",\"label\":\"sme2\"}]}}",
                                &diag),
                     0);
    assert_string_equal(text, "{\"pairs\":[{\"baseline\":{\"experiment\":\"off\",\"threads\":4},"
                              "\"candidate\":{\"experiment\":\"on\",\"threads\":4},"
                              "\"label\":\"sme2\"}]}");
}

TEST(a_configuration_without_pairs_or_with_those_of_others_is_refused)
{
    struct sl_diag diag;
    assert_int_equal(put_config(RUNNERS "}", &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "has no analysis.compare_pairs"));
    assert_int_equal(put_config(RUNNERS ",\"analysis\":{\"compare_pairs\":[{\"baseline\":" SIDE(
                                    "off") ",\"candidate\":" SIDE("zero") "}]}}",
                                &diag),
                     SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "no experiment is called 'zero'"));
    assert_true(put_config("{\"model\":", &diag) < 0);
}
