/* tests/unit/host/job/test_devices.c: jobs on the real agent of this machine, whatever is killed or
 * cut meanwhile. */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "host/device/launch.h"
#include "host/device/tools.h"
#include "host/ingest/run_store.h"
#include "host/job/devices.h"
#include "host/job/kept_list.h"
#include "host/job/run.h"
#include "host/spec/device_facts.h"
#include "tests/support/test.h"
#include "tests/support/toy_lab.h"

/* The agent of a sanitizer's build takes far longer for a pair; what disturbs the jobs comes at
 * parts of the trace, however long that is. */
enum { PAIRS = SL_SANITIZED ? 100 : 400 };
enum { PATH_BYTES = 1024, POLL_MS = 1 };

static char state_dir[64], model[SL_SHA256_HEX_SIZE], input[SL_SHA256_HEX_SIZE];
static struct sl_tool agent;
static struct sl_device kind = {.kind = SL_DEVICE_LOCAL};

struct lab {
    uv_loop_t loop;
    struct sl_devices *devices;
    uv_timer_t poll;
    void (*disturb)(struct lab *lab); /* called once, when so much of the trace is durable */
    uint64_t disturb_at, durable;     /* bytes */
    uint64_t job;
    int closed, ended, progress, lines, cause;
    unsigned looks; /* at the device */
    bool has_run, disturbed;
    char detail[SL_DETAIL_BYTES];
    struct sl_run_record run;
};

static struct sl_job_means means_of(void *user, const struct sl_device *device)
{
    bool local = device->kind == SL_DEVICE_LOCAL; /* this machine may have no SME2 */
    (void)user;
    return (struct sl_job_means){.variants = local ? "off,portable" : "off,on", .marks = true};
}

static int finish_job(void *user, const struct sl_job_ended *ended, struct sl_run_record *record,
                      struct sl_diag *diag)
{
    (void)user;
    (void)diag;
    snprintf(record->verdict, sizeof(record->verdict), "%s",
             ended->has_reference ? "compared" : "alone");
    return 0;
}

static struct sl_job_kit kit = {.means = means_of, .finish = finish_job};

static int on_progress(void *user, uint64_t job, const char *device, const char *type,
                       const char *json)
{
    struct lab *lab = user;
    assert_int_equal(job, lab->job);
    assert_string_equal(device, "here");
    assert_int_equal(json[0], '{');
    lab->progress += strcmp(type, "progress") == 0;
    lab->lines += strcmp(type, "log") == 0;
    return 0;
}

static int on_ended(void *user, uint64_t job, const char *device, int cause, const char *detail,
                    const struct sl_run_record *run)
{
    struct lab *lab = user;
    assert_int_equal(job, lab->job);
    assert_string_equal(device, "here");
    lab->ended++;
    lab->cause = cause;
    lab->has_run = run != NULL;
    if (run)
        lab->run = *run;
    snprintf(lab->detail, sizeof(lab->detail), "%s", detail);
    return 0;
}

/* Never beside a run. */
static void on_conditions(void *user, const char *device, const struct sl_device_conditions *now)
{
    struct lab *lab = user;
    assert_string_equal(device, "here");
    assert_true(now->battery_percent <= 100);
    assert_int_equal(sl_devices_held(lab->devices, "here"), 0);
    lab->looks++;
}

static void on_closed(void *user)
{
    ((struct lab *)user)->closed = 1;
}

/* How much of the open run's trace is durable: what its mark says. */
static uint64_t durable_bytes(void)
{
    char path[PATH_BYTES], directory[PATH_BYTES] = "";
    struct sl_buf note, mark;
    uint64_t most = 0;
    snprintf(path, sizeof(path), "%s/agents/here/open", state_dir);
    if (sl_buf_read_file(path, 4096, &note) < 0)
        return 0;
    sscanf((const char *)note.data, "%*u %*u %*u\n%1000[^\n]", directory);
    sl_buf_fini(&note);
    snprintf(path, sizeof(path), "%.1000s/streams/synced", directory);
    if (sl_buf_read_file(path, 1 << 16, &mark) < 0)
        return 0;
    for (size_t at = 0; at + 8 <= mark.size; at += 4096) {
        uint64_t length = sl_load_u64(mark.data + at);
        most = length > most ? length : most;
    }
    sl_buf_fini(&mark);
    return most;
}

