/* tests/bench/bench_stream.c: events a second from the recorder's ring through the agent's spool,
 * the socket and ingest into a synced file.
 *
 *   bench_stream FAST_AGENT DIRECTORY EXECUTIONS
 *
 * The agent is tests/bench/fast_agent.c; everything between the ring and the file is the product's.
 * Counts afterwards what the file holds. Prints one object of JSON. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/ingest/run_store.h"
#include "host/spec/spec.h"

enum { EVENTS_EACH = 1000 };
static const struct sl_run_id run_id = {0, 1};
#define MAX_TRACE_BYTES ((size_t)2 << 30)

struct bench {
    uv_loop_t loop;
    struct sl_link *link;
    struct sl_ingest *store;
    const char *directory;
    uint32_t executions;
    struct sl_link_result result;
    bool sent, has_result, over;
    uint64_t began_ns, ended_ns, paused;
    int rc;
};

static void on_closed(void *user)
{
    (void)user;
}

/* Everything is synced, or something failed. */
static void end(struct bench *bench, int rc)
{
    if (bench->over)
        return;
    bench->over = true;
    bench->rc = rc;
    bench->ended_ns = uv_hrtime();
    sl_ingest_close(bench->store, on_closed, bench);
    sl_link_close(bench->link, true, on_closed, bench);
}

static void on_synced(void *user)
{
    struct bench *bench = user;
    uint64_t offset;
    for (int i = 0; i < SL_INGEST_STREAMS; i++) {
        if (sl_ingest_ack(bench->store, i, &offset))
            sl_link_ack(bench->link, run_id, i, offset);
    }
    if (!sl_ingest_full(bench->store))
        sl_link_pause(bench->link, false);
    if (bench->has_result && sl_ingest_complete(bench->store))
        end(bench, 0);
}

static void on_failed(void *user, int rc)
{
    end(user, rc);
}

static size_t on_have(void *user, struct sl_link_have *out, size_t max)
{
    (void)user;
    (void)out;
    (void)max;
    return 0;
}

static void on_up(void *user)
{
    struct bench *bench = user;
    char model[65];
    memset(model, '0', 64);
    model[64] = '\0';
    struct sl_spec spec;
    struct sl_link_job job = {.id = run_id, .spec = &spec, .variants = "portable", .clock = "ns"};
    sl_spec_init(&spec);
    spec.model_sha256 = model;
    spec.runs = bench->executions;
    spec.warmup = spec.timeout_seconds = 0;
    if (bench->sent)
        return;
    bench->sent = true;
    bench->began_ns = uv_hrtime();
    int rc = sl_link_send_job(bench->link, &job);
    if (rc < 0)
        end(bench, rc);
}

static void on_down(void *user, const char *reason, unsigned failures)
{
    struct bench *bench = user;
    fprintf(stderr, "bench_stream: link down: %s (%u)\n", reason, failures);
    if (bench->sent || failures >= SL_LINK_GIVE_UP)
        end(bench, SL_E_STATE);
}

static void on_chunk(void *user, const struct sl_link_chunk *chunk)
{
    struct bench *bench = user;
    if (bench->over)
        return;
    int rc = sl_ingest_take(bench->store, chunk->stream, chunk->offset, chunk->bytes, chunk->len);
    if (rc < 0) {
        end(bench, rc);
    } else if (sl_ingest_full(bench->store)) {
        bench->paused++;
        sl_link_pause(bench->link, true);
    }
}

static void on_state(void *user, struct sl_run_id job, int phase, uint32_t pair, uint32_t pairs)
{
    (void)user;
    (void)job;
    (void)phase;
    (void)pair;
    (void)pairs;
}

static void on_result(void *user, const struct sl_link_result *result)
{
    struct bench *bench = user;
    if (bench->over)
        return;
    bench->result = *result;
    bench->has_result = true;
    int rc = sl_ingest_end(bench->store, result->stream_bytes);
    if (rc < 0 || result->outcome != SL_OUTCOME_DONE || result->dropped_bytes > 0)
        end(bench, rc < 0 ? rc : SL_E_CRASHED);
    else if (sl_ingest_complete(bench->store))
        end(bench, 0);
}

/* The bytes of the synced file. */
static int count_events(const struct bench *bench, uint64_t *out_events, uint64_t *out_stalls,
                        uint64_t *out_bytes)
{
    char path[1024];
    struct sl_buf file;
    struct sl_trace trace;
    sl_ingest_path(bench->directory, 0, path, sizeof(path));
    int rc = sl_buf_read_file(path, MAX_TRACE_BYTES, &file);
    if (rc < 0)
        return rc;
    rc = sl_trace_parse((struct sl_bytes){file.data, file.size}, &trace, NULL);
    *out_events = *out_stalls = 0;
    for (size_t i = 0; rc == 0 && i < trace.record_count; i++) {
        *out_events += trace.records[i].kind == SL_TRACE_EVENT;
        *out_stalls += trace.records[i].kind == SL_TRACE_STALL;
    }
    if (rc == 0 && !trace.ended)
        rc = SL_E_TRUNCATED;
    *out_bytes = file.size;
    if (rc == 0)
        sl_trace_fini(&trace);
    sl_buf_fini(&file);
    return rc;
}

static int run(struct bench *bench, const char *agent)
{
    static const struct sl_ingest_events store_events = {on_synced, on_failed};
    static const struct sl_link_events link_events = {.have = on_have,
                                                      .up = on_up,
                                                      .down = on_down,
                                                      .chunk = on_chunk,
                                                      .state = on_state,
                                                      .result = on_result};
    static const struct sl_device here = {.kind = SL_DEVICE_LOCAL};
    char workdir[1024];
    snprintf(workdir, sizeof(workdir), "%s/agent", bench->directory);
    struct sl_link_options options = {.device = &here, .agent = agent, .workdir = workdir};
    int rc = uv_loop_init(&bench->loop);
    if (rc == 0)
        rc = sl_ingest_open(&bench->loop, bench->directory, &store_events, bench, &bench->store);
    if (rc == 0)
        rc = sl_link_new(&bench->loop, &options, &link_events, bench, &bench->link);
    if (rc < 0)
        return rc;
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    return uv_loop_close(&bench->loop) < 0 ? SL_E_STATE : bench->rc;
}

int main(int argc, char **argv)
{
    uint64_t events = 0, stalls = 0, bytes = 0;
    struct bench bench = {0};
    if (argc != 4 || (bench.executions = (uint32_t)strtoul(argv[3], NULL, 10)) == 0) {
        fprintf(stderr, "usage: bench_stream FAST_AGENT DIRECTORY EXECUTIONS\n");
        return 2;
    }
    bench.directory = argv[2];
    int rc = run(&bench, argv[1]);
    if (rc == 0)
        rc = count_events(&bench, &events, &stalls, &bytes);
    if (rc < 0) {
        fprintf(stderr, "bench_stream: %s %s\n", sl_strerror(rc), bench.result.detail);
        return 6;
    }
    double seconds = (double)(bench.ended_ns - bench.began_ns) / 1e9;
    uint64_t wanted = (uint64_t)bench.executions * EVENTS_EACH;
    printf("{\"events\":%" PRIu64 ",\"lost\":%" PRId64 ",\"bytes\":%" PRIu64
           ",\"seconds\":%.3f,\"events_per_s\":%.0f,\"stalls\":%" PRIu64 ",\"pauses\":%" PRIu64
           "}\n",
           events, (int64_t)(wanted - events), bytes, seconds, (double)events / seconds, stalls,
           bench.paused);
    return events == wanted ? 0 : 1;
}
