/* host/rundir/armkit.c */
#include "host/rundir/armkit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "host/report/kernel_log.h"
#include "host/report/kit_files.h"
#include "host/rundir/compared.h"
#include "host/rundir/import.h"
#include "host/spec/json_value.h"
#include "host/spec/path_stem.h"

#define MAX_FILE_BYTES ((size_t)1 << 31)
#define MAX_LOG_BYTES ((size_t)1 << 30)
#define MAX_LIST_BYTES ((size_t)1 << 28)

/* --- kernels: those that the run's own trace says were executed, else those that an XNNPACK log
 * beside its ETDump names --- */

struct kernels {
    struct sl_kernel_log log;
    bool some, executed; /* some: there are any; executed: by the run's trace */
};

static bool has_kernel(const struct sl_kernel_log *log, const char *name)
{
    for (size_t i = 0; i < log->count; i++)
        if (strcmp(log->kernels[i].name, name) == 0)
            return true;
    return false;
}

static int take_executed(const struct sl_attribution *a, struct kernels *out)
{
    out->log.kernels = sl_calloc(SL_KERNEL_LOG_MAX, sizeof(*out->log.kernels));
    if (!out->log.kernels)
        return -ENOMEM;
    out->executed = true;
    for (size_t i = 0; i < a->operator_count && out->log.count < SL_KERNEL_LOG_MAX; i++) {
        const struct sl_operator *op = &a->operators[i];
        if (!op->kernel || has_kernel(&out->log, op->kernel))
            continue;
        struct sl_logged_kernel *kernel = &out->log.kernels[out->log.count++];
        snprintf(kernel->name, sizeof(kernel->name), "%s", op->kernel);
        snprintf(kernel->category, sizeof(kernel->category), "%s", sl_category_name(op->category));
        kernel->portable = !op->delegated;
        sl_kernel_name_parse(kernel->name, strlen(kernel->name), &kernel->parts);
    }
    return 0;
}

static int kernels_read(const struct sl_analysis *analysis, const char *log_path,
                        struct kernels *out, struct sl_diag *diag)
{
    struct sl_buf bytes;
    *out = (struct kernels){.some = false};
    int rc = 0;
    if (analysis->attribution.traced) {
        rc = take_executed(&analysis->attribution, out);
    } else if (log_path) {
        rc = sl_buf_read_file(log_path, MAX_LOG_BYTES, &bytes);
        if (rc < 0)
            return sl_diag_set(diag, rc, log_path, "the log cannot be read: %s", sl_strerror(rc));
        rc = sl_kernel_log_parse((struct sl_bytes){bytes.data, bytes.size}, &out->log, NULL);
        sl_buf_fini(&bytes);
        rc = rc == SL_E_NOT_FOUND ? 0 : rc;
    }
    out->some = rc == 0 && out->log.count > 0;
    return rc < 0 ? sl_diag_set(diag, rc, log_path, "%s", sl_strerror(rc)) : 0;
}

static void kernels_fini(struct kernels *kernels)
{
    sl_kernel_log_fini(&kernels->log);
}

static int kernels_view(struct sl_buf *out, const struct kernels *on, const struct kernels *off)
{
    return sl_kernel_log_view(out, &on->log, &off->log, on->executed && off->executed);
}

/* --- AF-42: categories and files of each ETDump of a directory --- */

enum { TOTALS, ETDUMPS, FILES, LISTS };

/* Grows ETDump by ETDump. */
struct totals {
    struct sl_buf texts[LISTS];  /* of the lists that one ETDump adds to */
    struct sl_json lists[LISTS]; /* totals, per_etdump, csv_files */
    bool counted;                /* the first one's unit is instructions */
    size_t count;
};

static void totals_init(struct totals *summary)
{
    *summary = (struct totals){.count = 0};
    for (int i = 0; i < LISTS; i++) {
        sl_buf_init(&summary->texts[i], MAX_LIST_BYTES);
        sl_json_init(&summary->lists[i], &summary->texts[i]);
    }
    sl_json_open_object(&summary->lists[TOTALS], NULL);
    sl_json_open_array(&summary->lists[ETDUMPS], NULL);
    sl_json_open_array(&summary->lists[FILES], NULL);
}

