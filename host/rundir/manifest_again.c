/* host/rundir/manifest_again.c */
#include "host/rundir/manifest_again.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/json.h"
#include "host/rundir/compared.h"
#include "host/rundir/json_copy.h"
#include "host/rundir/run.h"
#include "host/rundir/run_parts.h"
#include "host/spec/device_kind.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_WHOLE 9007199254740992.0 /* 2^53 */

/* One manifest being written again. */
struct again {
    struct sl_json *json;
    const struct sl_compared *compared;
    const cJSON *said;            /* the manifest */
    const cJSON *agent;           /* its agent_report; NULL: the agent gave none */
    char base[SL_RUN_PATH_BYTES]; /* of traces, logs and outputs, relative to the directory */
    char stem[SL_RUN_PATH_BYTES]; /* of the model, first part of every file's name */
    const char *experiment;
    unsigned threads;
    bool counted;
};

typedef bool (*fits_fn)(const cJSON *value);

static bool is_text(const cJSON *value)
{
    return cJSON_IsString(value) && value->valuestring[0];
}

static bool is_null(const cJSON *value)
{
    return cJSON_IsNull(value);
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
    return number >= 0 && number <= MAX_WHOLE && floor(number) == number;
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

/* An object of texts. */
static bool is_labels(const cJSON *value)
{
    bool fits = cJSON_IsObject(value);
    const cJSON *one;
    cJSON_ArrayForEach(one, value) fits = fits && cJSON_IsString(one);
    return fits;
}

static bool is_objects(const cJSON *value)
{
    bool fits = cJSON_IsArray(value);
    const cJSON *one;
    cJSON_ArrayForEach(one, value) fits = fits && cJSON_IsObject(one);
    return fits;
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Takes over a member that was recorded. */
static void keep(struct again *a, const cJSON *object, const char *key, fits_fn fits)
{
    const cJSON *value = member(object, key);
    sl_json_copy(a->json, key, value && fits(value) ? value : NULL);
}

/* The same of one that is there only if it was asked for. */
static void keep_some(struct again *a, const cJSON *object, const char *key, fits_fn fits)
{
    if (member(object, key))
        keep(a, object, key, fits);
}

/* Of a document of the agent's the members that are known, as they are. */
static void keep_known(struct again *a, const cJSON *object, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (member(object, known[i]))
            sl_json_copy(a->json, known[i], member(object, known[i]));
}

/* What the agent says, or without its report the manifest. */
static uint64_t number_of(const struct again *a, const char *key, const cJSON *otherwise)
{
    const cJSON *value = member(a->agent, key);
    value = value ? value : otherwise;
    return is_count(value) ? (uint64_t)value->valuedouble : 0;
}

/* Only whole executions: every event is one, or a model has nothing else. */
static bool has_operators(const struct sl_compared *compared)
{
    const struct sl_attribution *off = &compared->sides[0].file.analysis.attribution;
    return off->operator_count > 1;
}

static void put_mode(struct again *a)
{
    const char *said = sl_rundir_text(a->said, "mode");
    bool clean = !has_operators(a->compared) && said && strcmp(said, "clean") == 0;
    sl_json_text(a->json, "mode", clean ? "clean" : "timing");
}

static void put_stopping(struct again *a, uint64_t runs)
{
    const cJSON *rule = member(a->said, "stopping");
    if (!rule)
        return;
    sl_json_open_object(a->json, "stopping");
    keep_some(a, rule, "precision_percent", is_positive);
    keep_some(a, rule, "budget_seconds", is_positive);
    sl_json_u64(a->json, "max_pairs", runs);
    sl_json_close_object(a->json);
}

static void put_processes(struct again *a)
{
    const cJSON *processes = member(a->said, "processes");
    if (!processes)
        return;
    sl_json_copy(a->json, "processes",
                 is_count(processes) && processes->valuedouble > 1 ? processes : NULL);
    keep(a, a->said, "load", is_objects);
}

static void put_data(struct again *a)
{
    const cJSON *data = member(a->said, "data");
    if (!cJSON_IsObject(data)) {
        sl_json_null(a->json, "data");
        return;
    }
    sl_json_open_object(a->json, "data");
    keep(a, data, "file", is_text);
    keep(a, data, "sha256", is_hash);
    sl_json_close_object(a->json);
}

/* A wall clock that ran shorter than what was recorded in it did not. */
static void put_wall(struct again *a)
{
    const struct sl_trace *trace = &a->compared->sides[0].file.trace.trace;
    const cJSON *said = member(a->said, "wall_ns");
    uint64_t least = 0;
    for (size_t i = 0; i < trace->record_count && !a->counted; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind == SL_TRACE_EVENT && record->event.end >= record->event.start &&
            strcmp(trace->names[record->name], "Method::execute") == 0)
            least += record->event.end - record->event.start;
    }
    bool fits = is_count(said) && said->valuedouble >= (double)least;
    sl_json_copy(a->json, "wall_ns", fits ? said : NULL);
}

static void put_model(struct again *a)
{
    const cJSON *said = a->said, *method = member(said, "method");
    uint64_t runs = number_of(a, "iterations", member(said, "runs"));
    keep(a, said, "model", is_text);
    keep(a, said, "model_bytes", is_positive);
    keep(a, said, "model_sha256", is_hash);
    put_data(a);
    if (is_text(method) && a->agent)
        keep(a, a->agent, "method", is_text);
    else
        keep(a, said, "method", is_text_or_null);
    keep(a, said, "agent", is_text);
    keep(a, said, "agent_sha256", is_hash);
    keep(a, said, "input_shapes", is_text_or_null);
    put_mode(a);
    sl_json_u64(a->json, "runs", runs);
    sl_json_u64(a->json, "warmup", number_of(a, "warmup", member(said, "warmup")));
    if (is_count(member(a->agent, "sme_threads")))
        sl_json_copy(a->json, "sme_threads", member(a->agent, "sme_threads"));
    put_processes(a);
    keep_some(a, said, "cpu_affinity", is_text);
    if (member(said, "weight_cache"))
        sl_json_bool(a->json, "weight_cache", true);
    put_stopping(a, runs);
    keep_some(a, said, "noise_floor", is_positive);
    put_wall(a);
    keep(a, said, "labels", is_labels);
}

static void put_inputs(struct again *a)
{
    const cJSON *input;
    sl_json_open_array(a->json, "inputs");
    cJSON_ArrayForEach(input, member(a->said, "inputs"))
    {
        sl_json_open_object(a->json, NULL);
        keep(a, input, "file", is_text);
        keep(a, input, "bytes", is_count);
        keep(a, input, "sha256", is_hash);
        sl_json_close_object(a->json);
    }
    sl_json_close_array(a->json);
}

static void put_device(struct again *a)
{
    static const char *const known[] = {"schema", "agent_version", "fingerprint",  "system",
                                        "isa",    "svl_bytes",     "cores",        "clusters",
                                        "memory", "kernels",       "thermal_zones"};
    const cJSON *said = member(a->said, "device");
    const char *kind = sl_rundir_text(said, "kind");
    int number = sl_device_kind_find(kind ? kind : "");
    struct sl_device_traits traits = sl_device_kind_traits(number);
    sl_json_open_object(a->json, "device");
    sl_json_text(a->json, "kind", number != 0 && traits.counted == a->counted ? kind : NULL);
    sl_json_bool(a->json, "emulated", traits.emulated);
    keep(a, said, "cpu", traits.emulated ? is_text : is_null);
    keep(a, said, "emulator", traits.emulated ? is_text : is_null);
    keep(a, said, "emulator_version", traits.emulated ? is_text : is_null);
    if (cJSON_IsObject(member(said, "probe"))) {
        sl_json_open_object(a->json, "probe");
        keep_known(a, member(said, "probe"), known, COUNT(known));
        sl_json_close_object(a->json);
    } else {
        sl_json_null(a->json, "probe");
    }
    sl_json_close_object(a->json);
}

/* Executions in their order: how many instructions each took, by the trace; of which kind they
 * were, the emulator's log knew. None is more than all, and with SME2 off nothing streams. */
static void put_executed(struct again *a)
{
    static const char *const kinds[] = {"outer_products", "vector_macs", "smstarts"};
    const struct sl_trace *trace = &a->compared->sides[0].file.trace.trace;
    const cJSON *one = member(a->said, "executed");
    uint64_t iterations[SL_RUN_VARIANTS] = {0};
    one = one ? one->child : NULL;
    sl_json_open_array(a->json, "executed");
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind != SL_TRACE_EVENT || record->variant >= SL_RUN_VARIANTS ||
            strcmp(trace->names[record->name], "Method::execute") != 0)
            continue;
        uint64_t insns = record->event.end - record->event.start;
        sl_json_open_object(a->json, NULL);
        sl_json_text(a->json, "variant", sl_run_variant_names[record->variant]);
        sl_json_u64(a->json, "iteration", iterations[record->variant]++);
        sl_json_u64(a->json, "insns", insns);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            const cJSON *said = member(one, kinds[k]);
            bool off = record->variant == SL_RUN_OFF && k != 1;
            bool fits = is_count(said) && said->valuedouble <= (off ? 0 : (double)insns);
            sl_json_copy(a->json, kinds[k], fits ? said : NULL);
        }
        sl_json_close_object(a->json);
        one = one ? one->next : NULL;
    }
    sl_json_close_array(a->json);
}

