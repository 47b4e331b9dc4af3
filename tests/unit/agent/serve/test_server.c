/* tests/unit/agent/serve/test_server.c: a host's side of the connection against a server that
 * spawns the real agent. */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <uv.h>

#include "agent/serve/job_dir.h"
#include "agent/serve/server.h"
#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "common/net/handshake.h"
#include "proto/envelope.pb-c.h"
#include "tests/support/test.h"
#include "tests/support/toy_blob.h"

#define HIGH UINT64_C(0xfedcba9876543210) /* of every run's number */

static const uint8_t secret[SL_SECRET_BYTES] = {42};
static char workdir[64], model[SL_SHA256_HEX_SIZE], input[SL_SHA256_HEX_SIZE];

/* The host's side of the one job: survives lost links. */
struct host {
    uv_loop_t loop;
    struct sl_server *server;
    struct sl_channel *channel;
    struct sl_address address;
    struct sl_buf streams[SL_STREAM_COUNT];
    uint64_t job; /* others are left alone: a test before may not have got its last acknowledgement
                     through */
    size_t cut_after; /* bytes of trace after which the link is cut; 0: never */
    int ready, closed, server_closed, results, chunks_known;
    int kept_told, kept, kept_outcome;        /* times, jobs that are, of the first */
    uint64_t kept_job, kept_high, kept_bytes; /* the first */
    uint64_t epoch;
    char told[64];  /* the configuration of the job that was told of */
    uint64_t other; /* a job that the agent told the state of, not asked for */
    bool acknowledge;
    int outcome, signal, exit_code;
    char detail[256];
};

static void send_ack(struct host *host, uint64_t job, int stream, uint64_t offset)
{
    Sme2lab__Proto__Ack ack = SME2LAB__PROTO__ACK__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    if (!host->acknowledge)
        return;
    ack.job = job;
    ack.job_high = HIGH;
    ack.offset = offset;
    ack.stream = (Sme2lab__Proto__Stream)stream;
    envelope.ack = &ack;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_ACK;
    sl_channel_send(host->channel, &envelope);
}

static void take_chunk(struct host *host, const Sme2lab__Proto__TraceChunk *chunk)
{
    struct sl_buf *stream = &host->streams[chunk->stream - 1];
    assert_true(chunk->offset <= stream->size); /* no gap */
    if (chunk->offset + chunk->bytes.len <= stream->size) {
        host->chunks_known++;
        return;
    }
    size_t known = stream->size - (size_t)chunk->offset;
    if (known > 0) /* sent again: the same bytes */
        assert_memory_equal(stream->data + chunk->offset, chunk->bytes.data, known);
    assert_int_equal(sl_buf_append(stream, chunk->bytes.data + known, chunk->bytes.len - known), 0);
    send_ack(host, chunk->job, (int)chunk->stream, stream->size);
    if (host->cut_after != 0 && host->streams[0].size >= host->cut_after) {
        host->cut_after = 0;
        sl_channel_close(host->channel);
    }
}

static void on_message(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    struct host *host = user;
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CHUNK &&
        envelope->chunk->job == host->job && envelope->chunk->job_high == HIGH) {
        take_chunk(host, envelope->chunk);
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_RESULT &&
               envelope->result->job == host->job && envelope->result->job_high == HIGH) {
        host->results++;
        host->outcome = (int)envelope->result->outcome;
        host->signal = (int)envelope->result->signal;
        host->exit_code = envelope->result->exit_code;
        snprintf(host->detail, sizeof(host->detail), "%s", envelope->result->detail);
        send_ack(host, envelope->result->job, SME2LAB__PROTO__STREAM__STREAM_UNSPECIFIED, 0);
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_KEPT) {
        const Sme2lab__Proto__Kept *kept = envelope->kept;
        host->kept_told++;
        host->kept = (int)kept->n_jobs;
        host->kept_job = kept->n_jobs ? kept->jobs[0]->job : 0;
        host->kept_high = kept->n_jobs ? kept->jobs[0]->job_high : 0;
        host->kept_bytes = kept->n_jobs ? kept->jobs[0]->bytes : 0;
        host->kept_outcome = kept->n_jobs ? (int)kept->jobs[0]->outcome : 0;
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_JOB) {
        snprintf(host->told, sizeof(host->told), "%s", envelope->job->config);
        host->kept_told++; /* as claim() waits for an answer */
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_STATE &&
               envelope->state->job != host->job) {
        host->other = envelope->state->job;
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CAPABILITIES) {
        host->epoch = envelope->capabilities->epoch;
    }
}

