/* tests/unit/host/job/test_lab.c: the lab over a real store, with a runner that does as the test
 * says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/job/device_life.h"
#include "host/job/lab.h"
#include "host/job/lab_open.h"
#include "host/job/queue.h"
#include "host/spec/device_facts.h"
#include "host/spec/names.h"
#include "host/spec/spec.h"
#include "host/store/store.h"
#include "tests/support/store_folder.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    struct sl_lab *lab;
    struct sl_lab_listener *listener;
    int opened, closed, store_closed, submitted, started, cancelled;
    uint64_t job, started_job;
    char started_device[SL_NAME_BYTES], started_config[64], forgotten[SL_NAME_BYTES];
    int events;
    uint64_t last_event;
    char last_json[512];
    struct sl_job_record found;
    int answers;
    int lent, taken_back;
    int steps[64]; /* asked for, by enum sl_device_step */
};

static uint64_t ended_early; /* a job whose end is told before the lab has read its jobs */
static uint64_t held_job;    /* what the runner says that an earlier daemon left on `held_at` */
static const char *held_at = "a";

static void on_opened(void *user, int rc)
{
    assert_int_equal(rc, 0);
    ((struct bench *)user)->opened = 1;
}

static void on_start(void *user, const struct sl_job_record *job, const char *config_json,
                     const struct sl_device_record *device)
{
    struct bench *bench = user;
    bench->started++;
    bench->started_job = job->id;
    snprintf(bench->started_device, sizeof(bench->started_device), "%s", device->name);
    snprintf(bench->started_config, sizeof(bench->started_config), "%s", config_json);
}

static void on_cancel(void *user, uint64_t job, const char *device)
{
    struct bench *bench = user;
    assert_true(job == held_job ||
                (job == bench->started_job && strcmp(device, bench->started_device) == 0));
    bench->cancelled++;
}

static void on_recover(void *user, const char *device, int step)
{
    assert_string_equal(device, "a");
    ((struct bench *)user)->steps[step]++;
}

static const struct sl_run_record early_run = {
    .started_ms = 1, .ended_ms = 2, .model = "m", .device = "a", .directory = "runs/early"};

static uint64_t on_held(void *user, const char *device)
{
    (void)user;
    return strcmp(device, held_at) == 0 ? held_job : 0;
}

static void on_forget(void *user, const char *device)
{
    struct bench *bench = user;
    snprintf(bench->forgotten, sizeof(bench->forgotten), "%s", device);
}

static void on_lend(void *user, const char *device, bool lent)
{
    struct bench *bench = user;
    assert_string_equal(device, "a");
    bench->lent += lent;
    bench->taken_back += !lent;
}

static void on_submitted(void *user, int rc, uint64_t job)
{
    struct bench *bench = user;
    assert_int_equal(rc, 0);
    bench->submitted++;
    bench->job = job;
}

static void on_event(void *user, const struct sl_lab_event *event)
{
    struct bench *bench = user;
    assert_int_equal(event->id, bench->last_event + 1); /* no holes */
    bench->last_event = event->id;
    bench->events++;
    snprintf(bench->last_json, sizeof(bench->last_json), "%s", event->json);
}

static void on_found(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct bench *bench = user;
    (void)config_json;
    assert_int_equal(rc, 0);
    bench->found = *job;
    bench->answers++;
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed = 1;
}

static void on_store_closed(void *user)
{
    ((struct bench *)user)->store_closed = 1;
}

static void run_until(struct bench *bench, const int *flag, int value)
{
    while (*flag < value)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    *bench = (struct bench){.opened = 0};
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, NULL, &bench->store, &diag), 0);
    struct sl_lab_options options = {
        .store = bench->store,
        .state_dir = store_folder,
        .runner = {on_start, on_cancel, bench, on_held, on_forget, on_lend},
        .opened = on_opened,
        .recover = on_recover,
        .user = bench,
    };
    assert_int_equal(sl_lab_open(&bench->loop, &options, &bench->lab), 0);
    assert_int_equal(sl_lab_add_device(bench->lab, "b", 0), 0);
    assert_int_equal(sl_lab_add_device(bench->lab, "a", 0), 0);
    if (ended_early != 0) {
        assert_int_equal(sl_lab_job_progress(bench->lab, ended_early, "a", "progress", "{}"), 0);
        assert_int_equal(
            sl_lab_job_ended(bench->lab, ended_early, "a", SL_CAUSE_NONE, "", &early_run), 0);
    }
    run_until(bench, &bench->opened, 1);
}

