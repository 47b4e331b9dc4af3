/* host/cli/run_baseline.c */
#include "host/cli/run_baseline.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/analysis/conditions.h"
#include "host/cli/cli.h"
#include "host/cli/stored_run.h"
#include "host/rundir/rundir.h"
#include "host/spec/plan.h"

static int read_runtimes(const char *directory, bool out_has[2], struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    int rc = sl_rundir_list(directory, names, &count, diag);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct sl_conditions conditions;
        struct sl_rundir run;
        rc = sl_rundir_open(directory, names[i][0] ? names[i] : NULL, &run, diag);
        if (rc < 0)
            break;
        sl_rundir_conditions(&run, 0, &conditions);
        bool theirs = strcmp(conditions.values[SL_CONDITION_RUNTIME], "executorch") == 0;
        out_has[theirs ? SL_RUNTIME_EXECUTORCH : SL_RUNTIME_OWN] = true;
        sl_rundir_close(&run);
    }
    return rc;
}

int sl_cli_run_baseline_runtimes(const struct sl_cli *cli, const char *baseline, bool out_has[2],
                                 struct sl_diag *diag)
{
    struct sl_stored_run stored = {.directory = ""};
    out_has[SL_RUNTIME_OWN] = out_has[SL_RUNTIME_EXECUTORCH] = false;
    int rc = sl_stored_runs_fetch(cli, &baseline, 1, &stored, diag);
    if (rc == 0)
        rc = read_runtimes(baseline, out_has, diag);
    sl_stored_runs_remove(&stored, 1);
    return rc;
}

int sl_cli_run_baseline_fits(const bool has[2], const struct sl_plan *plan, struct sl_diag *diag)
{
    static const char *const names[] = {
        [SL_RUNTIME_OWN] = "our runtime", [SL_RUNTIME_EXECUTORCH] = "ExecuTorch's libraries"};
    for (size_t i = 0; i < plan->count; i++) {
        uint32_t runtime = plan->specs[i].runtime[0];
        if (has[runtime])
            continue;
        sl_diag_hint(diag, "name the baseline's runtime with --runtime, or take 'sme2lab compare "
                           "BASELINE DIR' on what was measured");
        return sl_diag_set(diag, SL_E_MISMATCH, "--baseline",
                           "The baseline has no run on %s, which '%.100s' is to run on",
                           names[runtime], plan->specs[i].name);
    }
    return 0;
}

int sl_cli_run_baseline_gate(const struct sl_cli *cli, const char *baseline, const char *directory,
                             const char *experiment, double threshold_percent)
{
    char threshold[32];
    const char *words[] = {"compare", baseline,       directory, "--threshold",
                           threshold, "--experiment", experiment};
    char *argv[sizeof(words) / sizeof(words[0])];
    int argc = experiment ? 7 : 5;
    snprintf(threshold, sizeof(threshold), "%.17g", threshold_percent);
    for (int i = 0; i < argc; i++)
        argv[i] = (char *)(uintptr_t)words[i]; /* main()'s type; nobody writes there */
    if (!cli->json && !cli->quiet)
        sl_say(stdout, "\nagainst the baseline %s%s%s\n", baseline, experiment ? ", " : "",
               experiment ? experiment : "");
    fflush(stdout);
    return sl_cmd_compare(cli, argc, argv);
}
