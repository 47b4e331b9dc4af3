/* agent/run/result_line.c */
#include "agent/run/result_line.h"

#include <inttypes.h>
#include <stdio.h>

#include "agent/run/compare.h"
#include "agent/run/etlog.h"
#include "agent/run/schedule.h"
#include "agent/run/session.h"
#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/base/process.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/policy.h"

enum { MAX_REPORT_BYTES = 16 << 20, PATH_BYTES = 4096 };

static void put_outputs(const struct sl_session *session, size_t v, struct sl_json *json)
{
    const struct sl_session_variant *variant = &session->variant[v];
    const char *base = session->options.output_file;
    char path[PATH_BYTES], tail[32];
    size_t len = 0;
    while (base[len])
        len++;
    sl_json_open_array(json, "outputs");
    for (size_t i = 0; i < variant->output_count && len > 0; i++) {
        snprintf(tail, sizeof(tail), "-%zu.bin", i);
        if (variant->outputs[i].scalar_type >= 0 &&
            sl_session_path(session, v, base, len, tail, path, sizeof(path)) == 0)
            sl_json_text(json, NULL, path);
    }
    sl_json_close_array(json);
}

static void put_variant(const struct sl_session *session, size_t v, struct sl_json *json)
{
    const struct sl_session_variant *variant = &session->variant[v];
    bool has_etdump = !session->options.counted && session->options.ring < 0;
    char isa[SL_POLICY_TEXT_BYTES], path[PATH_BYTES];
    sl_isa_format(variant->spec->isa, isa, sizeof(isa));
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", variant->spec->name);
    sl_json_text(json, "isa", isa);
    if (variant->spec->isa & SL_ISA_SME2) {
        sl_policy_format(variant->spec->isa, isa);
        sl_json_text(json, "streaming_off", isa);
    } else {
        sl_json_null(json, "streaming_off");
    }
    size_t packed = sl_variant_packed_bytes(variant->plan);
    if (packed == SIZE_MAX)
        sl_json_null(json, "packed_bytes");
    else
        sl_json_u64(json, "packed_bytes", packed);
    sl_json_u64(json, "events_per_execution", sl_variant_events(variant->plan));
    sl_json_u64(json, "executions", variant->executed);
    if (session->options.counted) /* emulated time is no time */
        sl_json_null(json, "load_ns");
    else
        sl_json_u64(json, "load_ns", variant->load_ns);
    has_etdump = has_etdump && sl_session_etdump_path(session, v, path, sizeof(path)) == 0;
    sl_json_text(json, "etdump", has_etdump ? path : NULL);
    put_outputs(session, v, json);
    sl_json_close_object(json);
}

static void put_schedule(const struct sl_session *session, struct sl_json *json)
{
    if (!session->options.paired) {
        sl_json_null(json, "schedule");
        return;
    }
    sl_json_open_array(json, "schedule");
    for (uint32_t pair = 0; pair < session->options.num_executions; pair++) {
        unsigned first = sl_schedule_first(session->options.seed, pair);
        sl_json_open_array(json, NULL);
        sl_json_text(json, NULL, session->variant[first].spec->name);
        sl_json_text(json, NULL, session->variant[1 - first].spec->name);
        sl_json_close_array(json);
    }
    sl_json_close_array(json);
}

static void put_run(const struct sl_session *session, struct sl_json *json)
{
    const struct sl_agent_run_options *o = &session->options;
    char stream[24];
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.agent-run/1");
    sl_json_text(json, "version", SL_VERSION);
    sl_json_text(json, "runtime", sl_runtime_version());
    sl_json_text(json, "model", o->model_path);
    sl_json_text(json, "method", session->method_name);
    sl_json_text(json, "unit", o->counted ? "marks" : "ns");
    sl_json_u64(json, "svl_bytes", sl_isa_svl_bytes());
    sl_json_u64(json, "threads", session->threads.count);
    if (o->sme_threads != 0)
        sl_json_u64(json, "sme_threads", o->sme_threads);
    else
        sl_json_null(json, "sme_threads"); /* all of them */
    sl_json_text(json, "affinity", o->affinity[0] ? o->affinity : NULL);
    sl_json_u64(json, "iterations", o->num_executions);
    sl_json_u64(json, "warmup", o->warmup);
    sl_json_u64(json, "seed", o->seed);
    put_schedule(session, json);
    sl_json_open_array(json, "variants");
    for (size_t v = 0; v < o->variant_count; v++)
        put_variant(session, v, json);
    sl_json_close_array(json);
    sl_compare_put(session, json);
    sl_json_text(json, "trace", o->trace_path[0] ? o->trace_path : NULL);
    snprintf(stream, sizeof(stream), "%016" PRIx64, session->stream);
    sl_json_text(json, "stream", stream); /* 64 bits are too many for some readers' numbers */
    if (o->counted)
        sl_json_null(json, "peak_rss_bytes");
    else
        sl_json_u64(json, "peak_rss_bytes", sl_process_peak_bytes());
    sl_json_close_object(json);
}

int sl_result_line_print(const struct sl_session *session)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_REPORT_BYTES);
    sl_json_init(&json, &text);
    put_run(session, &json);
    int rc = json.error;
    if (rc == 0)
        rc = sl_buf_print_line(&text);
    sl_buf_fini(&text);
    if (rc < 0)
        SL_ETLOG('E', "The JSON cannot be written: %s", sl_strerror(rc));
    return rc;
}
