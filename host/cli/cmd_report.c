/* host/cli/cmd_report.c: `sme2lab report`: a run directory as pages and files for other programs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/experiment/compared.h"
#include "host/experiment/report_files.h"
#include "host/report/categories_file.h"
#include "host/report/report.h"

enum { FORMAT_BYTES = 16 };

struct request {
    const char *directory, *formats, *folder, *experiment, *categories_path;
    bool force;
};

static const char about[] =
    "Writes the report of a directory that 'sme2lab run' made. md is for a ticket, html one\n"
    "page that opens offline with its plots, svg the plots alone, junit for a CI server, json\n"
    "the comparison, csv its categories.";

static const char notes[] =
    "Files are report.md, report.html, report_categories.svg and so on. One that is there with\n"
    "other content is not overwritten without --force. Exit codes: 0 written; 2 command line,\n"
    "or no run in the directory.";

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    size_t count = 0;
    const struct sl_option options[] = {
        {"--format", 0, SL_OPTION_TEXT, &r->formats, "LIST",
         "some of md,html,svg,junit,json,csv (md,html)"},
        {"--output", 'o', SL_OPTION_TEXT, &r->folder, "DIR",
         "where to write (the directory itself)"},
        {"--experiment", 0, SL_OPTION_TEXT, &r->experiment, "NAME",
         "which experiment of a directory that holds several"},
        {"--categories", 0, SL_OPTION_TEXT, &r->categories_path, "FILE",
         "rules in place of the built-in ones"},
        {"--force", 0, SL_OPTION_FLAG, &r->force, NULL, "overwrite other files of these names"},
    };
    const struct sl_usage usage = {.verb = "report",
                                   .synopsis = "DIR [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .notes = notes};
    int rc = sl_options_parse(&usage, argc, argv, &r->directory, 1, &count, diag);
    if (rc == 0 && count == 0) {
        sl_diag_hint(diag, "'sme2lab report DIR'");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "no directory was named");
    }
    return rc;
}

/* Makes the files of each format of a comma list. */
static int make_files(const struct request *r, const struct sl_compared *compared,
                      struct sl_report_files *files, struct sl_diag *diag)
{
    struct sl_report report;
    int rc = 0;
    sl_report_of(compared, &report);
    for (const char *at = r->formats; rc == 0 && at;) {
        char format[FORMAT_BYTES];
        const char *comma = strchr(at, ',');
        size_t len = comma ? (size_t)(comma - at) : strlen(at);
        snprintf(format, sizeof(format), "%.*s", (int)(len < FORMAT_BYTES ? len : FORMAT_BYTES),
                 at);
        rc = sl_report_files_add(files, &report, compared->sides[0].directory.suffix, format, diag);
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
        printf("%s/%s\n", r->folder, files->files[i].name);
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

static int write_report(const struct sl_cli *cli, const struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_report_files files = {.count = 0};
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
    int rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc == 0) {
        rc = sl_compared_directory(compared, r->directory, r->experiment, &categories, diag);
        if (rc == 0)
            rc = make_files(r, compared, &files, diag);
        if (rc == 0)
            rc = sl_report_files_write(&files, r->folder, r->force, diag);
        if (rc == 0)
            print_files(cli, r, &files);
        sl_report_files_fini(&files);
        sl_compared_close(compared);
        sl_categories_fini(&categories);
    }
    sl_free(compared);
    return rc;
}

int sl_cmd_report(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.formats = "md,html"};
    struct sl_diag diag = {.what = ""};
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    if (!r.folder)
        r.folder = r.directory;
    rc = write_report(cli, &r, &diag);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
