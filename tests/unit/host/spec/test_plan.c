#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/json_doc.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"
#include "tests/support/test.h"

static int parse(const char *text, struct sl_plan *plan, struct sl_diag *diag)
{
    memset(diag, 0, sizeof(*diag));
    return sl_plan_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "c.json", plan,
                         diag);
}

TEST(a_model_alone_is_one_experiment_with_defaults)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\": \"m.pte\"}", &plan, &diag), 0);
    assert_string_equal(plan.model, "m.pte");
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.specs[0].svl[0], 0); /* not said */
    assert_string_equal(plan.specs[0].model, "m.pte");
    assert_string_equal(plan.specs[0].name, "run");
    assert_int_equal(plan.specs[0].runs, SL_SPEC_UNSET);
    sl_plan_fini(&plan);
}

TEST(experiments_take_what_the_top_says_unless_they_say_otherwise)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(
        parse("{\"model\":\"m.pte\",\"output_root\":\"o\",\"device\":\"counted\",\"svl\":256,"
              "\"runs\":7,\"seed\":3,\"inputs\":[\"a.bin\",\"b.bin\"],\"labels\":{\"who\":\"me\"},"
              "\"threshold_percent\":2.5,\"experiments\":[{\"name\":\"a\",\"mode\":\"timing\","
              "\"threads\":[1],\"factor\":{\"sme2\":[\"off\",\"on\"]}},"
              "{\"name\":\"b\",\"num_runs\":9,\"num_threads\":1,\"warmup\":0,"
              "\"inputs\":[\"c.bin\"],\"input_shapes\":\"1x3\"}]}",
              &plan, &diag),
        0);
    assert_int_equal(plan.count, 2);
    assert_int_equal(plan.specs[0].runs, 7);
    assert_int_equal(plan.specs[0].inputs_count, 2);
    assert_int_equal(plan.specs[1].runs, 9);
    assert_int_equal(plan.specs[1].warmup, 0);
    assert_int_equal(plan.specs[1].inputs_count, 1);
    assert_string_equal(plan.specs[1].inputs[0], "c.bin");
    assert_int_equal(plan.specs[1].seed, 3);
    assert_string_equal(plan.specs[0].labels_values[0], "me");
    sl_plan_fini(&plan);
}

TEST(each_of_several_vector_lengths_is_an_experiment)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\":\"m\",\"svl\":[128,256],\"experiments\":[{\"name\":\"a\"},"
                           "{\"name\":\"b\",\"svl\":512}]}",
                           &plan, &diag),
                     0);
    assert_int_equal(sl_plan_spread(&plan, &diag), 0);
    assert_int_equal(plan.count, 3);
    assert_string_equal(plan.specs[0].name, "a_svl128");
    assert_int_equal(plan.specs[0].svl[0], 128);
    assert_string_equal(plan.specs[1].name, "a_svl256");
    assert_int_equal(plan.specs[1].svl[0], 256);
    assert_string_equal(plan.specs[2].name, "b");
    assert_int_equal(plan.specs[2].svl[0], 512);
    sl_plan_fini(&plan);
}

TEST(an_explained_plan_reads_as_the_same_plan)
{
    struct sl_plan plan, again;
    struct sl_diag diag;
    struct sl_buf first, second;
    sl_buf_init(&first, 1 << 16);
    sl_buf_init(&second, 1 << 16);
    assert_int_equal(parse("{\"model\":\"m\",\"device\":\"local\",\"cpu\":\"max\",\"output_root\":"
                           "\"o\",\"labels\":{\"k\":\"v\"},\"experiments\":[{\"name\":\"a\","
                           "\"runs\":2,\"warmup\":1,\"inputs\":[\"i\"],\"input_shapes\":\"1\","
                           "\"data_path\":\"w.ptd\",\"method\":\"n\",\"weight_cache\":true}]}",
                           &plan, &diag),
                     0);
    assert_int_equal(sl_plan_explain(&plan, &first), 0);
    assert_int_equal(parse((char *)first.data, &again, &diag), 0);
    assert_int_equal(sl_plan_explain(&again, &second), 0);
    assert_string_equal((char *)first.data, (char *)second.data);
    assert_string_equal(again.specs[0].data_path, "w.ptd");
    assert_string_equal(again.specs[0].method, "n");
    assert_true(again.specs[0].weight_cache);
    sl_plan_fini(&plan);
    sl_plan_fini(&again);
    sl_buf_fini(&first);
    sl_buf_fini(&second);
}