static void on_ready(void *user)
{
    struct host *host = user;
    host->ready++;
}

static void on_closed(void *user, int code, const char *reason)
{
    struct host *host = user;
    (void)code;
    (void)reason;
    host->closed++;
    host->channel = NULL;
}

static void on_server_closed(void *user)
{
    ((struct host *)user)->server_closed = 1;
    ((struct host *)user)->server = NULL;
}

static void run_until(struct host *host, const int *flag, int value)
{
    while (*flag < value && uv_run(&host->loop, UV_RUN_ONCE))
        ;
    assert_true(*flag >= value);
}

static void link_up(struct host *host, uint64_t job)
{
    static const struct sl_channel_events events = {on_ready, on_message, NULL, on_closed};
    Sme2lab__Proto__Resume resume = SME2LAB__PROTO__RESUME__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    Sme2lab__Proto__Ack have[SL_STREAM_COUNT], *pointers[SL_STREAM_COUNT];
    for (int i = 0; i < SL_STREAM_COUNT; i++) {
        sme2lab__proto__ack__init(&have[i]);
        have[i].job = job;
        have[i].job_high = HIGH;
        have[i].stream = (Sme2lab__Proto__Stream)(i + 1);
        have[i].offset = host->streams[i].size;
        pointers[i] = &have[i];
    }
    const struct sl_channel_options options = {
        .role = SL_ROLE_HOST, .secret = secret, .software = "test"};
    assert_int_equal(sl_channel_new(&host->loop, &options, &events, host, &host->channel), 0);
    sl_channel_connect(host->channel, &host->address);
    run_until(host, &host->ready, host->ready + 1);
    resume.have = pointers;
    resume.n_have = job ? SL_STREAM_COUNT : 0;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_RESUME;
    envelope.resume = &resume;
    assert_int_equal(sl_channel_send(host->channel, &envelope), 0);
}

static void start_server(struct host *host)
{
    struct sl_server_options options = {.workdir = workdir,
                                        .self = SL_TEST_AGENT,
                                        .probe_json = "{}",
                                        .program = SL_TEST_AGENT,
                                        .program_sha256 = "",
                                        .blob_bytes = 64 << 20,
                                        .secret = secret,
                                        .spool_bytes = 64 << 20};
    struct sl_address any;
    struct sl_diag diag = {0};
    assert_int_equal(sl_server_new(&host->loop, &options, &host->server, &diag), 0);
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &any, NULL), 0);
    assert_int_equal(sl_server_listen(host->server, &any, &host->address), 0);
    host->server_closed = 0;
}

static void open_host(struct host *host)
{
    memset(host, 0, sizeof(*host));
    host->acknowledge = true;
    assert_int_equal(uv_loop_init(&host->loop), 0);
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        sl_buf_init(&host->streams[i], 64 << 20);
    start_server(host);
}

static void stop_server(struct host *host)
{
    sl_server_close(host->server, on_server_closed, host);
    run_until(host, &host->server_closed, 1);
}

static void close_host(struct host *host)
{
    if (host->server)
        stop_server(host);
    if (host->channel)
        sl_channel_close(host->channel);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&host->loop), 0);
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        sl_buf_fini(&host->streams[i]);
}

static const char *clock_word = "marks"; /* of the next job, as what follows */
static uint32_t processes;
static char *task; /* in place of its run */

static void submit(struct host *host, uint64_t id, const char *model_name, const char *prefix,
                   uint32_t timeout_ms)
{
    static char sh[] = "/bin/sh", dash_c[] = "-c";
    char *inputs[] = {input}, *words[] = {sh, dash_c, (char *)(uintptr_t)prefix};
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    job.id = host->job = id;
    job.id_high = HIGH;
    job.model = (char *)(uintptr_t)model_name;
    job.inputs = inputs;
    job.n_inputs = 1;
    job.pairs = 3;
    job.threads = 1;
    job.clock = (char *)(uintptr_t)clock_word;
    job.concurrency = processes;
    job.task = &task;
    job.n_task = task ? 1 : 0;
    job.process_timeout_ms = timeout_ms;
    job.exec_prefix = words;
    job.n_exec_prefix = prefix ? 3 : 0;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_JOB;
    envelope.job = &job;
    assert_int_equal(sl_channel_send(host->channel, &envelope), 0);
}

