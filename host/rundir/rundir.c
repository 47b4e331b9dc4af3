/* host/rundir/run_directory.c */
#include "host/rundir/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/utf8.h"
#include "host/analysis/stopping.h"
#include "host/report/analysis.h"
#include "host/spec/json_value.h"
#include "host/spec/model_identity.h"
#include "host/spec/path_stem.h"

enum { MAX_MANIFEST_BYTES = 256 << 20, MAX_SUMMARY_BYTES = 1 << 29 };

const char *const sl_rundir_levels[SL_RUNDIR_LEVELS] = {"off", "on"};
const char *const sl_rundir_agreement_names[SL_RUNDIR_AGREEMENTS] = {
    "on_vs_off", "off_vs_portable", "on_vs_portable", "off_vs_expected", "on_vs_expected"};

static int read_json(const char *path, size_t limit, struct cJSON **out, struct sl_diag *diag)
{
    struct sl_buf bytes;
    int rc = sl_buf_read_file(path, limit, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    size_t bad = sl_utf8_first_bad((struct sl_bytes){bytes.data, bytes.size});
    bool is_utf8 = bad == bytes.size;
    *out = is_utf8 ? cJSON_ParseWithLength((const char *)bytes.data, bytes.size) : NULL;
    sl_buf_fini(&bytes);
    if (!is_utf8)
        return sl_diag_set(diag, SL_E_FORMAT, path, "byte %zu of the file is not UTF-8", bad);
    if (*out && cJSON_IsObject(*out))
        return 0;
    cJSON_Delete(*out);
    *out = NULL;
    return sl_diag_set(diag, SL_E_FORMAT, path, "the file is no JSON object");
}

/* "EXPERIMENT" out of "manifest_EXPERIMENT.json", "" out of "manifest.json"; false for others. */
static bool experiment_of(const char *name, char out[SL_RUNDIR_NAME_BYTES])
{
    size_t len = strlen(name);
    bool several = len > 14 && name[8] == '_';
    size_t skipped = several ? 9 : 8;
    if (len < 13 || strncmp(name, "manifest", 8) != 0 || strcmp(name + len - 5, ".json") != 0 ||
        (len > 13 && !several) || len - skipped - 5 >= SL_RUNDIR_NAME_BYTES)
        return false;
    memcpy(out, name + skipped, len - skipped - 5);
    out[len - skipped - 5] = '\0';
    return true;
}

/* By letters, numbers by their value: "run_t2" before "run_t10". */
static int by_name(const void *a, const void *b)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        char *x_end, *y_end;
        bool digits = *x >= '0' && *x <= '9' && *y >= '0' && *y <= '9';
        unsigned long long i = digits ? strtoull(x, &x_end, 10) : (unsigned char)*x;
        unsigned long long j = digits ? strtoull(y, &y_end, 10) : (unsigned char)*y;
        if (i != j)
            return i < j ? -1 : 1;
        x = digits ? x_end : x + 1;
        y = digits ? y_end : y + 1;
    }
    return *x ? 1 : *y ? -1 : strcmp(a, b);
}

/* The file that 'sme2lab import' of another tool's benchmarks leaves. */
static bool is_benchmark(const char *path)
{
    char file[SL_RUNDIR_PATH_BYTES];
    return sl_path_join(file, sizeof(file), path, "benchmark.json") == 0 && access(file, F_OK) == 0;
}

static int refuse(const char *path, struct sl_diag *diag)
{
    if (!is_benchmark(path))
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           "this is no run directory: manifest.json is missing");
    sl_diag_hint(diag, "'sme2lab compare' takes two of them, 'sme2lab history' tells where its "
                       "series got slower");
    return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                       "this is another tool's benchmark: it has times, but no operators");
}

