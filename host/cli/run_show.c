/* host/cli/run_show.c */
#include "host/cli/run_show.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "common/base/utf8.h"
#include "host/analysis/agreement.h"
#include "host/cli/cli.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/style.h"
#include "host/rundir/compared.h"
#include "host/rundir/report_files.h"

enum { TOP_OPERATORS = 12, PATH_BYTES = 1024 };
/* Pages that another file had a part in have names of their own: the run's follow from it alone. */
#define LINES "_lines"
#define MAX_SUMMARY_BYTES ((size_t)1 << 29)

static const char *const levels[] = {"off", "on"};

static void print_agreement(const char *what, const struct sl_agreement *agreement)
{
    char more[SL_AGREEMENT_TEXT_BYTES];
    sl_say(stdout, "  %-16s %s  max abs %.3g, %.3g of the peak (at most %.0e)%s\n", what,
           agreement->agree ? "agree   " : "DISAGREE", agreement->max_abs, agreement->max_rel,
           agreement->tolerance, sl_agreement_more_text(agreement, more));
}

static void print_files(const struct sl_compared *compared, const char *directory)
{
    const char *suffix = compared->sides[0].directory.suffix;
    sl_say(stdout, "\nFiles in %s\n", directory);
    for (int i = 0; i < 2; i++)
        sl_say(stdout, "  ETDump, SME2 %-3s  %s\n", levels[i],
               compared->sides[i].path + strlen(directory) + 1);
    sl_say(stdout, "  report            report%s.html, report%s.md\n", suffix, suffix);
    sl_say(stdout, "  summary           analysis_summary%s.json, manifest%s.json\n", suffix,
           suffix);
}

static void print_part(const struct sl_cli *cli, const struct sl_comparison_report *report,
                       int extent)
{
    const struct sl_style style = {cli->width, cli->color, cli->verbose ? SIZE_MAX : TOP_OPERATORS,
                                   cli->unicode};
    struct sl_buf text;
    sl_buf_init(&text, MAX_SUMMARY_BYTES);
    if (sl_comparison_text(&text, &style, report, extent) == 0)
        sl_say_page(stdout, &text);
    sl_buf_fini(&text);
}

/* All of them with `full`; else what was asked for, and what is wrong. */
static void print_outputs(const struct sl_compared *compared, bool full)
{
    static const struct {
        const char *words;
        int pair;
        bool asked;
    } lines[] = {{"off vs portable", SL_OFF_VS_PORTABLE, false},
                 {"on vs portable", SL_ON_VS_PORTABLE, false},
                 {"off vs expected", SL_OFF_VS_EXPECTED, true},
                 {"on vs expected", SL_ON_VS_EXPECTED, true}};
    const struct sl_rundir *directory = &compared->sides[0].directory;
    bool said = false;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct sl_agreement *one = &directory->agreements[lines[i].pair];
        if (!directory->has_agreement[lines[i].pair] || !(full || lines[i].asked || !one->agree))
            continue;
        if (!said)
            sl_say(stdout, "%sOutputs, SME2\n", full ? "\n" : "");
        said = true;
        print_agreement(lines[i].words, one);
    }
}

static bool is_beside_executorch(const char *directory)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    static const char suffix[] = "_executorch";
    size_t count = 0, tail = sizeof(suffix) - 1;
    if (sl_rundir_list(directory, names, &count, NULL) < 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        if (len > tail && strcmp(names[i] + len - tail, suffix) == 0)
            return true;
    }
    return false;
}

static void name_pages(const struct sl_compared *compared, const char *directory,
                       char out[PATH_BYTES])
{
    sl_path_join(out, PATH_BYTES, directory, "report%s%s.html", compared->sides[0].directory.suffix,
                 compared->sides[1].file.analysis.record ? LINES : "");
    sl_utf8_clean(out, "");
}