static void put_categories(struct sl_json *json, const char *key,
                           const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    sl_json_open_object(json, key);
    for (int c = 0; c < SL_CATEGORY_COUNT; c++) {
        double sum = 0;
        for (size_t i = 0; i < a->run_count; i++)
            sum += a->runs[i].warmup ? 0.0 : (double)a->runs[i].categories[c];
        sl_json_f64(json, sl_category_name(c), sl_kit_figure(analysis, sum));
    }
    sl_json_close_object(json);
}

static void put_etdump(struct sl_json *json, const struct sl_analysis *analysis, const char *etdump,
                       const char *base)
{
    char text[SL_ARMKIT_NAME_BYTES + 40];
    const struct sl_attribution *a = &analysis->attribution;
    uint64_t events = 0;
    for (size_t i = 0; i < a->operator_count; i++)
        events += a->operators[i].count;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "etdump", etdump);
    put_categories(json, a->unit == SL_TRACE_INSTRUCTIONS ? "categories_insns" : "categories_ms",
                   analysis);
    sl_json_u64(json, "rows", events);
    snprintf(text, sizeof(text), "%s_exec_all_runs_timeline.csv", base);
    sl_json_text(json, "csv_timeline", text);
    snprintf(text, sizeof(text), "%s_exec_ops_stats.csv", base);
    sl_json_text(json, "csv_stats", text);
    sl_json_close_object(json);
}

static void totals_add(struct totals *summary, const struct sl_analysis *analysis, const char *name,
                       const char *etdump)
{
    char base[SL_ARMKIT_NAME_BYTES], text[SL_ARMKIT_NAME_BYTES + 40];
    snprintf(base, sizeof(base), "%s", etdump);
    char *ending = strrchr(base, '.');
    if (ending && strcmp(ending, ".etdump") == 0)
        *ending = '\0';
    if (summary->count++ == 0)
        summary->counted = analysis->attribution.unit == SL_TRACE_INSTRUCTIONS;
    put_categories(&summary->lists[TOTALS], name, analysis);
    put_etdump(&summary->lists[ETDUMPS], analysis, etdump, base);
    for (const struct sl_kit_file *file = sl_kit_files; file->ending; file++) {
        snprintf(text, sizeof(text), "%s%s", base, file->ending);
        if (strcmp(file->ending + strlen(file->ending) - 4, ".csv") == 0)
            sl_json_text(&summary->lists[FILES], NULL, text);
    }
}

static int totals_put(struct totals *summary, struct sl_json *json)
{
    const char *const keys[] = {summary->counted ? "category_totals_insns" : "category_totals_ms",
                                "per_etdump", "csv_files"};
    sl_json_close_object(&summary->lists[TOTALS]);
    sl_json_close_array(&summary->lists[ETDUMPS]);
    sl_json_close_array(&summary->lists[FILES]);
    sl_json_text(json, "run_dir", ".");
    sl_json_null(json, "etrecord");
    sl_json_u64(json, "etdump_count", summary->count);
    for (int i = 0; i < LISTS; i++) {
        int rc = summary->lists[i].error;
        if (rc == 0)
            rc = sl_buf_append(&summary->texts[i], "", 1);
        if (rc < 0)
            return rc;
        sl_json_raw(json, keys[i], (const char *)summary->texts[i].data);
    }
    return json->error;
}

static void totals_fini(struct totals *summary)
{
    for (int i = 0; i < LISTS; i++)
        sl_buf_fini(&summary->texts[i]);
}

/* --- variants, pairs and their summaries --- */

/* One variant of one experiment, ready to be written of. */
struct side {
    struct sl_kit_side kit;
    const struct sl_attribution *attribution;
    char experiment[128], etdump[SL_ARMKIT_NAME_BYTES], base[SL_ARMKIT_NAME_BYTES];
    const char *log, *xnntrace; /* relative to the directory; NULL: none */
    double threads;
    double warmup;          /* executions before those of the ETDump; 0 where none are known */
    bool traced;            /* the mode xnntrace: kernels were logged, so times are of no account */
    struct kernels kernels; /* owned */
};

/* Tables that grow with each experiment. */
struct maker {
    struct sl_armkit_outputs *out;
    struct sl_compared *compared;
    struct sl_json summary, metrics;
    struct sl_buf summary_text, metrics_text, page, traces;
    struct totals totals; /* of an import; a run writes its own */
    bool viewed;          /* kernel_view_gemm.md is made: later ones have their pair's name */
    char stem[80];
    char generated_at[40];
};