TEST(experiments_with_runners_and_their_pairs_read_as_they_are_explained)
{
    static const char text[] =
        "{\"model\":\"m\",\"experiments\":[{\"name\":\"off\",\"quiet_runner\":\"r\","
        "\"threads\":[1,2]},{\"name\":\"on\",\"runner_path\":\"/r\",\"extra_args\":[\"-x\",\"y\"]},"
        "{\"name\":\"log\",\"runner_path\":\"v\",\"mode\":\"xnntrace\"}],"
        "\"analysis\":{\"compare_pairs\":[{\"baseline\":{\"experiment\":\"off\",\"threads\":2},"
        "\"candidate\":{\"experiment\":\"on\",\"threads\":1},\"label\":\"l\"}]}}";
    struct sl_plan plan, again;
    struct sl_diag diag;
    struct sl_buf first, second;
    sl_buf_init(&first, 1 << 16);
    sl_buf_init(&second, 1 << 16);
    assert_int_equal(parse(text, &plan, &diag), 0);
    assert_string_equal(plan.specs[0].runner, "r");
    assert_int_equal(plan.specs[1].extra_args_count, 2);
    assert_string_equal(plan.specs[1].extra_args[1], "y");
    assert_int_equal(plan.specs[2].mode, SL_MODE_XNNTRACE);
    assert_int_equal(plan.specs[1].mode, SL_MODE_TIMING);
    assert_int_equal(plan.pair_count, 1);
    assert_string_equal(plan.pairs[0].family[1], "on");
    assert_int_equal(plan.pairs[0].threads[0], 2);
    assert_string_equal(plan.pairs[0].label, "l");
    assert_int_equal(sl_plan_spread(&plan, &diag), 0);
    assert_string_equal(plan.specs[1].name, "off_t2");
    assert_string_equal(plan.specs[1].family, "off");
    assert_int_equal(sl_plan_explain(&plan, &first), 0);
    assert_int_equal(parse((char *)first.data, &again, &diag), 0);
    assert_string_equal(again.pairs[0].family[0], "off_t2");
    assert_int_equal(sl_plan_explain(&again, &second), 0);
    assert_string_equal((char *)first.data, (char *)second.data);
    sl_plan_fini(&plan);
    sl_plan_fini(&again);
    sl_buf_fini(&first);
    sl_buf_fini(&second);
}

TEST(ours_has_the_plain_names_where_one_experiment_is_on_both_runtimes)
{
    struct sl_plan plan;
    struct sl_diag diag;
    sl_plan_init(&plan, "m.pte");
    assert_false(sl_plan_is_of_both(&plan) || sl_plan_shares(&plan, 0));
    assert_int_equal(sl_plan_add_executorch(&plan, &diag), 0);
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.specs[0].name, "run_executorch");
    assert_string_equal(plan.specs[1].name, "run");
    assert_true(sl_plan_is_of_both(&plan));
    assert_true(sl_plan_shares(&plan, 0) && !sl_plan_shares(&plan, 1));
    plan.specs[1].model = "other.pte";
    assert_false(sl_plan_is_of_both(&plan));
    assert_true(sl_plan_shares(&plan, 1));
}

TEST(a_list_of_models_is_multiplied_with_the_experiments)
{
    static const char *const names[] = {"x_a", "x_b", "m2-y_a", "m2-y_b", "m3-y_a", "m3-y_b"};
    static const char *const models[] = {"x.pte", "1/y.pte", "2/y.pte"};
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\":[\"x.pte\",\"1/y.pte\",\"2/y.pte\"],"
                           "\"experiments\":[{\"name\":\"a\"},{\"name\":\"b\",\"runs\":3}]}",
                           &plan, &diag),
                     0);
    assert_int_equal(plan.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(plan.specs[i].name, names[i]);
        assert_string_equal(plan.specs[i].model, models[i / 2]);
        assert_int_equal(plan.specs[i].runs, i % 2 ? 3 : SL_SPEC_UNSET);
    }
    struct sl_buf text;
    struct sl_plan again;
    sl_buf_init(&text, 1 << 16);
    assert_int_equal(sl_plan_explain(&plan, &text), 0);
    assert_int_equal(parse((char *)text.data, &again, &diag), 0);
    assert_int_equal(again.count, 6);
    assert_string_equal(again.specs[5].model, "2/y.pte");
    sl_buf_fini(&text);
    sl_plan_fini(&plan);
    sl_plan_fini(&again);
}

