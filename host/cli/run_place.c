/* host/cli/run_place.c */
#include "host/cli/run_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/base/error.h"

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