static size_t count_events(const struct host *host, bool *out_ended)
{
    struct sl_trace trace;
    struct sl_bytes bytes = {host->streams[SL_STREAM_TRACE].data,
                             host->streams[SL_STREAM_TRACE].size};
    size_t events = 0;
    assert_int_equal(sl_trace_parse(bytes, &trace, NULL), 0);
    for (size_t i = 0; i < trace.record_count; i++)
        events += trace.records[i].kind == SL_TRACE_EVENT;
    *out_ended = trace.ended;
    sl_trace_fini(&trace);
    return events;
}

static size_t undisturbed_events;

TEST(a_job_streams_to_its_end)
{
    struct host host;
    bool ended;
    open_host(&host);
    link_up(&host, 0);
    submit(&host, 1, model, NULL, 0);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    undisturbed_events = count_events(&host, &ended);
    assert_true(ended);
    assert_true(undisturbed_events > 20);
    assert_true(host.streams[SL_STREAM_LOG].size > 0);
    assert_non_null(strstr((char *)host.streams[SL_STREAM_FILES].data + 4, "output-0.bin"));
    close_host(&host);
}

static void stop_waiting(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void run_for(struct host *host, uint64_t ms)
{
    uv_timer_t timer;
    bool over = false;
    uv_timer_init(&host->loop, &timer);
    timer.data = &over;
    uv_timer_start(&timer, stop_waiting, ms, 0);
    while (!over)
        uv_run(&host->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&host->loop, UV_RUN_NOWAIT);
}

static long switches(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_nvcsw; /* of all threads, when they had nothing to do */
}

TEST(an_agent_whose_process_records_nothing_sleeps)
{
    struct host host;
    bool ended;
    open_host(&host);
    link_up(&host, 0);
    clock_word = "ns";
    submit(&host, 7, model, "sleep 2; exec " SL_TEST_AGENT " \"$0\" \"$@\"", 0);
    run_for(&host, 500);
    long before = switches();
    run_for(&host, 1000);
    assert_in_range(switches() - before, 0, 20); /* every 5 ms it would be 200 */
    run_until(&host, &host.results, 1);
    clock_word = "marks";
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_true(count_events(&host, &ended) > 20);
    assert_true(ended);
    close_host(&host);
}

TEST(a_cut_link_loses_nothing)
{
    struct host host;
    bool ended;
    open_host(&host);
    host.acknowledge = false; /* so that it is sent again */
    host.cut_after = 64;
    link_up(&host, 0);
    submit(&host, 2, model, NULL, 0);
    run_until(&host, &host.closed, 1);
    size_t had = host.streams[SL_STREAM_TRACE].size;
    assert_true(had >= 64);
    host.streams[SL_STREAM_TRACE].size = had / 2 / 64 * 64; /* the host had synced half of it */
    host.acknowledge = true;
    link_up(&host, 2);
    run_until(&host, &host.results, 1);
    assert_int_equal(count_events(&host, &ended), undisturbed_events);
    assert_true(ended);
    close_host(&host);
}

TEST(a_restarted_agent_delivers_what_the_dead_one_left)
{
    struct host host;
    bool ended;
    open_host(&host);
    host.acknowledge = false;
    link_up(&host, 0);
    submit(&host, 3, model, NULL, 0);
    run_until(&host, &host.results, 1);
    stop_server(&host);
    run_until(&host, &host.closed, 1);
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        host.streams[i].size = 0;
    host.acknowledge = true;
    start_server(&host);
    link_up(&host, 3);
    run_until(&host, &host.results, 2);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_int_equal(count_events(&host, &ended), undisturbed_events);
    close_host(&host);
}

/* Drops the jobs that earlier tests left without a last acknowledgement. */
static void forget_all(void)
{
    char command[100];
    snprintf(command, sizeof(command), "rm -rf %s/jobs", workdir);
    assert_int_equal(system(command), 0);
}

/* A result as one that an earlier agent left. */
static void make_result(uint64_t id)
{
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    Sme2lab__Proto__Result result = SME2LAB__PROTO__RESULT__INIT;
    struct sl_job_dir *dir = NULL;
    job.id = id;
    job.id_high = HIGH;
    job.config = (char *)(uintptr_t)"{\"model\":\"m\"}";
    result.outcome = SME2LAB__PROTO__OUTCOME__OUTCOME_DONE;
    assert_int_equal(sl_job_dir_create(workdir, &job, 1 << 20, &dir), 0);
    assert_int_equal(sl_job_dir_finish(dir, &result), 0);
    sl_job_dir_free(dir);
}

/* Runs a job that is not acknowledged, and connects as a host that knows nothing of it. */
static void leave_a_result(struct host *host, uint64_t id)
{
    forget_all();
    open_host(host);
    host->acknowledge = false;
    link_up(host, 0);
    submit(host, id, model, NULL, 0);
    run_until(host, &host->results, 1);
    sl_channel_close(host->channel);
    run_until(host, &host->closed, 1);
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        host->streams[i].size = 0;
    host->acknowledge = true;
    link_up(host, 0);
    run_until(host, &host->kept, 1);
    assert_int_equal(host->kept, 1);
    assert_int_equal(host->kept_job, id);
    assert_int_equal(host->kept_outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_true(host->kept_bytes > 0);
}

static void claim(struct host *host, uint64_t job, Sme2lab__Proto__Wish wish)
{
    Sme2lab__Proto__Claim body = SME2LAB__PROTO__CLAIM__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    int told = host->kept_told;
    body.job = job;
    body.job_high = HIGH;
    body.wish = wish;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CLAIM;
    envelope.claim = &body;
    assert_int_equal(sl_channel_send(host->channel, &envelope), 0);
    run_until(host, &host->kept_told, told + 1);
}

TEST(a_job_that_the_host_does_not_name_is_kept_until_it_is_sent_again)
{
    struct host host;
    bool ended;
    leave_a_result(&host, 4);
    claim(&host, 4, SME2LAB__PROTO__WISH__WISH_KEEP); /* as it is */
    assert_int_equal(host.kept, 1);
    assert_int_equal(host.results, 1);
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        assert_int_equal(host.streams[i].size, 0);
    submit(&host, 4, model, NULL, 0);
    run_until(&host, &host.results, 2);
    assert_int_equal(host.kept, 0);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_int_equal(count_events(&host, &ended), undisturbed_events);
    assert_true(ended);
    close_host(&host);
}

TEST(a_host_that_collects_gets_all_of_it_whatever_another_one_had)
{
    struct host host;
    bool ended;
    leave_a_result(&host, 6);
    host.acknowledge = false;
    for (int times = 1; times <= 2; times++) { /* another one has acknowledged a part, and goes */
        host.streams[SL_STREAM_TRACE].size = times == 1 ? 64 : 0;
        sl_channel_close(host.channel);
        run_until(&host, &host.closed, times + 1);
        link_up(&host, times == 1 ? 6 : 0);
        if (times == 1)
            run_until(&host, &host.results, 2);
        for (int i = 0; i < SL_STREAM_COUNT; i++)
            host.streams[i].size = 0;
    }
    host.acknowledge = true;
    run_until(&host, &host.kept, 1);
    claim(&host, 6, SME2LAB__PROTO__WISH__WISH_SEND);
    run_until(&host, &host.results, 3);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_int_equal(count_events(&host, &ended), undisturbed_events);
    assert_true(ended);
    close_host(&host);
}

TEST(what_is_not_kept_cannot_be_collected)
{
    struct host host;
    forget_all();
    make_result(9);
    open_host(&host);
    host.job = 10;
    link_up(&host, 0);
    run_until(&host, &host.kept, 1);
    claim(&host, 9, SME2LAB__PROTO__WISH__WISH_TELL);
    assert_string_equal(host.told, "{\"model\":\"m\"}");
    claim(&host, 9, SME2LAB__PROTO__WISH__WISH_FORGET);
    Sme2lab__Proto__Claim body = SME2LAB__PROTO__CLAIM__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    body.job = 10;
    body.job_high = HIGH;
    body.wish = SME2LAB__PROTO__WISH__WISH_SEND;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CLAIM;
    envelope.claim = &body;
    assert_int_equal(sl_channel_send(host.channel, &envelope), 0);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED);
    assert_non_null(strstr(host.detail, "does not hold this result"));
    close_host(&host);
}

TEST(a_kept_job_is_forgotten_when_that_is_said)
{
    struct host host;
    char path[128];
    leave_a_result(&host, 5);
    snprintf(path, sizeof(path), "%s/jobs/fedcba98765432100000000000000005/result", workdir);
    assert_int_equal(access(path, F_OK), 0);
    claim(&host, 5, SME2LAB__PROTO__WISH__WISH_FORGET);
    assert_int_equal(host.kept, 0);
    assert_int_equal(access(path, F_OK), -1);
    close_host(&host);
}

TEST(a_number_of_which_half_is_right_is_another_run)
{
    struct host host;
    Sme2lab__Proto__Claim body = SME2LAB__PROTO__CLAIM__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    forget_all();
    make_result(11);
    open_host(&host);
    link_up(&host, 0);
    run_until(&host, &host.kept, 1);
    body.job = 11;
    body.job_high = HIGH + 1;
    body.wish = SME2LAB__PROTO__WISH__WISH_FORGET;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CLAIM;
    envelope.claim = &body;
    assert_int_equal(sl_channel_send(host.channel, &envelope), 0);
    claim(&host, 11, SME2LAB__PROTO__WISH__WISH_KEEP);
    assert_int_equal(host.kept, 1);
    assert_int_equal(host.kept_job, 11);
    assert_int_equal(host.kept_high, HIGH);
    close_host(&host);
}

/* Results as one that counted by 64 bits left them: 2^62 + 1 and so on. */
static void make_old_results(uint64_t count)
{
    char from[128], to[128];
    for (uint64_t i = 1; i <= count; i++) {
        make_result(i);
        snprintf(from, sizeof(from), "%s/jobs/fedcba9876543210%016" PRIx64, workdir, i);
        snprintf(to, sizeof(to), "%s/jobs/%" PRIu64, workdir, (UINT64_C(1) << 62) + i);
        assert_int_equal(rename(from, to), 0);
    }
}

TEST(what_an_older_agent_left_is_offered_by_its_number)
{
    enum { LEFT = 20 };
    struct host host;
    char old[128];
    forget_all();
    make_old_results(LEFT);
    for (int times = 0; times < 2; times++) { /* they have their new names then */
        open_host(&host);
        link_up(&host, 0);
        run_until(&host, &host.kept, 1);
        assert_int_equal(host.kept, LEFT); /* each once */
        assert_int_equal(host.kept_high, 0);
        assert_int_equal(host.kept_job >> 62, 1);
        close_host(&host);
    }
    snprintf(old, sizeof(old), "%s/jobs/%" PRIu64, workdir, (UINT64_C(1) << 62) + LEFT);
    assert_int_equal(access(old, F_OK), -1);
    forget_all();
}

static uint64_t epoch_told(struct host *host)
{
    host->epoch = 0;
    link_up(host, 0);
    while (host->epoch == 0)
        uv_run(&host->loop, UV_RUN_ONCE);
    return host->epoch;
}

TEST(each_start_of_an_agent_has_an_epoch_of_its_own)
{
    struct host host;
    open_host(&host);
    uint64_t first = epoch_told(&host);
    sl_channel_close(host.channel);
    run_until(&host, &host.closed, 1);
    assert_int_equal(epoch_told(&host), first); /* another link */
    close_host(&host);
    open_host(&host);
    assert_int_not_equal(epoch_told(&host), first);
    close_host(&host);
}

TEST(an_agent_full_of_what_nobody_fetches_says_so)
{
    enum { HELD = 64 };
    struct host host;
    forget_all();
    for (uint64_t id = 1; id <= HELD; id++)
        make_result(400 + id);
    open_host(&host);
    link_up(&host, 0);
    run_until(&host, &host.kept, HELD);
    submit(&host, 300, model, NULL, 0);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED);
    assert_non_null(strstr(host.detail,
                           "holds 64 results that no daemon has fetched: 'sme2lab device results"));
    for (uint64_t id = 1; id <= HELD; id++)
        claim(&host, 400 + id, SME2LAB__PROTO__WISH__WISH_FORGET);
    assert_int_equal(host.kept, 0);
    submit(&host, 301, model, NULL, 0);
    run_until(&host, &host.results, 2);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    close_host(&host);
}