TEST(a_list_of_threads_becomes_an_experiment_each)
{
    static const struct {
        const char *name;
        uint32_t threads;
    } all[] = {{"a_t1", 1}, {"a_t4", 4}, {"b", 2}, {"c", 1}};
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[1,4],"
                           "\"sme_threads\":2,\"cpu_affinity\":\"4-7\"},{\"name\":\"b\","
                           "\"num_threads\":2,\"cpu_affinity\":\"f0\"},{\"name\":\"c\"}]}",
                           &plan, &diag),
                     0);
    assert_int_equal(plan.specs[0].threads_count, 2);
    assert_int_equal(sl_plan_spread(&plan, &diag), 0);
    assert_int_equal(plan.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(plan.specs[i].name, all[i].name);
        assert_int_equal(plan.specs[i].threads_count, 1);
        assert_int_equal(plan.specs[i].threads[0], all[i].threads);
    }
    assert_int_equal(plan.specs[1].sme_threads, 2);
    assert_string_equal(plan.specs[1].affinity, "4-7");
    assert_string_equal(plan.specs[3].affinity, "");
    sl_plan_fini(&plan);
}

static void check_spread(const char *text, const char *const *names, size_t count,
                         struct sl_plan *plan)
{
    struct sl_diag diag;
    assert_int_equal(parse(text, plan, &diag), 0);
    assert_int_equal(sl_plan_spread(plan, &diag), 0);
    assert_int_equal(plan->count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(plan->specs[i].name, names[i]);
}

TEST(lists_of_concurrency_are_experiments_within_those_of_threads)
{
    static const char *const names[] = {"a_t1_c1", "a_t1_c4", "a_t2_c1", "a_t2_c4", "b"};
    struct sl_plan plan;
    check_spread("{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[1,2],"
                 "\"concurrency\":[1,4]},{\"name\":\"b\",\"concurrency\":3}]}",
                 names, 5, &plan);
    assert_int_equal(plan.specs[3].threads[0], 2);
    assert_int_equal(plan.specs[3].concurrency[0], 4);
    assert_int_equal(plan.specs[4].concurrency[0], 3);
    sl_plan_fini(&plan);
}

TEST(processes_repeat_an_experiment_each_with_a_seed_of_its_own)
{
    static const char *const names[] = {"a_t1_p1", "a_t1_p2", "a_t2_p1", "a_t2_p2", "b"};
    struct sl_plan plan, again;
    struct sl_buf text;
    check_spread("{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[1,2],"
                 "\"processes\":2,\"seed\":7},{\"name\":\"b\"}]}",
                 names, 5, &plan);
    assert_int_equal(plan.specs[2].process, 1);
    assert_int_equal(plan.specs[2].seed, 7);
    assert_int_equal(plan.specs[3].process, 2);
    assert_int_equal(plan.specs[3].seed, 8);
    assert_int_equal(plan.specs[4].process, 0);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_plan_explain(&plan, &text), 0);
    check_spread((const char *)text.data, names, 5, &again); /* what is repeated stays so */
    sl_plan_fini(&again);
    sl_plan_fini(&plan);
    sl_buf_fini(&text);
}

TEST(too_many_processes_are_refused)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[1,2,4],"
                           "\"processes\":32}]}",
                           &plan, &diag),
                     0);
    assert_int_equal(sl_plan_spread(&plan, &diag), SL_E_LIMIT);
    sl_plan_fini(&plan);
    assert_int_equal(parse("{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"processes\":"
                           "[1,2]}]}",
                           &plan, &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "c.json: /experiments/0/processes");
}