/* The verdict stands last, where the eye is. `ours` may be NULL. */
static void print(const struct sl_cli *cli, const struct sl_compared *compared,
                  const struct sl_cli_run_shown *shown, const struct sl_comparison *ours)
{
    struct sl_comparison_report report = compared->report;
    char pages[PATH_BYTES];
    bool full = shown->full || cli->verbose;
    int extent = full            ? SL_COMPARISON_ANALYSES
                 : shown->beside ? SL_COMPARISON_STEP
                                 : SL_COMPARISON_SUMMARY;
    if (cli->quiet) {
        print_part(cli, &report, SL_COMPARISON_VERDICT);
        return;
    }
    /* Next steps for our kernels are no use to users of ExecuTorch. */
    bool no_step = shown->beside && !full && compared->comparison.verdict != SL_VERDICT_WRONG &&
                   compared->report.own && is_beside_executorch(shown->directory);
    if (!no_step)
        print_part(cli, &report, extent);
    print_outputs(compared, full);
    if (full) {
        print_files(compared, shown->directory);
        sl_say(stdout, "\n");
    } else if (!shown->beside) {
        name_pages(compared, shown->directory, pages);
        report.pages = pages;
    }
    report.beside = ours;
    print_part(cli, &report,
               !shown->beside || full ? SL_COMPARISON_GROUNDS
               : shown->told          ? SL_COMPARISON_DOUBTS
                                      : SL_COMPARISON_REASONS);
}

typedef int (*shown_fn)(const struct sl_cli *cli, const struct sl_cli_run_shown *shown,
                        const struct sl_compared *compared, struct sl_diag *diag);

static int with_compared(const struct sl_cli *cli, const struct sl_cli_run_shown *shown,
                         shown_fn use, struct sl_diag *diag)
{
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return sl_diag_set(diag, -ENOMEM, shown->directory, "There is no memory for the result");
    int rc = sl_compared_directory(compared, shown->directory, shown->experiment, shown->categories,
                                   diag);
    for (int side = 0; side < 2; side++)
        compared->sides[side].file.analysis.record = shown->record;
    rc = rc == 0 ? use(cli, shown, compared, diag) : rc;
    sl_compared_close(compared);
    sl_free(compared);
    return rc;
}

static int print_all(const struct sl_cli *cli, const struct sl_cli_run_shown *shown,
                     const struct sl_compared *compared, struct sl_diag *diag)
{
    struct sl_compared *ours = NULL;
    int rc = 0;
    if (shown->ours) {
        ours = sl_calloc(1, sizeof(*ours));
        rc = ours ? sl_compared_directory(ours, shown->directory, shown->ours, shown->categories,
                                          diag)
                  : sl_diag_set(diag, -ENOMEM, shown->directory, "There is no memory for it");
    }
    if (rc == 0)
        print(cli, compared, shown, ours ? &ours->comparison : NULL);
    if (ours)
        sl_compared_close(ours);
    sl_free(ours);
    return rc;
}

int sl_cli_run_show(const struct sl_cli *cli, const struct sl_cli_run_shown *shown,
                    struct sl_diag *diag)
{
    return with_compared(cli, shown, print_all, diag);
}

static int write_pages(const struct sl_cli *cli, const struct sl_cli_run_shown *shown,
                       const struct sl_compared *compared, struct sl_diag *diag)
{
    (void)cli;
    static const char *const formats[] = {"md", "html"};
    struct sl_report_files files = {.count = 0};
    struct sl_report report;
    char suffix[SL_RUNDIR_NAME_BYTES + 16];
    int rc = 0;
    sl_report_of(compared, &report);
    snprintf(suffix, sizeof(suffix), "%s" LINES, compared->sides[0].directory.suffix);
    for (size_t i = 0; rc == 0 && i < sizeof(formats) / sizeof(formats[0]); i++)
        rc = sl_report_files_add(&files, &report, suffix, formats[i], diag);
    if (rc == 0)
        rc = sl_report_files_write(&files, shown->directory, true, diag);
    sl_report_files_fini(&files);
    return rc;
}

int sl_cli_run_show_lines(const struct sl_cli_run_shown *shown, struct sl_diag *diag)
{
    return with_compared(NULL, shown, write_pages, diag);
}

int sl_cli_run_show_json(const char *directory, const char *experiment, struct sl_buf *out,
                         struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_buf text;
    sl_path_join(path, sizeof(path), directory, "analysis_summary%s%s.json", experiment ? "_" : "",
                 experiment ? experiment : "");
    int rc = sl_buf_read_file(path, MAX_SUMMARY_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The summary cannot be read (%s)", sl_strerror(rc));
    while (text.size > 0 && text.data[text.size - 1] == '\n')
        text.size--;
    rc = sl_buf_append(out, text.data, text.size);
    sl_buf_fini(&text);
    return rc;
}