void sl_armkit_outputs_fini(struct sl_armkit_outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        sl_buf_fini(&outputs->files[i].text);
    sl_free(outputs->files);
    *outputs = (struct sl_armkit_outputs){0};
}

static int add_file(struct sl_armkit_outputs *out, const char *stem, const char *ending,
                    struct sl_buf **out_text)
{
    if (out->count == out->capacity) {
        size_t capacity = out->capacity ? 2 * out->capacity : 32;
        void *grown = sl_realloc(out->files, capacity, sizeof(*out->files));
        if (!grown)
            return -ENOMEM;
        out->files = grown;
        out->capacity = capacity;
    }
    struct sl_armkit_output *file = &out->files[out->count];
    int len = snprintf(file->name, sizeof(file->name), "%s%s", stem, ending);
    if (len < 0 || (size_t)len >= sizeof(file->name))
        return -ENAMETOOLONG;
    sl_buf_init(&file->text, MAX_FILE_BYTES);
    out->count++;
    *out_text = &file->text;
    return 0;
}

static void name_side(struct side *out, const char *experiment, const char *etdump)
{
    snprintf(out->experiment, sizeof(out->experiment), "%s", experiment ? experiment : "unnamed");
    snprintf(out->etdump, sizeof(out->etdump), "%s", etdump ? etdump : "");
    snprintf(out->base, sizeof(out->base), "%s", out->etdump);
    char *ending = strrchr(out->base, '.');
    if (ending && strcmp(ending, ".etdump") == 0)
        *ending = '\0';
}

static int describe(const struct sl_compared *compared, int level, const char *stem,
                    struct side *out, struct sl_diag *diag)
{
    const struct sl_compared_side *side = &compared->sides[level];
    const cJSON *result = sl_rundir_result(&side->directory, level);
    const char *experiment = sl_value_text(result, "experiment", NULL);
    const char *etdump = sl_value_text(result, "etdump", NULL);
    *out = (struct side){.attribution = &side->file.analysis.attribution,
                         .log = sl_value_text(result, "log", NULL),
                         .threads = sl_value_number(result, "threads", NAN)};
    name_side(out, experiment, etdump);
    out->kit = (struct sl_kit_side){&side->file.analysis, stem, out->experiment, NULL};
    return kernels_read(&side->file.analysis, NULL, &out->kernels, diag);
}

static int add_variant(struct maker *m, const struct side *side)
{
    int rc = 0;
    for (const struct sl_kit_file *file = sl_kit_files; rc == 0 && file->ending; file++) {
        struct sl_buf *text = NULL;
        rc = add_file(m->out, side->base, file->ending, &text);
        if (rc == 0)
            rc = file->make(text, &side->kit);
    }
    return rc;
}

/* The figures of both beside each other. */
static int add_figures(struct maker *m, const char *stem, const struct side *off,
                       const struct side *on)
{
    struct sl_buf *text = NULL;
    int rc = add_file(m->out, stem, "_robust_comparison.json", &text);
    if (rc == 0)
        rc = sl_kit_robust_comparison(text, &off->kit, &on->kit);
    if (rc == 0)
        rc = add_file(m->out, stem, "_comparison.csv", &text);
    return rc < 0 ? rc : sl_kit_comparison_csv(text, &off->kit, &on->kit);
}

static int add_pair(struct maker *m, const struct side *off, const struct side *on)
{
    char stem[SL_ARMKIT_NAME_BYTES];
    struct sl_buf *text = NULL;
    snprintf(stem, sizeof(stem), "%.120s_t%.0f_vs_%.120s_t%.0f", off->experiment, off->threads,
             on->experiment, on->threads);
    int rc = off->traced || on->traced ? 0 : add_figures(m, stem, off, on);
    if (rc < 0 || !on->kernels.some || !off->kernels.some)
        return rc;
    rc = add_file(m->out, m->viewed ? stem : "",
                  m->viewed ? "_kernel_view_gemm.md" : "kernel_view_gemm.md", &text);
    m->viewed = true;
    return rc < 0 ? rc : kernels_view(text, &on->kernels, &off->kernels);
}

