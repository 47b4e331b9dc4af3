/* host/cli/run_show.c */
#include "host/cli/run_show.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/agreement.h"
#include "host/cli/cli.h"
#include "host/report/comparison.h"
#include "host/report/style.h"
#include "host/rundir/compared.h"

enum { TOP_OPERATORS = 12, PATH_BYTES = 1024 };
#define MAX_SUMMARY_BYTES ((size_t)1 << 29)

static const char *const levels[] = {"off", "on"};

static void print_agreement(const char *what, const struct sl_agreement *agreement)
{
    char more[SL_AGREEMENT_TEXT_BYTES];
    printf("  %-16s %s  max abs %.3g, %.3g of the peak (at most %.0e)%s\n", what,
           agreement->agree ? "agree   " : "DISAGREE", agreement->max_abs, agreement->max_rel,
           agreement->tolerance, sl_agreement_more_text(agreement, more));
}

static void print_files(const struct sl_compared *compared, const char *directory)
{
    const char *suffix = compared->sides[0].directory.suffix;
    printf("\nFiles in %s\n", directory);
    for (int i = 0; i < 2; i++)
        printf("  ETDump, SME2 %-3s  %s\n", levels[i],
               compared->sides[i].path + strlen(directory) + 1);
    printf("  report            report%s.html, report%s.md\n", suffix, suffix);
    printf("  summary           analysis_summary%s.json, manifest%s.json\n", suffix, suffix);
}

static void print(const struct sl_cli *cli, const struct sl_compared *compared,
                  const char *directory)
{
    static const char *const sides[] = {"SME2 off", "SME2 on"};
    const struct sl_style style = {cli->width, cli->color, cli->verbose ? SIZE_MAX : TOP_OPERATORS,
                                   cli->unicode};
    struct sl_buf text;
    sl_buf_init(&text, MAX_SUMMARY_BYTES);
    if (sl_comparison_text(&text, &style, &compared->report) == 0 && text.data)
        fputs((const char *)text.data, stdout);
    sl_buf_fini(&text);
    printf("\nOutputs against the portable kernels\n");
    for (int i = 0; i < 2; i++) {
        if (compared->has_portable[i])
            print_agreement(sides[i], &compared->portable[i]);
    }
    if (!cli->quiet)
        print_files(compared, directory);
}

int sl_run_show(const struct sl_cli *cli, const char *directory, const char *experiment,
                const struct sl_categories *categories, struct sl_diag *diag)
{
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return sl_diag_set(diag, -ENOMEM, directory, "There is no memory for the result");
    int rc = sl_compared_directory(compared, directory, experiment, categories, diag);
    if (rc == 0)
        print(cli, compared, directory);
    sl_compared_close(compared);
    sl_free(compared);
    return rc;
}

int sl_run_show_json(const char *directory, const char *experiment, struct sl_buf *out,
                     struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_buf text;
    snprintf(path, sizeof(path), "%.900s/analysis_summary%s%s.json", directory,
             experiment ? "_" : "", experiment ? experiment : "");
    int rc = sl_buf_read_file(path, MAX_SUMMARY_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The summary cannot be read (%s)", sl_strerror(rc));
    while (text.size > 0 && text.data[text.size - 1] == '\n')
        text.size--;
    rc = sl_buf_append(out, text.data, text.size);
    sl_buf_fini(&text);
    return rc;
}