int sl_rundir_list(const char *path, char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES],
                   size_t *out_count, struct sl_diag *diag)
{
    size_t count = 0;
    DIR *entries = opendir(path);
    sl_diag_hint(diag, "name a directory that 'sme2lab run --out DIR' wrote");
    if (!entries) {
        int rc = -errno;
        return sl_diag_set(diag, rc, path, "the run directory cannot be opened: %s",
                           sl_strerror(rc));
    }
    while (count < SL_RUNDIR_MAX_EXPERIMENTS) {
        const struct dirent *entry = readdir(entries);
        if (!entry)
            break;
        count += experiment_of(entry->d_name, names[count]);
    }
    closedir(entries);
    qsort(names, count, sizeof(names[0]), by_name);
    if (count == 0)
        return refuse(path, diag);
    sl_diag_hint(diag, "%s", "");
    *out_count = count;
    return 0;
}

static int choose(const char *path, const char *experiment,
                  char out_suffix[SL_RUNDIR_NAME_BYTES + 1], struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    size_t chosen = 0;
    int rc = sl_rundir_list(path, names, &count, diag);
    if (rc < 0)
        return rc;
    const char *wanted = experiment ? experiment : "";
    while (chosen < count && strcmp(names[chosen], wanted) != 0)
        chosen++;
    /* manifest.json may be of any experiment; of others the only one will do. */
    for (size_t i = 0, sought = chosen; sought == count && i < count; i++) {
        if (names[i][0] == '\0' || count == 1)
            chosen = i;
    }
    if (chosen == count) {
        sl_diag_hint(diag, "say which: --experiment NAME, of the files manifest_NAME.json");
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           experiment ? "the directory has no such experiment"
                                      : "the directory has several experiments");
    }
    snprintf(out_suffix, SL_RUNDIR_NAME_BYTES + 1, "%s%s", names[chosen][0] ? "_" : "",
             names[chosen]);
    return 0;
}

/* Is it a manifest of the form that is read here? */
static int check(const struct sl_rundir *d, const char *manifest, const char *experiment,
                 struct sl_diag *diag)
{
    const char *schema = sl_value_text(d->manifest, "schema", NULL);
    const char *name = sl_value_text(d->manifest, "experiment", NULL);
    if (!schema || strcmp(schema, "sme2lab.manifest/1") != 0) {
        sl_diag_hint(diag, "name a directory that 'sme2lab run --out DIR' wrote; of others take "
                           "the ETDump files themselves");
        return sl_diag_set(diag, SL_E_FORMAT, manifest, "the manifest is not of sme2lab's form");
    }
    if (experiment && (!name || strcmp(name, experiment) != 0))
        return sl_diag_set(diag, SL_E_NOT_FOUND, manifest, "there is no experiment '%s'",
                           experiment);
    return 0;
}

static int join(const char *folder, const char *name, const char *suffix, const char *ending,
                char out[SL_RUNDIR_PATH_BYTES])
{
    return sl_path_join(out, SL_RUNDIR_PATH_BYTES, folder, "%s%s%s", name, suffix, ending);
}

static bool read_agreement(const struct cJSON *summary, const char *key, struct sl_agreement *out)
{
    const cJSON *all = sl_value(summary, "output_agreement");
    const cJSON *one = sl_value(all, key);
    const cJSON *comparison = sl_value(summary, "comparison");
    const cJSON *compared = sl_value(comparison, "output_agreement");
    const cJSON *agree = sl_value(one, "agree");
    double count = sl_value_number(compared, "outputs", 0);
    double odd = sl_value_number(one, "not_finite", 0);
    if (!cJSON_IsBool(agree) || !(count >= 0 && count < 1e9) || !(odd >= 0 && odd < 1e15))
        return false;
    /* A difference that is no number stands as null. */
    *out = (struct sl_agreement){.max_abs = sl_value_number(one, "max_abs", INFINITY),
                                 .max_rel = sl_value_number(one, "max_rel", INFINITY),
                                 .tolerance = sl_value_number(one, "tolerance", 0),
                                 .rms_rel = sl_value_number(one, "rms_rel", INFINITY),
                                 .rms_tolerance = sl_value_number(one, "rms_tolerance", 0),
                                 .cosine = sl_value_number(one, "cosine", NAN),
                                 .steps = sl_value_number(one, "steps", 0),
                                 .outputs = (size_t)count,
                                 .odd = (size_t)odd,
                                 .agree = cJSON_IsTrue(agree)};
    return true;
}