static const char *key(char out[64], const struct side *side, const char *stem)
{
    snprintf(out, 64, "%s%s", stem, sl_kit_suffix(side->kit.analysis));
    return out;
}

static double median(const struct side *side)
{
    return sl_kit_figure(side->kit.analysis, side->kit.analysis->latency.median);
}

static double mean(const struct side *side)
{
    return sl_kit_figure(side->kit.analysis, side->kit.analysis->latency.mean);
}

/* Those of its own process, and those that the ETDump has before the steady ones. */
static double warmups(const struct side *side)
{
    return side->warmup +
           (double)(side->attribution->run_count - side->attribution->measured_count);
}

/* One run of the pipeline summary (AF-40). */
static void put_run(struct sl_json *json, const struct side *side)
{
    char text[SL_ARMKIT_NAME_BYTES + 32];
    char name[64];
    size_t measured = side->attribution->measured_count;
    bool counted = side->attribution->unit == SL_TRACE_INSTRUCTIONS;
    snprintf(text, sizeof(text), "%s_robust_stats.json", side->base);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "experiment", side->experiment);
    sl_json_f64(json, "threads", side->threads);
    sl_json_text(json, "mode", counted ? "counted" : side->traced ? "xnntrace" : "timing");
    sl_json_text(json, "status", measured > 0 ? "ok" : "failed");
    sl_json_open_object(json, "paths");
    sl_json_text(json, "etdump", side->etdump);
    sl_json_text(json, "log", side->log);
    if (side->xnntrace)
        sl_json_text(json, "xnntrace_log", side->xnntrace);
    sl_json_close_object(json);
    sl_json_open_object(json, "metrics");
    sl_json_f64(json, key(name, side, "median"), median(side));
    sl_json_f64(json, key(name, side, "mean"), mean(side));
    sl_json_f64(json, "cv_percent", side->kit.analysis->latency.cv_percent);
    sl_json_text(json, "robust_stats_path", text);
    sl_json_close_object(json);
    sl_json_u64(json, "runs", measured);
    sl_json_f64(json, "warmup", warmups(side));
    sl_json_close_object(json);
}

/* Member metrics of a result (AF-48). */
static void put_metrics(struct sl_json *json, const struct side *side)
{
    const struct sl_analysis *a = side->kit.analysis;
    char name[64];
    sl_json_open_object(json, "metrics");
    sl_json_u64(json, "runs", side->attribution->measured_count);
    sl_json_f64(json, "threads", side->threads);
    sl_json_open_array(json, key(name, side, "latency"));
    for (size_t i = 0; i < side->attribution->run_count; i++) {
        if (!side->attribution->runs[i].warmup)
            sl_json_f64(json, NULL,
                        sl_kit_figure(a, (double)side->attribution->runs[i].end_to_end));
    }
    sl_json_close_array(json);
    sl_json_f64(json, key(name, side, "median"), median(side));
    bool some = a->latency.n > 0;
    sl_json_f64(json, key(name, side, "min"),
                some ? sl_kit_figure(a, (double)a->latency.min) : NAN);
    sl_json_f64(json, key(name, side, "max"),
                some ? sl_kit_figure(a, (double)a->latency.max) : NAN);
    sl_json_text(json, "etdump", side->etdump);
    sl_json_text(json, "log", side->log);
    sl_json_text(json, "etdump_rel", side->etdump);
    sl_json_text(json, "log_rel", side->log);
    sl_json_close_object(json);
}

void sl_armkit_metrics(struct sl_json *json, const struct sl_armkit_named *named, double threads,
                       const char *log)
{
    struct side side = {
        .attribution = &named->analysis->attribution, .log = log, .threads = threads};
    name_side(&side, named->experiment, named->etdump);
    side.kit = (struct sl_kit_side){named->analysis, "", side.experiment, NULL};
    put_metrics(json, &side);
}

/* A figure of the page, "-" where there is none. */
static int put_cell(struct sl_buf *out, double value)
{
    return isfinite(value) ? sl_buf_printf(out, " %.12g |", value) : sl_buf_printf(out, " - |");
}

