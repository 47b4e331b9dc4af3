/* host/cli/run_place.c */
#include "host/cli/run_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/error.h"
#include "host/rundir/run.h"
#include "host/spec/path_stem.h"
#include "host/spec/plan.h"

/* What every run writes: manifest.json or manifest_NAME.json, and so on. */
static bool is_result(const char *name)
{
    static const char *const stems[] = {"manifest", "analysis_summary", "report", "metrics"};
    static const char *const endings[] = {".json", ".md", ".html"};
    bool ours = false;
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]) && !ours; i++) {
        size_t len = strlen(stems[i]);
        ours = strncmp(name, stems[i], len) == 0 && (name[len] == '_' || name[len] == '.');
    }
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && ours && dot; i++) {
        if (strcmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}

int sl_run_place_check(const char *directory, struct sl_diag *diag)
{
    int rc = 0;
    DIR *entries = opendir(directory);
    if (!entries)
        return 0; /* not there: what else is wrong with it is said when it is made */
    for (struct dirent *entry; rc == 0 && (entry = readdir(entries)) != NULL;) {
        if (!is_result(entry->d_name))
            continue;
        sl_diag_hint(diag, "say --out with another directory, or --force to write over it");
        rc = sl_diag_set(diag, -EEXIST, directory,
                         "The directory has the results of another run: %.60s", entry->d_name);
    }
    closedir(entries);
    return rc;
}

int sl_run_place_choose(const struct sl_plan *plan, bool force, char out[SL_RUN_PLACE_BYTES],
                        struct sl_diag *diag)
{
    char stem[80], stamp[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    sl_path_stem(plan->model, stem, sizeof(stem));
    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
    int len = plan->specs[0].output_root
                  ? snprintf(out, SL_RUN_PLACE_BYTES, "%s", plan->specs[0].output_root)
                  : snprintf(out, SL_RUN_PLACE_BYTES, "out/%s-%s", stem, stamp);
    while (len > 1 && len < SL_RUN_PLACE_BYTES && out[len - 1] == '/')
        out[--len] = '\0';
    if (len < 0 || len >= SL_RUN_PLACE_BYTES - 256) {
        sl_diag_hint(diag, "take a shorter --out");
        return sl_diag_set(diag, -ENAMETOOLONG, "--out", "The path of the directory is too long");
    }
    int rc = force ? 0 : sl_run_place_check(out, diag);
    return rc < 0 ? rc : sl_run_make_directories(out, diag);
}