int sl_rundir_open(const char *path, const char *experiment, struct sl_rundir *out,
                   struct sl_diag *diag)
{
    struct sl_rundir made = {.manifest = NULL};
    char manifest[SL_RUNDIR_PATH_BYTES];
    char summary[SL_RUNDIR_PATH_BYTES];
    struct stat info;
    int rc = choose(path, experiment, made.suffix, diag);
    if (rc < 0)
        return rc;
    if ((rc = join(path, "manifest", made.suffix, ".json", manifest)) < 0 ||
        (rc = join(path, "analysis_summary", made.suffix, ".json", summary)) < 0)
        return sl_diag_set(diag, rc, path, "the path is too long");
    snprintf(made.path, sizeof(made.path), "%s", path);
    for (size_t len = strlen(made.path); len > 1 && made.path[len - 1] == '/';)
        made.path[--len] = '\0';
    rc = read_json(manifest, MAX_MANIFEST_BYTES, &made.manifest, diag);
    if (rc == 0)
        rc = check(&made, manifest, experiment, diag);
    if (rc == 0 && stat(summary, &info) == 0)
        rc = read_json(summary, MAX_SUMMARY_BYTES, &made.summary, diag);
    for (int i = 0; i < SL_RUNDIR_AGREEMENTS; i++)
        made.has_agreement[i] =
            read_agreement(made.summary, sl_rundir_agreement_names[i], &made.agreements[i]);
    if (rc < 0)
        sl_rundir_close(&made);
    else
        *out = made;
    return rc;
}

void sl_rundir_close(struct sl_rundir *directory)
{
    cJSON_Delete(directory->manifest);
    cJSON_Delete(directory->summary);
    directory->manifest = directory->summary = NULL;
}

const struct cJSON *sl_rundir_result(const struct sl_rundir *directory, int level)
{
    const cJSON *results = sl_value(directory->manifest, "results");
    const cJSON *result;
    cJSON_ArrayForEach(result, results)
    {
        const char *sme2 = sl_value_text(result, "sme2", NULL);
        if (sme2 && strcmp(sme2, sl_rundir_levels[level]) == 0)
            return result;
    }
    return NULL;
}

/* Does a manifest in this folder name an ETDump of that hash? */
static bool find_in(const char *folder, const char *sha256, struct sl_rundir *out, int *out_level)
{
    DIR *entries = opendir(folder);
    bool found = false;
    if (!entries)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(entries)) != NULL;) {
        char name[SL_RUNDIR_NAME_BYTES];
        struct sl_rundir opened;
        if (!experiment_of(entry->d_name, name) ||
            sl_rundir_open(folder, name[0] ? name : NULL, &opened, NULL) < 0)
            continue;
        for (int level = 0; level < SL_RUNDIR_LEVELS && !found; level++) {
            const cJSON *result = sl_rundir_result(&opened, level);
            const char *hash = sl_value_text(result, "etdump_sha256", NULL);
            found = hash && strcmp(hash, sha256) == 0;
            *out_level = level;
        }
        if (found)
            *out = opened;
        else
            sl_rundir_close(&opened);
    }
    closedir(entries);
    return found;
}

bool sl_rundir_find(const char *etdump_path, const char *sha256, struct sl_rundir *out,
                    int *out_level)
{
    char folder[SL_RUNDIR_PATH_BYTES];
    char above[SL_RUNDIR_PATH_BYTES + 4];
    const char *slash = strrchr(etdump_path, '/');
    size_t len = slash ? (size_t)(slash - etdump_path) : 0;
    if (len >= sizeof(folder))
        return false;
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)len : 1, slash ? etdump_path : ".");
    sl_path_join(above, sizeof(above), folder, "..");
    return find_in(folder, sha256, out, out_level) || find_in(above, sha256, out, out_level);
}

int sl_rundir_file(const struct sl_rundir *directory, const char *name,
                   char out[SL_RUNDIR_PATH_BYTES], struct sl_diag *diag)
{
    if (!name || !sl_path_is_below(name))
        return sl_diag_set(diag, SL_E_FORMAT, directory->path,
                           "the manifest names no file below the directory: %.100s",
                           name ? name : "(nothing)");
    int rc = join(directory->path, name, "", "", out);
    return rc < 0 ? sl_diag_set(diag, rc, directory->path, "the path is too long") : 0;
}