static int put_line(struct sl_buf *out, const struct side *side)
{
    size_t measured = side->attribution->measured_count;
    int rc = sl_buf_printf(out, "| %s |", side->experiment);
    if (rc == 0)
        rc = put_cell(out, side->threads);
    if (rc == 0)
        rc = sl_buf_printf(out, " %zu | %.0f |", measured, warmups(side));
    if (rc == 0)
        rc = put_cell(out, median(side));
    if (rc == 0)
        rc = put_cell(out, mean(side));
    if (rc == 0)
        rc = put_cell(out, side->kit.analysis->latency.cv_percent);
    return rc < 0 ? rc : sl_buf_printf(out, " %s_robust_stats.json |\n", side->base);
}

static int begin(struct maker *m, const struct cJSON *manifest, bool counted)
{
    const char *unit = counted ? "instructions" : "ms";
    const char *at = sl_value_text(manifest, "generated_at", NULL);
    const char *model = sl_value_text(manifest, "model", NULL);
    snprintf(m->generated_at, sizeof(m->generated_at), "%s", at ? at : "");
    sl_path_stem(model ? model : "model", m->stem, sizeof(m->stem));
    sl_json_open_object(&m->summary, NULL);
    sl_json_text(&m->summary, "model", model);
    sl_json_text(&m->summary, "generated_at", m->generated_at);
    sl_json_text(&m->summary, "output_root", ".");
    sl_json_open_array(&m->summary, "runs");
    sl_json_open_object(&m->metrics, NULL);
    sl_json_open_array(&m->metrics, "results");
    return sl_buf_printf(&m->page,
                         "# Pipeline summary: %s\n\nGenerated: %s\n\n## Timing Results\n\n"
                         "| Experiment | Threads | Runs | Warmup | Median (%s) | Mean (%s) | "
                         "CV (%%) | Robust Stats |\n|---|---|---|---|---|---|---|---|\n",
                         m->stem, m->generated_at, unit, unit);
}

/* A side in all summaries. */
static int add_side(struct maker *m, const struct side *side)
{
    int rc = add_variant(m, side);
    put_run(&m->summary, side);
    sl_json_open_object(&m->metrics, NULL);
    sl_json_text(&m->metrics, "experiment", side->experiment);
    put_metrics(&m->metrics, side);
    sl_json_close_object(&m->metrics);
    if (rc == 0 && side->xnntrace)
        rc = sl_buf_printf(&m->traces, "| %s | %g | %s |\n", side->experiment, side->threads,
                           side->xnntrace);
    return rc < 0 || side->traced ? rc : put_line(&m->page, side);
}

static int add_experiment(struct maker *m, bool first, struct sl_diag *diag)
{
    const struct cJSON *manifest = m->compared->sides[0].directory.manifest;
    bool counted = m->compared->comparison.unit == SL_TRACE_INSTRUCTIONS;
    struct side sides[2] = {{.log = NULL}, {.log = NULL}};
    int rc = first ? begin(m, manifest, counted) : 0;
    for (int level = 0; rc == 0 && level < 2; level++) {
        rc = describe(m->compared, level, m->stem, &sides[level], diag);
        if (rc == 0)
            rc = add_side(m, &sides[level]);
    }
    if (rc == 0)
        rc = add_pair(m, &sides[0], &sides[1]);
    for (int level = 0; level < 2; level++)
        kernels_fini(&sides[level].kernels);
    return rc;
}

static int keep(struct maker *m, const char *stem, const char *ending, struct sl_buf *text)
{
    struct sl_buf *file = NULL;
    int rc = add_file(m->out, stem, ending, &file);
    if (rc == 0) {
        *file = *text;
        sl_buf_init(text, MAX_FILE_BYTES);
    }
    return rc;
}

static int finish(struct maker *m)
{
    sl_json_close_array(&m->summary);
    sl_json_close_object(&m->summary);
    sl_json_close_array(&m->metrics);
    sl_json_close_object(&m->metrics);
    int rc = m->summary.error ? m->summary.error : m->metrics.error;
    if (rc == 0)
        rc = sl_buf_append(&m->summary_text, "\n", 1);
    if (rc == 0)
        rc = sl_buf_append(&m->metrics_text, "\n", 1);
    if (rc == 0)
        rc =
            sl_buf_printf(&m->page, "\n## XNNTrace Results\n\n| Experiment | Threads | Log Path |\n"
                                    "|---|---|---|\n");
    if (rc == 0)
        rc = sl_buf_append(&m->page, m->traces.data, m->traces.size);
    if (rc == 0)
        rc = keep(m, m->stem, "_pipeline_summary.json", &m->summary_text);
    if (rc == 0)
        rc = keep(m, m->stem, "_pipeline_summary.md", &m->page);
    return rc < 0 ? rc : keep(m, "metrics", ".json", &m->metrics_text);
}