static void close_bench(struct bench *bench)
{
    if (bench->listener)
        sl_lab_unlisten(bench->listener);
    sl_lab_close(bench->lab, on_closed, bench);
    run_until(bench, &bench->closed, 1);
    sl_store_close(bench->store, on_store_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(bench->store_closed, 1);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static void submit_spec(struct bench *bench, const char *config, const struct sl_spec *spec)
{
    struct sl_submission submission = {.spec = spec, .config_json = config};
    int before = bench->submitted;
    assert_int_equal(sl_lab_submit(bench->lab, &submission, on_submitted, bench, NULL), 0);
    run_until(bench, &bench->submitted, before + 1);
}

static void submit(struct bench *bench, const char *config, const char *selector)
{
    const struct sl_spec spec = {.device = selector};
    submit_spec(bench, config, &spec);
}

static void look_up(struct bench *bench, uint64_t job)
{
    int before = bench->answers;
    assert_int_equal(sl_store_get_job(bench->store, job, on_found, bench), 0);
    run_until(bench, &bench->answers, before + 1);
}

STORE_TEST(a_device_that_is_removed_finishes_its_job_and_takes_no_more)
{
    const struct sl_run_record run = {.model = "toy", .ratio = 2};
    const struct sl_device_record *devices;
    struct bench bench;
    open_bench(&bench);
    submit(&bench, "{}", "b");
    run_until(&bench, &bench.started, 1);
    assert_int_equal(sl_lab_remove_device(bench.lab, "b"), 0);
    assert_int_equal(sl_lab_remove_device(bench.lab, "none"), SL_E_NOT_FOUND);
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2); /* it is still at work */
    uint64_t first = bench.job;
    submit(&bench, "{}", "b");
    bench.last_event = 3; /* queued, running, queued */
    assert_int_equal(sl_lab_listen(bench.lab, 0, 3, on_event, &bench, &bench.listener), 0);
    int before = bench.events;
    assert_int_equal(sl_lab_job_ended(bench.lab, first, "b", SL_CAUSE_NONE, "", &run), 0);
    run_until(&bench, &bench.events, before + 1);
    assert_string_equal(bench.forgotten, "b");
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 1);
    assert_int_equal(bench.started, 1); /* the second job waits for its return */
    assert_int_equal(sl_lab_add_device(bench.lab, "b", SL_DEVICE_COUNTED), 0);
    run_until(&bench, &bench.started, 2);
    assert_int_equal(bench.started_job, bench.job);
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    close_bench(&bench);
}

STORE_TEST(a_job_goes_from_submission_to_its_stored_run)
{
    struct bench bench;
    const struct sl_device_record *devices;
    struct sl_run_record run = {.model = "toy", .ratio = 2};
    open_bench(&bench);
    assert_int_equal(sl_lab_listen(bench.lab, 0, 0, on_event, &bench, &bench.listener), 0);
    submit(&bench, "{\"model\":1}", "b");
    run_until(&bench, &bench.started, 1);
    assert_string_equal(bench.started_device, "b");
    assert_string_equal(bench.started_config, "{\"model\":1}");
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_string_equal(devices[0].name, "a");
    assert_int_equal(devices[1].state, SL_DEVICE_BUSY);
    assert_int_equal(sl_lab_job_progress(bench.lab, bench.job, "b", "progress", "{\"pair\":1}"), 0);
    run_until(&bench, &bench.events, 3);
    assert_string_equal(bench.last_json, "{\"pair\":1}");
    run.job = bench.job;
    assert_int_equal(sl_lab_job_ended(bench.lab, bench.job, "b", SL_CAUSE_NONE, "", &run), 0);
    run_until(&bench, &bench.events, 4);
    assert_non_null(strstr(bench.last_json, "\"done\""));
    look_up(&bench, bench.job);
    assert_int_equal(bench.found.state, SL_JOB_DONE);
    assert_true(bench.found.run != 0);
    assert_int_equal(devices[1].state, SL_DEVICE_READY);
    close_bench(&bench);
}