static void on_poll(uv_timer_t *timer)
{
    struct lab *lab = timer->data;
    if (lab->disturbed || !lab->disturb)
        return;
    lab->durable = durable_bytes();
    if (lab->durable < lab->disturb_at || lab->durable == 0)
        return;
    lab->disturbed = true;
    lab->disturb(lab);
}

static void open_lab(struct lab *lab)
{
    static const struct sl_devices_events events = {
        .progress = on_progress, .ended = on_ended, .conditions = on_conditions};
    struct sl_devices_options options = {.state_dir = state_dir, .agent = agent.path, .kit = &kit};
    lab->closed = 0;
    assert_int_equal(uv_loop_init(&lab->loop), 0);
    uv_timer_init(&lab->loop, &lab->poll);
    lab->poll.data = lab;
    uv_timer_start(&lab->poll, on_poll, POLL_MS, POLL_MS);
    assert_int_equal(sl_devices_new(&lab->loop, &options, &events, lab, &lab->devices), 0);
    assert_int_equal(sl_devices_add(lab->devices, "here", &kind), 0);
    assert_int_equal(sl_devices_add(lab->devices, "here", &kind), -EEXIST);
}

static void close_lab(struct lab *lab, bool stop_agents)
{
    sl_devices_close(lab->devices, stop_agents, on_closed, lab);
    uv_close((uv_handle_t *)&lab->poll, NULL);
    uv_run(&lab->loop, UV_RUN_DEFAULT);
    assert_int_equal(lab->closed, 1);
    assert_int_equal(uv_loop_close(&lab->loop), 0);
}

/* `config_json` NULL: the toy model. */
static void submit(struct lab *lab, uint64_t id, const char *config_json)
{
    struct sl_job_record job = {.id = id, .attempts = 1};
    struct sl_device_record device = {.name = "here"};
    char usual[256];
    bool local = kind.kind == SL_DEVICE_LOCAL; /* no other rests: its instructions are counted */
    snprintf(usual, sizeof(usual),
             "{\"model\":\"%s\",\"inputs\":[\"%s\"],\"runs\":%d,\"timeout_seconds\":0,"
             "\"rest_seconds\":%d}",
             model, input, local ? PAIRS : 1, local ? 0 : 3600);
    lab->job = id;
    sl_devices_start(lab->devices, &job, config_json ? config_json : usual, &device);
}

static void run_to_end(struct lab *lab)
{
    while (lab->ended == 0 && uv_run(&lab->loop, UV_RUN_ONCE))
        ;
    assert_int_equal(lab->ended, 1);
}

/* The trace without the stalls, which tell of this machine's load. */
static void read_trace(const struct lab *lab, struct sl_buf *out, bool *out_ended)
{
    char path[PATH_BYTES];
    struct sl_buf bytes;
    struct sl_trace trace;
    snprintf(path, sizeof(path), "%s/%s/trace.sltrace", state_dir, lab->run.directory);
    assert_int_equal(sl_buf_read_file(path, 256 << 20, &bytes), 0);
    assert_int_equal(sl_trace_parse((struct sl_bytes){bytes.data, bytes.size}, &trace, NULL), 0);
    *out_ended = trace.ended;
    sl_buf_init(out, 256 << 20);
    for (size_t i = 0; i < trace.record_count; i++) {
        if (trace.records[i].kind != SL_TRACE_STALL)
            assert_int_equal(sl_buf_append(out, &trace.records[i], sizeof(trace.records[i])), 0);
    }
    sl_trace_fini(&trace);
    sl_buf_fini(&bytes);
}

static void assert_undisturbed(const struct lab *lab)
{
    struct sl_buf trace;
    bool ended = false;
    assert_true(lab->has_run);
    read_trace(lab, &trace, &ended);
    assert_true(ended);
    assert_int_equal(trace.size, undisturbed.size);
    assert_memory_equal(trace.data, undisturbed.data, trace.size);
    sl_buf_fini(&trace);
}

