/* tests/unit/agent/run/test_run.c: the verb `run` from its command line to its files, line and exit
 * code, as executor_runner's users know them. */
#include "agent/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/format/etdump.h"
#include "tests/support/test.h"
#include "tests/support/verb_case.h"

#define MODELS SL_TEST_DATA "/models/"
#define TOY MODELS "toy_cnn_f32_xnnpack/"
#define PROGRAM "--model_path", TOY "model.pte"
#define INPUT "--inputs", TOY "input-0.bin"

static char folder[64];

static int open_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-agent-run-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    sl_verb_case.program = sl_agent_run;
    sl_verb_case.name = "run";
    return 0;
}

static int remove_folder(void **state)
{
    char command[96];
    (void)state;
    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

TEST_GROUP(open_folder, remove_folder);

/* The peak of what two files of floats differ by, over the second's largest magnitude. */
static double difference(const char *have, const char *want)
{
    struct sl_buf a, b;
    double worst = 0, peak = 0;
    assert_int_equal(sl_buf_read_file(have, 1 << 24, &a), 0);
    assert_int_equal(sl_buf_read_file(want, 1 << 24, &b), 0);
    assert_int_equal(a.size, b.size);
    for (size_t i = 0; i < a.size / sizeof(float); i++) {
        float x, y;
        memcpy(&x, a.data + i * sizeof(x), sizeof(x));
        memcpy(&y, b.data + i * sizeof(y), sizeof(y));
        worst = fmax(worst, fabs((double)x - (double)y));
        peak = fmax(peak, fabs((double)y));
    }
    sl_buf_fini(&a);
    sl_buf_fini(&b);
    return worst / peak;
}

static size_t executions_in(const char *path)
{
    struct sl_buf bytes;
    struct sl_etdump etdump;
    size_t found = 0;
    assert_int_equal(sl_buf_read_file(path, 1 << 26, &bytes), 0);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){bytes.data, bytes.size}, &etdump, NULL), 0);
    for (uint32_t run = 0; run < etdump.run_count; run++) {
        for (uint32_t i = 0; i < etdump.runs[run].event_count; i++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *event = sl_etdump_event_read(&etdump.runs[run], i, &room);
            found += event->name_len == 15 && memcmp(event->name, "Method::execute", 15) == 0;
        }
    }
    sl_etdump_fini(&etdump);
    sl_buf_fini(&bytes);
    return found;
}

TEST(a_program_is_executed_and_leaves_outputs_and_an_etdump)
{
    SAY(PROGRAM, INPUT, "--output_file", "out", "--num_executions", "3", "--print_output", "none",
        "--cpu_threads", "1");
    sl_verb_case_exited(0);
    assert_true(difference("out-0.bin", TOY "expected-0.bin") < 1e-4);
    assert_int_equal(executions_in("model.etdump"), 3);
    sl_verb_case_printed_not("Output[0]");
    SAY(PROGRAM, INPUT, "--print_output", "all", "--etdump_path", "all.etdump");
    sl_verb_case_printed("Output[0][9]: (float) ");
}

TEST(two_variants_are_interleaved_and_have_files_of_their_own)
{
    SAY(PROGRAM, INPUT, "--variants", "nosme2,portable", "--num_executions", "4", "--output_file",
        "pair", "--etdump_path", "pair.etdump", "--trace_path", "pair.sltrace", "--seed", "7",
        "--json");
    sl_verb_case_exited(0);
    assert_true(difference("pair_nosme2-0.bin", TOY "expected-0.bin") < 1e-4);
    assert_true(difference("pair_portable-0.bin", TOY "expected-0.bin") < 1e-4);
    assert_true(executions_in("pair_nosme2.etdump") >= 4);
    assert_true(executions_in("pair_portable.etdump") >= 4);
    assert_int_equal(access("pair.sltrace", F_OK), 0);
    sl_verb_case_printed("Variant nosme2:");
    sl_verb_case_printed("\"name\":\"portable\"");
    sl_verb_case_printed("\"outputs\":[\"pair_portable-0.bin\"]");
    sl_verb_case_printed("\"events_per_execution\":");
}

TEST(a_counted_run_has_marks_in_place_of_times)
{
    SAY(PROGRAM, INPUT, "--clock", "marks", "--num_executions", "1", "--json", "--trace_path",
        "marks.sltrace", "--etdump_path", "marks.etdump");
    sl_verb_case_exited(0);
    assert_int_equal(access("marks.sltrace", F_OK), 0);
}

