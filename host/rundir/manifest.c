/* host/rundir/manifest.c */
#include "host/rundir/manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/json.h"
#include "common/base/path.h"
#include "common/format/scalar_type.h"
#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "host/report/json_copy.h"
#include "host/report/run_estimates.h"
#include "host/rundir/armkit.h"
#include "host/rundir/output_type.h"
#include "host/rundir/plugin_file.h"
#include "host/rundir/rundir.h"
#include "host/rundir/trace_beside.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_value.h"
#include "host/spec/param.h"

/* One manifest being written. */
struct maker {
    struct sl_json *json;
    const struct sl_manifest_source *source;
    const cJSON *recorded;           /* the manifest, or what a run recorded for one */
    const cJSON *agent;              /* its agent_report; NULL: the agent gave none */
    char base[SL_RUNDIR_PATH_BYTES]; /* of traces, logs and outputs, relative to the directory */
    char stem[SL_RUNDIR_PATH_BYTES]; /* of the model, first part of every file's name */
    const char *experiment;
    unsigned threads, index; /* the latter: of the array's element that is being written */
    bool counted;
};

/* --- forms of recorded members --- */

static bool is_any(const cJSON *value)
{
    return value != NULL;
}

static bool is_text(const cJSON *value)
{
    return cJSON_IsString(value) && value->valuestring[0];
}

static bool is_text_or_null(const cJSON *value)
{
    return cJSON_IsNull(value) || is_text(value);
}

static bool is_hash(const cJSON *value)
{
    return cJSON_IsString(value) && strlen(value->valuestring) == 64 &&
           strspn(value->valuestring, "0123456789abcdef") == 64;
}

static bool is_count(const cJSON *value)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : -1;
    return number >= 0 && number <= SL_JSON_MAX_WHOLE && floor(number) == number;
}

static bool is_positive(const cJSON *value)
{
    return cJSON_IsNumber(value) && value->valuedouble > 0;
}

static bool is_utc(const cJSON *value)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    const char *text = cJSON_IsString(value) ? value->valuestring : "";
    bool fits = strlen(text) == sizeof(form) - 1;
    for (size_t i = 0; fits && form[i]; i++)
        fits = form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i];
    return fits;
}

static bool is_objects(const cJSON *value)
{
    bool fits = cJSON_IsArray(value);
    const cJSON *one;
    cJSON_ArrayForEach(one, value) fits = fits && cJSON_IsObject(one);
    return fits;
}

/* --- the table's rows --- */

enum when {
    ALWAYS,
    IF_RECORDED, /* only if it was recorded */
    IF_COUNTED,  /* only if instructions are the time */
    IF_SEVERAL,  /* only of several processes at a time */
    IF_PLUGINS,  /* only if plug-ins were told of the run */
};

enum shape { VALUE, OBJECT, OBJECT_OR_NULL, ARRAY };

struct row {
    const char *key;
    enum when when;
    bool (*fits)(const cJSON *value);                                     /* recorded */
    void (*put)(struct maker *m, const char *key, const cJSON *recorded); /* computed */
    enum shape shape;
    const struct row *rows; /* of an object, or of each object of an array; ends with key NULL */
};

static bool is_due(const struct maker *m, const struct row *row, const cJSON *value)
{
    return row->when == ALWAYS || (row->when == IF_RECORDED && value) ||
           (row->when == IF_COUNTED && m->counted) ||
           (row->when == IF_PLUGINS && m->source->plugins && m->source->plugins->name[0]) ||
           (row->when == IF_SEVERAL && sl_value(m->recorded, "concurrency"));
}

static void put_rows(struct maker *m, const char *key, const struct row *rows,
                     const cJSON *recorded);

static void put_array(struct maker *m, const struct row *row, const cJSON *recorded)
{
    const cJSON *one;
    sl_json_open_array(m->json, row->key);
    m->index = 0;
    cJSON_ArrayForEach(one, recorded)
    {
        put_rows(m, NULL, row->rows, one);
        m->index++;
    }
    sl_json_close_array(m->json);
}

static void put_row(struct maker *m, const struct row *row, const cJSON *value)
{
    if (row->put)
        row->put(m, row->key, value);
    else if (row->shape == ARRAY)
        put_array(m, row, value);
    else if (row->shape == OBJECT || (row->shape == OBJECT_OR_NULL && cJSON_IsObject(value)))
        put_rows(m, row->key, row->rows, value);
    else
        sl_json_copy(m->json, row->key, row->fits && row->fits(value) ? value : NULL);
}

