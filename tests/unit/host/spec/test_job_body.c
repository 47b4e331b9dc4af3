/* tests/unit/host/spec/test_job_body.c */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/job_body.h"
#include "host/spec/plan.h"
#include "host/spec/spec.h"
#include "tests/support/test.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static int parse(const char *text, struct sl_spec *job, struct sl_diag *diag)
{
    memset(diag, 0, sizeof(*diag));
    return sl_job_body_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, job, diag);
}

TEST(zeros_are_the_first_cpu_and_other_numbers_masks)
{
    static const struct {
        const char *said, *taken;
    } cases[] = {{"0", "0"}, {"00", "00"}, {"1", "0x1"}, {"f0", "0xf0"}, {"0-1", "0-1"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_spec job;
        struct sl_diag diag;
        char text[160];
        snprintf(text, sizeof(text), "{\"model\":\"" B64 "\",\"cpu_affinity\":\"%s\"}",
                 cases[i].said);
        assert_int_equal(parse(text, &job, &diag), 0);
        assert_string_equal(job.affinity, cases[i].taken);
        sl_spec_fini(&job);
    }
}

TEST(a_model_alone_has_defaults)
{
    struct sl_spec job;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\":\"" A64 "\"}", &job, &diag), 0);
    assert_string_equal(job.model_sha256, A64);
    assert_string_equal(job.model_name, "model.pte");
    assert_int_equal(job.runs, SL_SPEC_UNSET);
    assert_int_equal(job.inputs_count, 0);
    assert_int_equal(job.threads[0], 1);
    assert_string_equal(job.affinity, "");
    assert_true(job.threshold_percent == 1 && job.confidence == 0.95);
    sl_spec_fini(&job);
}

TEST(a_task_needs_a_model_only_to_look_into_it)
{
    struct sl_spec job;
    struct sl_diag diag;
    assert_int_equal(
        parse("{\"task\":\"bench\",\"arguments\":[\"--bench\",\"8x8x8\"]}", &job, &diag), 0);
    assert_int_equal(job.task, SL_TASK_BENCH);
    assert_int_equal(job.arguments_count, 2);
    assert_string_equal(job.arguments[1], "8x8x8");
    struct sl_buf body;
    sl_buf_init(&body, 1 << 16);
    assert_int_equal(sl_job_body_put(&job, &body), 0);
    assert_non_null(
        strstr((char *)body.data, "\"task\":\"bench\",\"arguments\":[\"--bench\",\"8x8x8\"]"));
    sl_buf_fini(&body);
    sl_spec_fini(&job);
    assert_int_equal(parse("{\"task\":\"probe\"}", &job, &diag), 0);
    assert_false(sl_spec_task_measures(job.task));
    sl_spec_fini(&job);
    assert_int_equal(parse("{\"task\":\"plan\"}", &job, &diag), SL_E_FORMAT);
    assert_int_equal(parse("{\"task\":\"serve\"}", &job, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.hint, "peaks"));
    assert_int_equal(parse("{\"task\":\"probe\",\"arguments\":[\"x\"]}", &job, &diag), SL_E_FORMAT);
    assert_int_equal(parse("{\"task\":\"bench\",\"concurrency\":2}", &job, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "concurrency"));
    assert_int_equal(parse("{\"task\":\"bench\",\"concurrency\":1}", &job, &diag), 0);
    sl_spec_fini(&job);
}

TEST(every_key_arrives)
{
    struct sl_spec job;
    struct sl_diag diag;
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
    assert_int_equal(job.inputs_count, 2);
    assert_string_equal(job.inputs_sha256[0], B64);
    assert_int_equal(job.runs, 7);
    assert_true(job.budget_seconds == 1.5 && job.precision_percent == 0);
    assert_int_equal(job.warmup, 0);
    assert_int_equal(job.seed, 9);
    assert_int_equal(job.threads[0], 4);
    assert_int_equal(job.sme_threads, 1);
    assert_string_equal(job.affinity, "0xf0");
    assert_int_equal(job.timeout_seconds, 5);
    assert_string_equal(job.data_path_sha256, B64);
    assert_string_equal(job.method, "m");
    assert_string_equal(job.input_shapes, "1x3");
    assert_string_equal(job.name, "e");
    assert_true(job.shared_directory && job.weight_cache);
    assert_string_equal(job.labels_keys[0], "k");
    assert_string_equal(job.model, "a/m");
    assert_string_equal(job.data_path, "a/w");
    assert_string_equal(job.inputs[1], "y");
    assert_string_equal(job.directory, "o");
    sl_spec_fini(&job);
}

