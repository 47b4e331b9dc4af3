/* host/cli/run_baseline.c */
#include "host/cli/run_baseline.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/stored_run.h"
#include "host/rundir/rundir.h"

int sl_run_baseline_check(const char *baseline, struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    uint64_t id = 0;
    if (sl_stored_run_named(baseline, &id))
        return 0;
    int rc = sl_rundir_list(baseline, names, &count, diag);
    return rc == 0 && count == 0
               ? sl_diag_set(diag, SL_E_NOT_FOUND, baseline, "The baseline is no run directory")
               : rc;
}

bool sl_run_baseline_has_executorch(const char *baseline)
{
    static const char ending[] = "_executorch";
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    bool has = false;
    int rc = sl_rundir_list(baseline, names, &count, NULL);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        size_t len = strlen(names[i]), tail = sizeof(ending) - 1;
        has = has || (len >= tail && strcmp(names[i] + len - tail, ending) == 0);
    }
    return has;
}

int sl_run_baseline_gate(const struct sl_cli *cli, const char *baseline, const char *directory,
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