TEST(a_job_ends_in_a_run_directory)
{
    static const char *const files[] = {"config.json", "streams/log", "files/output_sme2-off-0.bin",
                                        "reference/files/output-0.bin"};
    struct lab lab = {0};
    bool ended = false;
    open_lab(&lab);
    submit(&lab, 1, NULL);
    run_to_end(&lab);
    assert_string_equal(lab.detail, "");
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_true(lab.has_run);
    assert_true(lab.progress > 0);
    assert_true(lab.lines > 0);
    assert_string_equal(lab.run.verdict, "compared");
    assert_string_equal(lab.run.model_sha256, model);
    assert_int_equal(strncmp(lab.run.directory, "runs/", 5), 0);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[PATH_BYTES];
        struct stat info;
        snprintf(path, sizeof(path), "%s/%s/%s", state_dir, lab.run.directory, files[i]);
        if (stat(path, &info) < 0)
            fail_msg("%s is missing", path);
    }
    read_trace(&lab, &undisturbed, &ended);
    assert_true(ended);
    close_lab(&lab, true);
}

static void cut(struct lab *lab)
{
    sl_devices_reconnect(lab->devices, "here");
}

TEST(a_device_is_looked_at_after_its_job)
{
    struct lab lab = {.job = 0};
    open_lab(&lab);
    submit(&lab, 45, NULL);
    run_to_end(&lab);
    unsigned before = lab.looks;
    while (lab.looks == before)
        uv_run(&lab.loop, UV_RUN_ONCE);
    close_lab(&lab, true);
}

TEST(a_link_cut_anywhere_leaves_the_same_trace)
{
    for (unsigned i = 1; i <= 3; i++) {
        struct lab lab = {.disturb = cut, .disturb_at = undisturbed.size * i / 5};
        open_lab(&lab);
        submit(&lab, 10 + i, NULL);
        run_to_end(&lab);
        assert_true(lab.disturbed && lab.durable > 0);
        assert_int_equal(lab.cause, SL_CAUSE_NONE);
        assert_undisturbed(&lab);
        close_lab(&lab, true);
    }
}

static void stop_loop(struct lab *lab)
{
    uv_stop(&lab->loop);
}

TEST(a_later_daemon_finishes_the_run)
{
    struct lab lab = {.disturb = stop_loop};
    open_lab(&lab);
    submit(&lab, 20, NULL);
    while (!lab.disturbed && lab.ended == 0)
        uv_run(&lab.loop, UV_RUN_DEFAULT);
    int pid = sl_devices_agent_pid(lab.devices, "here");
    close_lab(&lab, false);
    assert_int_equal(lab.ended, 0);
    lab.disturb = NULL;
    open_lab(&lab);
    run_to_end(&lab);
    assert_int_equal(sl_devices_agent_pid(lab.devices, "here"), pid);
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_undisturbed(&lab);
    close_lab(&lab, true);
}

/* The agent's folder of the job's measured run: its number is known by the job. */
static void find_left(uint64_t job, char out_number[SL_RUN_ID_TEXT], char out_path[PATH_BYTES])
{
    const struct sl_kept_start start = {"", job, 0, 1};
    sl_run_id_text(sl_kept_id(&start), out_number);
    snprintf(out_path, PATH_BYTES, "%.800s/agents/here/jobs/%s", state_dir, out_number);
}

/* A job that the agent finishes while no daemon is there, and of which the next one knows nothing.
 */
static void leave_a_result(uint64_t job, char out_number[SL_RUN_ID_TEXT], char out_path[PATH_BYTES])
{
    struct lab lab = {.disturb = stop_loop};
    char path[PATH_BYTES + 16];
    open_lab(&lab);
    submit(&lab, job, NULL);
    while (!lab.disturbed && lab.ended == 0)
        uv_run(&lab.loop, UV_RUN_DEFAULT);
    close_lab(&lab, false);
    assert_int_equal(lab.ended, 0);
    find_left(job, out_number, out_path);
    assert_int_equal(access(out_path, F_OK), 0);
    snprintf(path, sizeof(path), "%s/result", out_path);
    while (access(path, F_OK) < 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    snprintf(path, sizeof(path), "%s/agents/here/open", state_dir);
    assert_int_equal(unlink(path), 0);
}

TEST(a_result_that_nobody_knows_stays_until_it_is_settled)
{
    char left[PATH_BYTES], path[PATH_BYTES], number[SL_RUN_ID_TEXT];
    struct lab lab = {0};
    leave_a_result(25, number, left);
    open_lab(&lab);
    submit(&lab, 26, NULL); /* beside which the device works */
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_undisturbed(&lab);
    close_lab(&lab, true);
    assert_int_equal(access(left, F_OK), 0);
    snprintf(path, sizeof(path), "%s/agents/here/settled", state_dir);
    assert_int_equal(sl_buf_write_file(path, number, strlen(number)), 0);
    lab = (struct lab){0}; /* a daemon that had it, whose acknowledgement was lost */
    open_lab(&lab);
    while (access(left, F_OK) == 0 && uv_run(&lab.loop, UV_RUN_ONCE))
        ;
    assert_int_equal(access(left, F_OK), -1);
    close_lab(&lab, true);
}

static void kill_agent(struct lab *lab)
{
    assert_int_equal(kill(sl_devices_agent_pid(lab->devices, "here"), SIGKILL), 0);
}

TEST(a_killed_agent_is_the_labs_failure_and_it_serves_again)
{
    struct lab lab = {.disturb = kill_agent};
    open_lab(&lab);
    submit(&lab, 30, NULL);
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_LAB);
    assert_non_null(strstr(lab.detail, "the agent ended while the job ran"));
    assert_false(lab.has_run);
    lab.ended = 0;
    submit(&lab, 31, NULL);
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_undisturbed(&lab);
    close_lab(&lab, true);
}

