/* host/cli/run_report.c: what a run prints. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/run_steps.h"
#include "host/config/experiment.h"
#include "host/report/comparison.h"
#include "host/report/style.h"

enum { TOP_OPERATORS = 12 };
#define MAX_SUMMARY_BYTES ((size_t)1 << 29)

static void print_agreement(const char *what, const struct sl_agreement *agreement)
{
    printf("  %-16s %s  max abs %.3g, %.3g of the peak (at most %.0e)\n", what,
           agreement->agree ? "agree   " : "DISAGREE", agreement->max_abs, agreement->max_rel,
           agreement->tolerance);
}

void sl_run_print(const struct sl_cli *cli, const struct sl_run *run)
{
    const struct sl_style style = {cli->width, cli->color, cli->verbose ? SIZE_MAX : TOP_OPERATORS};
    struct sl_comparison_report report = sl_run_comparison_report(run);
    struct sl_buf text;
    sl_buf_init(&text, MAX_SUMMARY_BYTES);
    if (sl_comparison_text(&text, &style, &report) == 0 && text.data)
        fputs((const char *)text.data, stdout);
    sl_buf_fini(&text);
    printf("\nOutputs against the portable kernels\n");
    print_agreement("SME2 off", &run->off_portable);
    print_agreement("SME2 on", &run->on_portable);
    if (cli->quiet)
        return;
    printf("\nFiles in %s\n", run->out_dir);
    for (int i = 0; i < SL_RUN_VARIANTS; i++)
        printf("  ETDump, SME2 %-3s  %s\n", sl_run_variant_names[i],
               run->variants[i].etdump_path + strlen(run->out_dir) + 1);
    const char *underscore = run->plan->count == 1 ? "" : "_";
    const char *name = run->plan->count == 1 ? "" : run->experiment->name;
    printf("  report            report%s%s.html, report%s%s.md\n", underscore, name, underscore,
           name);
    printf("  summary           analysis_summary%s%s.json, manifest%s%s.json\n", underscore, name,
           underscore, name);
}
