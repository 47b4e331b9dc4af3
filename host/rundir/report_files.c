/* host/rundir/report_files.c */
#include "host/rundir/report_files.h"
#include "host/report/run_estimates.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/report/analysis.h"
#include "host/report/combined.h"
#include "host/report/kit_files.h"
#include "host/report/markup.h"
#include "host/report/perfetto.h"
#include "host/report/plot.h"
#include "host/report/report.h"
#include "host/rundir/compared.h"
#include "host/rundir/output_file.h"
#include "host/spec/json_value.h"

#define MAX_FILE_BYTES ((size_t)1 << 30)

/* Adds a fact; an empty value adds none. */
__attribute__((format(printf, 3, 4))) static void add_fact(struct sl_report *r, const char *name,
                                                           const char *format, ...)
{
    if (r->fact_count == SL_REPORT_MAX_FACTS)
        return;
    struct sl_report_fact *fact = &r->facts[r->fact_count];
    va_list args;
    va_start(args, format);
    vsnprintf(fact->value, sizeof(fact->value), format, args);
    va_end(args);
    fact->name = name;
    r->fact_count += fact->value[0] != '\0';
}

static void add_text(struct sl_report *r, const char *name, const struct cJSON *object,
                     const char *key)
{
    const char *text = sl_value_text(object, key, NULL);
    add_fact(r, name, "%.250s", text ? text : "");
}

static void add_device(struct sl_report *r, const struct sl_compared_side *side)
{
    const cJSON *manifest = side->directory.manifest;
    const cJSON *device = sl_value(manifest, "device");
    const cJSON *probe = sl_value(device, "probe");
    const cJSON *system = sl_value(probe, "system");
    double svl = sl_value_number(probe, "svl_bytes", 0);
    add_fact(r, "Device", "%s", side->conditions.values[SL_CONDITION_DEVICE]);
    add_text(r, "System", system, "sysname");
    add_text(r, "Release", system, "release");
    if (svl > 0)
        add_fact(r, SL_REPORT_VECTORS, "%.0f bits", 8 * svl);
    const cJSON *agent = sl_value(manifest, "agent_report");
    if (strcmp(side->conditions.values[SL_CONDITION_RUNTIME], "executorch") == 0)
        add_text(r, "Runtime", agent, "runtime");
    add_fact(r, "Threads", "%s", side->conditions.values[SL_CONDITION_THREADS]);
}

/* A variant's instruction set, as the agent says it took it. */
static void add_isa(struct sl_report *r, const struct cJSON *manifest)
{
    static const char *const names[] = {"Instruction sets, off", "Instruction sets, on"};
    const cJSON *agent = sl_value(manifest, "agent_report");
    const cJSON *variants = sl_value(agent, "variants");
    for (int i = 0; i < 2; i++)
        add_text(r, names[i], cJSON_GetArrayItem(variants, i), "isa");
}

static void add_import(struct sl_report *r, const struct sl_compared_import *import)
{
    add_fact(r, "Imported model", "%s", import->model);
    if (import->label[0])
        add_fact(r, "Pair", "%s", import->label);
    add_fact(r, "Baseline", "%s", import->names[0]);
    add_fact(r, "Candidate", "%s", import->names[1]);
    add_fact(r, "Imported", "%s", import->generated_at);
    add_fact(r, "Threads", "%s", import->threads);
}

static void add_model(struct sl_report *r, const cJSON *manifest)
{
    const cJSON *data = sl_value(manifest, "data");
    add_text(r, "Model", manifest, "model");
    add_text(r, "Model, SHA-256", manifest, "model_sha256");
    add_text(r, "External weights", data, "file");
    add_text(r, "External weights, SHA-256", data, "sha256");
    add_text(r, "Method", manifest, "method");
}

/* "run_sme2-on/model_run_sme2-on_t1.etdump" of a path: the experiment's folder and the file. */
static const char *name_of(const char *path)
{
    const char *at = path + strlen(path);
    for (int slashes = 0; at > path; at--) {
        slashes += at[-1] == '/';
        if (slashes == 2)
            break;
    }
    return at;
}

__attribute__((format(printf, 3, 4))) static void
add_artifact(struct sl_report *r, const char *name, const char *format, ...)
{
    if (r->artifact_count == SL_REPORT_MAX_ARTIFACTS)
        return;
    struct sl_report_fact *one = &r->artifacts[r->artifact_count++];
    va_list args;
    va_start(args, format);
    vsnprintf(one->value, sizeof(one->value), format, args);
    va_end(args);
    one->name = name;
}

