/* host/cli/analysis_only.c */
#include "host/cli/analysis_only.h"

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/run_show.h"
#include "host/cli/runners_show.h"
#include "host/report/categories_file.h"
#include "host/rundir/import.h"
#include "host/rundir/recompute.h"
#include "host/rundir/rundir.h"
#include "host/rundir/runners.h"
#include "host/spec/plan.h"

enum { MAX_JSON_BYTES = 1 << 30 };

/* One experiment as people and scripts see it. */
static int show_one(const struct sl_cli *cli, const char *path, const char *name,
                    const struct sl_categories *categories, bool full, struct sl_diag *diag)
{
    struct sl_buf text;
    if (!cli->json)
        return sl_cli_run_show(
            cli,
            &(struct sl_cli_run_shown){
                .directory = path, .experiment = name, .categories = categories, .full = full},
            diag);
    sl_buf_init(&text, MAX_JSON_BYTES);
    int rc = sl_cli_run_show_json(path, name, &text, diag);
    if (rc == 0)
        sl_say_page(stdout, &text);
    sl_buf_fini(&text);
    return rc;
}

static int show_all(const struct sl_cli *cli, const char *path,
                    const struct sl_categories *categories, bool full, struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    int rc = sl_rundir_list(path, names, &count, diag);
    if (rc == 0 && cli->json && count > 1)
        sl_say(stdout, "[");
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (cli->json && i > 0)
            sl_say(stdout, ",");
        rc = show_one(cli, path, names[i][0] ? names[i] : NULL, categories, full, diag);
    }
    if (rc == 0 && cli->json)
        sl_say(stdout, "%s\n", count > 1 ? "]" : "");
    return rc;
}

static int analyze_runners(const struct sl_cli *cli, const struct sl_plan *plan,
                           const struct sl_categories *categories, int *out_code,
                           struct sl_diag *diag)
{
    const char *path = plan->specs[0].output_root;
    struct sl_run_record said = {.exit_code = 0};
    int rc = sl_import_check(path, diag);
    if (rc == 0)
        rc = sl_runners_report(path, categories, plan->specs[0].threshold_percent, &said, diag);
    if (rc == 0) {
        *out_code = said.exit_code;
        rc = sl_runners_show(cli, path, categories, diag);
    }
    return rc;
}

int sl_analysis_only(const struct sl_cli *cli, const struct sl_plan *plan, bool full)
{
    struct sl_diag diag = {.what = ""};
    struct sl_categories categories;
    int code = SL_EXIT_DONE;
    if (!plan->specs[0].output_root) {
        sl_diag_hint(&diag, "say --out DIR, or output_root in the configuration");
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "--analysis-only",
                    "Nothing says which directory has the recorded runs");
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    int rc = sl_categories_load(NULL, &categories, &diag);
    if (rc < 0)
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    rc = plan->specs[0].runner
             ? analyze_runners(cli, plan, &categories, &code, &diag)
             : sl_rundir_recompute(plan->specs[0].output_root, &categories,
                                   plan->specs[0].threshold_percent, &code, &diag);
    if (rc == 0 && !plan->specs[0].runner)
        rc = show_all(cli, plan->specs[0].output_root, &categories, full, &diag);
    sl_categories_fini(&categories);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : code;
}
