/* host/cli/validation.c */
#include "host/cli/validation.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/trace_etdump.h"
#include "host/cli/json_diff.h"
#include "host/report/analysis_json.h"
#include "host/report/report.h"
#include "host/rundir/armkit.h"
#include "host/rundir/compared.h"
#include "host/rundir/manifest_again.h"
#include "host/rundir/report_files.h"
#include "host/rundir/run_parts.h"
#include "host/rundir/verdict_exit.h"

#define MAX_BYTES ((size_t)1 << 31)
enum { SHOWN_BYTES = 2 * SL_RUNDIR_PATH_BYTES };

static const char *const levels[] = {"off", "on"};

struct check {
    struct sl_validation *found;
    struct sl_compared compared;
    const struct sl_rundir *directory; /* of either side */
    char summary_name[128], manifest_name[128];
    char shown[2][SHOWN_BYTES]; /* the ETDumps, as the run called them */
};

__attribute__((format(printf, 3, 4))) static void differ(struct check *c, const char *where,
                                                         const char *format, ...)
{
    struct sl_validation *v = c->found;
    if (v->differences++ >= SL_VALIDATION_MAX_DIFFERENCES)
        return;
    struct sl_validation_difference *one = &v->list[v->differences - 1];
    snprintf(one->where, sizeof(one->where), "%s", where);
    va_list args;
    va_start(args, format);
    vsnprintf(one->what, sizeof(one->what), format, args);
    va_end(args);
}

static void on_json_difference(void *user, const char *pointer, const char *said, const char *found)
{
    differ(user, pointer, "says %s; recomputed it is %s", said, found);
}

/* Compares a file with its recomputation. */
static void compare_json(struct check *c, const char *file, const cJSON *said, const cJSON *found)
{
    struct sl_json_diff diff = {.on_difference = on_json_difference, .user = c};
    snprintf(diff.pointer, sizeof(diff.pointer), "%s#", file);
    sl_json_diff(&diff, said, found);
    c->found->numbers += diff.numbers;
}

/* Reads a file of the directory; one that is not there is a difference. */
static bool read_file(struct check *c, const char *name, struct sl_buf *out)
{
    char path[SL_RUNDIR_PATH_BYTES];
    struct sl_diag diag = {.what = ""};
    c->found->files++;
    int rc = sl_rundir_file(c->directory, name, path, &diag);
    if (rc == 0)
        rc = sl_buf_read_file(path, MAX_BYTES, out);
    if (rc == 0)
        return true;
    differ(c, name ? name : c->manifest_name, "%s",
           rc == -ENOENT ? "the file is missing" : sl_strerror(rc));
    return false;
}

static void check_there(struct check *c, const char *name)
{
    struct sl_buf bytes;
    if (read_file(c, name, &bytes))
        sl_buf_fini(&bytes);
}

/* A file must be made of exactly these bytes. */
static void check_bytes(struct check *c, const char *name, const struct sl_buf *wanted)
{
    struct sl_buf bytes;
    if (!read_file(c, name, &bytes))
        return;
    size_t line = 1;
    size_t i = 0;
    for (; i < bytes.size && i < wanted->size && bytes.data[i] == wanted->data[i]; i++)
        line += bytes.data[i] == '\n';
    if (i < bytes.size || i < wanted->size)
        differ(c, name, "line %zu is not what the ETDump gives (%zu bytes, recomputed %zu)", line,
               bytes.size, wanted->size);
    sl_buf_fini(&bytes);
}

/* The ETDump is a function of the trace, and the manifest has its hash. */
static int check_etdump(struct check *c, int level, const char *name)
{
    const struct sl_etdump_file *file = &c->compared.sides[level].file;
    const struct cJSON *result = sl_rundir_result(c->directory, level);
    const char *hash = sl_rundir_text(result, "etdump_sha256");
    struct sl_buf made;
    int rc = 0;
    c->found->files++;
    c->found->numbers++;
    if (!hash || strcmp(hash, file->analysis.sha256) != 0)
        differ(c, name, "its hash is not the one in the manifest");
    if (!file->traced) {
        differ(c, name, "there is no .sltrace that it was made of");
        return 0;
    }
    sl_buf_init(&made, MAX_BYTES);
    rc = sl_trace_to_etdump(&file->trace.trace, (uint32_t)level, &made, NULL);
    if (rc == 0 &&
        (made.size != file->bytes.size || memcmp(made.data, file->bytes.data, made.size) != 0))
        differ(c, name, "it is not what its .sltrace gives");
    sl_buf_fini(&made);
    return rc;
}