/* The inference process is the one child of the agent. */
static void kill_inference(struct lab *lab)
{
    char path[128], text[64] = "";
    int agent_pid = sl_devices_agent_pid(lab->devices, "here");
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", agent_pid, agent_pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_int_equal(kill(atoi(text), SIGKILL), 0);
}

TEST(a_killed_inference_is_a_result_with_all_events_up_to_then)
{
    struct lab lab = {.disturb = kill_inference};
    struct sl_buf trace;
    bool ended = true;
    open_lab(&lab);
    submit(&lab, 40, NULL);
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_RESULT);
    assert_non_null(strstr(lab.detail, "signal 9"));
    assert_true(lab.has_run);
    read_trace(&lab, &trace, &ended);
    assert_false(ended);
    assert_true(trace.size > 0 && trace.size < undisturbed.size);
    assert_memory_equal(trace.data, undisturbed.data, trace.size);
    sl_buf_fini(&trace);
    close_lab(&lab, true);
}

/* Two runs in the emulator: the same instructions, to the byte of the trace. */
TEST(counted_runs_are_equal)
{
    struct sl_buf traces[2];
    struct sl_diag diag = {0};
    bool ended = false;
    if (sl_device_open(SL_DEVICE_COUNTED, 512, NULL, &kind, &diag) < 0)
        fail_msg("%s: %s", diag.what, diag.hint);
    for (int i = 0; i < 2; i++) {
        struct lab lab = {0};
        open_lab(&lab);
        submit(&lab, i == 0 ? 80 : 123456, NULL); /* paths of another length */
        run_to_end(&lab);
        assert_string_equal(lab.detail, "");
        assert_int_equal(lab.cause, SL_CAUSE_NONE);
        assert_int_equal(lab.run.device_kind, SL_DEVICE_COUNTED);
        read_trace(&lab, &traces[i], &ended);
        assert_true(ended);
        close_lab(&lab, true);
    }
    kind = (struct sl_device){.kind = SL_DEVICE_LOCAL};
    assert_int_equal(traces[0].size, traces[1].size);
    assert_memory_equal(traces[0].data, traces[1].data, traces[0].size);
    sl_buf_fini(&traces[0]);
    sl_buf_fini(&traces[1]);
}

/* The result of the open lab's last job. */
static void read_result(const struct lab *lab, struct sl_buf *out)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/tasks/%" PRIu64 ".json", state_dir, lab->job);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, out), 0);
}

/* Runs a task, whose cause must be that, to its end. */
static void ask(uint64_t id, const char *body, int cause, struct sl_buf *out)
{
    struct lab lab = {0};
    open_lab(&lab);
    submit(&lab, id, body);
    run_to_end(&lab);
    if (lab.cause != cause)
        fail_msg("%s", lab.detail);
    assert_false(lab.has_run);
    read_result(&lab, out);
    close_lab(&lab, true);
}

