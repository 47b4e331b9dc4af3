/* tests/unit/host/device/test_link.c: a link that starts, loses and takes over the real agent. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/tools.h"
#include "host/spec/spec.h"
#include "tests/support/test.h"
#include "tests/support/toy_lab.h"

struct host {
    uv_loop_t loop;
    struct sl_link *link;
    struct sl_buf streams[SL_LINK_STREAMS]; /* of job 1 */
    size_t cut_at;                          /* bytes of trace at which the link is dropped, once */
    uint64_t acked;                         /* of the trace, before the cut */
    int up, down, closed, results, accepted, restarted;
    struct sl_link_result result;
    char reason[200];
};

static char root[64], workdir[96], model[SL_SHA256_HEX_SIZE], input[SL_SHA256_HEX_SIZE];
static struct sl_tool agent;
static const struct sl_run_id run_one = {UINT64_C(1) << 63, 1};

static size_t have(void *user, struct sl_link_have *out, size_t max)
{
    struct host *host = user;
    assert_true(max >= 1);
    out->job = run_one;
    for (int i = 0; i < SL_LINK_STREAMS; i++)
        out->offsets[i] = host->streams[i].size;
    return 1;
}

static void on_up(void *user)
{
    ((struct host *)user)->up++;
}

static void on_restarted(void *user)
{
    ((struct host *)user)->restarted++;
}

static void on_down(void *user, const char *reason, unsigned failures)
{
    struct host *host = user;
    host->down++;
    assert_true(failures >= 1);
    snprintf(host->reason, sizeof(host->reason), "%s", reason);
}

static void on_chunk(void *user, const struct sl_link_chunk *chunk)
{
    struct host *host = user;
    struct sl_buf *stream = &host->streams[chunk->stream];
    assert_true(sl_run_ids_equal(chunk->job, run_one));
    assert_true(chunk->offset <= stream->size);
    size_t known = stream->size - (size_t)chunk->offset;
    if (known < chunk->len)
        assert_int_equal(sl_buf_append(stream, chunk->bytes + known, chunk->len - known), 0);
    if (host->cut_at != 0 && host->streams[0].size >= host->cut_at) {
        host->cut_at = 0;
        stream->size -= stream->size > 64 && chunk->stream == 0 ? 64 : 0; /* was not synced */
        sl_link_reconnect(host->link);
    } else if (sl_link_ack(host->link, run_one, chunk->stream, stream->size) == 0 &&
               chunk->stream == 0) {
        host->acked = stream->size;
    }
}

static void on_state(void *user, struct sl_run_id job, int phase, uint32_t pair, uint32_t pairs)
{
    ((struct host *)user)->accepted += phase == 1;
    (void)pair;
    (void)pairs;
    assert_true(sl_run_ids_equal(job, run_one));
}

static void on_result(void *user, const struct sl_link_result *result)
{
    struct host *host = user;
    host->result = *result;
    host->results++;
    sl_link_ack_result(host->link, run_one);
}

static void on_closed(void *user)
{
    ((struct host *)user)->closed = 1;
}

static void run_until(struct host *host, const int *count, int value)
{
    while (*count < value && uv_run(&host->loop, UV_RUN_ONCE))
        ;
    assert_true(*count >= value);
}

static const struct sl_device here = {.kind = SL_DEVICE_LOCAL};

static void open_host(struct host *host, const char *program)
{
    static const struct sl_link_events events = {.have = have,
                                                 .up = on_up,
                                                 .down = on_down,
                                                 .chunk = on_chunk,
                                                 .state = on_state,
                                                 .result = on_result,
                                                 .restarted = on_restarted};
    struct sl_link_options options = {.device = &here, .agent = program, .workdir = workdir};
    *host = (struct host){0};
    assert_int_equal(uv_loop_init(&host->loop), 0);
    for (int i = 0; i < SL_LINK_STREAMS; i++)
        sl_buf_init(&host->streams[i], 64 << 20);
    assert_int_equal(sl_link_new(&host->loop, &options, &events, host, &host->link), 0);
}

static void close_host(struct host *host, bool stop_agent)
{
    sl_link_close(host->link, stop_agent, on_closed, host);
    run_until(host, &host->closed, 1);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&host->loop), 0);
    for (int i = 0; i < SL_LINK_STREAMS; i++)
        sl_buf_fini(&host->streams[i]);
}

static void submit(struct host *host, uint32_t pairs, const char *script)
{
    const char *prefix[] = {"/bin/sh", "-c", script, agent.path};
    struct sl_spec spec;
    struct sl_link_job job = {.id = run_one,
                              .spec = &spec,
                              .clock = "marks",
                              .exec_prefix = prefix,
                              .exec_prefix_count = script ? 4 : 0};
    sl_spec_init(&spec);
    spec.model_sha256 = model;
    spec.inputs_sha256[0] = input;
    spec.inputs_count = 1;
    spec.runs = pairs;
    spec.warmup = spec.timeout_seconds = 0;
    assert_int_equal(sl_link_send_job(host->link, &job), 0);
}

