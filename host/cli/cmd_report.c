/* host/cli/cmd_report.c: `sme2lab report`: a run directory as pages and files for other programs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/group.h"
#include "host/cli/kernel_reach.h"
#include "host/cli/model_plan.h"
#include "host/cli/options.h"
#include "host/cli/stored_run.h"
#include "host/report/categories_file.h"
#include "host/report/combined.h"
#include "host/report/etrecord.h"
#include "host/report/report.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/report_files.h"
#include "host/spec/json_value.h"

enum { FORMAT_BYTES = 16, MAX_WORDS = 64 };

struct request {
    const char *directories[MAX_WORDS], *formats, *folder, *experiment, *categories_path;
    const char *model_path, *data_path, *rows_path, *record_path, *device;
    const struct sl_cli *cli;
    size_t count;
    struct sl_stored_run runs[MAX_WORDS];         /* of the words that number one */
    char numbers[MAX_WORDS][SL_GROUP_WORD_BYTES]; /* of the runs of groups */
    bool force, headroom;
};

static const char about[] =
    "Writes the report of a directory that 'sme2lab run' or 'sme2lab import' made, of a run in "
    "the\n"
    "daemon's store by its number, or of a group of jobs (g7). Several of them, or one with\n"
    "several experiments or numbers of threads, give combined_report.*, with a line for each.\n"
    "Formats:\n"
    "  md        for a ticket\n"
    "  html      one page with its plots, which opens offline\n"
    "  svg       the plots alone\n"
    "  perfetto  a trace of each side for the Perfetto UI\n"
    "  junit     for a CI server\n"
    "  json      the comparison\n"
    "  csv       its categories\n"
    "  comment   a few lines for a pull request";

static const char notes[] =
    "Files are report.md, report.html, report_categories.svg and so on, in the directory itself\n"
    "or, of several directories or of runs in the store, in the current one. A file that is there "
    "with other content is\n"
    "not overwritten without --force. With --headroom those in the directory itself are called\n"
    "report_headroom.md and so on: what is measured now is not of the run; with --etrecord\n"
    "report_lines.md. Exit codes: 0 written;\n"
    "2 command line, or no run in the directory.";

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    const struct sl_option options[] = {
        {"--format", 0, SL_OPTION_TEXT, &r->formats, "LIST",
         "some of md,html,svg,perfetto,junit,json,csv,comment (md,html)"},
        {"--output", 'o', SL_OPTION_TEXT, &r->folder, "DIR",
         "where to write (the directory itself)"},
        {"--experiment", 0, SL_OPTION_TEXT, &r->experiment, "NAME",
         "only this one of directories that hold several"},
        {"--categories", 0, SL_OPTION_TEXT, &r->categories_path, "FILE",
         "rules in place of the built-in ones"},
        {"--model", 0, SL_OPTION_TEXT, &r->model_path, "FILE.pte",
         "the program that ran: labels the operators of an import, tells their shapes"},
        {"--data-path", 0, SL_OPTION_TEXT, &r->data_path, "FILE.ptd",
         "that program's external weights"},
        {"--etrecord", 0, SL_OPTION_TEXT, &r->record_path, "FILE",
         "the program's ETRecord: names the lines of the model's source that cost most"},
        {"--headroom", 0, SL_OPTION_FLAG, &r->headroom, NULL,
         "measure our best kernel for each operator of the candidate: what is left to gain"},
        {"--device", 0, SL_OPTION_TEXT, &r->device, "SELECTOR",
         "where --headroom measures: local, counted, or a device of the lab's on this machine"},
        {"--kernel-rows", 0, SL_OPTION_TEXT, &r->rows_path, "FILE",
         "headroom of what 'sme2lab-agent kernels --bench' printed on the run's device"},
        {"--force", 0, SL_OPTION_FLAG, &r->force, NULL, "overwrite other files of these names"},
    };
    const struct sl_usage usage = {.verb = "report",
                                   .synopsis = "DIR|RUN|gN... [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = notes};
    int rc = sl_options_parse(&usage, argc, argv, r->directories, MAX_WORDS, &r->count, diag);
    if (rc == 0 && r->count == 0) {
        sl_diag_hint(diag, "'sme2lab report DIR'");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "no directory or run was named");
    }
    return rc;
}

/* True if the command measures now: such files have names of their own in the run's directory. */
static bool measures(const struct request *r)
{
    return r->headroom || r->rows_path;
}

static int add_one(const struct request *r, const struct sl_collection *collection, size_t i,
                   const char *format, struct sl_report_files *files, struct sl_diag *diag)
{
    char suffix[SL_RUNDIR_NAME_BYTES + 16];
    bool inside = strcmp(r->folder, r->directories[0]) == 0;
    snprintf(suffix, sizeof(suffix), "%s%s%s", collection->compared[i]->sides[0].directory.suffix,
             inside && r->record_path ? "_lines" : "", inside && measures(r) ? "_headroom" : "");
    return sl_report_files_add(files, &collection->reports[i], suffix, format, diag);
}

/* One directory of one experiment on both runtimes: our manifest has the plain name. */
static bool is_of_both(const struct request *r, const struct sl_collection *collection)
{
    bool plain = false;
    for (size_t i = 0; i < collection->count; i++)
        plain = plain || !collection->compared[i]->sides[0].directory.suffix[0];
    return plain && r->count == 1 && collection->count > 1;
}