STORE_TEST(a_device_that_is_not_there_is_refused_with_words)
{
    struct bench bench;
    struct sl_diag diag = {0};
    struct sl_spec spec = {.device = "z"};
    struct sl_submission nowhere = {.spec = &spec, .config_json = "{}"};
    open_bench(&bench);
    assert_int_equal(sl_lab_submit(bench.lab, &nowhere, on_submitted, &bench, &diag),
                     SL_E_NOT_FOUND);
    assert_string_equal(diag.where, "device");
    spec.device = "tag=bench";
    assert_int_equal(sl_lab_submit(bench.lab, &nowhere, on_submitted, &bench, &diag),
                     SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "the nearest, "));
    spec.device = "svl>=";
    assert_int_equal(sl_lab_submit(bench.lab, &nowhere, on_submitted, &bench, &diag), SL_E_FORMAT);
    close_bench(&bench);
    assert_int_equal(bench.submitted, 0);
}

STORE_TEST(a_job_that_waits_for_conditions_begins_when_a_device_meets_them)
{
    struct bench bench;
    struct sl_device_facts facts = {.known = true, .sme2 = true, .holds_sme2 = true};
    open_bench(&bench);
    sl_lab_tag_device(bench.lab, "a", "spare");
    sl_lab_tag_device(bench.lab, "b", "spare,bench");
    submit(&bench, "{}", "sme2,tag=bench"); /* no agent has said yet what it is */
    run_until(&bench, &bench.submitted, 1);
    assert_int_equal(bench.started, 0);
    sl_lab_device_facts(bench.lab, "a", &facts);
    assert_int_equal(bench.started, 0);
    sl_lab_device_facts(bench.lab, "b", &facts);
    run_until(&bench, &bench.started, 1);
    assert_string_equal(bench.started_device, "b");
    assert_int_equal(sl_lab_job_ended(bench.lab, bench.job, "b", SL_CAUSE_RESULT, "it fails", NULL),
                     0);
    close_bench(&bench);
}

STORE_TEST(jobs_come_after_those_that_ended_before_them_and_after_a_restart_too)
{
    struct bench bench;
    char after[SL_AFTER_BYTES];
    const struct sl_spec first = {.device = "b"}, then = {.device = "a", .after = after};
    const struct sl_run_record run = {.model = "toy"};
    open_bench(&bench);
    submit_spec(&bench, "{}", &first);
    run_until(&bench, &bench.started, 1);
    uint64_t well = bench.job, badly;
    snprintf(after, sizeof(after), "%u", (unsigned)well);
    submit_spec(&bench, "{}", &then);
    uint64_t waits = bench.job;
    assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_QUEUED), 1);
    close_bench(&bench);
    held_job = well;
    held_at = "b";
    open_bench(&bench);
    held_job = 0;
    held_at = "a";
    assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_QUEUED), 1);
    assert_int_equal(sl_lab_job_ended(bench.lab, well, "b", SL_CAUSE_NONE, "", &run), 0);
    run_until(&bench, &bench.started, 1);
    assert_int_equal(bench.started_job, waits);
    assert_int_equal(sl_lab_job_ended(bench.lab, waits, "a", SL_CAUSE_RESULT, "crashed", NULL), 0);
    submit_spec(&bench, "{}", &then); /* what it comes after is done, as the store knows */
    run_until(&bench, &bench.started, 2);
    badly = waits;
    snprintf(after, sizeof(after), "%u", (unsigned)badly);
    submit_spec(&bench, "{}", &then);
    while (sl_lab_job(bench.lab, bench.job))
        uv_run(&bench.loop, UV_RUN_ONCE);
    look_up(&bench, bench.job);
    assert_int_equal(bench.found.state, SL_JOB_CANCELLED);
    assert_int_equal(bench.found.cause, SL_CAUSE_DEPENDENCY);
    const struct sl_spec later = {.begin = "1h"};
    submit_spec(&bench, "{}", &later);
    uint64_t cancelled = bench.job;
    snprintf(after, sizeof(after), "%u", (unsigned)cancelled);
    submit_spec(&bench, "{}", &then);
    assert_int_equal(sl_lab_cancel(bench.lab, cancelled), 0);
    while (sl_lab_job(bench.lab, bench.job)) /* it ends with it */
        uv_run(&bench.loop, UV_RUN_ONCE);
    close_bench(&bench);
}