static cJSON *parse_made(const struct sl_json *json)
{
    return json->error ? NULL
                       : cJSON_ParseWithLength((const char *)json->out->data, json->out->size);
}

/* Each member of the manifest: what follows from the other files as it comes out of them, the rest
 * in its form, and nothing else. */
static int check_manifest(struct check *c)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    sl_manifest_again(&json, &c->compared);
    cJSON *found = parse_made(&json);
    c->found->files++;
    if (found)
        compare_json(c, c->manifest_name, c->directory->manifest, found);
    cJSON_Delete(found);
    sl_buf_fini(&text);
    return found ? 0 : -ENOMEM;
}

static int check_variant(struct check *c, int level)
{
    const struct cJSON *result = sl_rundir_result(c->directory, level);
    const char *log = sl_rundir_text(result, "log");
    check_there(c, log);
    return check_etdump(c, level, sl_rundir_text(result, "etdump"));
}

/* How the run's processes ended: a run with results came to its end. */
static void check_ended(struct check *c)
{
    static const char *const processes[] = {"measured", "reference"};
    struct sl_buf bytes;
    if (!read_file(c, "result.json", &bytes))
        return;
    cJSON *said = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    const char *schema = sl_rundir_text(said, "schema");
    if (!schema || strcmp(schema, "sme2lab.result/1") != 0)
        differ(c, "result.json", "it is not of sme2lab's form");
    for (size_t i = 0; schema && i < sizeof(processes) / sizeof(processes[0]); i++) {
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(said, processes[i]);
        const char *outcome = sl_rundir_text(one, "outcome");
        if (!outcome || strcmp(outcome, "done") != 0)
            differ(c, "result.json", "/%s/outcome says %.40s; the run has results", processes[i],
                   outcome ? outcome : "nothing");
    }
    cJSON_Delete(said);
    sl_buf_fini(&bytes);
}

/* Adds the outputs that `a` and `b` name to an agreement; false if one is not there. */
static bool agree_on(struct check *c, const cJSON *outputs, const char *a, const char *b,
                     struct sl_agreement *agreement)
{
    const cJSON *output;
    cJSON_ArrayForEach(output, outputs)
    {
        double type = sl_rundir_number(output, "scalar_type", -1);
        struct sl_buf first, second;
        if (!(type >= 0 && type < 256))
            continue;
        if (!read_file(c, sl_rundir_text(output, a), &first))
            return false;
        if (!read_file(c, sl_rundir_text(output, b), &second)) {
            sl_buf_fini(&first);
            return false;
        }
        sl_agreement_add(agreement, (int)type, (struct sl_bytes){first.data, first.size},
                         (struct sl_bytes){second.data, second.size});
        sl_buf_fini(&first);
        sl_buf_fini(&second);
    }
    return true;
}

/* Members "output_agreement" of the summary. */
static void put_agreements(struct check *c, struct sl_json *json)
{
    static const struct {
        const char *key, *reference, *compared;
    } pairs[] = {{"on_vs_off", "on", "off"},
                 {"off_vs_portable", "portable", "off"},
                 {"on_vs_portable", "portable", "on"}};
    const cJSON *outputs = cJSON_GetObjectItemCaseSensitive(c->directory->manifest, "outputs");
    sl_json_open_object(json, "output_agreement");
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct sl_agreement found;
        sl_agreement_init(&found, SL_AGREEMENT_FLOAT);
        if (agree_on(c, outputs, pairs[i].reference, pairs[i].compared, &found))
            sl_run_put_agreement(json, pairs[i].key, &found);
    }
    sl_json_close_object(json);
}