/* One run of import.json, opened. */
static int open_imported(const struct cJSON *run, const char *path,
                         const struct sl_categories *categories, const char *stem,
                         struct sl_etdump_file *file, struct side *out, struct sl_diag *diag)
{
    struct sl_rundir directory = {.manifest = NULL};
    char etdump[SL_RUNDIR_PATH_BYTES], log_path[SL_RUNDIR_PATH_BYTES];
    snprintf(directory.path, sizeof(directory.path), "%s", path);
    *out = (struct side){.attribution = &file->analysis.attribution,
                         .log = sl_value_text(run, "log", NULL),
                         .xnntrace = sl_value_text(run, "xnntrace_log", NULL),
                         .threads = sl_value_number(run, "threads", NAN),
                         .warmup = sl_value_number(run, "warmup", 0),
                         .traced = sl_import_traced(run)};
    name_side(out, sl_value_text(run, "experiment", NULL), sl_value_text(run, "etdump", NULL));
    out->kit = (struct sl_kit_side){&file->analysis, stem, out->experiment, NULL};
    int rc = sl_rundir_file(&directory, out->etdump, etdump, diag);
    const char *log = out->xnntrace ? out->xnntrace : out->log;
    if (rc == 0 && log)
        rc = sl_rundir_file(&directory, log, log_path, diag);
    struct sl_etdump_request request = {.path = etdump, .categories = categories, .only_run = -1};
    if (rc == 0)
        rc = sl_etdump_file_open(&request, file, diag);
    if (rc < 0)
        return rc;
    file->analysis.file = out->etdump;
    if (file->said.rounds.count > 0)
        out->warmup = 0; /* they stand in the ETDump */
    rc = kernels_read(&file->analysis, log ? log_path : NULL, &out->kernels, diag);
    if (rc < 0)
        sl_etdump_file_close(file);
    else if (out->kernels.some && !out->kernels.executed)
        out->kit.log = &out->kernels.log;
    return rc;
}

static void close_imported(struct side *side, struct sl_etdump_file *file)
{
    kernels_fini(&side->kernels);
    sl_etdump_file_close(file);
}

/* Runs that the import declared pairs. */
static int pair_imported(struct maker *m, const struct cJSON *import, const char *path,
                         const struct sl_categories *categories, struct sl_diag *diag)
{
    const cJSON *runs = sl_value(import, "runs");
    const cJSON *a;
    const cJSON *b;
    int rc = 0;
    cJSON_ArrayForEach(a, runs)
    {
        cJSON_ArrayForEach(b, runs)
        {
            struct sl_etdump_file files[2];
            struct side sides[2];
            if (rc < 0 || !sl_import_pair(import, a, b))
                continue;
            rc = open_imported(a, path, categories, m->stem, &files[0], &sides[0], diag);
            if (rc < 0)
                return rc;
            rc = open_imported(b, path, categories, m->stem, &files[1], &sides[1], diag);
            if (rc == 0) {
                rc = add_pair(m, &sides[0], &sides[1]);
                close_imported(&sides[1], &files[1]);
            }
            close_imported(&sides[0], &files[0]);
        }
    }
    return rc;
}

/* A log that is an experiment of its own: kernels, and nothing of any run. */
static int open_log(const struct cJSON *log, const char *path, const char *stem, struct side *out,
                    struct sl_diag *diag)
{
    static const struct sl_analysis nothing;
    struct sl_rundir directory = {.manifest = NULL};
    char log_path[SL_RUNDIR_PATH_BYTES];
    snprintf(directory.path, sizeof(directory.path), "%s", path);
    *out = (struct side){.attribution = &nothing.attribution,
                         .xnntrace = sl_value_text(log, "xnntrace_log", NULL),
                         .threads = sl_value_number(log, "threads", NAN),
                         .traced = true};
    name_side(out, sl_value_text(log, "experiment", NULL), NULL);
    snprintf(out->base, sizeof(out->base), "%s", out->xnntrace ? out->xnntrace : "");
    char *ending = strstr(out->base, SL_IMPORT_LOG);
    if (!ending)
        return sl_diag_set(diag, SL_E_FORMAT, path, "import.json lists a log without its file");
    *ending = '\0';
    int rc = sl_rundir_file(&directory, out->xnntrace, log_path, diag);
    if (rc == 0)
        rc = kernels_read(&nothing, log_path, &out->kernels, diag);
    out->kit = (struct sl_kit_side){&nothing, stem, out->experiment, &out->kernels.log};
    return rc;
}