static const struct sl_param *threads(void)
{
    for (size_t i = 0; i < sl_param_count; i++)
        if (strcmp(sl_params[i].key, "threads") == 0)
            return &sl_params[i];
    return NULL;
}

TEST(lists_of_threads_that_cannot_be_are_refused)
{
    static const char *const bad[] = {"",   "0",  "1,", ",1",  "1,1",
                                      "65", "-1", "x",  "1 2", "99999999999999999999"};
    struct sl_plan plan;
    struct sl_diag diag;
    sl_plan_init(&plan, "m");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(sl_param_parse_counts(threads(), bad[i], &plan.specs[0], &diag),
                         SL_E_FORMAT);
    assert_int_equal(sl_param_parse_counts(threads(), "2,1", &plan.specs[0], &diag), 0);
    assert_int_equal(plan.specs[0].threads_count, 2);
    plan.specs[1] = plan.specs[0];
    plan.specs[1].threads_count = 1;
    snprintf(plan.specs[1].name, sizeof(plan.specs[1].name), "run_t1");
    plan.count = 2;
    assert_int_equal(sl_plan_spread(&plan, &diag), SL_E_FORMAT);
}

TEST(a_label_takes_the_place_of_one_with_its_key)
{
    char keys[SL_SPEC_MAX_LABELS][8], longest[SL_SELECTOR_BYTES];
    struct sl_spec spec;
    struct sl_diag diag;
    const struct sl_param *labels = sl_params;
    while (strcmp(labels->key, "labels") != 0)
        labels++;
    sl_spec_init(&spec);
    for (size_t i = 0; i < SL_SPEC_MAX_LABELS; i++) {
        snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
        assert_int_equal(sl_param_set_label(labels, keys[i], "v", &spec, &diag), 0);
    }
    assert_int_equal(sl_param_set_label(labels, "k3", "w", &spec, &diag), 0);
    assert_string_equal(spec.labels_values[3], "w");
    assert_int_equal(spec.labels_count, SL_SPEC_MAX_LABELS);
    assert_int_equal(sl_param_set_label(labels, "more", "v", &spec, &diag), SL_E_UNSUPPORTED);
    assert_int_equal(sl_param_set_label(labels, "k1", "", &spec, &diag), SL_E_UNSUPPORTED);
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(sl_param_set_label(labels, "k1", longest, &spec, &diag), 0);
    assert_int_equal(sl_param_set_label(labels, longest, "v", &spec, &diag), SL_E_UNSUPPORTED);
}

TEST(more_than_the_limit_together_is_refused)
{
    char text[4096] = "{\"model\":[\"0\"";
    struct sl_plan plan;
    struct sl_diag diag;
    for (int i = 1; i < 40; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ",\"%d\"", i);
    snprintf(text + strlen(text), sizeof(text) - strlen(text),
             "],\"experiments\":[{\"name\":\"a\"},{\"name\":\"b\"}]}");
    assert_int_equal(parse(text, &plan, &diag), SL_E_LIMIT);
    assert_string_equal(diag.where, "c.json: /model");
}

TEST(an_unknown_key_is_refused_with_its_place_and_the_nearest)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"modle\":\"m\"}", &plan, &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "c.json: /modle");
    assert_string_equal(diag.hint, "did you mean 'model'?");
    assert_int_equal(
        parse("{\"model\":\"m\",\"experiments\":[{\"name\":\"a\"},{\"name\":\"b\",\"treads\":1}]}",
              &plan, &diag),
        SL_E_FORMAT);
    assert_string_equal(diag.where, "c.json: /experiments/1/treads");
    assert_string_equal(diag.hint, "did you mean 'threads'?");
    assert_int_equal(parse("{\"a/b~c\":1}", &plan, &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "c.json: /a~1b~0c");
}

TEST(what_is_not_json_is_refused_with_line_and_column)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\": \"m\",\n  \"runs\": }", &plan, &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "c.json:2:11");
    assert_int_equal(parse("", &plan, &diag), SL_E_FORMAT);
    assert_int_equal(parse("{} x", &plan, &diag), SL_E_FORMAT);
    assert_int_equal(
        sl_plan_parse((struct sl_bytes){(const uint8_t *)"{}\0{}", 5}, "c", &plan, &diag),
        SL_E_FORMAT);
}