static void put_rows(struct maker *m, const char *key, const struct row *rows,
                     const cJSON *recorded)
{
    sl_json_open_object(m->json, key);
    for (const struct row *row = rows; row->key; row++) {
        const cJSON *value = sl_value(recorded, row->key);
        if (is_due(m, row, value))
            put_row(m, row, value);
    }
    sl_json_close_object(m->json);
}

/* --- computed members --- */

/* Taken from the agent's report; without one, from the manifest itself. */
static uint64_t number_of(const struct maker *m, const char *key, const cJSON *recorded)
{
    const cJSON *value = sl_value(m->agent, key);
    value = value ? value : recorded;
    return is_count(value) ? (uint64_t)value->valuedouble : 0;
}

static void put_schema(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_text(m->json, key, "sme2lab.manifest/1");
}

static void put_unit(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_text(m->json, key, m->counted ? "instructions" : "ns");
}

static void put_method(struct maker *m, const char *key, const cJSON *recorded)
{
    const cJSON *run = m->agent && is_text(recorded) ? sl_value(m->agent, "method") : recorded;
    bool fits = run == recorded ? is_text_or_null(recorded) : is_text(run);
    sl_json_copy(m->json, key, fits ? run : NULL);
}

/* A clean run has whole executions and nothing in them. */
static void put_mode(struct maker *m, const char *key, const cJSON *recorded)
{
    bool whole = m->source->analyses[0]->attribution.operator_count <= 1;
    bool clean = whole && cJSON_IsString(recorded) && strcmp(recorded->valuestring, "clean") == 0;
    sl_json_text(m->json, key, clean ? "clean" : "timing");
}

static void put_runs(struct maker *m, const char *key, const cJSON *recorded)
{
    sl_json_u64(m->json, key, number_of(m, "iterations", recorded));
}

static void put_warmup(struct maker *m, const char *key, const cJSON *recorded)
{
    sl_json_u64(m->json, key, number_of(m, "warmup", recorded));
}

static void put_streaming_threads(struct maker *m, const char *key, const cJSON *recorded)
{
    const cJSON *said = sl_value(m->agent, "sme_threads");
    (void)recorded;
    if (is_count(said))
        sl_json_copy(m->json, key, said);
}

static void put_pairs(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    put_runs(m, key, sl_value(m->recorded, "runs"));
}

/* A wall clock that ran shorter than what was recorded in it did not. */
static void put_wall(struct maker *m, const char *key, const cJSON *recorded)
{
    const struct sl_trace *trace = m->source->trace;
    uint64_t least = 0;
    for (size_t i = 0; i < trace->record_count && !m->counted; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (sl_trace_is_execution(trace, record) && record->event.end >= record->event.start)
            least += record->event.end - record->event.start;
    }
    bool fits = is_count(recorded) && recorded->valuedouble >= (double)least;
    sl_json_copy(m->json, key, fits ? recorded : NULL);
}

static const char *kind_of(const struct maker *m)
{
    const char *said = sl_value_text(sl_value(m->recorded, "device"), "kind", NULL);
    return said ? said : "";
}

static struct sl_device_traits traits_of(const struct maker *m)
{
    return sl_device_kind_traits(sl_device_kind_find(kind_of(m)));
}

static void put_kind(struct maker *m, const char *key, const cJSON *recorded)
{
    bool known = sl_device_kind_find(kind_of(m)) != 0 && traits_of(m).counted == m->counted;
    sl_json_copy(m->json, key, known ? recorded : NULL);
}

static void put_emulated(struct maker *m, const char *key, const cJSON *recorded)
{
    bool said = traits_of(m).needs_push && cJSON_IsTrue(recorded); /* by the agent behind a link */
    sl_json_bool(m->json, key, traits_of(m).emulated || said);
}

/* Only an emulated CPU has them. */
static void put_emulator(struct maker *m, const char *key, const cJSON *recorded)
{
    sl_json_copy(m->json, key, traits_of(m).emulated && is_text(recorded) ? recorded : NULL);
}

/* The families that the agent said it kept out of streaming mode; of ExecuTorch's it says nothing.
 */
