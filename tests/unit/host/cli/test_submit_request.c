/* tests/unit/host/cli/test_submit_request.c */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/submit_request.h"
#include "host/config/submission.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct sl_submit_plan plan;

static int load(const char *text, struct sl_diag *diag)
{
    char path[64];
    memset(diag, 0, sizeof(*diag));
    snprintf(path, sizeof(path), "submit-%ld.json", (long)getpid());
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    int rc = sl_submit_plan_load(path, &plan, diag);
    unlink(path);
    return rc;
}

static void the_daemon_reads_what_is_sent(void **state)
{
    static char inputs[2][SL_DIGEST_BYTES] = {DIGEST, DIGEST};
    static struct sl_submitted submitted;
    struct sl_diag diag;
    struct sl_buf body;
    (void)state;
    assert_int_equal(
        load("{\"model\":\"dir/toy.pte\",\"device\":\"phone\",\"priority\":-3,"
             "\"threshold_percent\":2,\"experiments\":[{\"name\":\"a\"},{\"name\":\"b\","
             "\"inputs\":[\"x\",\"y\"],\"runs\":7,\"warmup\":0,\"seed\":9,"
             "\"input_shapes\":\"1x3\"}]}",
             &diag),
        0);
    assert_string_equal(plan.device, "phone");
    assert_int_equal(plan.priority, -3);
    assert_int_equal(plan.plan.count, 2);
    sl_buf_init(&body, 1 << 16);
    assert_int_equal(sl_submit_body(&plan, 1, DIGEST, inputs, &body), 0);
    assert_int_equal(sl_submitted_parse((struct sl_bytes){body.data, body.size}, &submitted, &diag),
                     0);
    assert_string_equal(submitted.model, DIGEST);
    assert_string_equal(submitted.model_name, "toy.pte");
    assert_int_equal(submitted.input_count, 2);
    assert_int_equal(submitted.runs, 7);
    assert_int_equal(submitted.warmup, 0);
    assert_int_equal(submitted.seed, 9);
    assert_string_equal(submitted.input_shapes, "1x3");
    assert_true(submitted.threshold_percent > 1.9 && submitted.threshold_percent < 2.1);
    sl_buf_fini(&body);
    sl_submit_plan_fini(&plan);
}

static void what_a_job_has_no_place_for_is_refused(void **state)
{
    static const char *const texts[] = {
        "{\"model\":\"m\",\"cpu\":\"max\"}",       "{\"model\":\"m\",\"labels\":{\"a\":\"b\"}}",
        "{\"model\":\"m\",\"output_root\":\"o\"}", "{\"model\":\"m\",\"device\":7}",
        "{\"model\":\"m\",\"priority\":\"high\"}", "{\"model\":\"m\",\"nonsense\":1}"};
    struct sl_diag diag;
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(load(texts[i], &diag), SL_E_FORMAT);
        assert_true(diag.what[0] && diag.where[0]);
    }
}

static void a_bare_model_needs_no_configuration(void **state)
{
    struct sl_diag diag;
    (void)state;
    assert_int_equal(sl_submit_plan_load("a/b.pte", &plan, &diag), 0);
    assert_string_equal(plan.plan.model, "a/b.pte");
    assert_int_equal(plan.plan.count, 1);
    assert_int_equal(plan.svl, 0);
    sl_submit_plan_fini(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_daemon_reads_what_is_sent),
        cmocka_unit_test(what_a_job_has_no_place_for_is_refused),
        cmocka_unit_test(a_bare_model_needs_no_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