TEST(a_task_is_answered_and_makes_no_run)
{
    struct sl_buf text;
    ask(40, "{\"task\":\"probe\"}", SL_CAUSE_NONE, &text);
    assert_non_null(strstr((char *)text.data, "\"answers\":[{"));
    assert_non_null(strstr((char *)text.data, "\"fingerprint\""));
    sl_buf_fini(&text);
    ask(41,
        "{\"task\":\"bench\",\"arguments\":[\"--bench\",\"matmul:8x8x8\",\"--engine\",\"portable\"]"
        "}",
        SL_CAUSE_NONE, &text);
    assert_non_null(strstr((char *)text.data, "\"stage\":\"whole\""));
    assert_null(strstr((char *)text.data, "\"counts\""));
    sl_buf_fini(&text);
    ask(42, "{\"task\":\"bench\",\"arguments\":[\"--bench\",\"soup\"]}", SL_CAUSE_USER, &text);
    assert_non_null(strstr((char *)text.data, "not a shape that can be benched: 'soup'"));
    assert_null(strstr((char *)text.data, "\"answers\""));
    sl_buf_fini(&text);
}

TEST(what_a_task_executes_is_counted)
{
    static const char body[] = "{\"task\":\"bench\",\"arguments\":[\"--bench\",\"matmul:8x8x8\"]}";
    struct sl_buf text;
    struct sl_diag diag = {0};
    if (sl_device_open(SL_DEVICE_COUNTED, 512, NULL, &kind, &diag) < 0)
        fail_msg("%s: %s", diag.what, diag.hint);
    ask(43, body, SL_CAUSE_NONE, &text);
    kind = (struct sl_device){.kind = SL_DEVICE_LOCAL};
    assert_non_null(strstr((char *)text.data, "\"counts\":[{\"all\":"));
    assert_non_null(strstr((char *)text.data, "sme2_mopa"));
    sl_buf_fini(&text);
}

static void cancel(struct lab *lab)
{
    sl_devices_cancel(lab->devices, lab->job, "here");
}

TEST(a_cancelled_job_ends_soon)
{
    struct lab lab = {.disturb = cancel};
    open_lab(&lab);
    submit(&lab, 50, NULL);
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_string_equal(lab.detail, "cancelled");
    close_lab(&lab, true);
}

static void submit_with_rest(struct lab *lab, uint64_t id, unsigned seconds)
{
    char config[256];
    snprintf(config, sizeof(config),
             "{\"model\":\"%s\",\"inputs\":[\"%s\"],\"runs\":1,\"rest_seconds\":%u}", model, input,
             seconds);
    submit(lab, id, config);
}

TEST(a_device_rests_before_it_measures)
{
    struct lab lab = {0};
    open_lab(&lab);
    uint64_t began = uv_hrtime();
    submit_with_rest(&lab, 51, 1);
    run_to_end(&lab);
    assert_true(uv_hrtime() - began >= UINT64_C(1000000000));
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_true(lab.has_run);
    close_lab(&lab, true);
}

static void on_enough_rest(uv_timer_t *timer)
{
    cancel(timer->data);
    uv_close((uv_handle_t *)timer, NULL);
}

TEST(a_job_is_cancelled_while_its_device_rests)
{
    struct lab lab = {0};
    uv_timer_t timer;
    open_lab(&lab);
    uv_timer_init(&lab.loop, &timer);
    timer.data = &lab;
    uv_timer_start(&timer, on_enough_rest, 500, 0);
    submit_with_rest(&lab, 52, 3600);
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_NONE);
    assert_string_equal(lab.detail, "cancelled");
    assert_false(lab.has_run);
    close_lab(&lab, true);
}

TEST(a_bad_configuration_is_the_users)
{
    struct lab lab = {0};
    open_lab(&lab);
    submit(&lab, 60, "[]");
    assert_int_equal(lab.ended, 0); /* never inside the call */
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_USER);
    assert_non_null(strstr(lab.detail, "object"));
    close_lab(&lab, true);
}

TEST(an_agent_that_cannot_start_is_the_labs)
{
    struct lab lab = {0};
    struct sl_tool good = agent;
    snprintf(agent.path, sizeof(agent.path), "/nowhere/sme2lab-agent");
    open_lab(&lab);
    agent = good;
    submit(&lab, 70, NULL);
    run_to_end(&lab);
    assert_int_equal(lab.cause, SL_CAUSE_LAB);
    assert_non_null(strstr(lab.detail, "cannot be reached"));
    close_lab(&lab, true);
}

static int set_up(void **state)
{
    (void)state;
    if (toy_lab_open(&toy, "devices") < 0 || toy_lab_blobs(toy.root, model, input) < 0)
        return -1;
    agent = toy.agent;
    snprintf(state_dir, sizeof(state_dir), "%s", toy.root);
    return 0;
}

TEST_GROUP(set_up, toy_lab_tear_down);
