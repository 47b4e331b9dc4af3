/* tests/unit/host/cli/test_run_failure.c: `run` on a real server whose device is this test: what is
 * said of a job that made no run, and of one that is left behind. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "host/cli/exit_code.h"
#include "host/job/runner.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/"
#define MODEL TOY "model.pte"
#define INPUT TOY "input-0.bin"
#define RUN(...)                                                                                   \
    SAY("run", MODEL, "--device", "box", "--runtime", "own", "--inputs", INPUT, __VA_ARGS__)

static void (*serve)(void);
static int cause;
static const char *detail;
static uint64_t seen; /* the last job that the device got */

static int open_all(void **state)
{
    sl_cli_case_open(state);
    make_scratch();
    serve = sl_verb_case.meanwhile;
    return 0;
}

static int close_all(void **state)
{
    remove_scratch();
    return sl_cli_case_close(state);
}

TEST_GROUP(open_all, close_all);

/* The job that the device has got, once; 0: none. */
static uint64_t take_job(void)
{
    struct sl_http_case *server = sl_cli_case_server();
    serve();
    uint64_t job = server->started_job;
    server->started_job = 0;
    seen = job != 0 ? job : seen;
    return job;
}

static void end_job(void)
{
    uint64_t job = take_job();
    if (job != 0)
        sl_lab_job_ended(sl_cli_case_server()->lab, job, "box", cause, detail, NULL);
}

static void interrupt(void)
{
    if (take_job() != 0)
        sl_verb_case_send(SIGINT);
}

/* The whole of what is said, with the job's number in it. */
static void complained_of_job(const char *format)
{
    char text[160];
    snprintf(text, sizeof(text), format, (int)seen);
    sl_verb_case_complained(text);
}

TEST(a_job_that_made_no_run_is_told_with_how_to_see_it_again)
{
    static const struct {
        int cause;
        const char *detail, *said;
    } cases[] = {
        {SL_CAUSE_RESULT, "operator 'moon' is not known.",
         "The model cannot run: operator 'moon' is not known."},
        {SL_CAUSE_RESULT, "the inference process died", "The run failed: the inference process"},
    };
    sl_verb_case.meanwhile = end_job;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cause = cases[i].cause;
        detail = cases[i].detail;
        RUN("--out", below("failed"));
        assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
        sl_verb_case_complained(cases[i].said);
        complained_of_job("'sme2lab watch %d' shows the job again");
        assert_null(strstr(sl_verb_case.err, "..")); /* one sentence has one end */
    }
    sl_verb_case.meanwhile = serve;
}

TEST(who_interrupts_a_run_learns_how_to_come_back_to_it)
{
    char job[16];
    sl_verb_case.meanwhile = interrupt;
    RUN("--out", below("left"));
    sl_verb_case.meanwhile = serve;
    sl_verb_case_exited(SL_EXIT_INTERRUPTED);
    complained_of_job("Interrupted; job %d goes on");
    complained_of_job("'sme2lab watch %d --out ");
    snprintf(job, sizeof(job), "%d", (int)seen);
    SAY("show", "--job", job);
    sl_verb_case_printed(" is running\n");
    SAY("cancel", job);
    sl_verb_case_exited(SL_EXIT_DONE);
}

TEST(who_wishes_so_takes_the_job_along)
{
    char job[16];
    sl_verb_case.meanwhile = interrupt;
    RUN("--out", below("taken"), "--cancel-on-interrupt");
    sl_verb_case.meanwhile = serve;
    sl_verb_case_exited(SL_EXIT_INTERRUPTED);
    complained_of_job("Interrupted; job %d is cancelled");
    snprintf(job, sizeof(job), "%d", (int)seen);
    SAY("wait", job, "--json");
    sl_verb_case_printed("\"state\":\"cancelled\"");
}

TEST(files_that_cannot_be_read_are_named_before_anything_is_sent)
{
    static const struct {
        const char *option, *path, *said;
    } cases[] = {
        {"--expected", "/nowhere.bin", "The file of expected values cannot be read"},
        {"--data-path", "/nowhere.ptd", "The data file cannot be read"},
        {"--policy", "/nowhere.json", "The policy cannot be read"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        RUN("--out", below("none"), cases[i].option, cases[i].path);
        sl_verb_case_exited(SL_EXIT_USAGE);
        sl_verb_case_complained(cases[i].said);
        sl_verb_case_complained(cases[i].path);
    }
    RUN("--out", below("none"), "--expected", INPUT "," INPUT);
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("Method 'forward' has 1 outputs, and 2 files of expected values");
    SAY("jobs", "--state", "running");
    sl_verb_case_printed("No jobs.");
}
