/* host/rundir/validation.c */
#include "host/rundir/validation.h"

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
#include "host/rundir/armkit.h"
#include "host/rundir/compared.h"
#include "host/rundir/json_diff.h"
#include "host/rundir/manifest.h"
#include "host/rundir/plugin_file.h"
#include "host/rundir/report_files.h"
#include "host/rundir/run_policy.h"
#include "host/rundir/summary.h"
#include "host/spec/json_value.h"

#define MAX_BYTES ((size_t)1 << 31)

struct check {
    struct sl_validation *found;
    struct sl_compared compared;
    struct sl_plugin_file plugins;
    const struct sl_rundir *directory; /* of either side */
    char summary_name[128], manifest_name[128];
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
    const char *hash = sl_value_text(result, "etdump_sha256", NULL);
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

/* The file of plug-ins is a source of the manifest. One that cannot be read is a difference. */
static int check_plugins(struct check *c)
{
    char name[160];
    struct sl_buf bytes;
    struct sl_diag diag = {.what = ""};
    struct sl_plugin_turns turns;
    snprintf(name, sizeof(name), "plugins%s.json", c->directory->suffix);
    if (!sl_value(c->directory->manifest, "plugins") || !read_file(c, name, &bytes))
        return 0;
    int rc = sl_plugin_turns_init(&turns, &c->compared.sides[0].file.trace.trace);
    if (rc == 0 && sl_plugin_file_read((struct sl_bytes){bytes.data, bytes.size}, name, &turns,
                                       &c->plugins, &diag) < 0)
        differ(c, diag.where, "%s", diag.what);
    sl_plugin_turns_fini(&turns);
    sl_buf_fini(&bytes);
    return rc;
}

/* Each member of the manifest: what follows from the other files as it comes out of them, the rest
 * in its form, and nothing else. */
static int check_manifest(struct check *c)
{
    const struct sl_etdump_file *off = &c->compared.sides[0].file;
    const struct sl_manifest_source source = {
        &off->trace.trace, {&off->analysis, &c->compared.sides[1].file.analysis}, &c->plugins};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    sl_manifest_put(&json, c->directory->manifest, &source);
    cJSON *found = parse_made(&json);
    c->found->files++;
    if (found)
        compare_json(c, c->manifest_name, c->directory->manifest, found);
    cJSON_Delete(found);
    sl_buf_fini(&text);
    return found ? 0 : -ENOMEM;
}

/* Tables of which operators stay out of streaming mode: the manifest has their hashes. */
static void check_policies(struct check *c)
{
    const cJSON *profile;
    cJSON_ArrayForEach(profile, sl_value(c->directory->manifest, "estimates"))
    {
        const char *wanted = sl_value_text(profile, "policy_sha256", NULL);
        const char *silicon = sl_value_text(profile, "profile", NULL);
        char name[SL_RUNDIR_POLICY_FILE_BYTES], hash[SL_SHA256_HEX_SIZE];
        struct sl_buf bytes;
        if (!wanted || !silicon)
            continue;
        sl_rundir_policy_file(silicon, c->directory->suffix, name);
        if (!read_file(c, name, &bytes))
            continue;
        sl_sha256_hex(bytes.data, bytes.size, hash);
        sl_buf_fini(&bytes);
        c->found->numbers++;
        if (strcmp(hash, wanted) != 0)
            differ(c, name, "its hash is not the one in the manifest");
    }
}

static int check_variant(struct check *c, int level)
{
    const struct cJSON *result = sl_rundir_result(c->directory, level);
    const char *log = sl_value_text(result, "log", NULL);
    check_there(c, log);
    return check_etdump(c, level, sl_value_text(result, "etdump", NULL));
}

/* How the run's processes ended: a run with results came to its end. */
static void check_ended(struct check *c)
{
    static const char *const processes[] = {"measured", "reference"};
    struct sl_buf bytes;
    if (!read_file(c, "result.json", &bytes))
        return;
    cJSON *said = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    const char *schema = sl_value_text(said, "schema", NULL);
    if (!schema || strcmp(schema, "sme2lab.result/1") != 0)
        differ(c, "result.json", "it is not of sme2lab's form");
    for (size_t i = 0; schema && i < sizeof(processes) / sizeof(processes[0]); i++) {
        const cJSON *one = sl_value(said, processes[i]);
        const char *outcome = sl_value_text(one, "outcome", NULL);
        if (!outcome || strcmp(outcome, "done") != 0)
            differ(c, "result.json", "/%s/outcome says %.40s; the run has results", processes[i],
                   outcome ? outcome : "nothing");
    }
    cJSON_Delete(said);
    sl_buf_fini(&bytes);
}

static int read_output(void *user, const char *name, struct sl_buf *out)
{
    return read_file(user, name, out) ? 0 : SL_E_NOT_FOUND;
}

/* The summary as its writer makes it now, of the files that are there. */
static int put_summary(struct check *c, struct sl_json *json)
{
    const struct cJSON *said = c->directory->summary;
    double threshold = sl_value_number(said, "threshold_percent", NAN);
    struct sl_agreement found[SL_RUNDIR_AGREEMENTS];
    char hash[SL_SHA256_HEX_SIZE] = "";
    struct sl_buf bytes;
    struct sl_summary summary = {.compared = &c->compared,
                                 .threshold_percent = threshold >= 0 ? threshold : NAN,
                                 .shown_dir =
                                     sl_value_text(sl_value(said, "files"), "directory", NULL),
                                 .manifest_sha256 = hash};
    for (int i = 0; i < SL_RUNDIR_AGREEMENTS; i++)
        if (sl_summary_compare_outputs(c->directory, i, read_output, c, &found[i]) == 0)
            summary.agreements[i] = &found[i];
    if (read_file(c, c->manifest_name, &bytes)) {
        sl_sha256_hex(bytes.data, bytes.size, hash);
        sl_buf_fini(&bytes);
    }
    return sl_summary_put(json, &summary);
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
    struct sl_report_files files = {.count = 0};
    int rc = sl_report_pages(&c->compared, &files, NULL);
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
    rc = check_plugins(c);
    if (rc == 0)
        rc = check_manifest(c);
    check_policies(c);
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
    /* A directory that cannot be recomputed at all was named by sl_validate() already. */
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