/* The records of the trace that came. CRC records stand where the ring was drained. */
static void put_records(const struct host *host, struct sl_buf *out)
{
    const struct sl_buf *stream = &host->streams[0];
    struct sl_trace trace;
    assert_int_equal(sl_trace_parse((struct sl_bytes){stream->data, stream->size}, &trace, NULL),
                     0); /* the CRCs too */
    sl_trace_fini(&trace);
    sl_buf_init(out, 64 << 20);
    for (size_t at = 0; at + SL_TRACE_RECORD_BYTES <= stream->size; at += SL_TRACE_RECORD_BYTES) {
        if (stream->data[at] != SL_TRACE_CRC)
            assert_int_equal(sl_buf_append(out, stream->data + at, SL_TRACE_RECORD_BYTES), 0);
    }
}

static void assert_undisturbed(const struct host *host)
{
    struct sl_buf trace;
    put_records(host, &trace);
    assert_int_equal(trace.size, undisturbed.size);
    assert_memory_equal(trace.data, undisturbed.data, undisturbed.size);
    sl_buf_fini(&trace);
}

TEST(a_started_agent_runs_a_job)
{
    struct host host;
    open_host(&host, agent.path);
    run_until(&host, &host.up, 1);
    submit(&host, 20, NULL);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.result.outcome, SL_OUTCOME_DONE);
    assert_int_equal(host.result.stream_bytes[0], host.streams[0].size);
    assert_int_equal(sl_link_reset(host.link), SL_E_UNSUPPORTED); /* it is in no port */
    assert_int_equal(host.down, 0);
    put_records(&host, &undisturbed);
    close_host(&host, true);
}

TEST(a_link_cut_anywhere_gives_the_same_trace)
{
    assert_true(undisturbed.size > 0);
    for (unsigned i = 0; i < 4; i++) {
        struct host host;
        open_host(&host, agent.path);
        run_until(&host, &host.up, 1);
        host.cut_at = undisturbed.size * (i + 1) / 5;
        submit(&host, 20, NULL);
        run_until(&host, &host.results, 1);
        assert_int_equal(host.up, 2);
        assert_int_equal(host.restarted, 0);
        assert_undisturbed(&host);
        close_host(&host, true);
    }
}

TEST(a_killed_agent_is_started_again_and_says_what_it_lost)
{
    struct host host;
    open_host(&host, agent.path);
    run_until(&host, &host.up, 1);
    int pid = sl_link_agent_pid(host.link);
    submit(&host, 20, "echo begun; sleep 1");
    while (host.streams[2].size == 0 && uv_run(&host.loop, UV_RUN_ONCE))
        ;
    assert_int_equal(kill(pid, SIGKILL), 0);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.result.outcome, SL_OUTCOME_LOST);
    assert_int_equal(host.result.stream_bytes[2], 6); /* "begun\n" */
    assert_int_equal(host.up, 2);
    assert_int_equal(host.restarted, 1);
    assert_int_not_equal(sl_link_agent_pid(host.link), pid);
    close_host(&host, true);
}

TEST(a_later_link_takes_the_agent_over_with_its_job)
{
    struct host host;
    open_host(&host, agent.path);
    run_until(&host, &host.up, 1);
    int pid = sl_link_agent_pid(host.link);
    submit(&host, 20, "sleep 0.2; exec \"$0\" \"$@\"");
    run_until(&host, &host.accepted, 1);
    close_host(&host, false);
    open_host(&host, agent.path);
    run_until(&host, &host.results, 1);
    assert_int_equal(sl_link_agent_pid(host.link), pid);
    assert_undisturbed(&host);
    close_host(&host, true);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid); /* this process is its parent all the same */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(an_agent_that_cannot_start_is_said_and_tried_again)
{
    struct host host;
    open_host(&host, "/nowhere/sme2lab-agent");
    run_until(&host, &host.down, 2);
    assert_non_null(strstr(host.reason, "cannot be started"));
    close_host(&host, true);
    open_host(&host, "/bin/false");
    run_until(&host, &host.down, 1);
    assert_non_null(strstr(host.reason, "exit code 1"));
    close_host(&host, true);
}

/* After 100, 200 and 400 ms. */
TEST(an_agent_that_cannot_start_is_tried_less_and_less_often)
{
    struct host host;
    open_host(&host, "/nowhere/sme2lab-agent");
    run_until(&host, &host.down, 1);
    uint64_t first_ns = uv_hrtime();
    run_until(&host, &host.down, 4);
    assert_true(uv_hrtime() - first_ns >= 690000000);
    close_host(&host, true);
}

TEST(a_job_on_a_link_that_is_down_is_refused)
{
    struct host host;
    struct sl_link_job job = {.id = {0, 1}};
    open_host(&host, "/nowhere/sme2lab-agent");
    assert_int_equal(sl_link_send_job(host.link, &job), SL_E_STATE);
    assert_int_equal(sl_link_ack(host.link, run_one, 0, 0), SL_E_STATE);
    close_host(&host, true);
}

static int set_up(void **state)
{
    (void)state;
    if (toy_lab_open(&toy, "link") < 0)
        return -1;
    snprintf(root, sizeof(root), "%s", toy.root);
    snprintf(workdir, sizeof(workdir), "%s/device", root);
    if (mkdir(workdir, 0700) < 0 || toy_lab_blobs(workdir, model, input) < 0)
        return -1;
    agent = toy.agent;
    return 0;
}

TEST_GROUP(set_up, toy_lab_tear_down);