/* The files that the run left beside this page. */
static void list_artifacts(struct sl_report *r, const struct sl_compared *compared)
{
    static const char *const etdumps[] = {"ETDump, baseline", "ETDump, candidate"};
    const struct sl_rundir *directory = &compared->sides[0].directory;
    char tables[200] = "";
    size_t csv = 0;
    for (const struct sl_kit_file *file = sl_kit_files; file->ending; file++) {
        size_t used = strlen(tables);
        snprintf(tables + used, sizeof(tables) - used, "%s%s", used ? ", " : "", file->ending + 1);
        csv += strstr(file->ending, ".csv") != NULL;
    }
    for (int side = 0; side < 2; side++)
        add_artifact(r, etdumps[side], "%.250s", name_of(compared->sides[side].path));
    add_artifact(r, "Tables beside each", "%s", tables);
    add_artifact(r, "CSV files", "%zu", 2 * csv + 1);
    add_artifact(r, "Of the pair", "*_vs_*_comparison.csv, *_vs_*_robust_comparison.json%s",
                 directory->manifest ? ", kernel_view_gemm.md" : "");
    if (directory->manifest)
        add_artifact(r, "Summaries",
                     "manifest%s.json, metrics.json, analysis_summary%s.json, "
                     "*_pipeline_summary.json, *_pipeline_summary.md",
                     directory->suffix, directory->suffix);
    else
        add_artifact(r, "Summaries",
                     "import.json, metrics.json, *_pipeline_summary.json, *_pipeline_summary.md");
    const struct cJSON *result = sl_rundir_result(directory, 0);
    const char *log = sl_value_text(result, "log", NULL);
    if (log)
        add_artifact(r, "Log", "%.250s", log);
}

void sl_report_of(const struct sl_compared *compared, struct sl_report *out)
{
    const struct sl_compared_side *off = &compared->sides[0];
    const struct sl_compared_side *on = &compared->sides[1];
    const cJSON *manifest = off->directory.manifest;
    const cJSON *schedule = sl_value(manifest, "schedule");
    const struct sl_compared_import *import = &compared->import;
    const char *mode = sl_value_text(manifest, "mode", NULL);
    *out = (struct sl_report){
        .model = compared->title,
        .experiment = import->label[0]      ? import->label
                      : import->names[1][0] ? import->names[1]
                                            : sl_value_text(manifest, "experiment", NULL),
        .clean = mode && strcmp(mode, "clean") == 0,
        .device = off->conditions.values[SL_CONDITION_DEVICE],
        .threads =
            import->threads[0] ? import->threads : off->conditions.values[SL_CONDITION_THREADS],
        .process = off->process,
        .directory = off->directory.path,
        .concurrency = off->conditions.values[SL_CONDITION_CONCURRENCY],
        .conditions = &off->conditions,
        .command = sl_value_text(manifest, "command", NULL),
        .comparison = &compared->report,
        .off_portable = compared->has_portable[0] ? &compared->portable[0] : NULL,
        .on_portable = compared->has_portable[1] ? &compared->portable[1] : NULL};
    if (off->directory.has_agreement[SL_OFF_VS_EXPECTED])
        out->off_expected = &off->directory.agreements[SL_OFF_VS_EXPECTED];
    if (off->directory.has_agreement[SL_ON_VS_EXPECTED])
        out->on_expected = &off->directory.agreements[SL_ON_VS_EXPECTED];
    memcpy(out->names, import->names, sizeof(out->names));
    if (import->names[0][0])
        add_import(out, import);
    add_model(out, manifest);
    add_text(out, "Experiment", manifest, "experiment");
    if (off->file.analysis.attribution.unit == SL_TRACE_NS) /* counts are never "timing" */
        add_text(out, "Mode", manifest, "mode");
    add_text(out, "Started", manifest, "generated_at");
    add_text(out, "sme2lab", manifest, "sme2lab_version");
    add_device(out, off);
    add_isa(out, manifest);
    add_text(out, "Runner", manifest, "agent");
    add_text(out, "Agent, SHA-256", manifest, "agent_sha256");
    if (schedule)
        add_fact(out, "Order of runs", "%.20s, seed %.0f",
                 sl_value_text(schedule, "order", NULL) ? sl_value_text(schedule, "order", NULL)
                                                        : "unknown",
                 sl_value_number(schedule, "seed", 0));
    add_fact(out, "ETDump, baseline", "SHA-256 %s", off->file.analysis.sha256);
    add_fact(out, "ETDump, candidate", "SHA-256 %s", on->file.analysis.sha256);
    list_artifacts(out, compared);
}

