/* agent/run/tracing.c */
#include "agent/run/tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/run/etlog.h"
#include "agent/run/schedule.h"
#include "agent/run/session.h"
#include "agent/trace/recorder.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/process.h"
#include "common/format/sltrace.h"
#include "common/format/trace_etdump.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/policy.h"

enum { PATH_BYTES = 4096, MAX_ETDUMP_BYTES = 1 << 30, ZERO_LOOKS = 8 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A letter for each pair: A, the variants in the order given, or B, the other way round. Cut where
 * a name of the trace ends; the BLOCK records have the whole of it. */
static void record_schedule(struct sl_session *session)
{
    char text[SL_TRACE_MAX_NAME_BYTES + 1];
    uint32_t pairs = session->options.num_executions, at = 0;
    for (; at < pairs && at < SL_TRACE_MAX_NAME_BYTES; at++)
        text[at] = sl_schedule_first(session->options.seed, at) ? 'B' : 'A';
    text[at] = '\0';
    sl_recorder_meta_text(session->trace.recorder, "schedule", text);
}

static void record_variants(struct sl_session *session)
{
    struct sl_recorder *recorder = session->trace.recorder;
    char key[64], isa[SL_POLICY_TEXT_BYTES];
    sl_recorder_meta_integer(recorder, "variants", (int64_t)session->options.variant_count);
    for (size_t v = 0; v < session->options.variant_count; v++) {
        const struct sl_agent_run_variant_spec *spec = session->variant[v].spec;
        sl_isa_format(spec->isa, isa, sizeof(isa));
        snprintf(key, sizeof(key), "variant.%zu.name", v);
        sl_recorder_meta_text(recorder, key, spec->name);
        snprintf(key, sizeof(key), "variant.%zu.isa", v);
        sl_recorder_meta_text(recorder, key, isa);
        if (!(spec->isa & SL_ISA_SME2))
            continue;
        sl_policy_format(spec->isa, isa);
        snprintf(key, sizeof(key), "variant.%zu.streaming_off", v);
        sl_recorder_meta_text(recorder, key, isa);
    }
}

static void record_facts(struct sl_session *session)
{
    struct sl_recorder *recorder = session->trace.recorder;
    const struct sl_agent_run_options *o = &session->options;
    sl_recorder_meta_text(recorder, "agent.version", SL_VERSION);
    sl_recorder_meta_text(recorder, "model", base_name(o->model_path));
    sl_recorder_meta_text(recorder, "unit", o->counted ? "marks" : "ns");
    sl_recorder_meta_integer(recorder, "svl_bytes", (int64_t)sl_isa_svl_bytes());
    sl_recorder_meta_integer(recorder, "threads", session->threads.count);
    if (o->sme_threads != 0)
        sl_recorder_meta_integer(recorder, "sme_threads", o->sme_threads);
    if (o->affinity[0])
        sl_recorder_meta_text(recorder, "affinity", o->affinity);
    sl_recorder_meta_integer(recorder, "iterations", o->num_executions);
    sl_recorder_meta_integer(recorder, "warmup", o->warmup);
    sl_recorder_meta_integer(recorder, "seed", (int64_t)o->seed);
    record_variants(session);
    if (o->paired)
        record_schedule(session);
}

/* Unix time of the stream's zero, for who measured something else meanwhile. Of several looks at
 * both clocks the one that was interrupted least counts. */
static void record_zero(struct sl_session *session, const char *key)
{
    struct sl_recorder *recorder = session->trace.recorder;
    if (session->options.counted)
        return;
    uint64_t zero_ns = 0, least_ns = UINT64_MAX;
    for (int look = 0; look < ZERO_LOOKS; look++) {
        uint64_t before_ns = sl_recorder_stamp_begin(recorder), utc_ns = sl_clock_utc_ns();
        uint64_t took_ns = sl_recorder_stamp_end(recorder) - before_ns;
        if (took_ns >= least_ns)
            continue;
        least_ns = took_ns;
        zero_ns = utc_ns - before_ns;
    }
    sl_recorder_meta_integer(recorder, key, (int64_t)(zero_ns / 1000));
}

/* Counted runs are the same each time, so there the id is the seed's alone. */
static uint64_t stream_id(const struct sl_agent_run_options *options)
{
    uint64_t salt = options->counted ? 0 : (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
    return sl_schedule_splitmix64(options->seed ^ salt);
}

int sl_tracing_open(struct sl_session *session)
{
    session->stream = stream_id(&session->options);
    const struct sl_trace_target target = {
        .unit = session->options.counted ? SL_TRACE_MARKS : SL_TRACE_NS,
        .ring_fd = session->options.ring,
        .path = session->options.trace_path,
        .stream = session->stream,
    };
    int rc = sl_trace_session_init(&session->trace, &target);
    if (rc < 0) {
        SL_ETLOG('E', "The trace cannot be opened%s%s: %s", target.path[0] ? " at " : "",
                 target.path, sl_strerror(rc));
        return SL_E_LOGGED;
    }
    record_facts(session);
    record_zero(session, "zero_unix_us");
    return 0;
}

/* By way of a temporary name, but a device such as /dev/null is written in place. */
static int write_file(const char *path, const struct sl_buf *bytes)
{
    struct stat info;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
        return sl_buf_write_file(path, bytes->data, bytes->size);
    FILE *file = fopen(path, "wb");
    if (!file)
        return -errno;
    int rc = fwrite(bytes->data, 1, bytes->size, file) == bytes->size ? 0 : -EIO;
    if (fclose(file) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

static int write_etdump(struct sl_session *session, const struct sl_trace *trace, size_t v)
{
    char path[PATH_BYTES] = "";
    struct sl_buf etdump;
    sl_buf_init(&etdump, MAX_ETDUMP_BYTES);
    int rc = sl_trace_to_etdump(trace, (uint32_t)v, &etdump, &session->diag);
    if (rc == 0)
        rc = sl_session_etdump_path(session, v, path, sizeof(path));
    if (rc == 0) {
        rc = write_file(path, &etdump);
        if (rc < 0)
            sl_etlog('E', "executor_runner.cpp", 253, "Failed to open ETDump file at %s.", path);
    }
    sl_buf_fini(&etdump);
    if (rc == 0)
        sl_etlog('I', "executor_runner.cpp", 261, "ETDump written to file '%s'.", path);
    return rc;
}

static int write_etdumps(struct sl_session *session)
{
    struct sl_buf stream;
    struct sl_trace trace;
    int rc = sl_trace_session_read(&session->trace, &stream);
    if (rc < 0)
        return rc;
    rc = sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, &session->diag);
    if (rc == 0) {
        for (size_t v = 0; v < session->options.variant_count && rc == 0; v++)
            rc = write_etdump(session, &trace, v);
        sl_trace_fini(&trace);
    }
    sl_buf_fini(&stream);
    return rc;
}

int sl_tracing_close(struct sl_session *session)
{
    if (!session->options.counted) /* there it is the emulator's, and differs from run to run */
        sl_recorder_meta_integer(session->trace.recorder, "peak_rss_bytes",
                                 (int64_t)sl_process_peak_bytes());
    record_zero(session, "zero_unix_us.end"); /* another where the clock was set */
    int rc = sl_trace_session_finish(&session->trace);
    if (rc < 0) {
        SL_ETLOG('E', "The trace is not complete: %s", sl_strerror(rc));
        return SL_E_LOGGED;
    }
    if (session->options.counted || session->options.ring >= 0)
        return 0; /* the host or the parent makes the ETDumps */
    rc = write_etdumps(session);
    if (rc < 0) {
        sl_session_log_diag(session);
        sl_etlog('F', "executor_runner.cpp", 871,
                 "In function main(), assert failed (status == Error::Ok): Failed to save ETDump "
                 "file.");
    }
    return rc;
}
