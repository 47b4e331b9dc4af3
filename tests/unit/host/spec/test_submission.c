/* tests/unit/host/spec/test_submission.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "host/spec/submission.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static int parse(const char *text, struct sl_submitted *job, struct sl_diag *diag)
{
    memset(diag, 0, sizeof(*diag));
    return sl_submitted_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, job, diag);
}

static void a_model_alone_has_defaults(void **state)
{
    struct sl_submitted job;
    struct sl_diag diag;
    (void)state;
    assert_int_equal(parse("{\"model\":\"" A64 "\"}", &job, &diag), 0);
    assert_string_equal(job.model, A64);
    assert_string_equal(job.model_name, "model.pte");
    assert_int_equal(job.runs, UINT32_MAX);
    assert_int_equal(job.input_count, 0);
    assert_int_equal(job.threads, 1);
    assert_string_equal(job.affinity, "");
}

static void every_key_arrives(void **state)
{
    struct sl_submitted job;
    struct sl_diag diag;
    (void)state;
    assert_int_equal(
        parse("{\"model\":\"" A64 "\",\"model_name\":\"toy.pte\",\"inputs\":[\"" B64 "\",\"" A64
              "\"],\"device\":\"d\",\"priority\":3,"
              "\"threads\":4,\"sme_threads\":1,\"cpu_affinity\":\"f0\","
              "\"runs\":7,\"warmup\":0,\"seed\":9,\"method\":\"m\",\"data\":\"" B64 "\","
              "\"input_shapes\":"
              "\"1x3\",\"timeout_seconds\":5,"
              "\"threshold_percent\":2.5,\"budget_seconds\":1.5,\"confidence\":0.9,\"experiment\":"
              "\"e\","
              "\"weight_cache\":true,\"shared_directory\":true,\"labels\":{\"k\":\"v\"},\"shown\":{"
              "\"command\":\"c\",\"model\":\"a/m\",\"data\":\"a/w\",\"inputs\":[\"x\",\"y\"],"
              "\"directory\":\"o\"}}",
              &job, &diag),
        0);
    assert_string_equal(job.model_name, "toy.pte");
    assert_int_equal(job.input_count, 2);
    assert_string_equal(job.inputs[0], B64);
    assert_int_equal(job.runs, 7);
    assert_true(job.budget_seconds == 1.5 && job.precision_percent == 0);
    assert_int_equal(job.warmup, 0);
    assert_int_equal(job.seed, 9);
    assert_int_equal(job.threads, 4);
    assert_int_equal(job.sme_threads, 1);
    assert_string_equal(job.affinity, "0xf0");
    assert_int_equal(job.timeout_seconds, 5);
    assert_string_equal(job.data, B64);
    assert_string_equal(job.method, "m");
    assert_string_equal(job.input_shapes, "1x3");
    assert_string_equal(job.experiment, "e");
    assert_true(job.shared_directory && job.weight_cache);
    assert_string_equal(job.labels[0].key, "k");
    assert_string_equal(job.shown.model, "a/m");
    assert_string_equal(job.shown.data, "a/w");
    assert_string_equal(job.shown.inputs[1], "y");
    assert_string_equal(job.shown.directory, "o");
}

static void what_is_wrong_is_refused_at_its_place(void **state)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"[]", "object"},
        {"{}", "model"},
        {"{\"model\":\"" A64 "\",\"threads\":[1,2]}", "one number of threads"},
        {"{\"model\":\"../x\"}", "SHA-256"},
        {"{\"model\":\"" A64 "\",\"imputs\":[]}", "inputs"},
        {"{\"model\":\"" A64 "\",\"inputs\":[\"x\"]}", "SHA-256"},
        {"{\"model\":\"" A64 "\",\"runs\":0}", "whole number"},
        {"{\"model\":\"" A64 "\",\"weight_cache\":1}", "true or false"},
        {"{\"model\":\"" A64 "\",\"data\":\"weights.ptd\"}", "SHA-256"},
        {"{\"model\":\"" A64
         "\",\"method\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
         "longer"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_submitted job;
        struct sl_diag diag;
        assert_int_equal(parse(cases[i].text, &job, &diag), SL_E_FORMAT);
        assert_true(strstr(diag.what, cases[i].word) || strstr(diag.hint, cases[i].word));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_alone_has_defaults),
        cmocka_unit_test(every_key_arrives),
        cmocka_unit_test(what_is_wrong_is_refused_at_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