static uint64_t executions_of(const struct again *a, unsigned variant)
{
    const struct sl_trace *trace = &a->compared->sides[0].file.trace.trace;
    uint64_t count = 0;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        count += record->kind == SL_TRACE_BLOCK && record->block.iteration != UINT32_MAX &&
                 record->variant == variant;
    }
    return count;
}

static void put_agent_variants(struct again *a)
{
    static const char *const known[] = {"isa",          "streaming_off",        "load_ns", "etdump",
                                        "packed_bytes", "events_per_execution", "outputs"};
    const cJSON *one;
    unsigned i = 0;
    sl_json_open_array(a->json, "variants");
    cJSON_ArrayForEach(one, member(a->agent, "variants"))
    {
        sl_json_open_object(a->json, NULL);
        sl_json_text(a->json, "name", i < SL_RUN_VARIANTS ? sl_run_variant_names[i] : NULL);
        sl_json_u64(a->json, "executions", executions_of(a, i++));
        keep_known(a, one, known, COUNT(known));
        sl_json_close_object(a->json);
    }
    sl_json_close_array(a->json);
}

/* The last line that the agent printed. */
static void put_agent(struct again *a)
{
    static const char *const known[] = {
        "version",    "model",  "method", "svl_bytes", "threads", "sme_threads", "affinity",
        "iterations", "warmup", "seed",   "schedule",  "trace",   "stream",      "peak_rss_bytes"};
    if (!a->agent) {
        sl_json_null(a->json, "agent_report");
        return;
    }
    sl_json_open_object(a->json, "agent_report");
    sl_json_text(a->json, "schema", "sme2lab.agent-run/1");
    sl_json_text(a->json, "unit", a->counted ? "marks" : "ns");
    keep_known(a, a->agent, known, COUNT(known));
    put_agent_variants(a);
    sl_json_close_object(a->json);
}