STORE_TEST(cancelling_asks_the_runner_and_the_job_ends_cancelled)
{
    struct bench bench;
    open_bench(&bench);
    submit(&bench, "{}", "");
    run_until(&bench, &bench.started, 1);
    assert_int_equal(sl_lab_cancel(bench.lab, bench.job), 0);
    assert_int_equal(bench.cancelled, 1);
    assert_int_equal(sl_lab_job_ended(bench.lab, bench.job, bench.started_device, SL_CAUSE_RESULT,
                                      "killed", NULL),
                     0);
    look_up(&bench, bench.job);
    assert_int_equal(bench.found.state, SL_JOB_CANCELLED);
    assert_int_equal(sl_lab_cancel(bench.lab, bench.job), SL_E_NOT_FOUND);
    close_bench(&bench);
}

STORE_TEST(a_daemon_that_died_runs_its_jobs_again)
{
    struct bench bench;
    open_bench(&bench);
    submit(&bench, "{\"n\":1}", "a");
    run_until(&bench, &bench.started, 1);
    submit(&bench, "{\"n\":2}", "a"); /* waits */
    uint64_t first = bench.started_job;
    close_bench(&bench); /* without a word of either job */
    open_bench(&bench);
    run_until(&bench, &bench.started, 1);
    assert_int_equal(bench.started_job, first);
    assert_int_equal(sl_lab_job(bench.lab, first)->attempts, 2);
    assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_QUEUED), 1);
    close_bench(&bench);
}

/* A job that runs on "a" while its daemon ends. */
static uint64_t leave_a_job(struct bench *bench)
{
    open_bench(bench);
    submit(bench, "{\"n\":1}", "a");
    run_until(bench, &bench->started, 1);
    uint64_t job = bench->started_job;
    close_bench(bench);
    return job;
}

STORE_TEST(a_job_that_its_device_goes_on_with_is_not_started_again)
{
    struct bench bench;
    const struct sl_device_record *devices;
    uint64_t job = leave_a_job(&bench);
    held_job = job;
    open_bench(&bench);
    held_job = 0;
    assert_int_equal(sl_lab_job(bench.lab, job)->state, SL_JOB_RUNNING);
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_int_equal(devices[0].state, SL_DEVICE_BUSY);
    assert_int_equal(sl_lab_job_ended(bench.lab, job, "a", SL_CAUSE_NONE, "", NULL), 0);
    look_up(&bench, job);
    assert_int_equal(bench.found.state, SL_JOB_DONE);
    assert_int_equal(bench.found.attempts, 1);
    assert_int_equal(bench.started, 0);
    close_bench(&bench);
}

STORE_TEST(a_device_that_goes_on_with_a_job_that_has_ended_stops_and_gets_no_other_before)
{
    struct bench bench;
    const struct sl_device_record *devices;
    uint64_t job = leave_a_job(&bench);
    open_bench(&bench); /* it begins again, and ends, as at another host */
    run_until(&bench, &bench.started, 1);
    assert_int_equal(sl_lab_job_ended(bench.lab, job, "a", SL_CAUSE_NONE, "", NULL), 0);
    do
        look_up(&bench, job);
    while (bench.found.state != SL_JOB_DONE);
    close_bench(&bench);
    held_job = job;
    open_bench(&bench);
    held_job = 0;
    sl_lab_devices(bench.lab, &devices);
    assert_int_equal(devices[0].job, job);
    submit(&bench, "{\"n\":3}", "a");
    for (int i = 0; i < 50; i++)
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    assert_int_equal(bench.started, 0);
    assert_int_equal(bench.cancelled, 1);
    assert_int_equal(sl_lab_job_ended(bench.lab, job, "a", SL_CAUSE_NONE, "", NULL),
                     SL_E_NOT_FOUND);
    run_until(&bench, &bench.started, 1);
    close_bench(&bench);
}

