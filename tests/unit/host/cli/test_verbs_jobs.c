/* tests/unit/host/cli/test_verbs_jobs.c: the verbs about jobs, asked of a real server over a real
 * queue and store: submit, jobs, groups, show --job, logs, wait, watch, cancel. */
#include <stdio.h>
#include <string.h>

#include "host/cli/exit_code.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"

#define MODEL SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/model.pte"
#define INPUT SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/input-0.bin"

TEST_GROUP(sl_cli_case_open, sl_cli_case_close);

/* Submits a job to a device and returns its number. */
static unsigned submitted(const char *device)
{
    unsigned job = 0;
    SAY("submit", MODEL, "--device", device, "--inputs", INPUT);
    sl_verb_case_exited(SL_EXIT_DONE);
    assert_int_equal(sscanf(sl_verb_case.out, "%u", &job), 1);
    return job;
}

static void name_of(unsigned job, char out[16])
{
    snprintf(out, 16, "%u", job);
}

TEST(a_list_without_jobs_says_how_to_get_one)
{
    SAY("jobs");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("No jobs. 'sme2lab run MODEL.pte' measures a model.");
    SAY("jobs", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.jobs/1\",\"jobs\":[]");
}

TEST(a_job_is_submitted_shown_and_cancelled)
{
    char first[16], second[16], line[64];
    name_of(submitted("box"), first);
    name_of(submitted("box"), second); /* waits: the device has one */
    SAY("jobs");
    sl_verb_case_printed("  box  ");
    sl_verb_case_printed("running");
    sl_verb_case_printed("queued");
    SAY("jobs", "--state", "queued", "--json");
    snprintf(line, sizeof(line), "\"id\":%s,", second);
    sl_verb_case_printed(line);
    snprintf(line, sizeof(line), "\"id\":%s,", first);
    sl_verb_case_printed_not(line);
    SAY("show", "--job", second);
    snprintf(line, sizeof(line), "job %s is queued\n", second);
    sl_verb_case_printed(line);
    sl_verb_case_printed("  wants     box\n");
    sl_verb_case_printed("  device    none yet\n");
    SAY("cancel", second, first);
    sl_verb_case_exited(SL_EXIT_DONE);
    snprintf(line, sizeof(line), "job %s is cancelled\n", second);
    sl_verb_case_printed(line);
    snprintf(line, sizeof(line), "job %s is being stopped\n", first);
    sl_verb_case_printed(line);
    SAY("cancel", first);
    snprintf(line, sizeof(line), "job %s is cancelled\n", first);
    sl_verb_case_printed(line);
    SAY("show", "--job", first);
    sl_verb_case_printed("  attempt 1 on box, ");
    SAY("show", "--job", first, "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.job/1\",");
}

TEST(a_job_that_ended_is_what_waiting_for_it_gives)
{
    char job[16], line[64];
    name_of(submitted("phone"), job);
    SAY("cancel", job);
    SAY("wait", job, "--json");
    sl_verb_case_exited(SL_EXIT_INTERRUPTED); /* as 'watch' has it for cancelled */
    snprintf(line, sizeof(line), "\"job\":%s,", job);
    sl_verb_case_printed(line);
    sl_verb_case_printed("\"state\":\"cancelled\"");
    SAY("watch", job);
    sl_verb_case_exited(SL_EXIT_INTERRUPTED);
    sl_verb_case_printed("cancelled");
    SAY("wait", job, job, "--json");
    assert_int_equal(sl_verb_case.out[0], '[');
}

TEST(a_job_comes_after_another_and_goes_with_it)
{
    char first[16], second[16], line[64];
    name_of(submitted("box"), first);
    SAY("submit", MODEL, "--device", "phone", "--inputs", INPUT, "--after", first);
    sl_verb_case_exited(SL_EXIT_DONE);
    snprintf(second, sizeof(second), "%.*s", (int)strcspn(sl_verb_case.out, "\n"),
             sl_verb_case.out);
    SAY("show", "--job", second);
    snprintf(line, sizeof(line), "  after     %s\n", first);
    sl_verb_case_printed(line);
    SAY("cancel", first);
    SAY("wait", second);
    SAY("show", "--job", second, "--json");
    sl_verb_case_printed("\"cause\":\"dependency\"");
    SAY("submit", MODEL, "--inputs", INPUT, "--after", first, "--device", "box");
    snprintf(second, sizeof(second), "%.*s", (int)strcspn(sl_verb_case.out, "\n"),
             sl_verb_case.out);
    SAY("wait", second);
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_printed("which it comes after, failed or is not there");
}

TEST(a_group_is_listed_watched_and_cancelled_as_one)
{
    char line[64], group[16];
    SAY("submit", MODEL, "--device", "box", "--inputs", INPUT, "--group", "nightly");
    sl_verb_case_exited(SL_EXIT_DONE);
    assert_int_equal(sl_verb_case.out[0], 'g');
    snprintf(group, sizeof(group), "%.*s", (int)strcspn(sl_verb_case.out, "\n"), sl_verb_case.out);
    SAY("groups");
    sl_verb_case_printed("nightly");
    SAY("jobs", "--group", group, "--json");
    sl_verb_case_printed("\"selector\":\"box\"");
    SAY("cancel", group);
    snprintf(line, sizeof(line), "the open jobs of group %s are cancelled, 1 of them\n", group);
    sl_verb_case_printed(line);
    SAY("wait", group);
    sl_verb_case_exited(SL_EXIT_INTERRUPTED);
    SAY("cancel", group);
    snprintf(line, sizeof(line), "all jobs of group %s had ended already\n", group);
    sl_verb_case_printed(line);
}

TEST(an_attempt_that_left_no_log_is_said)
{
    char job[16];
    name_of(submitted("phone"), job);
    SAY("cancel", job);
    SAY("logs", job, "--attempt", "1");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("log");
}

TEST(what_is_no_job_is_refused_in_words)
{
    static const struct {
        const char *words[4], *complaint;
    } cases[] = {
        {{"cancel"}, "the number of a job"},
        {{"cancel", "zero"}, "'zero'"},
        {{"cancel", "4711"}, "4711"},
        {{"cancel", "g4711"}, "4711"},
        {{"show", "--job", "4711"}, "4711"},
        {{"wait"}, "Name a job or a group"},
        {{"wait", "x1"}, "'x1'"},
        {{"watch", "1", "--lab"}, "--lab watches all of them"},
        {{"watch", "--lab", "--out", "d"}, "--out is for a job or a group"},
        {{"jobs", "--state", "odd"}, "state"},
        {{"jobs", "--group", "x"}, "group"},
        {{"submit"}, "model"},
        {{"submit", "/nowhere/m.pte"}, "/nowhere/m.pte"},
        {{"submit", MODEL, "--device", "nobody"}, "nobody"},
        {{"submit", MODEL, "--out", "d"}, "--out"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY(w[0], w[1], w[2], w[3]);
        sl_verb_case_exited(SL_EXIT_USAGE);
        sl_verb_case_complained(cases[i].complaint);
    }
}

TEST(what_would_run_is_explained_and_not_sent)
{
    SAY("submit", MODEL, "--device", "box", "--explain", "--json");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("{\"schema\":\"sme2lab.plan/1\"");
    SAY("jobs", "--state", "queued");
    sl_verb_case_printed("No jobs.");
}

TEST(a_daemon_that_is_not_there_is_the_labs_fault)
{
    SAY("jobs", "--server", "unix:/nowhere/socket");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("/nowhere/socket");
    SAY("jobs", "--server", "unix:/nowhere/socket", "--json");
    sl_verb_case_printed("\"code\":\"lab\"");
}
