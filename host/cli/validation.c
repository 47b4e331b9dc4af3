/* host/cli/validation.c */
#include "host/cli/validation.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/trace_etdump.h"
#include "host/cli/json_diff.h"
#include "host/experiment/compared.h"
#include "host/experiment/kit_directory.h"
#include "host/experiment/report_files.h"
#include "host/report/analysis_json.h"
#include "host/report/report.h"

#define MAX_BYTES ((size_t)1 << 31)

static const char *const levels[] = {"off", "on"};

struct check {
    struct sl_validation *found;
    struct sl_compared compared;
    const struct sl_run_directory *directory; /* of either side */
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

/* Compares a part of a file with its recomputation. */
static void compare_json(struct check *c, const char *file, const char *place, const cJSON *said,
                         const cJSON *found)
{
    /* Where files stood when the run was made, not what is in them. */
    static const char *const ignored[] = {"file", NULL};
    struct sl_json_diff diff = {.on_difference = on_json_difference, .user = c, .ignored = ignored};
    snprintf(diff.pointer, sizeof(diff.pointer), "%s#%s", file, place);
    if (said)
        sl_json_diff(&diff, said, found);
    else
        differ(c, diff.pointer, "is missing");
    c->found->numbers += diff.numbers;
}

/* Reads a file of the directory; one that is not there is a difference. */
static bool read_file(struct check *c, const char *name, struct sl_buf *out)
{
    char path[SL_RUN_DIRECTORY_PATH_BYTES];
    struct sl_diag diag = {.what = ""};
    c->found->files++;
    int rc = sl_run_directory_file(c->directory, name, path, &diag);
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
    const struct cJSON *result = sl_run_directory_result(c->directory, level);
    const char *hash = sl_run_directory_text(result, "etdump_sha256");
    double runs = sl_run_directory_number(result, "runs", -1);
    struct sl_buf made;
    int rc = 0;
    c->found->files++;
    c->found->numbers++;
    if (!hash || strcmp(hash, file->analysis.sha256) != 0)
        differ(c, name, "its hash is not the one in the manifest");
    if (runs != (double)file->analysis.attribution.measured_count)
        differ(c, c->manifest_name, "SME2 %s: says %g runs; the ETDump has %zu measured ones",
               levels[level], runs, file->analysis.attribution.measured_count);
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

/* The kit's figures of a variant in the manifest. */
static int check_metrics(struct check *c, int level, const struct cJSON *result)
{
    const struct sl_kit_named named = {&c->compared.sides[level].file.analysis,
                                       sl_run_directory_text(result, "experiment"),
                                       sl_run_directory_text(result, "etdump")};
    struct sl_buf text;
    struct sl_json json;
    char place[48];
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_kit_metrics(&json, &named, sl_run_directory_number(result, "threads", NAN),
                   sl_run_directory_text(result, "log"));
    sl_json_close_object(&json);
    cJSON *found = parse_made(&json);
    snprintf(place, sizeof(place), "/results/%d/metrics", level);
    if (found)
        compare_json(c, c->manifest_name, place,
                     cJSON_GetObjectItemCaseSensitive(result, "metrics"),
                     cJSON_GetObjectItemCaseSensitive(found, "metrics"));
    cJSON_Delete(found);
    sl_buf_fini(&text);
    return found ? 0 : -ENOMEM;
}

static int check_variant(struct check *c, int level)
{
    const struct cJSON *result = sl_run_directory_result(c->directory, level);
    const char *name = sl_run_directory_text(result, "etdump");
    const char *log = sl_run_directory_text(result, "log");
    check_there(c, log);
    int rc = check_metrics(c, level, result);
    return rc < 0 ? rc : check_etdump(c, level, name);
}

/* What each execution executed, by the manifest, is the end to end of the ETDump's runs. */
static void check_executed(struct check *c)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(c->directory->manifest, "executed");
    size_t next[2] = {0, 0};
    const cJSON *one;
    cJSON_ArrayForEach(one, all)
    {
        const char *variant = sl_run_directory_text(one, "variant");
        int level = variant && strcmp(variant, "on") == 0;
        const struct sl_attribution *a = &c->compared.sides[level].file.analysis.attribution;
        double said = sl_run_directory_number(one, "insns", NAN);
        size_t i = next[level]++;
        c->found->numbers++;
        if (i >= a->run_count || said != (double)a->runs[i].end_to_end)
            differ(c, c->manifest_name,
                   "execution %zu with SME2 %s: says %.0f instructions; the ETDump gives %.0f", i,
                   levels[level], said, i < a->run_count ? (double)a->runs[i].end_to_end : NAN);
    }
    for (int level = 0; all && level < 2; level++) {
        size_t runs = c->compared.sides[level].file.analysis.attribution.run_count;
        if (next[level] != runs)
            differ(c, c->manifest_name, "SME2 %s: has %zu executions; the ETDump %zu",
                   levels[level], next[level], runs);
    }
}

/* The kit's members of the summary, each against its recomputation. */
static int check_kit_members(struct check *c)
{
    struct sl_kit_named named[2];
    struct sl_buf text;
    struct sl_json json;
    for (int level = 0; level < 2; level++) {
        const struct cJSON *result = sl_run_directory_result(c->directory, level);
        named[level] = (struct sl_kit_named){&c->compared.sides[level].file.analysis,
                                             sl_run_directory_text(result, "experiment"),
                                             sl_run_directory_text(result, "etdump")};
    }
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    int rc = sl_kit_summary(&json, named);
    sl_json_close_object(&json);
    cJSON *found = rc == 0 ? parse_made(&json) : NULL;
    const cJSON *member;
    cJSON_ArrayForEach(member, found)
    {
        char place[96];
        snprintf(place, sizeof(place), "/%.90s", member->string);
        compare_json(c, c->summary_name, place,
                     cJSON_GetObjectItemCaseSensitive(c->directory->summary, member->string),
                     member);
    }
    cJSON_Delete(found);
    sl_buf_fini(&text);
    return rc;
}

/* Compares one object of the summary with what the same writer makes now. */
static int check_object(struct check *c, const char *place, const cJSON *said,
                        const struct sl_analysis *analysis)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_BYTES);
    sl_json_init(&json, &text);
    int rc = analysis ? sl_analysis_json(&json, NULL, analysis)
                      : sl_comparison_json(&json, NULL, &c->compared.report);
    cJSON *found = rc == 0 ? parse_made(&json) : NULL;
    if (found)
        compare_json(c, c->summary_name, place, said, found);
    cJSON_Delete(found);
    sl_buf_fini(&text);
    return found || rc < 0 ? rc : -ENOMEM;
}