STORE_TEST(an_end_that_comes_before_the_jobs_are_read_is_not_lost)
{
    struct bench bench;
    uint64_t job = leave_a_job(&bench);
    ended_early = job;
    open_bench(&bench);
    ended_early = 0;
    do
        look_up(&bench, job);
    while (bench.found.state == SL_JOB_RUNNING);
    assert_int_equal(bench.found.state, SL_JOB_DONE);
    assert_int_equal(bench.found.attempts, 1);
    assert_true(bench.found.run != 0);
    assert_int_equal(bench.started, 0);
    close_bench(&bench);
}

STORE_TEST(a_quarantined_device_takes_nothing_until_released)
{
    struct bench bench;
    open_bench(&bench);
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", "hot"), 0);
    assert_int_equal(sl_lab_quarantine(bench.lab, "z", "hot"), SL_E_NOT_FOUND);
    submit(&bench, "{}", "a");
    assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_QUEUED), 1);
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", NULL), 0);
    run_until(&bench, &bench.started, 1);
    assert_string_equal(bench.started_device, "a");
    close_bench(&bench);
}

STORE_TEST(a_reserved_device_is_a_persons_after_its_job_and_may_be_unplugged)
{
    const struct sl_device_record *devices;
    struct bench bench;
    open_bench(&bench);
    submit(&bench, "{}", "a");
    run_until(&bench, &bench.started, 1);
    sl_lab_devices(bench.lab, &devices);
    uint64_t until = sl_clock_utc_ms() + 3600000;
    assert_int_equal(sl_lab_reserve(bench.lab, "a", until, "ann"), 0);
    assert_int_equal(devices[0].state, SL_DEVICE_BUSY);
    assert_int_equal(bench.lent, 0);
    assert_int_equal(sl_lab_job_ended(bench.lab, bench.job, "a", SL_CAUSE_USER, "cancelled", NULL),
                     0);
    assert_int_equal(devices[0].state, SL_DEVICE_RESERVED);
    assert_int_equal(bench.lent, 1);
    sl_lab_device_can(bench.lab, "a", SL_STEP_HOOK, 1); /* each step would be due at once */
    sl_lab_device_link(bench.lab, "a", SL_CAUSE_DEVICE_UNREACHABLE, "no answer");
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_UNPLUGGED, "away");
    for (uint64_t end = uv_now(&bench.loop) + 50; uv_now(&bench.loop) < end;)
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    assert_int_equal(devices[0].state, SL_DEVICE_RESERVED);
    assert_non_null(strstr(devices[0].detail, "reserved for ann until"));
    assert_int_equal(bench.steps[SL_STEP_RECONNECT] + bench.steps[SL_STEP_HOOK], 0);
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_WELL, "");
    assert_int_equal(sl_lab_reserve(bench.lab, "a", 0, ""), 0);
    assert_int_equal(bench.taken_back, 1);
    assert_int_equal(devices[0].state, SL_DEVICE_OFFLINE);
    run_until(&bench, &bench.steps[SL_STEP_RECONNECT], 1); /* it is tried anew */
    close_bench(&bench);
}

