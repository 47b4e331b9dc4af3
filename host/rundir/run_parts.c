/* host/rundir/run_parts.c */
#include "host/rundir/run_parts.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/base/json.h"
#include "common/format/scalar_type.h"
#include "common/format/sltrace.h"
#include "host/rundir/armkit.h"
#include "host/rundir/json_copy.h"
#include "host/rundir/run.h"

void sl_run_put_schedule(struct sl_json *json, const struct sl_trace *trace, uint64_t seed)
{
    sl_json_open_object(json, "schedule");
    sl_json_text(json, "order", "ABBA");
    sl_json_u64(json, "seed", seed);
    sl_json_open_array(json, "executions");
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind != SL_TRACE_BLOCK || record->block.iteration == UINT32_MAX ||
            record->variant >= SL_RUN_VARIANTS)
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "variant", sl_run_variant_names[record->variant]);
        sl_json_u64(json, "iteration", record->block.iteration);
        if (record->block.pair == UINT32_MAX)
            sl_json_null(json, "pair"); /* a warm-up beside the pairs */
        else
            sl_json_u64(json, "pair", record->block.pair);
        sl_json_bool(json, "warmup", record->flags & SL_TRACE_BLOCK_WARMUP);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

void sl_run_put_policy(struct sl_json *json, const struct cJSON *table)
{
    sl_json_open_object(json, "policy");
    sl_json_text(json, "source", table ? "device" : "default");
    sl_json_copy(json, "streaming_off", cJSON_GetObjectItemCaseSensitive(table, "streaming_off"));
    sl_json_copy(json, "table", table);
    sl_json_close_object(json);
}

void sl_run_put_executorch(struct sl_json *json)
{
    sl_json_open_object(json, "executorch");
    sl_json_bool(json, "present", false);
    sl_json_null(json, "sha");
    sl_json_null(json, "dirty");
    sl_json_close_object(json);
}

void sl_run_put_result(struct sl_json *json, const struct sl_run_result *result)
{
    const struct sl_armkit_named named = {result->analysis, result->experiment, result->etdump};
    sl_json_open_object(json, NULL);
    sl_json_text(json, "experiment", result->experiment);
    sl_json_text(json, "sme2", sl_run_variant_names[result->level]);
    sl_json_u64(json, "variant", (uint64_t)result->level);
    sl_json_u64(json, "threads", result->threads);
    sl_json_u64(json, "runs", result->analysis->attribution.measured_count);
    sl_json_text(json, "etdump", result->etdump);
    sl_json_text(json, "etdump_sha256", result->analysis->sha256);
    sl_json_text(json, "log", result->log);
    sl_armkit_metrics(json, &named, result->threads, result->log);
    sl_json_close_object(json);
}

void sl_run_put_output(struct sl_json *json, const char *base, size_t i, int type)
{
    static const char *const variants[][2] = {
        {"off", "sme2-off"}, {"on", "sme2-on"}, {"portable", "portable"}};
    char path[SL_RUN_PATH_BYTES];
    sl_json_open_object(json, NULL);
    sl_json_i64(json, "scalar_type", type);
    sl_json_text(json, "type", sl_scalar_name(type));
    for (size_t k = 0; type >= 0 && k < sizeof(variants) / sizeof(variants[0]); k++) {
        snprintf(path, sizeof(path), "%.900s_%s-%zu.bin", base, variants[k][1], i);
        sl_json_text(json, variants[k][0], path);
    }
    sl_json_close_object(json);
}

void sl_run_put_agreement(struct sl_json *json, const char *key,
                          const struct sl_agreement *agreement)
{
    sl_json_open_object(json, key);
    sl_json_f64(json, "max_abs", agreement->max_abs);
    sl_json_f64(json, "max_rel", agreement->max_rel);
    sl_json_f64(json, "tolerance", agreement->tolerance);
    sl_json_bool(json, "agree", agreement->agree);
    sl_json_u64(json, "not_finite", agreement->odd);
    sl_json_close_object(json);
}