/* It in the summaries, and its table of kernels. */
static int add_log(struct maker *m, const struct side *side)
{
    struct sl_buf *text = NULL;
    sl_json_open_object(&m->summary, NULL);
    sl_json_text(&m->summary, "experiment", side->experiment);
    sl_json_f64(&m->summary, "threads", side->threads);
    sl_json_text(&m->summary, "mode", "xnntrace");
    sl_json_text(&m->summary, "status", side->kernels.some ? "ok" : "failed");
    sl_json_open_object(&m->summary, "paths");
    sl_json_text(&m->summary, "xnntrace_log", side->xnntrace);
    sl_json_close_object(&m->summary);
    sl_json_close_object(&m->summary);
    int rc = sl_buf_printf(&m->traces, "| %s | %g | %s |\n", side->experiment, side->threads,
                           side->xnntrace);
    if (rc == 0)
        rc = add_file(m->out, side->base, "_kernels.csv", &text);
    return rc < 0 ? rc : sl_kernel_log_csv(text, side->kit.log, side->kit.model);
}

/* Each with those that the import declared its pairs. */
static int add_logs(struct maker *m, const struct cJSON *import, const char *path,
                    struct sl_diag *diag)
{
    const cJSON *logs = sl_value(import, "logs"), *a, *b;
    int rc = 0;
    cJSON_ArrayForEach(a, logs)
    {
        struct side off = {.log = NULL}, on;
        if (rc == 0)
            rc = open_log(a, path, m->stem, &off, diag);
        if (rc == 0)
            rc = add_log(m, &off);
        cJSON_ArrayForEach(b, logs)
        {
            if (rc < 0 || !sl_import_pair(import, a, b))
                continue;
            rc = open_log(b, path, m->stem, &on, diag);
            if (rc == 0)
                rc = add_pair(m, &off, &on);
            kernels_fini(&on.kernels);
        }
        kernels_fini(&off.kernels);
    }
    return rc;
}

/* A run that has no result, in the pipeline summary. */
static void put_failed(struct sl_json *json, const struct cJSON *failed)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "experiment", sl_value_text(failed, "experiment", NULL));
    sl_json_f64(json, "threads", sl_value_number(failed, "threads", NAN));
    sl_json_text(json, "mode", sl_value_text(failed, "mode", NULL));
    sl_json_text(json, "status", "failed");
    sl_json_open_object(json, "paths");
    sl_json_text(json, "log", sl_value_text(failed, "log", NULL));
    sl_json_close_object(json);
    sl_json_text(json, "why", sl_value_text(failed, "why", NULL));
    sl_json_close_object(json);
}

static void add_totals(struct maker *m, const struct side *side)
{
    char name[160];
    snprintf(name, sizeof(name), "%s_t%.0f", side->experiment, side->threads);
    totals_add(&m->totals, side->kit.analysis, isfinite(side->threads) ? name : side->experiment,
               side->etdump);
}

/* analysis_summary.json of an import: the kit's members alone. */
static int keep_totals(struct maker *m)
{
    struct sl_buf *text = NULL;
    struct sl_json json;
    int rc = add_file(m->out, "analysis_summary", ".json", &text);
    if (rc < 0)
        return rc;
    sl_json_init(&json, text);
    sl_json_open_object(&json, NULL);
    rc = totals_put(&m->totals, &json);
    sl_json_close_object(&json);
    rc = rc < 0 ? rc : json.error;
    return rc < 0 ? rc : sl_buf_append(text, "\n", 1);
}