static int add_format(const struct request *r, const struct sl_collection *collection,
                      const char *format, struct sl_report_files *files, struct sl_diag *diag)
{
    const struct sl_combined combined = {collection->reports, collection->count};
    bool each = collection->count == 1 || is_of_both(r, collection);
    int rc = 0;
    for (size_t i = 0; each && rc == 0 && i < collection->count; i++)
        rc = add_one(r, collection, i, format, files, diag);
    if (rc < 0 || collection->count == 1 || (each && !sl_report_files_combines(format)))
        return rc;
    return sl_report_files_add_combined(files, &combined, format, diag);
}

/* Makes the files of each format of a comma list. */
static int make_files(const struct request *r, const struct sl_collection *collection,
                      struct sl_report_files *files, struct sl_diag *diag)
{
    int rc = 0;
    for (const char *at = r->formats; rc == 0 && at;) {
        char format[FORMAT_BYTES];
        const char *comma = strchr(at, ',');
        size_t len = comma ? (size_t)(comma - at) : strlen(at);
        snprintf(format, sizeof(format), "%.*s", (int)(len < FORMAT_BYTES ? len : FORMAT_BYTES),
                 at);
        rc = add_format(r, collection, format, files, diag);
        at = comma ? comma + 1 : NULL;
    }
    return rc;
}

static void print_files(const struct sl_cli *cli, const struct request *r,
                        const struct sl_report_files *files)
{
    struct sl_buf text;
    struct sl_json json;
    for (size_t i = 0; !cli->json && !cli->quiet && i < files->count; i++)
        sl_say(stdout, "%s/%s\n", r->folder, files->files[i].name);
    if (!cli->json)
        return;
    sl_buf_init(&text, 1 << 20);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.report/1");
    sl_json_text(&json, "directory", r->folder);
    sl_json_open_array(&json, "files");
    for (size_t i = 0; i < files->count; i++)
        sl_json_text(&json, NULL, files->files[i].name);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}

/* Adds what is left to gain on the candidate of one comparison. */
static int add_headroom(const struct request *r, struct sl_collection *collection,
                        struct sl_kernel_reach *reach, struct sl_diag *diag)
{
    if (!measures(r))
        return 0;
    if (collection->count != 1) {
        sl_diag_hint(diag, "name one directory, and of several experiments --experiment");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--headroom",
                           "it is of one comparison, not of %zu", collection->count);
    }
    struct sl_etdump_file *file = &collection->compared[0]->sides[1].file;
    const struct sl_kernel_reach_wish wish = {r->cli, r->rows_path, r->device};
    int rc = sl_kernel_reach_measure(file, &wish, reach, diag);
    file->analysis.reach = rc == 0 ? &reach->report : NULL;
    return rc;
}

/* The model is that of all of them. */
static int add_record(const struct request *r, struct sl_collection *collection,
                      struct sl_etrecord *record, struct sl_diag *diag)
{
    int rc = sl_etrecord_load(r->record_path, record, diag);
    for (size_t i = 0; rc == 0 && i < collection->count; i++)
        for (int side = 0; side < 2; side++)
            collection->compared[i]->sides[side].file.analysis.record = record;
    return rc;
}

/* Chooses the comparison to measure for: ours, if both runtimes ran it. */
static void choose_ours(struct request *r, char name[SL_RUNDIR_NAME_BYTES])
{
    struct sl_rundir directory;
    if (!measures(r) || r->experiment || r->count != 1 ||
        sl_rundir_open(r->directories[0], NULL, &directory, NULL) < 0)
        return;
    const char *experiment = sl_value_text(directory.manifest, "experiment", NULL);
    snprintf(name, SL_RUNDIR_NAME_BYTES, "%s", experiment ? experiment : "");
    r->experiment = name[0] ? name : NULL;
    sl_rundir_close(&directory);
}

static int write_report(const struct sl_cli *cli, const struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_kernel_reach reach = {.benches = NULL};
    struct sl_model_origins origins = {.inspect = NULL};
    struct sl_report_files files = {.count = 0};
    struct sl_etrecord record = {.handles = NULL};
    struct sl_collection collection = {.count = 0};
    int rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc < 0)
        return rc;
    if (r->model_path) {
        rc = sl_model_origins_read(r->cli, r->model_path, r->data_path, &origins, diag);
        collection.plans = origins.plans;
    }
    for (size_t i = 0; rc == 0 && i < r->count; i++)
        rc = sl_collection_add(&collection, r->directories[i], r->experiment, &categories, diag);
    if (rc == 0 && r->record_path)
        rc = add_record(r, &collection, &record, diag);
    if (rc == 0)
        rc = add_headroom(r, &collection, &reach, diag);
    if (rc == 0)
        rc = make_files(r, &collection, &files, diag);
    if (rc == 0)
        rc = sl_report_files_write(&files, r->folder, r->force, diag);
    if (rc == 0)
        print_files(cli, r, &files);
    sl_report_files_fini(&files);
    sl_collection_fini(&collection);
    sl_etrecord_fini(&record);
    sl_kernel_reach_fini(&reach);
    sl_model_origins_fini(&origins);
    sl_categories_fini(&categories);
    return rc;
}

int sl_cmd_report(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli, .formats = "md,html"};
    char name[SL_RUNDIR_NAME_BYTES];
    struct sl_diag diag = {.what = ""};
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    uint64_t id;
    rc = sl_group_expand(cli, r.directories, &r.count, MAX_WORDS, r.numbers, &diag);
    if (!r.folder)
        r.folder =
            r.count == 1 && !sl_stored_run_named(r.directories[0], &id) ? r.directories[0] : ".";
    if (rc == 0)
        rc = sl_stored_runs_fetch(cli, r.directories, r.count, r.runs, &diag);
    if (rc == 0)
        choose_ours(&r, name);
    if (rc == 0)
        rc = write_report(cli, &r, &diag);
    sl_stored_runs_remove(r.runs, MAX_WORDS);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