static void put_results(struct again *a)
{
    sl_json_open_array(a->json, "results");
    for (int level = 0; level < SL_RUN_VARIANTS; level++) {
        char experiment[128], etdump[SL_RUN_PATH_BYTES * 2], log[SL_RUN_PATH_BYTES + 16];
        const char *variant = sl_run_variant_names[level];
        snprintf(experiment, sizeof(experiment), "%.100s_sme2-%s", a->experiment, variant);
        snprintf(etdump, sizeof(etdump), "%s/%s_%s_t%u.etdump", experiment, a->stem, experiment,
                 a->threads);
        snprintf(log, sizeof(log), "%s_latency.log", a->base);
        sl_run_put_result(a->json,
                          &(struct sl_run_result){experiment, etdump, log, level, a->threads,
                                                  &a->compared->sides[level].file.analysis});
    }
    sl_json_close_array(a->json);
}

static void put_outputs(struct again *a)
{
    const cJSON *said = member(a->said, "outputs"), *one;
    size_t i = 0;
    sl_json_open_array(a->json, "outputs");
    cJSON_ArrayForEach(one, said)
    {
        double type = sl_rundir_number(one, "scalar_type", -1);
        sl_run_put_output(a->json, a->base, i++, type >= 0 && type < 128 ? (int)type : -1);
    }
    sl_json_close_array(a->json);
}