static void expect(const char *model_name, const char *prefix, uint32_t timeout_ms, int outcome,
                   const char *words)
{
    static uint64_t id = 100;
    struct host host;
    open_host(&host);
    link_up(&host, 0);
    submit(&host, id++, model_name, prefix, timeout_ms);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, outcome);
    assert_non_null(strstr(host.detail, words));
    close_host(&host);
}

TEST(a_crash_is_a_result_with_its_signal)
{
    expect(model, "kill -SEGV $$", 0, SME2LAB__PROTO__OUTCOME__OUTCOME_CRASHED, "signal 11");
}

TEST(a_hang_is_ended_by_the_watchdog)
{
    expect(model, "sleep 60 & sleep 60", 200, SME2LAB__PROTO__OUTCOME__OUTCOME_TIMED_OUT, "200 ms");
}

TEST(a_failure_is_a_result_with_its_code)
{
    expect(input, NULL, 0, SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED,
           "exit code 1"); /* an input is no model */
}

static bool holds(const struct sl_buf *bytes, const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i + len <= bytes->size; i++) {
        if (memcmp(bytes->data + i, text, len) == 0)
            return true;
    }
    return false;
}

TEST(processes_beside_the_measured_one_say_what_they_did)
{
    struct host host;
    bool ended;
    open_host(&host);
    link_up(&host, 0);
    processes = 3;
    submit(&host, 30, model, NULL, 0);
    processes = 0;
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_int_equal(count_events(&host, &ended), undisturbed_events);
    const struct sl_buf *files = &host.streams[SL_STREAM_FILES];
    assert_true(holds(files, "load-1.json"));
    assert_true(holds(files, "load-2.json"));
    assert_true(holds(files, "\"place\":2,"));
    close_host(&host);
}