static void put_agents_families(struct maker *m, const char *key)
{
    const cJSON *variant;
    const char *off = NULL;
    cJSON_ArrayForEach(variant, sl_value(m->agent, "variants"))
    {
        const char *said = sl_value_text(variant, "streaming_off", NULL);
        off = said ? said : off;
    }
    if (!off) {
        sl_json_null(m->json, key);
        return;
    }
    sl_json_open_array(m->json, key);
    while (strcmp(off, "none") != 0 && *off) {
        char family[32];
        size_t len = strcspn(off, ",");
        snprintf(family, sizeof(family), "%.*s", len < sizeof(family) ? (int)len : 0, off);
        sl_json_text(m->json, NULL, family);
        off += len + (off[len] == ',');
    }
    sl_json_close_array(m->json);
}

/* Puts the operators that stayed out of streaming mode, and who said so: a table that was estimated
 * for a silicon, the device's own, or the agent by its default. */
static void put_policy(struct maker *m, const char *key, const cJSON *recorded)
{
    const cJSON *table = sl_value(recorded, "table");
    table = cJSON_IsObject(table) ? table : NULL;
    sl_json_open_object(m->json, key);
    const char *source = sl_value_text(table, "source", NULL);
    sl_json_text(m->json, "source", source ? source : table ? "device" : "default");
    if (table)
        sl_json_copy(m->json, "streaming_off", sl_value(table, "streaming_off"));
    else
        put_agents_families(m, "streaming_off");
    sl_json_copy(m->json, "table", table);
    sl_json_close_object(m->json);
}

/* The executions in the order they happened. */
static void put_schedule(struct maker *m, const char *key, const cJSON *recorded)
{
    const struct sl_trace *trace = m->source->trace;
    sl_json_open_object(m->json, key);
    sl_json_text(m->json, "order", "ABBA");
    sl_json_u64(m->json, "seed", number_of(m, "seed", sl_value(recorded, "seed")));
    sl_json_open_array(m->json, "executions");
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind != SL_TRACE_BLOCK || record->block.iteration == UINT32_MAX ||
            record->variant >= SL_RUNDIR_LEVELS)
            continue;
        sl_json_open_object(m->json, NULL);
        sl_json_text(m->json, "variant", sl_rundir_levels[record->variant]);
        sl_json_u64(m->json, "iteration", record->block.iteration);
        if (record->block.pair == UINT32_MAX)
            sl_json_null(m->json, "pair"); /* a warm-up beside the pairs */
        else
            sl_json_u64(m->json, "pair", record->block.pair);
        sl_json_bool(m->json, "warmup", record->flags & SL_TRACE_BLOCK_WARMUP);
        sl_json_close_object(m->json);
    }
    sl_json_close_array(m->json);
    sl_json_close_object(m->json);
}

/* How many instructions of a kind an execution took; all of them the trace has, of which kind they
 * were only the emulator's log knew. None is more than all, and with SME2 off nothing streams. */
static void put_kind_of_insns(struct maker *m, const char *key, const cJSON *recorded, double most)
{
    bool fits = is_count(recorded) && recorded->valuedouble <= most;
    sl_json_copy(m->json, key, fits ? recorded : NULL);
}

/* The executions in their order. */
static void put_executed(struct maker *m, const char *key, const cJSON *recorded)
{
    const struct sl_trace *trace = m->source->trace;
    const cJSON *one = recorded ? recorded->child : NULL;
    uint64_t iterations[SL_RUNDIR_LEVELS] = {0};
    sl_json_open_array(m->json, key);
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (!sl_trace_is_execution(trace, record) || record->variant >= SL_RUNDIR_LEVELS)
            continue;
        uint64_t insns = record->event.end - record->event.start;
        double streaming = record->variant == 0 ? 0 : (double)insns;
        sl_json_open_object(m->json, NULL);
        sl_json_text(m->json, "variant", sl_rundir_levels[record->variant]);
        sl_json_u64(m->json, "iteration", iterations[record->variant]++);
        sl_json_u64(m->json, "insns", insns);
        put_kind_of_insns(m, "outer_products", sl_value(one, "outer_products"), streaming);
        put_kind_of_insns(m, "vector_macs", sl_value(one, "vector_macs"), (double)insns);
        put_kind_of_insns(m, "smstarts", sl_value(one, "smstarts"), streaming);
        sl_json_close_object(m->json);
        one = one ? one->next : NULL;
    }
    sl_json_close_array(m->json);
}

static void put_plugins(struct maker *m, const char *key, const cJSON *recorded)
{
    /* Another clock than the daemon's, and nobody measured how far it is off. */
    bool own_clock = traits_of(m).needs_push && !m->source->plugins->knows_clock;
    bool several = sl_value(m->recorded, "concurrency") != NULL; /* others took turns as well */
    (void)recorded;
    sl_plugin_file_put(m->json, key, m->source->plugins, !own_clock && !several);
}