STORE_TEST(a_device_that_is_away_keeps_its_job_and_gets_no_other)
{
    const struct sl_run_record run = {.model = "toy", .ratio = 2};
    const struct sl_device_record *devices;
    struct bench bench;
    open_bench(&bench);
    submit(&bench, "{}", "a");
    run_until(&bench, &bench.started, 1);
    uint64_t first = bench.job;
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_UNPLUGGED, "unplugged");
    submit(&bench, "{}", "a");
    sl_lab_devices(bench.lab, &devices);
    assert_int_equal(devices[0].state, SL_DEVICE_OFFLINE);
    assert_int_equal(devices[0].job, first);
    assert_memory_equal(devices[0].detail, "unplugged: plug it in", 21);
    assert_string_equal(sl_device_cause_name(devices[0].cause), "unplugged");
    bench.last_event = 3;
    assert_int_equal(sl_lab_listen(bench.lab, 0, 3, on_event, &bench, &bench.listener), 0);
    assert_int_equal(sl_lab_job_ended(bench.lab, first, "a", SL_CAUSE_NONE, "", &run), 0);
    run_until(&bench, &bench.events, 1);
    assert_int_equal(bench.started, 1);
    assert_int_equal(devices[0].state, SL_DEVICE_OFFLINE);
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_NO_ANSWER, "silent");
    while (!strstr(bench.last_json, "\"queued\":1")) /* the second job */
        uv_run(&bench.loop, UV_RUN_ONCE);
    sl_lab_quarantine(bench.lab, "a", "hot"); /* it comes back while it is out */
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_WELL, "");
    assert_int_equal(devices[0].state, SL_DEVICE_QUARANTINED);
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_UNPLUGGED, "away");
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", NULL), 0);
    assert_int_equal(devices[0].state, SL_DEVICE_OFFLINE);
    assert_int_equal(bench.started, 1);
    assert_int_equal(sl_lab_add_device(bench.lab, "a", SL_DEVICE_EMULATED), 0); /* a reload */
    assert_int_equal(bench.started, 1);
    sl_lab_describe_device(bench.lab, "a", "Phone", "SoC", "Android 15");
    sl_lab_device_listed(bench.lab, "a", SL_CAUSE_DEVICE_WELL, "");
    run_until(&bench, &bench.started, 2);
    assert_int_equal(devices[0].state, SL_DEVICE_BUSY);
    assert_string_equal(devices[0].detail, "");
    assert_string_equal(devices[0].model, "Phone");
    close_bench(&bench);
}

STORE_TEST(what_its_agent_says_of_a_device_is_told_with_what_the_phone_says)
{
    struct bench bench;
    const struct sl_device_record *devices;
    struct sl_device_facts facts = {.known = true,
                                    .memory_bytes = 4096,
                                    .hwcap2_known = true,
                                    .sysname = "Linux",
                                    .release = "5.10",
                                    .machine = "aarch64",
                                    .soc = "soc0"};
    open_bench(&bench);
    sl_lab_devices(bench.lab, &devices);
    sl_lab_device_facts(bench.lab, "nobody", &facts);
    sl_lab_device_facts(bench.lab, "a", &facts);
    assert_string_equal(devices[0].system, "Linux 5.10");
    sl_lab_describe_device(bench.lab, "a", "Phone", "", "Android 12"); /* it comes later */
    assert_string_equal(devices[0].soc, "soc0");
    assert_int_equal(devices[0].memory_bytes, 4096);
    assert_int_equal(devices[0].sme2, SL_MAYBE_NO);
    assert_string_equal(devices[0].no_sme2,
                        "Linux 5.10 (Android 12) is older than 6.3, the first Linux that offers "
                        "SME2; cores: not known");
    close_bench(&bench);
    assert_store_rows("SELECT model, soc, sme2, memory_bytes FROM devices WHERE name = 'a'",
                      "[[\"Phone\",\"soc0\",0,4096]]");
}