TEST(what_a_device_kept_is_collected_by_the_body_of_its_job)
{
    static const char text[] = "{\"model\":\"" A64 "\",\"device\":\"theirs\",\"runs\":7}";
    const struct sl_bytes bytes = {(const uint8_t *)text, strlen(text)};
    struct sl_spec job;
    struct sl_diag diag = {0};
    struct sl_buf body;
    sl_buf_init(&body, 1 << 16);
    const struct sl_run_id id = {UINT64_MAX, 7};
    assert_int_equal(sl_job_body_collect(bytes, "ours", id, 1764000000000, &body, &diag), 0);
    assert_int_equal(parse((const char *)body.data, &job, &diag), 0);
    assert_string_equal(job.device, "ours");
    assert_int_equal(job.runs, 7);
    assert_true(sl_run_ids_equal(job.kept_id, id) && job.kept_started_ms == 1764000000000);
    sl_spec_fini(&job);
    sl_buf_fini(&body);
    assert_int_equal(sl_job_body_collect((struct sl_bytes){NULL, 0}, "ours", id, 0, &body, &diag),
                     SL_E_FORMAT);
}

TEST(what_is_wrong_is_refused_at_its_place)
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
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_spec job;
        struct sl_diag diag;
        assert_int_equal(parse(cases[i].text, &job, &diag), SL_E_FORMAT);
        assert_true(strstr(diag.what, cases[i].word) || strstr(diag.hint, cases[i].word));
    }
}

TEST(the_daemon_reads_what_is_sent)
{
    static const char text[] =
        "{\"model\":\"dir/toy.pte\",\"device\":\"phone\",\"priority\":-3,"
        "\"threshold_percent\":2,\"labels\":{\"branch\":\"main\"},\"experiments\":[{\"name\":"
        "\"b\",\"inputs\":[\"x\",\"y\"],\"runs\":7,\"warmup\":0,\"seed\":9,\"threads\":4,"
        "\"sme_threads\":2,\"cpu_affinity\":\"big\",\"mode\":\"clean\",\"concurrency\":3,"
        "\"data_path\":\"w/toy.ptd\",\"method\":\"encode\",\"input_shapes\":\"1x3\"}]}";
    static struct sl_plan plan;
    struct sl_spec sent, read;
    struct sl_diag diag = {0};
    struct sl_buf body, again;
    sl_buf_init(&body, 1 << 16);
    sl_buf_init(&again, 1 << 16);
    assert_int_equal(
        sl_plan_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "c", &plan, &diag),
        0);
    sent = plan.specs[0];
    sent.model_sha256 = sent.data_path_sha256 = sent.inputs_sha256[0] = sent.inputs_sha256[1] = A64;
    sent.command = "sme2lab run c.json";
    sent.directory = "out/b";
    sent.shared_directory = true;
    sent.timeout_seconds = 77;
    assert_int_equal(sl_job_body_put(&sent, &body), 0);
    assert_int_equal(sl_job_body_read((struct sl_bytes){body.data, body.size}, &read, &diag), 0);
    assert_string_equal(read.model, "dir/toy.pte");
    assert_string_equal(read.data_path, "w/toy.ptd");
    assert_string_equal(read.inputs[1], "y");
    assert_string_equal(read.inputs_sha256[1], A64);
    assert_string_equal(read.method, "encode");
    assert_string_equal(read.name, "b");
    assert_int_equal(read.runs, 7);
    assert_int_equal(read.warmup, 0);
    assert_int_equal(read.mode, SL_MODE_CLEAN);
    assert_int_equal(read.priority, -3);
    assert_int_equal(read.timeout_seconds, 77);
    assert_true(read.threshold_percent == 2 && read.shared_directory);
    assert_string_equal(read.labels_values[0], "main");
    assert_string_equal(read.command, "sme2lab run c.json");
    assert_string_equal(read.directory, "out/b");
    assert_int_equal(sl_job_body_put(&read, &again), 0); /* every member, whatever it is */
    assert_string_equal((char *)again.data, (char *)body.data);
    sl_buf_fini(&body);
    sl_buf_fini(&again);
    sl_spec_fini(&read);
    sl_plan_fini(&plan);
}