static void put_agent_schema(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_text(m->json, key, "sme2lab.agent-run/1");
}

static void put_agent_unit(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_text(m->json, key, m->counted ? "marks" : "ns");
}

static void put_variant_name(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_text(m->json, key, m->index < SL_RUNDIR_LEVELS ? sl_rundir_levels[m->index] : NULL);
}

static void put_executions(struct maker *m, const char *key, const cJSON *recorded)
{
    const struct sl_trace *trace = m->source->trace;
    uint64_t count = 0;
    (void)recorded;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        count += record->kind == SL_TRACE_BLOCK && record->block.iteration != UINT32_MAX &&
                 record->variant == m->index;
    }
    sl_json_u64(m->json, key, count);
}

/* The kit's readers ask for it: our own runtime ran, no checkout of ExecuTorch. */
static void put_executorch(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_open_object(m->json, key);
    sl_json_bool(m->json, "present", false);
    sl_json_null(m->json, "sha");
    sl_json_null(m->json, "dirty");
    sl_json_close_object(m->json);
}

/* One of each variant; paths are relative to the run's directory. */
static void put_results(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)recorded;
    sl_json_open_array(m->json, key);
    for (int level = 0; level < SL_RUNDIR_LEVELS; level++) {
        char experiment[128], etdump[SL_RUNDIR_PATH_BYTES * 2], log[SL_RUNDIR_PATH_BYTES + 16];
        const char *variant = sl_rundir_levels[level];
        const struct sl_analysis *analysis = m->source->analyses[level];
        snprintf(experiment, sizeof(experiment), "%.100s_sme2-%s", m->experiment, variant);
        sl_path_join(etdump, sizeof(etdump), experiment, "%s_%s_t%u.etdump", m->stem, experiment,
                     m->threads);
        snprintf(log, sizeof(log), "%s_latency.log", m->base);
        const struct sl_armkit_named named = {analysis, experiment, etdump};
        sl_json_open_object(m->json, NULL);
        sl_json_text(m->json, "experiment", experiment);
        sl_json_text(m->json, "sme2", variant);
        sl_json_u64(m->json, "variant", (uint64_t)level);
        sl_json_u64(m->json, "threads", m->threads);
        sl_json_u64(m->json, "runs", analysis->attribution.measured_count);
        sl_json_text(m->json, "etdump", etdump);
        sl_json_text(m->json, "etdump_sha256", analysis->sha256);
        sl_json_text(m->json, "log", log);
        sl_armkit_metrics(m->json, &named, m->threads, log);
        sl_json_close_object(m->json);
    }
    sl_json_close_array(m->json);
}

/* Lists each output's type. One that is no tensor (a negative type) has no files. */
static void put_outputs(struct maker *m, const char *key, const cJSON *recorded)
{
    static const char *const variants[][2] = {
        {"off", "sme2-off"}, {"on", "sme2-on"}, {"portable", "portable"}, {"expected", "expected"}};
    const cJSON *one;
    size_t i = 0;
    sl_json_open_array(m->json, key);
    cJSON_ArrayForEach(one, recorded)
    {
        char path[SL_RUNDIR_PATH_BYTES];
        double said = sl_value_number(one, "scalar_type", -1);
        int type = said >= 0 && said < 128 ? (int)said : -1;
        sl_json_open_object(m->json, NULL);
        sl_json_i64(m->json, "scalar_type", type);
        sl_json_text(m->json, "type", sl_scalar_name(type));
        const struct sl_output_type of = sl_output_type_read(one, type);
        sl_output_type_put(m->json, &of);
        /* Only where it was said is anything expected. */
        size_t kinds = sizeof(variants) / sizeof(variants[0]) - !sl_value(one, "expected");
        for (size_t k = 0; type >= 0 && k < kinds; k++) {
            snprintf(path, sizeof(path), "%.900s_%s-%zu.bin", m->base, variants[k][1], i);
            sl_json_text(m->json, variants[k][0], path);
        }
        sl_json_close_object(m->json);
        i++;
    }
    sl_json_close_array(m->json);
}

/* --- the table --- */

static const struct row data_rows[] = {
    {"file", .fits = is_text}, {"sha256", .fits = is_hash}, {.key = NULL}};