/* One hash for all inputs and what was said of their shapes. */
static void hash_inputs(const struct cJSON *manifest, char out[SL_SHA256_HEX_SIZE])
{
    struct sl_buf text;
    const char *shapes = sl_value_text(manifest, "input_shapes", NULL);
    const cJSON *input;
    sl_buf_init(&text, 1 << 20);
    cJSON_ArrayForEach(input, sl_value(manifest, "inputs"))
    {
        const char *hash = sl_value_text(input, "sha256", NULL);
        sl_buf_printf(&text, "%.64s\n", hash ? hash : "");
    }
    sl_buf_printf(&text, "%s", shapes ? shapes : "");
    sl_sha256_hex(text.data ? text.data : (const uint8_t *)"", text.size, out);
    sl_buf_fini(&text);
}

static void describe_device(const struct cJSON *manifest, char *out, size_t size)
{
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(manifest, "device");
    const cJSON *probe = cJSON_GetObjectItemCaseSensitive(device, "probe");
    const cJSON *system = cJSON_GetObjectItemCaseSensitive(probe, "system");
    const char *kind = sl_value_text(device, "kind", NULL);
    const char *cpu = sl_value_text(device, "cpu", NULL);
    const char *emulator = sl_value_text(device, "emulator_version", NULL);
    const char *machine = sl_value_text(system, "machine", NULL);
    double begins_with = sl_value_number(probe, "svl_bytes", 0);
    double svl = sl_value_number(cJSON_GetObjectItemCaseSensitive(manifest, "agent_report"),
                                 "svl_bytes", begins_with);
    int cores = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(probe, "cores")), len = 0;
    if (!kind)
        return;
    if (emulator) /* the machine below an emulator has no part in what it counts */
        len = snprintf(out, size, "%.16s %.40s, emulator %.16s", kind, cpu ? cpu : "", emulator);
    else
        snprintf(out, size, "%.16s %.16s, %d cores, svl %.0f", kind, machine ? machine : "", cores,
                 svl);
    if (emulator && svl != begins_with && len > 0 && (size_t)len < size)
        snprintf(out + len, size - (size_t)len, ", svl %.0f", svl);
}

/* The CPUs that threads were kept on, and how many of these streamed at a time. */
static void describe_cpus(const struct cJSON *manifest, char *out, size_t size)
{
    const char *affinity = sl_value_text(manifest, "cpu_affinity", NULL);
    double streaming = sl_value_number(manifest, "sme_threads", 0);
    int len = snprintf(out, size, "%.60s", affinity ? affinity : "any");
    if (streaming > 0 && len > 0 && (size_t)len < size)
        snprintf(out + len, size - (size_t)len, ", %.0f in streaming mode", streaming);
}

/* Governor and top frequency of each cluster, as the device told before the run. */
static void describe_power(const struct cJSON *manifest, char *out, size_t size)
{
    const cJSON *device = sl_value(manifest, "device");
    const cJSON *probe = sl_value(device, "probe");
    const cJSON *cluster;
    size_t len = 0;
    cJSON_ArrayForEach(cluster, sl_value(probe, "clusters"))
    {
        const char *governor = sl_value_text(cluster, "governor", NULL);
        double khz = sl_value_number(cluster, "max_khz", 0);
        if (!governor || len + 1 >= size)
            continue;
        int put = snprintf(out + len, size - len, "%s%.24s at %.0f kHz", len ? ", " : "", governor,
                           khz > 0 && khz < 1e9 ? khz : 0);
        len += put > 0 ? (size_t)put : 0;
    }
}