STORE_TEST(an_unreachable_device_is_brought_back_step_by_step_and_quarantined_at_last)
{
    struct bench bench;
    const struct sl_device_record *devices;
    open_bench(&bench);
    sl_lab_device_can(bench.lab, "a", SL_STEP_HOOK, 1);
    sl_lab_device_link(bench.lab, "a", SL_CAUSE_DEVICE_CONNECTING, "");
    sl_lab_devices(bench.lab, &devices);
    assert_int_equal(devices[0].state, SL_DEVICE_PROBING);
    sl_lab_device_link(bench.lab, "a", SL_CAUSE_DEVICE_UNREACHABLE, "no answer");
    assert_int_equal(devices[0].state, SL_DEVICE_OFFLINE);
    submit(&bench, "{}", "a");
    submit(&bench, "{}", "b"); /* the other device is not held up */
    run_until(&bench, &bench.started, 1);
    while (devices[0].state != SL_DEVICE_QUARANTINED)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(bench.started, 1);
    assert_int_equal(bench.steps[SL_STEP_RECONNECT], 2);
    assert_int_equal(bench.steps[SL_STEP_PROBE], 0);
    assert_int_equal(bench.steps[SL_STEP_HOOK], 2);
    assert_int_equal(sl_lab_steps(bench.lab, SL_STEP_HOOK), 2);
    assert_int_equal(sl_lab_steps(bench.lab, SL_STEP_QUARANTINE), 1);
    assert_non_null(strstr(devices[0].detail, "no answer"));
    assert_non_null(strstr(devices[0].detail, "device release a"));
    close_bench(&bench);
    open_bench(&bench); /* the reason is kept */
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_non_null(strstr(devices[0].detail, "no answer"));
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", NULL), 0);
    close_bench(&bench);
}

STORE_TEST(a_quarantine_outlives_the_daemon)
{
    struct bench bench;
    const struct sl_device_record *devices;
    open_bench(&bench);
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", "hot"), 0);
    close_bench(&bench);
    open_bench(&bench);
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_int_equal(devices[0].state, SL_DEVICE_QUARANTINED);
    assert_int_equal(devices[1].state, SL_DEVICE_READY);
    submit(&bench, "{}", "a");
    assert_int_equal(sl_queue_count(sl_lab_queue(bench.lab), SL_JOB_QUEUED), 1);
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", NULL), 0);
    run_until(&bench, &bench.started, 1);
    close_bench(&bench);
    open_bench(&bench);
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_true(devices[0].state != SL_DEVICE_QUARANTINED);
    close_bench(&bench);
}

STORE_TEST(what_waits_for_a_device_is_counted_for_those_who_ask_for_it)
{
    struct bench bench;
    const struct sl_device_record *devices;
    open_bench(&bench);
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", "hot"), 0);
    submit(&bench, "{}", "a");
    submit(&bench, "{}", "a");
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_int_equal(devices[0].queued, 0);
    assert_int_equal(sl_lab_devices_with_queues(bench.lab, &devices), 2);
    assert_int_equal(devices[0].queued, 2);
    assert_int_equal(devices[1].queued, 0);
    assert_ptr_equal(sl_lab_device(bench.lab, "b"), &devices[1]);
    assert_null(sl_lab_device(bench.lab, "c"));
    assert_int_equal(sl_lab_quarantine(bench.lab, "a", NULL), 0);
    close_bench(&bench);
}

STORE_TEST(a_draining_lab_takes_and_assigns_nothing)
{
    struct bench bench;
    struct sl_spec spec = {.device = NULL};
    struct sl_submission submission = {.spec = &spec, .config_json = "{}"};
    open_bench(&bench);
    sl_lab_drain(bench.lab);
    assert_int_equal(sl_lab_submit(bench.lab, &submission, on_submitted, &bench, NULL), SL_E_STATE);
    close_bench(&bench);
}

STORE_TEST(a_listener_that_comes_back_misses_nothing_that_is_kept)
{
    struct bench bench;
    open_bench(&bench);
    submit(&bench, "{}", "");
    run_until(&bench, &bench.started, 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(
            sl_lab_job_progress(bench.lab, bench.job, bench.started_device, "progress", "{}"), 0);
    bench.last_event = 2; /* queued and running were heard before the link was lost */
    assert_int_equal(sl_lab_listen(bench.lab, bench.job, 2, on_event, &bench, &bench.listener), 0);
    assert_int_equal(bench.events, 0); /* never inside the call */
    run_until(&bench, &bench.events, 5);
    close_bench(&bench);
}
