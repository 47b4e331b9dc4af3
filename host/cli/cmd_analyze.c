/* host/cli/cmd_analyze.c: `sme2lab analyze`: where the time of ETDump files went. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "common/base/utf8.h"
#include "host/cli/cli.h"
#include "host/cli/etdump_paths.h"
#include "host/cli/exit_code.h"
#include "host/cli/kernel_reach.h"
#include "host/cli/model_plan.h"
#include "host/cli/options.h"
#include "host/report/analysis.h"
#include "host/report/analysis_json.h"
#include "host/report/analysis_text.h"
#include "host/report/analysis_tree.h"
#include "host/report/categories_file.h"
#include "host/report/csv.h"
#include "host/report/csv_json.h"
#include "host/report/etrecord.h"
#include "host/report/inspector_tsv.h"
#include "host/report/kit_files.h"
#include "host/report/perfetto.h"
#include "host/report/style.h"
#include "host/rundir/etdump_file.h"
#include "host/rundir/output_file.h"
#include "host/rundir/rundir.h"
#include "host/spec/path_stem.h"

enum { MAX_WORDS = 256, TOP_OPERATORS = 20 };
#define MAX_OUTPUT_BYTES (UINT64_C(1) << 30)

struct request {
    const struct sl_cli *cli;
    struct sl_etdump_paths files;
    const char *categories_path, *trace_path, *csv_folder, *record_path, *perfetto_path,
        *model_path, *data_path, *rows_path, *device;
    int64_t run;    /* -1: all */
    int64_t warmup; /* -1: found */
    int64_t top;    /* operators */
    bool inspector_tsv, strict, tree, has_record, headroom, force;
    struct sl_etrecord record;
    struct sl_model_origins origins; /* if model_path */
    struct sl_categories categories;
    struct sl_buf output;
    struct sl_json json;
};

/* One of the kit's files; of --run K the timeline is that run's and has its number. */
static int make_csv(const struct request *r, const struct sl_kit_file *file,
                    const struct sl_kit_side *side, struct sl_buf *text, char *ending, size_t size)
{
    bool one = r->run >= 0 && strcmp(file->ending, "_exec_run0_timeline.csv") == 0;
    if (one)
        snprintf(ending, size, "_exec_run%" PRId64 "_timeline.csv", r->run);
    else
        snprintf(ending, size, "%s", file->ending);
    return one ? sl_csv_timeline(text, side->analysis, side->model, r->run)
               : file->make(text, side);
}

/* Writes the JSON that the kit's --json leaves beside a timeline and the operators. */
static int write_rows(const struct request *r, const struct sl_buf *csv, const char *csv_path,
                      struct sl_diag *diag)
{
    char path[1032];
    const char *dot = strrchr(csv_path, '.');
    if (!r->cli->json ||
        (!strstr(csv_path, "_timeline.csv") && !strstr(csv_path, "_ops_stats.csv")))
        return 0;
    struct sl_buf rows;
    sl_buf_init(&rows, MAX_OUTPUT_BYTES);
    snprintf(path, sizeof(path), "%.*s.json", (int)(dot - csv_path), csv_path);
    int rc = sl_csv_json(&rows, csv);
    rc = rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be made: %s", sl_strerror(rc))
                : sl_output_write(path, &rows, r->force, diag);
    sl_buf_fini(&rows);
    return rc;
}

/* The kit's files of one ETDump. */
static int write_csv(const struct request *r, const struct sl_analysis *analysis,
                     struct sl_diag *diag)
{
    char stem[256], ending[64], path[1024];
    int rc = 0;
    sl_path_stem(analysis->file, stem, sizeof(stem));
    const struct sl_kit_side side = {analysis, stem, stem, NULL};
    for (const struct sl_kit_file *file = sl_kit_files; rc == 0 && file->ending; file++) {
        struct sl_buf text;
        sl_buf_init(&text, MAX_OUTPUT_BYTES);
        rc = make_csv(r, file, &side, &text, ending, sizeof(ending));
        sl_path_join(path, sizeof(path), r->csv_folder, "%s%s", stem, ending);
        if (rc == 0)
            rc = sl_output_write(path, &text, r->force, diag);
        else
            sl_diag_set(diag, rc, path, "the file cannot be made: %s", sl_strerror(rc));
        if (rc == 0)
            rc = write_rows(r, &text, path, diag);
        sl_buf_fini(&text);
    }
    return rc;
}