static int add_file(struct sl_report_files *out, const char *stem, const char *suffix,
                    const char *ending, struct sl_buf **out_text, struct sl_diag *diag)
{
    if (out->count == SL_REPORT_MAX_FILES)
        return sl_diag_set(diag, SL_E_LIMIT, "--format", "too many formats at once");
    struct sl_report_file *file = &out->files[out->count++];
    snprintf(file->name, sizeof(file->name), "%s%s%s", stem, suffix, ending);
    sl_buf_init(&file->text, MAX_FILE_BYTES);
    *out_text = &file->text;
    return 0;
}

static int add_plots(struct sl_report_files *out, const struct sl_report *report,
                     const char *suffix, struct sl_diag *diag)
{
    static const struct {
        const char *stem;
        void (*plot)(struct sl_markup *m, const struct sl_report *report);
    } plots[] = {{"report_categories", sl_plot_categories},
                 {"report_waterfall", sl_plot_waterfall},
                 {"report_runs", sl_plot_runs},
                 {"report_histogram", sl_plot_histogram},
                 {"report_scatter", sl_plot_scatter},
                 {"report_time", sl_plot_time},
                 {"report_bounds", sl_plot_bounds}};
    struct sl_buf *text = NULL;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(plots) / sizeof(plots[0]); i++) {
        rc = add_file(out, plots[i].stem, suffix, ".svg", &text, diag);
        if (rc < 0)
            break;
        struct sl_markup m = {.out = text};
        sl_markup_put(&m, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        size_t head = text->size;
        plots[i].plot(&m, report);
        rc = m.error;
        if (rc == 0 && text->size == head) /* it has nothing to show for such a run */
            sl_buf_fini(&out->files[--out->count].text);
    }
    return rc;
}

/* A trace of each side for the Perfetto UI. */
static int add_traces(struct sl_report_files *out, const struct sl_report *report,
                      const char *suffix, struct sl_diag *diag)
{
    static const char *const stems[] = {"report_baseline", "report_candidate"};
    const struct sl_analysis *const sides[] = {report->comparison->baseline,
                                               report->comparison->candidate};
    struct sl_buf *text = NULL;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < 2; i++) {
        rc = add_file(out, stems[i], suffix, ".perfetto-trace", &text, diag);
        if (rc == 0)
            rc = sl_perfetto_trace(text, sides[i]);
    }
    return rc;
}

static int make_json(struct sl_buf *out, const struct sl_report *report)
{
    struct sl_json json;
    sl_json_init(&json, out);
    int rc = sl_comparison_json(&json, NULL, report->comparison);
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}

static int make_estimates(struct sl_buf *out, const struct sl_report *report)
{
    return sl_report_estimates_csv(out, report->comparison->estimates);
}

int sl_report_files_add(struct sl_report_files *out, const struct sl_report *report,
                        const char *suffix, const char *format, struct sl_diag *diag)
{
    static const struct {
        const char *format, *ending;
        int (*make)(struct sl_buf *out, const struct sl_report *report);
    } makers[] = {{"md", ".md", sl_report_md},
                  {"html", ".html", sl_report_html},
                  {"junit", ".junit.xml", sl_report_junit},
                  {"json", ".json", make_json},
                  {"csv", ".csv", sl_report_csv},
                  {"csv", ".estimates.csv", make_estimates},
                  {"comment", ".comment.md", sl_report_comment}};
    struct sl_buf *text = NULL;
    bool plots = strcmp(format, "svg") == 0, known = false;
    int rc = 0;
    if (plots || strcmp(format, "perfetto") == 0) {
        rc = plots ? add_plots(out, report, suffix, diag) : add_traces(out, report, suffix, diag);
        return rc < 0 ? sl_diag_set(diag, rc, NULL, "the %s cannot be made: %s",
                                    plots ? "plots" : "traces", sl_strerror(rc))
                      : 0;
    }
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        bool estimates = makers[i].make == make_estimates;
        if (strcmp(format, makers[i].format) != 0 ||
            (estimates && !sl_report_estimates_any(report->comparison->estimates)))
            continue;
        rc = add_file(out, "report", suffix, makers[i].ending, &text, diag);
        if (rc == 0)
            rc = makers[i].make(text, report);
        if (rc < 0)
            return sl_diag_set(diag, rc, NULL, "the report cannot be made: %s", sl_strerror(rc));
        known = true;
    }
    if (known)
        return 0;
    sl_diag_hint(diag, "take some of md, html, svg, perfetto, junit, json, csv, comment");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--format", "this version writes no '%.40s'",
                       format);
}

static int make_suites(struct sl_buf *out, const struct sl_combined *combined)
{
    return sl_report_junit_all(out, combined->reports, combined->count);
}