static int check_summary(struct check *c)
{
    const cJSON *summary = c->directory->summary;
    c->found->files++;
    if (!summary) {
        differ(c, c->summary_name, "the file is missing");
        return 0;
    }
    const cJSON *analyses = cJSON_GetObjectItemCaseSensitive(summary, "analyses");
    const char *verdict = sl_run_directory_text(summary, "verdict");
    const char *found = sl_verdict_name(c->compared.comparison.verdict);
    if (!verdict || strcmp(verdict, found) != 0)
        differ(c, c->summary_name, "says verdict %.20s; recomputed it is %s",
               verdict ? verdict : "(none)", found);
    int rc = check_object(c, "/comparison", cJSON_GetObjectItemCaseSensitive(summary, "comparison"),
                          NULL);
    for (int level = 0; rc == 0 && level < 2; level++)
        rc = check_object(c, level ? "/analyses/1" : "/analyses/0",
                          cJSON_GetArrayItem(analyses, level),
                          &c->compared.sides[level].file.analysis);
    return rc < 0 ? rc : check_kit_members(c);
}

/* Adds the outputs that `a` and `b` name to an agreement; false if one is not there. */
static bool agree_on(struct check *c, const cJSON *outputs, const char *a, const char *b,
                     struct sl_agreement *agreement)
{
    const cJSON *output;
    cJSON_ArrayForEach(output, outputs)
    {
        double type = sl_run_directory_number(output, "scalar_type", -1);
        struct sl_buf first, second;
        if (!(type >= 0 && type < 256))
            continue;
        if (!read_file(c, sl_run_directory_text(output, a), &first))
            return false;
        if (!read_file(c, sl_run_directory_text(output, b), &second)) {
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

static void check_outputs(struct check *c)
{
    static const struct {
        const char *key, *reference, *compared;
    } pairs[] = {{"on_vs_off", "on", "off"},
                 {"off_vs_portable", "portable", "off"},
                 {"on_vs_portable", "portable", "on"}};
    const cJSON *outputs = cJSON_GetObjectItemCaseSensitive(c->directory->manifest, "outputs");
    for (size_t i = 0; outputs && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct sl_agreement said;
        struct sl_agreement found;
        if (!sl_run_directory_agreement(c->directory, pairs[i].key, &said)) {
            differ(c, c->summary_name, "output_agreement/%s is missing", pairs[i].key);
            continue;
        }
        sl_agreement_init(&found, said.tolerance);
        if (!agree_on(c, outputs, pairs[i].reference, pairs[i].compared, &found))
            continue;
        c->found->numbers += 2;
        if (said.max_abs != found.max_abs || said.max_rel != found.max_rel ||
            said.agree != found.agree || said.odd != found.odd)
            differ(c, c->summary_name,
                   "output_agreement/%s says %g, %g of the peak; the outputs give %g, %g",
                   pairs[i].key, said.max_abs, said.max_rel, found.max_abs, found.max_rel);
    }
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
    const char *unit = sl_run_directory_text(c->directory->manifest, "time_unit");
    const char *found =
        c->compared.comparison.unit == SL_TRACE_INSTRUCTIONS ? "instructions" : "ns";
    if (!unit || strcmp(unit, found) != 0)
        differ(c, c->manifest_name, "says time_unit %.20s; the ETDumps are in %s",
               unit ? unit : "(none)", found);
    c->found->files++; /* the manifest itself */
    if (c->directory->suffix[0] == '\0')
        check_there(c, "result.json"); /* how the agent's processes ended */
    int rc = 0;
    for (int level = 0; rc == 0 && level < 2; level++)
        rc = check_variant(c, level);
    if (rc < 0)
        return rc;
    check_executed(c);
    rc = check_report(c);
    if (rc < 0)
        return rc;
    check_outputs(c);
    return check_summary(c);
}

/* An ETDump that is missing or damaged is a difference, not an error: the directory is a run. */
static int check_broken(struct check *c, const char *path, const char *experiment,
                        const struct sl_diag *why, struct sl_diag *diag)
{
    struct sl_run_directory directory;
    int rc = sl_run_directory_open(path, experiment, &directory, diag);
    if (rc < 0)
        return rc;
    sl_run_directory_close(&directory);
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
    struct sl_run_directory directory = {.suffix = ""};
    struct sl_kit_outputs outputs = {.count = 0};
    struct sl_diag diag = {.what = ""};
    if (!c)
        return -ENOMEM;
    c->found = validation;
    c->directory = &directory;
    snprintf(directory.path, sizeof(directory.path), "%s", path);
    /* What cannot be recomputed at all was named by sl_validate() already. */
    int rc = sl_kit_directory_make(path, categories, &outputs, &diag);
    for (size_t i = 0; rc == 0 && i < outputs.count; i++) {
        const struct sl_buf *text = &outputs.files[i].text;
        check_bytes(c, outputs.files[i].name, text);
        for (size_t k = 0; k < text->size; k++) /* fields, roughly: all of them were compared */
            validation->numbers += text->data[k] == ',';
    }
    if (rc < 0 && rc != -ENOMEM && validation->differences == 0)
        differ(c, diag.where, "%s", diag.what);
    sl_kit_outputs_fini(&outputs);
    sl_free(c);
    return rc == -ENOMEM ? rc : 0;
}