TEST(what_is_not_said_is_left_to_the_daemon)
{
    struct sl_spec sent, read;
    struct sl_diag diag = {0};
    struct sl_buf body;
    sl_buf_init(&body, 1 << 16);
    sl_spec_init(&sent);
    sent.model = "m.pte";
    sent.model_sha256 = A64;
    assert_int_equal(sl_job_body_put(&sent, &body), 0);
    assert_int_equal(sl_job_body_read((struct sl_bytes){body.data, body.size}, &read, &diag), 0);
    assert_int_equal(read.runs, SL_SPEC_UNSET);
    assert_null(read.data_path_sha256);
    assert_int_equal(read.inputs_count, 0);
    assert_false(read.shared_directory);
    assert_null(read.directory);
    sl_buf_fini(&body);
    sl_spec_fini(&read);
}

#define CONFIGURATION                                                                              \
    "\"configuration\":{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"/r\","  \
    "\"threads\":[1,2],\"cpu_affinity\":\"f0\"},{\"name\":\"b\",\"runner_path\":\"/s\"}],"         \
    "\"analysis\":{\"compare_pairs\":[{\"baseline\":{\"experiment\":\"a\",\"threads\":2},"         \
    "\"candidate\":{\"experiment\":\"b\",\"threads\":1}}]}}"

TEST(runners_are_a_configuration_and_the_blob_of_each_of_its_paths)
{
    struct sl_spec job;
    struct sl_diag diag;
    size_t order[SL_PLAN_MAX];
    assert_int_equal(parse("{\"task\":\"runners\",\"model\":\"" A64 "\"," CONFIGURATION
                           ",\"files\":{\"m\":\"" A64 "\",\"/r\":\"" B64 "\",\"/s\":\"" A64 "\"}}",
                           &job, &diag),
                     0);
    assert_int_equal(job.plan->count, 3);
    assert_string_equal(job.plan->specs[1].family, "a");
    assert_int_equal(job.plan->specs[1].threads[0], 2);
    assert_string_equal(job.plan->specs[1].runner_sha256, B64);
    assert_string_equal(job.plan->specs[2].runner_sha256, A64);
    assert_string_equal(job.plan->specs[0].affinity, "0xf0");
    assert_int_equal(job.plan->specs[0].runs, 100);
    assert_string_equal(job.model_sha256, A64);
    sl_plan_order(job.plan, order);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 2);
    assert_int_equal(order[2], 0);
    struct sl_buf text;
    struct sl_spec again;
    sl_buf_init(&text, 1 << 16);
    assert_int_equal(sl_job_body_put(&job, &text), 0);
    assert_int_equal(parse((const char *)text.data, &again, &diag), 0);
    assert_int_equal(again.plan->count, 3);
    assert_int_equal(again.plan->pair_count, 1);
    assert_string_equal(again.plan->specs[1].name, "a_t2");
    assert_string_equal(again.plan->specs[1].family, "a");
    sl_spec_fini(&again);
    sl_buf_fini(&text);
    sl_spec_fini(&job);
}

TEST(runners_without_their_files_are_refused)
{
    static const char *const bodies[] = {
        "{\"task\":\"runners\"}",
        "{\"task\":\"runners\",\"model\":\"" A64 "\"," CONFIGURATION "}",
        "{\"task\":\"runners\",\"model\":\"" A64 "\"," CONFIGURATION ",\"files\":{\"m\":\"" A64
        "\",\"/r\":\"" B64 "\"}}",
        "{\"task\":\"runners\",\"model\":\"" A64 "\"," CONFIGURATION ",\"files\":{\"m\":\"x\"}}",
        "{\"task\":\"runners\",\"configuration\":{\"model\":\"m\"},\"files\":{\"m\":\"" A64 "\"}}",
        "{\"model\":\"" A64 "\"," CONFIGURATION "}"};
    struct sl_spec job;
    struct sl_diag diag;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        assert_int_equal(parse(bodies[i], &job, &diag), SL_E_FORMAT);
}
