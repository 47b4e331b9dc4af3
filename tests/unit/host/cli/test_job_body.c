/* tests/unit/host/cli/test_job_body.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/job_body.h"
#include "host/spec/experiment.h"
#include "host/spec/submission.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct sl_experiment_plan plan;
static struct sl_submitted submitted;

static int load(const char *text)
{
    struct sl_diag diag = {0};
    return sl_experiment_plan_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "c",
                                    &plan, &diag);
}

static void put(const struct sl_job_body *body)
{
    struct sl_buf text;
    struct sl_diag diag = {0};
    sl_buf_init(&text, 1 << 16);
    assert_int_equal(sl_job_body_put(body, &text), 0);
    assert_int_equal(sl_submitted_parse((struct sl_bytes){text.data, text.size}, &submitted, &diag),
                     0);
    sl_buf_fini(&text);
}

static void the_daemon_reads_what_is_sent(void **state)
{
    static char inputs[2][SL_SHA256_HEX_SIZE] = {DIGEST, DIGEST};
    (void)state;
    assert_int_equal(load("{\"model\":\"dir/toy.pte\",\"device\":\"phone\",\"priority\":-3,"
                          "\"threshold_percent\":2,\"labels\":{\"branch\":\"main\"},"
                          "\"experiments\":[{\"name\":\"a\"},{\"name\":\"b\","
                          "\"inputs\":[\"x\",\"y\"],\"runs\":7,\"warmup\":0,\"seed\":9,"
                          "\"threads\":4,\"sme_threads\":2,\"cpu_affinity\":\"big\","
                          "\"data_path\":\"w/toy.ptd\",\"method\":\"encode\","
                          "\"input_shapes\":\"1x3\"}]}"),
                     0);
    assert_int_equal(plan.priority, -3);
    assert_int_equal(plan.count, 2);
    put(&(struct sl_job_body){.plan = &plan,
                              .experiment = &plan.experiments[1],
                              .device = "phone",
                              .model_sha256 = DIGEST,
                              .data_sha256 = DIGEST,
                              .inputs_sha256 = inputs,
                              .command = "sme2lab run c.json",
                              .directory = "out/b",
                              .shared_directory = true,
                              .timeout_seconds = 77});
    assert_string_equal(submitted.model, DIGEST);
    assert_string_equal(submitted.model_name, "toy.pte");
    assert_string_equal(submitted.data, DIGEST);
    assert_string_equal(submitted.shown.data, "w/toy.ptd");
    assert_string_equal(submitted.method, "encode");
    assert_int_equal(submitted.input_count, 2);
    assert_int_equal(submitted.runs, 7);
    assert_int_equal(submitted.warmup, 0);
    assert_int_equal(submitted.seed, 9);
    assert_int_equal(submitted.threads, 4);
    assert_int_equal(submitted.sme_threads, 2);
    assert_string_equal(submitted.affinity, "big");
    assert_int_equal(submitted.timeout_seconds, 77);
    assert_string_equal(submitted.input_shapes, "1x3");
    assert_true(submitted.threshold_percent > 1.9 && submitted.threshold_percent < 2.1);
    assert_string_equal(submitted.experiment, "b");
    assert_true(submitted.shared_directory);
    assert_string_equal(submitted.labels[0].value, "main");
    assert_string_equal(submitted.shown.command, "sme2lab run c.json");
    assert_string_equal(submitted.shown.model, "dir/toy.pte");
    assert_string_equal(submitted.shown.directory, "out/b");
    assert_string_equal(submitted.shown.inputs[1], "y");
    sl_experiment_plan_fini(&plan);
}

static void what_is_not_said_is_left_to_the_daemon(void **state)
{
    (void)state;
    sl_experiment_plan_init(&plan, "m.pte");
    put(&(struct sl_job_body){
        .plan = &plan, .experiment = &plan.experiments[0], .device = "", .model_sha256 = DIGEST});
    assert_int_equal(submitted.runs, UINT32_MAX);
    assert_string_equal(submitted.data, "");
    assert_int_equal(submitted.input_count, 0);
    assert_int_equal(submitted.timeout_seconds, 0);
    assert_false(submitted.shared_directory);
    assert_string_equal(submitted.shown.directory, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_daemon_reads_what_is_sent),
        cmocka_unit_test(what_is_not_said_is_left_to_the_daemon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