TEST(a_task_has_nothing_beside_it)
{
    static char probe[] = "probe";
    struct host host;
    open_host(&host);
    link_up(&host, 0);
    task = probe;
    processes = 3;
    submit(&host, 31, "", NULL, 0);
    processes = 0;
    task = NULL;
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_true(holds(&host.streams[SL_STREAM_OUTPUT], "\"schema\""));
    assert_false(holds(&host.streams[SL_STREAM_FILES], "load-1.json"));
    close_host(&host);
}

TEST(a_load_that_ends_by_itself_is_a_failure)
{
    processes = 2;
    expect(model, "exit 3", 0, SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED,
           "process 1 of the load ended by itself, with exit code 3");
    expect(model, "sleep 60", 200, SME2LAB__PROTO__OUTCOME__OUTCOME_TIMED_OUT, "200 ms");
    processes = 17;
    expect(model, NULL, 0, SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED, "load cannot be started");
    processes = 0;
}

TEST(a_name_that_is_no_digest_starts_nothing)
{
    expect("../../etc/passwd", NULL, 0, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED, "no blob");
}

TEST(a_program_that_is_not_there_is_a_result)
{
    expect(model, "exec /nowhere/program", 0, SME2LAB__PROTO__OUTCOME__OUTCOME_FAILED, "127");
}