static int write_perfetto(const struct request *r, const struct sl_analysis *analysis,
                          struct sl_diag *diag)
{
    struct sl_buf trace;
    struct sl_analysis told = *analysis; /* with what its run's directory knows */
    struct sl_analysis_reading readings[SL_ANALYSIS_MAX_READINGS];
    struct sl_rundir directory;
    int level;
    if (sl_rundir_find(analysis->file, analysis->sha256, &directory, &level)) {
        told.readings = readings;
        told.reading_count = sl_rundir_readings(&directory, readings, SL_ANALYSIS_MAX_READINGS);
        sl_rundir_close(&directory);
    }
    sl_buf_init(&trace, MAX_OUTPUT_BYTES);
    int rc = sl_perfetto_trace(&trace, &told);
    if (rc < 0)
        sl_diag_set(diag, rc, r->perfetto_path, "the trace cannot be made: %s", sl_strerror(rc));
    else
        rc = sl_output_write(r->perfetto_path, &trace, r->force, diag);
    sl_buf_fini(&trace);
    return rc;
}

static int put_analysis(struct request *r, const struct sl_analysis *analysis, struct sl_diag *diag)
{
    const struct sl_style style = {r->cli->width, r->cli->color,
                                   r->cli->verbose ? SIZE_MAX : (size_t)r->top, r->cli->unicode};
    int rc = 0;
    if (r->csv_folder)
        rc = write_csv(r, analysis, diag);
    if (rc == 0 && r->perfetto_path)
        rc = write_perfetto(r, analysis, diag);
    if (rc < 0)
        return rc;
    if (r->inspector_tsv)
        rc = sl_inspector_tsv(&r->output, analysis->etdump, analysis->record, diag);
    else if (r->cli->json)
        rc = sl_analysis_json(&r->json, NULL, analysis);
    else if (r->tree)
        rc = sl_analysis_tree_text(&r->output, &style, analysis);
    else
        rc = sl_analysis_text(&r->output, &style, analysis);
    if (rc < 0 && diag->what[0] == '\0')
        sl_diag_set(diag, rc, NULL, "the result cannot be made: %s", sl_strerror(rc));
    return rc;
}

static int analyze_file(struct request *r, const char *path, struct sl_diag *diag)
{
    struct sl_etdump_file file;
    const uint32_t warmup = (uint32_t)r->warmup;
    const struct sl_etdump_request request = {.path = path,
                                              .trace_path = r->trace_path,
                                              .categories = &r->categories,
                                              .only_run = r->run,
                                              .salvage = !r->strict,
                                              .cold = r->warmup >= 0 ? &warmup : NULL};
    int rc = r->model_path ? sl_etdump_file_open_planned(&request, r->origins.plans, &file, diag)
                           : sl_etdump_file_open(&request, &file, diag);
    if (rc < 0)
        return rc;
    struct sl_kernel_reach reach = {.benches = NULL};
    file.analysis.record = r->has_record ? &r->record : NULL;
    if (r->headroom || r->rows_path) {
        const struct sl_kernel_reach_wish wish = {r->cli, r->rows_path, r->device};
        rc = sl_kernel_reach_measure(&file, &wish, &reach, diag);
        file.analysis.reach = &reach.report;
    }
    if (rc == 0)
        rc = put_analysis(r, &file.analysis, diag);
    sl_kernel_reach_fini(&reach);
    sl_etdump_file_close(&file);
    return rc;
}