void sl_rundir_conditions(const struct sl_rundir *directory, int level, struct sl_conditions *out)
{
    enum { SIZE = sizeof(out->values[0]) };
    const cJSON *manifest = directory->manifest;
    const char *model = sl_value_text(manifest, "model_sha256", NULL);
    const char *data = sl_value_text(sl_value(manifest, "data"), "sha256", NULL);
    const char *method = sl_value_text(manifest, "method", NULL);
    const char *agent = sl_value_text(manifest, "agent_sha256", NULL);
    double threads = sl_value_number(sl_rundir_result(directory, level), "threads", NAN);
    *out = (struct sl_conditions){.values = {""}};
    snprintf(out->values[SL_CONDITION_SME2], SIZE, "%s", sl_rundir_levels[level]);
    if (model)
        sl_model_identity(model, data ? data : "", method ? method : "",
                          out->values[SL_CONDITION_MODEL]);
    const char *runtime = sl_value_text(manifest, "runtime", NULL);
    snprintf(out->values[SL_CONDITION_RUNTIME], SIZE, "%.20s", runtime ? runtime : "own");
    snprintf(out->values[SL_CONDITION_BUILD], SIZE, "%.64s", agent ? agent : "");
    if (isfinite(threads))
        snprintf(out->values[SL_CONDITION_THREADS], SIZE, "%.0f", threads);
    double concurrency = sl_value_number(manifest, "concurrency", 1);
    snprintf(out->values[SL_CONDITION_CONCURRENCY], SIZE, "%.0f", concurrency);
    hash_inputs(manifest, out->values[SL_CONDITION_INPUTS]);
    describe_cpus(manifest, out->values[SL_CONDITION_CPUS], SIZE);
    describe_device(manifest, out->values[SL_CONDITION_DEVICE], SIZE);
    describe_power(manifest, out->values[SL_CONDITION_POWER], SIZE);
}

bool sl_rundir_rule(const struct sl_rundir *directory, struct sl_stopping_rule *out)
{
    const cJSON *rule = sl_value(directory->manifest, "stopping");
    double pairs = sl_value_number(rule, "max_pairs", 0);
    *out = (struct sl_stopping_rule){.precision_percent =
                                         sl_value_number(rule, "precision_percent", 0),
                                     .budget_s = sl_value_number(rule, "budget_seconds", 0),
                                     .max_pairs = pairs >= 0 && pairs < 1e9 ? (size_t)pairs : 0};
    return cJSON_IsObject(rule);
}

size_t sl_rundir_readings(const struct sl_rundir *directory, struct sl_analysis_reading *out,
                          size_t room)
{
    const cJSON *device = sl_value(directory->manifest, "device");
    const cJSON *probe = sl_value(device, "probe");
    const cJSON *zone;
    size_t count = 0;
    cJSON_ArrayForEach(zone, sl_value(probe, "thermal_zones"))
    {
        const char *type = sl_value_text(zone, "type", NULL);
        double value = sl_value_number(zone, "millidegrees", NAN);
        double index = sl_value_number(zone, "index", (double)count);
        if (count == room || !(fabs(value) < 1e9) || !(index >= 0 && index < 1e6))
            continue;
        struct sl_analysis_reading *reading = &out[count++];
        *reading =
            (struct sl_analysis_reading){.unit = "millidegrees Celsius", .value = (int64_t)value};
        snprintf(reading->name, sizeof(reading->name), "temperature %.0f (%.40s), before the run",
                 index, type ? type : "unnamed");
    }
    return count;
}

bool sl_rundir_emulated(const struct sl_rundir *directory, bool *out_times)
{
    const cJSON *device = sl_value(directory->manifest, "device");
    const char *unit = sl_value_text(directory->manifest, "time_unit", NULL);
    bool emulated = cJSON_IsTrue(sl_value(device, "emulated"));
    *out_times = emulated && (!unit || strcmp(unit, "instructions") != 0);
    return emulated;
}

bool sl_rundir_agreement(const struct sl_rundir *directory, int pair, struct sl_agreement *out)
{
    bool found = pair != SL_RUNDIR_WORST && directory->has_agreement[pair];
    if (found)
        *out = directory->agreements[pair];
    for (int i = 0; pair == SL_RUNDIR_WORST && i < SL_RUNDIR_AGREEMENTS; i++) {
        const struct sl_agreement *one = &directory->agreements[i];
        if (!directory->has_agreement[i])
            continue;
        if (!found || (out->agree && !one->agree) ||
            (out->agree == one->agree && (one->max_rel > out->max_rel ||
                                          (one->max_rel == out->max_rel && one->odd > out->odd))))
            *out = *one;
        found = true;
    }
    return found;
}
