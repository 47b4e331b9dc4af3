/* host/cli/run_place.c */
#include "host/cli/run_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/rundir/run.h"
#include "host/spec/path_stem.h"
#include "host/spec/plan.h"

enum { MAX_TRIES = 100 };

/* True for a file that every run writes: manifest.json or manifest_NAME.json, and so on. */
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

int sl_cli_run_place_check(const char *directory, struct sl_diag *diag)
{
    int rc = 0;
    DIR *entries = opendir(directory);
    if (!entries && errno == ENOTDIR) {
        sl_diag_hint(diag, "say --out with a directory");
        return sl_diag_set(diag, -ENOTDIR, directory, "The results cannot go into a file");
    }
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

/* `try`, if not 0, tells runs of one second apart. */
static int name_place(const struct sl_plan *plan, unsigned try, struct sl_cli_run_place *out,
                      struct sl_diag *diag)
{
    char stem[80], stamp[32], more[16] = "";
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    sl_path_title(plan->model, stem, sizeof(stem));
    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
    if (try > 0)
        snprintf(more, sizeof(more), "-%u", try + 1);
    out->is_default = !plan->specs[0].output_root;
    int len = out->is_default
                  ? snprintf(out->path, SL_CLI_RUN_PLACE_BYTES, "out/%s-%s%s", stem, stamp, more)
                  : snprintf(out->path, SL_CLI_RUN_PLACE_BYTES, "%s", plan->specs[0].output_root);
    while (len > 1 && len < SL_CLI_RUN_PLACE_BYTES && out->path[len - 1] == '/')
        out->path[--len] = '\0';
    if (len >= 0 && len < SL_CLI_RUN_PLACE_BYTES - 256)
        return 0;
    sl_diag_hint(diag, "take a shorter --out");
    return sl_diag_set(diag, -ENAMETOOLONG, "--out", "The path of the directory is too long");
}

/* The lock is on the directory itself, so that it leaves no file and ends with the process. A file
 * system without locks has none. */
static int hold(struct sl_cli_run_place *place, struct sl_diag *diag)
{
    place->lock = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place->lock < 0 || flock(place->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return 0;
    sl_diag_hint(diag, "say --out with another directory, or wait until that run has ended");
    return sl_diag_set(diag, -EEXIST, place->path, "Another run is writing into the directory");
}

static int take(bool force, struct sl_cli_run_place *place, struct sl_diag *diag)
{
    place->is_new = access(place->path, F_OK) != 0;
    int rc = place->is_new ? 0 : sl_cli_run_place_check(place->path, diag);
    rc = force && rc == -EEXIST ? 0 : rc;
    if (rc == 0)
        rc = sl_rundir_make_directories(place->path, diag);
    if (rc == 0)
        rc = hold(place, diag);
    return rc < 0 || force ? rc
                           : sl_cli_run_place_check(place->path, diag); /* of who had it before */
}

int sl_cli_run_place_take(const struct sl_plan *plan, bool force, struct sl_cli_run_place *out,
                          struct sl_diag *diag)
{
    int rc = -EEXIST;
    *out = (struct sl_cli_run_place){.lock = -1};
    for (unsigned try = 0; rc == -EEXIST && (try == 0 || (out->is_default && try < MAX_TRIES));
         try++) {
        if (out->lock >= 0)
            close(out->lock);
        out->lock = -1;
        rc = name_place(plan, try, out, diag);
        if (rc == 0)
            rc = take(force, out, diag);
    }
    return rc;
}

void sl_cli_run_place_leave(struct sl_cli_run_place *place)
{
    if (place->is_new && rmdir(place->path) == 0 && place->is_default)
        rmdir("out"); /* stays where it has other runs */
    if (place->lock >= 0)
        close(place->lock);
    place->lock = -1;
}