TEST(bytes_that_are_no_utf8_are_refused_with_line_and_column)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\": \"m.pte\",\n \"device\": \"a\xe2\x82\"}", &plan, &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "c.json:2:14");
    assert_non_null(strstr(diag.what, "0xe2"));
    assert_int_equal(parse("{\"model\": \"m\xc3\xa9.pte\"}", &plan, &diag), 0);
    assert_string_equal(plan.model, "m\xc3\xa9.pte");
    sl_plan_fini(&plan);
}

TEST(a_double_key_is_refused)
{
    struct sl_plan plan;
    struct sl_diag diag;
    assert_int_equal(parse("{\"model\":\"m\",\"labels\":{\"a\":\"1\",\"a\":\"2\"}}", &plan, &diag),
                     SL_E_FORMAT);
    assert_non_null(strstr(diag.where, "/labels/a"));
}

TEST(a_file_beyond_the_limit_is_refused)
{
    struct sl_plan plan;
    struct sl_diag diag = {0};
    assert_int_equal(
        sl_plan_parse((struct sl_bytes){(const uint8_t *)"", SL_JSON_DOC_MAX_BYTES + 1}, "c", &plan,
                      &diag),
        SL_E_LIMIT);
}

/* Each is refused at this pointer. */
static const struct {
    const char *text, *pointer;
} refused[] = {
    {"[]", "/"},
    {"{}", "/"},
    {"{\"model\":\"\"}", "/model"},
    {"{\"model\":1}", "/model"},
    {"{\"model\":\"m\",\"runs\":0}", "/runs"},
    {"{\"model\":\"m\",\"runs\":1.5}", "/runs"},
    {"{\"model\":\"m\",\"runs\":1e300}", "/runs"},
    {"{\"model\":\"m\",\"runs\":\"3\"}", "/runs"},
    {"{\"model\":\"m\",\"runs\":1,\"num_runs\":1}", "/num_runs"},
    {"{\"model\":\"m\",\"warmup\":-1}", "/warmup"},
    {"{\"model\":\"m\",\"svl\":64}", "/svl"},
    {"{\"model\":\"m\",\"confidence\":1}", "/confidence"},
    {"{\"model\":\"m\",\"threshold_percent\":\"x\"}", "/threshold_percent"},
    {"{\"model\":\"m\",\"inputs\":\"a\"}", "/inputs"},
    {"{\"model\":\"m\",\"inputs\":[1]}", "/inputs/0"},
    {"{\"model\":\"m\",\"labels\":[]}", "/labels"},
    {"{\"model\":\"m\",\"labels\":{\"a\":1}}", "/labels/a"},
    {"{\"model\":\"m\",\"device\":{\"soc\":[]}}", "/device/soc"},
    {"{\"model\":\"m\",\"priority\":1.5}", "/priority"},
    {"{\"model\":[]}", "/"},
    {"{\"model\":[\"m\",1]}", "/model/1"},
    {"{\"model\":\"m\",\"factor\":{\"sme2\":[\"on\",\"off\"]}}", "/factor"},
    {"{\"model\":\"m\",\"factor\":{\"sme\":[\"off\",\"on\"]}}", "/factor/sme"},
    {"{\"model\":\"m\",\"factor\":1}", "/factor"},
    {"{\"model\":\"m\",\"analysis\":{}}", "/analysis"},
    {"{\"model\":\"m\",\"gate\":{}}", "/gate"},
    {"{\"model\":\"m\",\"budget_seconds\":0}", "/budget_seconds"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"concurrency\":[2,2]}]}",
     "/experiments/0/concurrency/1"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"concurrency\":17}]}",
     "/experiments/0/concurrency"},
    {"{\"model\":\"m\",\"precision_percent\":101}", "/precision_percent"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"precision_percent\":\"1\"}]}",
     "/experiments/0/precision_percent"},
    {"{\"model\":\"m\",\"experiments\":{}}", "/experiments"},
    {"{\"model\":\"m\",\"experiments\":[]}", "/experiments"},
    {"{\"model\":\"m\",\"experiments\":[1]}", "/experiments/0"},
    {"{\"model\":\"m\",\"experiments\":[{}]}", "/experiments/0"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"../a\"}]}", "/experiments/0/name"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\"},{\"name\":\"a\"}]}", "/experiments/1"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"streams\",\"runner_path\":\"r\"}]}",
     "/experiments/0/name"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":1}]}",
     "/experiments/0/runner_path"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\",\"quiet_runner\":"
     "\"r\"}]}",
     "/experiments/0/quiet_runner"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"mode\":\"xnntrace\"}]}",
     "/experiments/0"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_libraries\":[\"l.so\"]}]}",
     "/experiments/0/runner_libraries"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\","
     "\"runner_environment\":[\"A=1\",\"2B=1\"]}]}",
     "/experiments/0/runner_environment"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"extra_args\":[]}]}",
     "/experiments/0/extra_args"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\",\"extra_args\":[1]}]"
     "}",
     "/experiments/0/extra_args/0"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\",\"concurrency\":2}]}",
     "/experiments/0/concurrency"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\",\"mode\":\"clean\"}]"
     "}",
     "/experiments/0"},
    {"{\"model\":\"m\",\"tolerance\":0.1,\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\"}]}",
     "/experiments/0"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\"},{\"name\":\"b\"}]}",
     "/"},
    {"{\"model\":[\"m\",\"n\"],\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\"}]}", "/"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\"}],\"analysis\":"
     "{\"compare_pairs\":[{\"baseline\":{\"experiment\":\"a\",\"threads\":2},\"candidate\":"
     "{\"experiment\":\"a\",\"threads\":1}}]}}",
     "/analysis/compare_pairs/0/baseline"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\"}],\"analysis\":"
     "{\"compare_pairs\":[{\"baseline\":{\"experiment\":\"a\",\"threads\":1}}]}}",
     "/analysis/compare_pairs/0"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\"}],\"analysis\":"
     "{\"compare\":[]}}",
     "/analysis/compare"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"mode\":\"x\"}]}", "/experiments/0/mode"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[2,2]}]}",
     "/experiments/0/threads/1"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[]}]}",
     "/experiments/0/threads"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":65}]}",
     "/experiments/0/threads"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"sme_threads\":0}]}",
     "/experiments/0/sme_threads"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"cpu_affinity\":\"large\"}]}",
     "/experiments/0/cpu_affinity"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"cpu_affinity\":\"0x0\"}]}",
     "/experiments/0/cpu_affinity"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"cpu_affinity\":\"0x\"}]}",
     "/experiments/0/cpu_affinity"},
    {"{\"model\":\"m\",\"experiments\":[{\"name\":\"a\",\"threads\":[0]}]}",
     "/experiments/0/threads/0"},
};