static const struct row stopping_rows[] = {{"precision_percent", IF_RECORDED, .fits = is_positive},
                                           {"budget_seconds", IF_RECORDED, .fits = is_positive},
                                           {"max_pairs", .put = put_pairs},
                                           {.key = NULL}};

static const struct row input_rows[] = {{"file", .fits = is_text},
                                        {"bytes", .fits = is_count},
                                        {"sha256", .fits = is_hash},
                                        {.key = NULL}};

static const struct row probe_rows[] = {
    {"schema", IF_RECORDED, .fits = is_any},      {"agent_version", IF_RECORDED, .fits = is_any},
    {"fingerprint", IF_RECORDED, .fits = is_any}, {"phone", IF_RECORDED, .fits = is_any},
    {"board_id", IF_RECORDED, .fits = is_any},    {"system", IF_RECORDED, .fits = is_any},
    {"isa", IF_RECORDED, .fits = is_any},         {"svl_bytes", IF_RECORDED, .fits = is_any},
    {"cores", IF_RECORDED, .fits = is_any},       {"clusters", IF_RECORDED, .fits = is_any},
    {"memory", IF_RECORDED, .fits = is_any},      {"thermal_zones", IF_RECORDED, .fits = is_any},
    {"kernels", IF_RECORDED, .fits = is_any},     {.key = NULL}};

static const struct row device_rows[] = {{"kind", .put = put_kind},
                                         {"emulated", .put = put_emulated},
                                         {"cpu", .put = put_emulator},
                                         {"emulator", .put = put_emulator},
                                         {"emulator_version", .put = put_emulator},
                                         {"probe", .shape = OBJECT_OR_NULL, .rows = probe_rows},
                                         {.key = NULL}};

static const struct row agent_variant_rows[] = {
    {"name", .put = put_variant_name},
    {"isa", IF_RECORDED, .fits = is_any},
    {"streaming_off", IF_RECORDED, .fits = is_any},
    {"packed_bytes", IF_RECORDED, .fits = is_any},
    {"events_per_execution", IF_RECORDED, .fits = is_any},
    {"executions", .put = put_executions},
    {"load_ns", IF_RECORDED, .fits = is_any},
    {"etdump", IF_RECORDED, .fits = is_any},
    {"outputs", IF_RECORDED, .fits = is_any},
    {.key = NULL}};

/* The last line that the agent printed. */
static const struct row agent_rows[] = {{"schema", .put = put_agent_schema},
                                        {"version", IF_RECORDED, .fits = is_any},
                                        {"runtime", IF_RECORDED, .fits = is_any},
                                        {"model", IF_RECORDED, .fits = is_any},
                                        {"method", IF_RECORDED, .fits = is_any},
                                        {"unit", .put = put_agent_unit},
                                        {"svl_bytes", IF_RECORDED, .fits = is_any},
                                        {"threads", IF_RECORDED, .fits = is_any},
                                        {"sme_threads", IF_RECORDED, .fits = is_any},
                                        {"affinity", IF_RECORDED, .fits = is_any},
                                        {"iterations", IF_RECORDED, .fits = is_any},
                                        {"warmup", IF_RECORDED, .fits = is_any},
                                        {"seed", IF_RECORDED, .fits = is_any},
                                        {"schedule", IF_RECORDED, .fits = is_any},
                                        {"variants", .shape = ARRAY, .rows = agent_variant_rows},
                                        {"trace", IF_RECORDED, .fits = is_any},
                                        {"stream", IF_RECORDED, .fits = is_any},
                                        {"peak_rss_bytes", IF_RECORDED, .fits = is_any},
                                        {.key = NULL}};

/* Operators that are farther from the portable kernels' than those before them. */
static const struct row farther_rows[] = {
    {"name", .fits = is_text},         {"chain", .fits = is_count},
    {"instruction", .fits = is_count}, {"node", .fits = is_count},
    {"kernel", .fits = is_text},       {"reference", .fits = is_text},
    {"kind", .fits = is_text},         {"distance", .fits = is_positive},
    {"max_abs", .fits = is_positive},  {.key = NULL}};

static const struct row operator_rows[] = {{"variant", .fits = is_text},
                                           {"compared", .fits = is_count},
                                           {"farther", .shape = ARRAY, .rows = farther_rows},
                                           {.key = NULL}};

/* Parameters of the run that the agent or the trace says; the others are as they were recorded. */
static const struct row said_rows[] = {{"method", .put = put_method},
                                       {"mode", .put = put_mode},
                                       {"runs", .put = put_runs},
                                       {"warmup", .put = put_warmup},
                                       {"sme_threads", .put = put_streaming_threads},
                                       {.key = NULL}};