/* Where the run left its files: `name` below the directory that it gives. */
static const char *shown(struct check *c, const char *name, char out[SHOWN_BYTES])
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(c->directory->summary, "files");
    const char *folder = sl_rundir_text(files, "directory");
    snprintf(out, SHOWN_BYTES, "%.1000s/%.1000s", folder ? folder : "", name ? name : "");
    return out;
}

static void put_files(struct check *c, struct sl_json *json)
{
    const cJSON *said = cJSON_GetObjectItemCaseSensitive(c->directory->summary, "files");
    const char *log = sl_rundir_text(sl_rundir_result(c->directory, 0), "log");
    size_t tail = strlen("_latency.log"), len = log ? strlen(log) : 0;
    char name[SHOWN_BYTES], path[SHOWN_BYTES];
    sl_json_open_object(json, "files");
    sl_json_text(json, "directory", sl_rundir_text(said, "directory"));
    for (int level = 0; level < 2; level++) {
        snprintf(name, sizeof(name), "etdump_sme2_%s", levels[level]);
        sl_json_text(json, name, c->shown[level]);
    }
    snprintf(name, sizeof(name), "%.*s.sltrace", (int)(len > tail ? len - tail : 0), log);
    sl_json_text(json, "trace", shown(c, name, path));
    sl_json_text(json, "log", shown(c, log, path));
    snprintf(name, sizeof(name), "report%s.md", c->directory->suffix);
    sl_json_text(json, "report", shown(c, name, path));
    snprintf(name, sizeof(name), "report%s.html", c->directory->suffix);
    sl_json_text(json, "report_html", shown(c, name, path));
    sl_json_close_object(json);
}

/* What the manifest recorded stays as it was when the run was made. */
static void put_manifest_hash(struct check *c, struct sl_json *json)
{
    struct sl_buf bytes;
    char hash[SL_SHA256_HEX_SIZE] = "";
    if (read_file(c, c->manifest_name, &bytes)) {
        sl_sha256_hex(bytes.data, bytes.size, hash);
        sl_buf_fini(&bytes);
    }
    sl_json_text(json, "manifest_sha256", hash);
}

static void put_verdict(struct check *c, struct sl_json *json)
{
    const struct cJSON *manifest = c->directory->manifest;
    double threshold = sl_rundir_number(c->directory->summary, "threshold_percent", NAN);
    sl_json_text(json, "schema", "sme2lab.run/1");
    sl_json_text(json, "model", sl_rundir_text(manifest, "model"));
    sl_json_text(json, "experiment", sl_rundir_text(manifest, "experiment"));
    sl_json_text(json, "device",
                 sl_rundir_text(cJSON_GetObjectItemCaseSensitive(manifest, "device"), "kind"));
    sl_json_text(json, "verdict", sl_verdict_name(c->compared.comparison.verdict));
    sl_json_i64(json, "exit_code", sl_verdict_exit_code(&c->compared.comparison, threshold));
    sl_json_f64(json, "threshold_percent", threshold >= 0 ? threshold : NAN);
}

/* The summary as its writer makes it now. */
static int put_summary(struct check *c, struct sl_json *json)
{
    struct sl_armkit_named named[2];
    for (int level = 0; level < 2; level++) {
        const struct cJSON *result = sl_rundir_result(c->directory, level);
        struct sl_analysis *analysis = &c->compared.sides[level].file.analysis;
        const char *etdump = sl_rundir_text(result, "etdump");
        named[level] =
            (struct sl_armkit_named){analysis, sl_rundir_text(result, "experiment"), etdump};
        analysis->file = shown(c, etdump, c->shown[level]);
    }
    sl_json_open_object(json, NULL);
    put_verdict(c, json);
    int rc = sl_comparison_json(json, "comparison", &c->compared.report);
    put_agreements(c, json);
    sl_json_open_array(json, "analyses");
    for (int level = 0; level < 2 && rc == 0; level++)
        rc = sl_analysis_json(json, NULL, named[level].analysis);
    sl_json_close_array(json);
    if (rc == 0)
        rc = sl_armkit_summary(json, named);
    put_files(c, json);
    put_manifest_hash(c, json);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}