TEST(values_that_cannot_be_are_refused_at_their_place)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct sl_plan plan;
        struct sl_diag diag;
        char where[128];
        snprintf(where, sizeof(where), "c.json: %s", refused[i].pointer);
        assert_int_equal(parse(refused[i].text, &plan, &diag), SL_E_FORMAT);
        assert_string_equal(diag.where, where);
        assert_true(diag.what[0] != '\0');
    }
}

TEST(a_plan_is_no_counted_devices_and_an_emulated_one_has_no_cores)
{
    const struct sl_device_traits counted = {.counted = true}, emulated = {.emulated = true},
                                  real = {.emulated = false};
    struct sl_plan plan;
    sl_plan_init(&plan, "m.pte");
    struct sl_spec spec = {.plan = &plan};
    assert_int_equal(sl_plan_check_device(&spec, counted, NULL), SL_E_FORMAT);
    assert_int_equal(sl_plan_check_device(&spec, emulated, NULL), 0);
    snprintf(plan.specs[0].affinity, sizeof(plan.specs[0].affinity), "0x1");
    assert_int_equal(sl_plan_check_device(&spec, emulated, NULL), SL_E_FORMAT);
    assert_int_equal(sl_plan_check_device(&spec, real, NULL), 0);
    spec.native = true;
    assert_int_equal(sl_plan_check_device(&spec, counted, NULL), 0);
    sl_plan_fini(&plan);
}