static int take_words(struct request *r, const char *const *words, size_t count,
                      struct sl_diag *diag)
{
    int rc = 0;
    if (count == 0) {
        sl_diag_hint(diag, "'sme2lab analyze FILE.etdump'");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "No ETDump file was named");
    }
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = sl_etdump_paths_add(&r->files, words[i], diag);
    return rc;
}

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    const char *words[MAX_WORDS];
    size_t count = 0;
    const struct sl_option options[] = {
        {"--run", 0, SL_OPTION_COUNT, &r->run, "K", "only run K, from 0"},
        {"--warmup", 0, SL_OPTION_COUNT, &r->warmup, "N",
         "the first N measured runs are warm-up (found in the runs themselves)"},
        {"--categories", 0, SL_OPTION_TEXT, &r->categories_path, "FILE",
         "rules in place of the built-in ones (the form of configs/categories.json)"},
        {"--trace", 0, SL_OPTION_TEXT, &r->trace_path, "FILE",
         "the .sltrace the files were made of; otherwise one is looked for beside each file"},
        {"--model", 0, SL_OPTION_TEXT, &r->model_path, "FILE.pte",
         "the program that ran: labels operators by origin where there is no trace"},
        {"--data-path", 0, SL_OPTION_TEXT, &r->data_path, "FILE.ptd",
         "that program's external weights"},
        {"--headroom", 0, SL_OPTION_FLAG, &r->headroom, NULL,
         "measure our best kernel for each operator's shape: what is left to gain"},
        {"--device", 0, SL_OPTION_TEXT, &r->device, "SELECTOR",
         "where --headroom measures: local, counted, or a device of the lab's on this machine"},
        {"--kernel-rows", 0, SL_OPTION_TEXT, &r->rows_path, "FILE",
         "headroom of what 'sme2lab-agent kernels --bench' printed on the run's device"},
        {"--etrecord", 0, SL_OPTION_TEXT, &r->record_path, "FILE",
         "the model's ETRecord: names its operators and their places in the source"},
        {"--inspector-tsv", 0, SL_OPTION_FLAG, &r->inspector_tsv, NULL,
         "print the table that ExecuTorch's Inspector saves, byte for byte (one file)"},
        {"--tree", 0, SL_OPTION_FLAG, &r->tree, NULL,
         "level by level: category, operator, each of its places with its kernel"},
        {"--strict", 0, SL_OPTION_FLAG, &r->strict, NULL,
         "refuse a damaged file instead of taking what can be read of it"},
        {"--perfetto", 0, SL_OPTION_TEXT, &r->perfetto_path, "FILE",
         "also write a trace that the Perfetto UI opens (one file)"},
        {"--top", 0, SL_OPTION_COUNT, &r->top, "N", "operators in the table (20); -v: all"},
        {"--csv", 0, SL_OPTION_TEXT, &r->csv_folder, "DIR",
         "also write the files of Arm's profiling kit there: STEM_exec_ops_stats.csv and so on; "
         "with "
         "--json its .json beside timelines and ops_stats"},
        {"--force", 0, SL_OPTION_FLAG, &r->force, NULL, "overwrite other files of these names"},
    };
    const struct sl_usage usage = {
        .verb = "analyze",
        .synopsis = "FILE.etdump|DIR... [option...]",
        .about =
            "Says where the time of ETDump files went, exactly: for each run, five categories\n"
            "and Framework sum to the end-to-end figure. Takes any ETDump; with the .sltrace it\n"
            "was made of, operators are put into categories by where they came from. Of a "
            "directory,\n"
            "such as 'sme2lab run' writes, all its ETDumps are taken.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "With --json: one object, or an array of them for several files."};
    int rc = sl_options_parse(&usage, argc, argv, words, MAX_WORDS, &count, diag);
    return rc == 0 ? take_words(r, words, count, diag) : rc;
}

static int analyze_files(struct request *r, struct sl_diag *diag)
{
    int rc = 0;
    if (r->csv_folder && mkdir(r->csv_folder, 0777) < 0) {
        struct stat info;
        if (stat(r->csv_folder, &info) < 0 || !S_ISDIR(info.st_mode))
            return sl_diag_set(diag, SL_E_NOT_FOUND, r->csv_folder,
                               "the directory for CSV files cannot be made");
    }
    if ((r->inspector_tsv || r->perfetto_path) && r->files.count != 1)
        return sl_diag_set(diag, SL_E_UNSUPPORTED,
                           r->inspector_tsv ? "--inspector-tsv" : "--perfetto",
                           "it is of one ETDump, not of %zu", r->files.count);
    if (r->cli->json && r->files.count > 1)
        sl_json_open_array(&r->json, NULL);
    for (size_t i = 0; rc == 0 && i < r->files.count; i++) {
        rc = analyze_file(r, r->files.paths[i], diag);
        if (rc == 0 && !r->cli->json && i + 1 < r->files.count)
            rc = sl_buf_printf(&r->output, "\n");
    }
    if (r->cli->json && r->files.count > 1)
        sl_json_close_array(&r->json);
    if (rc == 0 && r->cli->json && !r->inspector_tsv)
        rc = sl_buf_printf(&r->output, "\n");
    return rc;
}

/* The Inspector's table goes into a file byte for byte, to a terminal without what steers it. */
static void print_output(struct request *r)
{
    if (r->output.size > 0 && r->inspector_tsv && isatty(STDOUT_FILENO))
        sl_utf8_clean((char *)r->output.data, "\n\t");
    sl_say_page(stdout, &r->output);
}

int sl_cmd_analyze(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli, .run = -1, .warmup = -1, .top = TOP_OPERATORS};
    struct sl_diag diag = {.what = ""};
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc != 0) {
        sl_etdump_paths_fini(&r.files);
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    }
    rc = sl_categories_load(r.categories_path, &r.categories, &diag);
    if (rc < 0) {
        sl_etdump_paths_fini(&r.files);
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    }
    sl_buf_init(&r.output, MAX_OUTPUT_BYTES);
    sl_json_init(&r.json, &r.output);
    rc = r.record_path ? sl_etrecord_load(r.record_path, &r.record, &diag) : 0;
    r.has_record = r.record_path && rc == 0;
    if (rc == 0 && r.model_path)
        rc = sl_model_origins_read(cli, r.model_path, r.data_path, &r.origins, &diag);
    if (rc == 0)
        rc = analyze_files(&r, &diag);
    if (r.has_record)
        sl_etrecord_fini(&r.record);
    if (rc == 0)
        print_output(&r);
    sl_buf_fini(&r.output);
    sl_model_origins_fini(&r.origins);
    sl_categories_fini(&r.categories);
    sl_etdump_paths_fini(&r.files);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