static int check_summary(struct check *c)
{
    struct sl_buf text;
    struct sl_json json;
    c->found->files++;
    if (!c->directory->summary) {
        differ(c, c->summary_name, "the file is missing");
        return 0;
    }
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    int rc = put_summary(c, &json);
    cJSON *found = rc == 0 ? parse_made(&json) : NULL;
    if (found)
        compare_json(c, c->summary_name, c->directory->summary, found);
    cJSON_Delete(found);
    sl_buf_fini(&text);
    return found || rc < 0 ? rc : -ENOMEM;
}

/* The pages are a function of all the rest. */
static int check_report(struct check *c)
{
    struct sl_report report;
    struct sl_report_files files = {.count = 0};
    sl_report_of(&c->compared, &report);
    int rc = sl_report_files_add(&files, &report, c->directory->suffix, "md", NULL);
    if (rc == 0)
        rc = sl_report_files_add(&files, &report, c->directory->suffix, "html", NULL);
    for (size_t i = 0; rc == 0 && i < files.count; i++)
        check_bytes(c, files.files[i].name, &files.files[i].text);
    sl_report_files_fini(&files);
    return rc;
}

static int check_all(struct check *c)
{
    if (c->directory->suffix[0] == '\0')
        check_ended(c);
    int rc = 0;
    for (int level = 0; rc == 0 && level < 2; level++)
        rc = check_variant(c, level);
    if (rc < 0)
        return rc;
    rc = check_manifest(c);
    if (rc == 0)
        rc = check_report(c);
    return rc < 0 ? rc : check_summary(c);
}

/* An ETDump that is missing or damaged is a difference, not an error: the directory is a run. */
static int check_broken(struct check *c, const char *path, const char *experiment,
                        const struct sl_diag *why, struct sl_diag *diag)
{
    struct sl_rundir directory;
    int rc = sl_rundir_open(path, experiment, &directory, diag);
    if (rc < 0)
        return rc;
    sl_rundir_close(&directory);
    differ(c, why->where, "%s", why->what);
    return 0;
}

int sl_validate(const char *path, const char *experiment, const struct sl_categories *categories,
                struct sl_validation *validation, struct sl_diag *diag)
{
    struct check *c = sl_calloc(1, sizeof(*c));
    struct sl_diag why = {.what = ""};
    if (!c)
        return -ENOMEM;
    c->found = validation;
    int rc = sl_compared_directory(&c->compared, path, experiment, categories, &why);
    c->directory = &c->compared.sides[0].directory;
    snprintf(c->summary_name, sizeof(c->summary_name), "analysis_summary%s.json",
             c->directory->suffix);
    snprintf(c->manifest_name, sizeof(c->manifest_name), "manifest%s.json", c->directory->suffix);
    if (rc == 0)
        rc = check_all(c);
    else
        rc = check_broken(c, path, experiment, &why, diag);
    sl_compared_close(&c->compared);
    sl_free(c);
    return rc;
}

int sl_validate_kit(const char *path, const struct sl_categories *categories,
                    struct sl_validation *validation)
{
    struct check *c = sl_calloc(1, sizeof(*c));
    struct sl_rundir directory = {.suffix = ""};
    struct sl_armkit_outputs outputs = {.count = 0};
    struct sl_diag diag = {.what = ""};
    if (!c)
        return -ENOMEM;
    c->found = validation;
    c->directory = &directory;
    snprintf(directory.path, sizeof(directory.path), "%s", path);
    /* What cannot be recomputed at all was named by sl_validate() already. */
    int rc = sl_armkit_make(path, categories, &outputs, &diag);
    for (size_t i = 0; rc == 0 && i < outputs.count; i++) {
        const struct sl_buf *text = &outputs.files[i].text;
        check_bytes(c, outputs.files[i].name, text);
        for (size_t k = 0; k < text->size; k++) /* fields, roughly: all of them were compared */
            validation->numbers += text->data[k] == ',';
    }
    if (rc < 0 && rc != -ENOMEM && validation->differences == 0)
        differ(c, diag.where, "%s", diag.what);
    sl_armkit_outputs_fini(&outputs);
    sl_free(c);
    return rc == -ENOMEM ? rc : 0;
}