TEST(a_line_on_standard_input_is_an_execution)
{
    sl_verb_case.input = "go\nand again\nand the end cuts this off";
    SAY(PROGRAM, INPUT, "--server_mode", "--output_file", "served");
    sl_verb_case.input = NULL;
    sl_verb_case_exited(0);
    const char *at = sl_verb_case.err;
    int done = 0;
    for (; (at = strstr(at, "SERVER MODE DONE")) != NULL; at++)
        done++;
    assert_int_equal(done, 3);
    assert_true(difference("served-0.bin", TOY "expected-0.bin") < 1e-4);
    SAY(PROGRAM, INPUT, "--server_mode");
    sl_verb_case_exited(1);
    sl_verb_case_complained("--output_file must be set in --server_mode");
}

TEST(load_runs_until_standard_input_ends_and_says_how_much)
{
    struct sl_buf text;
    SAY(PROGRAM, INPUT, "--load", "load.json", "--place", "2", "--cpu_threads", "1");
    sl_verb_case_exited(0);
    sl_verb_case_printed("+"); /* the first is done */
    assert_int_equal(sl_buf_read_file("load.json", 1 << 16, &text), 0);
    assert_non_null(strstr((const char *)text.data, "{\"place\":2,\"variant\":"));
    assert_non_null(strstr((const char *)text.data, "\"threads\":1,\"executions\":"));
    sl_buf_fini(&text);
    SAY(PROGRAM, INPUT, "--load", "/nowhere/load.json");
    sl_verb_case_exited(1);
    sl_verb_case_complained("/nowhere/load.json cannot be written");
}

TEST(a_bundled_program_is_held_to_the_outputs_in_it)
{
    SAY("--model_path", MODELS "toy_cnn_bundled/model.bpte");
    sl_verb_case_exited(0);
    SAY("--model_path", MODELS "toy_cnn_bundled/model.bpte", "--bundleio_rtol", "0",
        "--bundleio_atol", "0");
    sl_verb_case_exited(1);
}

TEST(weights_beside_the_program_are_asked_for_and_cached)
{
    SAY("--model_path", MODELS "external_weights_xnnpack/model.pte");
    sl_verb_case_exited(1);
    sl_verb_case_complained("--data_path");
    for (int again = 0; again < 2; again++) {
        SAY("--model_path", MODELS "external_weights_xnnpack/model.pte", "--data_path",
            MODELS "external_weights_xnnpack/weights.ptd", "--inputs",
            MODELS "external_weights_xnnpack/input-0.bin", "--output_file", "ext", "--weight-cache",
            "cache", "--json");
        sl_verb_case_exited(0);
        assert_true(difference("ext-0.bin", MODELS "external_weights_xnnpack/expected-0.bin") <
                    1e-4);
    }
}

TEST(each_operator_is_compared_with_other_variants)
{
    SAY(PROGRAM, INPUT, "--compare-with", "nosme2,portable", "--json");
    sl_verb_case_exited(0);
    sl_verb_case_printed("\"operators\":[{\"variant\":\"nosme2\"");
}

TEST(measuring_ends_when_its_budget_is_spent)
{
    SAY(PROGRAM, INPUT, "--variants", "nosme2,portable", "--num_executions", "100000",
        "--budget-ms", "50", "--timeout", "50", "--etdump_path", "short.etdump");
    sl_verb_case_exited(0);
    assert_true(executions_in("short_nosme2.etdump") >= 1);
    assert_true(executions_in("short_nosme2.etdump") < 100000);
}

TEST(what_cannot_run_is_refused_with_executor_runners_exit_code)
{
    static const struct {
        const char *words[5], *complaint;
    } cases[] = {
        {{"--model_path", "/nowhere.pte"}, "/nowhere.pte"},
        {{"--model_path", TOY "input-0.bin"}, "input-0.bin"},
        {{PROGRAM, "--inputs", "/nowhere.bin"}, "/nowhere.bin"},
        {{PROGRAM, "--inputs", TOY "model.pte"}, "model.pte"},
        {{PROGRAM, "--method_name", "backward"}, "backward"},
        {{PROGRAM, "--variants", "off,on"}, "needs SME2"},
        {{PROGRAM, "--isa", "quantum"}, "quantum"},
        {{PROGRAM, "--svl", "512"}, "--svl"},
        {{PROGRAM, "--max-memory", "100"}, "memory"},
        {{PROGRAM, "--etdump_path", "/nowhere/e.etdump"}, "/nowhere/e.etdump"},
        {{PROGRAM, "--output_file", "/nowhere/out"}, "/nowhere/out"},
        {{PROGRAM, "--affinity", "0x0"}, "affinity"},
        {{PROGRAM, "--clock", "sundial"}, "sundial"},
        {{"--no_such_flag"}, "no_such_flag"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY(w[0], w[1], w[2], w[3], w[4]);
        if (sl_verb_case.code == 0)
            fail_msg("case %zu was taken", i);
        if (!strstr(sl_verb_case.err, cases[i].complaint))
            fail_msg("case %zu: no '%s' in: %s", i, cases[i].complaint, sl_verb_case.err);
    }
}