static void put_parameters(struct maker *m, const char *key, const cJSON *recorded)
{
    (void)key;
    (void)recorded;
    for (size_t i = 0; i < sl_param_count; i++) {
        const struct sl_param *param = &sl_params[i];
        const cJSON *value = sl_value(m->recorded, param->key);
        const struct row *said = said_rows;
        while (said->key && strcmp(said->key, param->key) != 0)
            said++;
        if (param->record == SL_RECORD_NONE)
            continue;
        if (said->key)
            said->put(m, param->key, value);
        else if (param->record != SL_RECORD_SET || value)
            sl_json_copy(m->json, param->key, sl_param_fits_record(param, value) ? value : NULL);
    }
}

static const struct row manifest_rows[] = {
    {"schema", .put = put_schema},
    {"generated_at", .fits = is_utc},
    {"sme2lab_version", .fits = is_text},
    {"command", .fits = is_text_or_null},
    {"time_unit", .put = put_unit},
    {"experiment", .fits = is_text},
    {"model", .fits = is_text},
    {"model_bytes", .fits = is_positive},
    {"model_sha256", .fits = is_hash},
    {"data", .shape = OBJECT_OR_NULL, .rows = data_rows}, /* external weights */
    {"agent", .fits = is_text},
    {"agent_sha256", .fits = is_hash},
    {"parameters", .put = put_parameters}, /* each by its own key */
    {"load", IF_SEVERAL, .fits = is_objects},
    {"stopping", IF_RECORDED, .shape = OBJECT, .rows = stopping_rows},
    {"noise_floor", IF_RECORDED, .fits = is_positive},
    {"wall_ns", .put = put_wall},
    {"inputs", .shape = ARRAY, .rows = input_rows},
    {"device", .shape = OBJECT, .rows = device_rows},
    {"policy", .put = put_policy},
    {"schedule", .put = put_schedule},
    {"counted_insns", IF_COUNTED, .fits = is_count},
    {"uncounted_insns", IF_COUNTED, .fits = is_count},
    {"executed", IF_COUNTED, .put = put_executed},
    {"estimates", IF_COUNTED, .fits = sl_report_estimates_fit}, /* of time, by silicon profile */
    {"plugins", IF_PLUGINS, .put = put_plugins},
    {"agent_report", .shape = OBJECT_OR_NULL, .rows = agent_rows},
    {"operators", .shape = ARRAY, .rows = operator_rows},
    {"executorch", .put = put_executorch},
    {"results", .put = put_results},
    {"outputs", .put = put_outputs},
    {.key = NULL}};

/* The names of files have one form: STEM_EXPERIMENT_tTHREADS. */
static void name_files(struct maker *m, const char *log)
{
    static const char ending[] = "_latency.log";
    char tail[160];
    size_t len = log ? strlen(log) : 0;
    int tail_len = snprintf(tail, sizeof(tail), "_%.100s_t%u", m->experiment, m->threads);
    if (len < sizeof(ending) || strcmp(log + len - (sizeof(ending) - 1), ending) != 0)
        return;
    snprintf(m->base, sizeof(m->base), "%.*s", (int)(len - (sizeof(ending) - 1)), log);
    len = strlen(m->base);
    if (len > (size_t)tail_len && strcmp(m->base + len - (size_t)tail_len, tail) == 0)
        snprintf(m->stem, sizeof(m->stem), "%.*s", (int)(len - (size_t)tail_len), m->base);
}

void sl_manifest_put(struct sl_json *json, const struct cJSON *recorded,
                     const struct sl_manifest_source *source)
{
    const struct sl_rundir directory = {.manifest = (cJSON *)recorded};
    const cJSON *agent = sl_value(recorded, "agent_report");
    const cJSON *result = sl_rundir_result(&directory, 0);
    const char *experiment = sl_value_text(recorded, "experiment", NULL);
    struct maker m = {.json = json,
                      .source = source,
                      .recorded = recorded,
                      .agent = cJSON_IsObject(agent) ? agent : NULL,
                      .experiment = experiment ? experiment : "",
                      .counted = source->analyses[0]->attribution.unit == SL_TRACE_INSTRUCTIONS};
    m.threads = (unsigned)number_of(&m, "threads", sl_value(result, "threads"));
    name_files(&m, sl_value_text(result, "log", NULL));
    put_rows(&m, NULL, manifest_rows, recorded);
}