static int make_imported(struct maker *m, const struct cJSON *import, const char *path,
                         const struct sl_categories *categories, struct sl_diag *diag)
{
    const cJSON *runs = sl_value(import, "runs");
    const cJSON *run;
    bool first = true;
    int rc = 0;
    if (!cJSON_IsArray(runs) || cJSON_GetArraySize(runs) == 0)
        return sl_diag_set(diag, SL_E_FORMAT, path, "import.json lists no runs");
    cJSON_ArrayForEach(run, runs)
    {
        struct sl_etdump_file file;
        struct side side;
        if (rc < 0)
            break;
        rc = open_imported(run, path, categories, m->stem, &file, &side, diag);
        if (rc < 0)
            return rc;
        if (first)
            rc = begin(m, import, side.attribution->unit == SL_TRACE_INSTRUCTIONS);
        first = false;
        if (rc == 0)
            rc = add_side(m, &side);
        if (rc == 0 && !side.traced)
            add_totals(m, &side);
        close_imported(&side, &file);
    }
    const cJSON *failed;
    cJSON_ArrayForEach(failed, sl_value(import, "failures")) put_failed(&m->summary, failed);
    if (rc == 0)
        rc = pair_imported(m, import, path, categories, diag);
    if (rc == 0)
        rc = add_logs(m, import, path, diag);
    if (rc == 0)
        rc = keep_totals(m);
    return rc < 0 ? rc : finish(m);
}

static int make_all(struct maker *m, const char *path, const struct sl_categories *categories,
                    struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    cJSON *import = NULL;
    if (sl_import_read(path, &import) == 0) {
        int made = make_imported(m, import, path, categories, diag);
        cJSON_Delete(import);
        return made;
    }
    int rc = sl_rundir_list(path, names, &count, diag);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        memset(m->compared, 0, sizeof(*m->compared));
        rc = sl_compared_directory(m->compared, path, names[i][0] ? names[i] : NULL, categories,
                                   diag);
        if (rc == 0)
            rc = add_experiment(m, i == 0, diag);
        sl_compared_close(m->compared);
    }
    return rc < 0 ? rc : finish(m);
}

int sl_armkit_make(const char *path, const struct sl_categories *categories,
                   struct sl_armkit_outputs *out, struct sl_diag *diag)
{
    struct maker m = {.out = out};
    sl_buf_init(&m.summary_text, MAX_FILE_BYTES);
    sl_buf_init(&m.metrics_text, MAX_FILE_BYTES);
    sl_buf_init(&m.page, MAX_FILE_BYTES);
    sl_buf_init(&m.traces, MAX_FILE_BYTES);
    totals_init(&m.totals);
    sl_json_init(&m.summary, &m.summary_text);
    sl_json_init(&m.metrics, &m.metrics_text);
    m.compared = sl_calloc(1, sizeof(*m.compared));
    int rc = m.compared ? make_all(&m, path, categories, diag) : -ENOMEM;
    sl_free(m.compared);
    sl_buf_fini(&m.summary_text);
    sl_buf_fini(&m.metrics_text);
    sl_buf_fini(&m.page);
    sl_buf_fini(&m.traces);
    totals_fini(&m.totals);
    if (rc < 0 && diag && diag->what[0] == '\0')
        sl_diag_set(diag, rc, path, "the summaries cannot be made: %s", sl_strerror(rc));
    return rc;
}

int sl_armkit_write(const char *path, const struct sl_categories *categories, struct sl_diag *diag)
{
    struct sl_armkit_outputs outputs = {.count = 0};
    int rc = sl_armkit_make(path, categories, &outputs, diag);
    for (size_t i = 0; rc == 0 && i < outputs.count; i++) {
        char file[SL_RUNDIR_PATH_BYTES];
        rc = sl_path_join(file, sizeof(file), path, "%s", outputs.files[i].name);
        if (rc == 0)
            rc = sl_buf_write_file(file, outputs.files[i].text.data, outputs.files[i].text.size);
        if (rc < 0)
            sl_diag_set(diag, rc, file, "the file cannot be written: %s", sl_strerror(rc));
    }
    sl_armkit_outputs_fini(&outputs);
    return rc;
}

int sl_armkit_summary(struct sl_json *json, const struct sl_armkit_named named[2])
{
    struct totals summary;
    totals_init(&summary);
    for (int level = 0; level < 2; level++)
        totals_add(&summary, named[level].analysis,
                   named[level].experiment ? named[level].experiment : "unnamed",
                   named[level].etdump ? named[level].etdump : "");
    int rc = totals_put(&summary, json);
    totals_fini(&summary);
    return rc;
}