static void cancel(struct host *host, uint64_t job)
{
    Sme2lab__Proto__Cancel body = SME2LAB__PROTO__CANCEL__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    body.job = job;
    body.job_high = HIGH;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CANCEL;
    envelope.cancel = &body;
    assert_int_equal(sl_channel_send(host->channel, &envelope), 0);
}

TEST(a_busy_agent_says_with_which_job_so_that_it_can_be_cancelled)
{
    struct host host;
    open_host(&host);
    link_up(&host, 0);
    submit(&host, 201, model, "sleep 60", 0); /* not a byte of it comes */
    submit(&host, 202, model, NULL, 0);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_BUSY);
    while (host.other == 0)
        uv_run(&host.loop, UV_RUN_ONCE);
    assert_int_equal(host.other, 201);
    host.job = 201;
    cancel(&host, 201);
    run_until(&host, &host.results, 2);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_CANCELLED);
    submit(&host, 202, model, NULL, 0);
    run_until(&host, &host.results, 3);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    close_host(&host);
}

TEST(a_cancelled_job_says_so)
{
    struct host host;
    open_host(&host);
    link_up(&host, 0);
    submit(&host, 200, model, "sleep 60", 0);
    cancel(&host, 200);
    run_until(&host, &host.results, 1);
    assert_int_equal(host.outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_CANCELLED);
    close_host(&host);
}

static int make_workdir(void **state)
{
    char blobs[80];
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    snprintf(workdir, sizeof(workdir), "/tmp/sl-serve-XXXXXX");
    if (!mkdtemp(workdir))
        return -1;
    snprintf(blobs, sizeof(blobs), "mkdir %s/blobs", workdir);
    return system(blobs) != 0 || sl_toy_blob(workdir, "model.pte", model) < 0 ||
                   sl_toy_blob(workdir, "input-0.bin", input) < 0
               ? -1
               : 0;
}

static int remove_workdir(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", workdir);
    return system(command);
}

TEST_GROUP(make_workdir, remove_workdir);