/* The names of files have one form: STEM_EXPERIMENT_tTHREADS. */
static void name_files(struct again *a)
{
    char tail[160];
    const cJSON *result = sl_rundir_result(&a->compared->sides[0].directory, 0);
    const char *log = sl_rundir_text(result, "log");
    static const char ending[] = "_latency.log";
    size_t len = log ? strlen(log) : 0;
    int tail_len = snprintf(tail, sizeof(tail), "_%.100s_t%u", a->experiment, a->threads);
    if (len < sizeof(ending) || strcmp(log + len - (sizeof(ending) - 1), ending) != 0)
        return;
    snprintf(a->base, sizeof(a->base), "%.*s", (int)(len - (sizeof(ending) - 1)), log);
    len = strlen(a->base);
    if (len > (size_t)tail_len && strcmp(a->base + len - (size_t)tail_len, tail) == 0)
        snprintf(a->stem, sizeof(a->stem), "%.*s", (int)(len - (size_t)tail_len), a->base);
}

static void init(struct again *a, struct sl_json *json, const struct sl_compared *compared)
{
    const struct sl_rundir *directory = &compared->sides[0].directory;
    const cJSON *agent = member(directory->manifest, "agent_report");
    const cJSON *result = sl_rundir_result(directory, 0);
    const char *name = sl_rundir_text(directory->manifest, "experiment");
    *a = (struct again){.json = json,
                        .compared = compared,
                        .said = directory->manifest,
                        .agent = cJSON_IsObject(agent) ? agent : NULL,
                        .experiment = name ? name : "",
                        .counted = compared->comparison.unit == SL_TRACE_INSTRUCTIONS};
    a->threads = (unsigned)number_of(a, "threads", member(result, "threads"));
    name_files(a);
}

void sl_manifest_again(struct sl_json *json, const struct sl_compared *compared)
{
    struct again a;
    init(&a, json, compared);
    const cJSON *table = member(member(a.said, "policy"), "table");
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.manifest/1");
    keep(&a, a.said, "generated_at", is_utc);
    keep(&a, a.said, "sme2lab_version", is_text);
    keep(&a, a.said, "command", is_text_or_null);
    sl_json_text(json, "time_unit", a.counted ? "instructions" : "ns");
    keep(&a, a.said, "experiment", is_text);
    put_model(&a);
    put_inputs(&a);
    put_device(&a);
    sl_run_put_policy(json, cJSON_IsObject(table) ? table : NULL);
    sl_run_put_schedule(json, &compared->sides[0].file.trace.trace,
                        number_of(&a, "seed", member(member(a.said, "schedule"), "seed")));
    if (a.counted) {
        keep(&a, a.said, "counted_insns", is_count);
        keep(&a, a.said, "uncounted_insns", is_count);
        put_executed(&a);
    }
    put_agent(&a);
    sl_run_put_executorch(json);
    put_results(&a);
    put_outputs(&a);
    sl_json_close_object(json);
}