/* `plot` as a file of its own. */
static int add_combined_plot(struct sl_report_files *out, const char *stem,
                             void (*plot)(struct sl_markup *m, const struct sl_combined *combined),
                             const struct sl_combined *combined, struct sl_diag *diag)
{
    struct sl_buf *text = NULL;
    int rc = add_file(out, stem, "", ".svg", &text, diag);
    if (rc < 0)
        return rc;
    struct sl_markup m = {.out = text};
    sl_markup_put(&m, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    plot(&m, combined);
    return m.error;
}

bool sl_report_files_combines(const char *format)
{
    return strcmp(format, "perfetto") != 0 && strcmp(format, "comment") != 0;
}

int sl_report_files_add_combined(struct sl_report_files *out, const struct sl_combined *combined,
                                 const char *format, struct sl_diag *diag)
{
    static const struct {
        const char *format, *ending;
        int (*make)(struct sl_buf *out, const struct sl_combined *combined);
    } makers[] = {{"md", ".md", sl_combined_md},
                  {"html", ".html", sl_combined_html},
                  {"junit", ".junit.xml", make_suites},
                  {"json", ".json", sl_combined_json},
                  {"csv", ".csv", sl_combined_csv}};
    struct sl_buf *text = NULL;
    int rc = SL_E_UNSUPPORTED;
    if (strcmp(format, "svg") == 0) {
        rc = add_combined_plot(out, "combined_ratios", sl_plot_ratios, combined, diag);
        if (rc == 0 && sl_combined_sweep_count(combined) > 0)
            rc = add_combined_plot(out, "combined_sweep", sl_plot_sweeps, combined, diag);
        if (rc == 0)
            rc = add_combined_plot(out, "combined_shares", sl_plot_shares, combined, diag);
    }
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        if (strcmp(format, makers[i].format) != 0)
            continue;
        rc = add_file(out, "combined_report", "", makers[i].ending, &text, diag);
        if (rc == 0)
            rc = makers[i].make(text, combined);
    }
    if (rc != SL_E_UNSUPPORTED)
        return rc < 0
                   ? sl_diag_set(diag, rc, NULL, "the report cannot be made: %s", sl_strerror(rc))
                   : 0;
    sl_diag_hint(diag, "take some of md, html, svg, junit, json, csv; the others are of one "
                       "comparison: name one directory, and of several experiments --experiment");
    return sl_diag_set(diag, rc, "--format", "there is no '%.40s' of several comparisons", format);
}

void sl_report_files_fini(struct sl_report_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        sl_buf_fini(&files->files[i].text);
    files->count = 0;
}

static int path_of(const char *folder, const struct sl_report_file *file, char *out, size_t size,
                   struct sl_diag *diag)
{
    if (sl_path_join(out, size - 8, folder, "%s", file->name) == 0)
        return 0;
    return sl_diag_set(diag, -ENAMETOOLONG, folder, "the path of the report is too long");
}

int sl_report_files_write(const struct sl_report_files *files, const char *folder, bool force,
                          struct sl_diag *diag)
{
    char path[SL_RUNDIR_PATH_BYTES];
    int rc = 0;
    if (mkdir(folder, 0777) < 0 && errno != EEXIST) {
        rc = -errno;
        return sl_diag_set(diag, rc, folder, "the directory cannot be made: %s", sl_strerror(rc));
    }
    for (size_t i = 0; rc == 0 && i < files->count; i++) {
        rc = path_of(folder, &files->files[i], path, sizeof(path), diag);
        if (rc == 0 && !force)
            rc = sl_output_check(path, &files->files[i].text, diag);
    }
    for (size_t i = 0; rc == 0 && i < files->count; i++) {
        rc = path_of(folder, &files->files[i], path, sizeof(path), diag);
        if (rc == 0)
            rc = sl_buf_write_file(path, files->files[i].text.data, files->files[i].text.size);
        if (rc < 0)
            sl_diag_set(diag, rc, path, "the report cannot be written: %s", sl_strerror(rc));
    }
    return rc;
}

int sl_report_pages(const struct sl_compared *compared, struct sl_report_files *out,
                    struct sl_diag *diag)
{
    const char *suffix = compared->sides[0].directory.suffix;
    struct sl_report report;
    sl_report_of(compared, &report);
    int rc = sl_report_files_add(out, &report, suffix, "md", diag);
    return rc < 0 ? rc : sl_report_files_add(out, &report, suffix, "html", diag);
}

int sl_report_write_pages(const struct sl_compared *compared, const char *directory,
                          struct sl_diag *diag)
{
    struct sl_report_files files = {.count = 0};
    int rc = sl_report_pages(compared, &files, diag);
    if (rc == 0)
        rc = sl_report_files_write(&files, directory, true, diag);
    sl_report_files_fini(&files);
    return rc;
}
