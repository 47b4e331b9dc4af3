/* host/rundir/recompute.c */
#include "host/rundir/recompute.h"

#include <errno.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/rundir/armkit.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/report_files.h"
#include "host/rundir/summary.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/json_value.h"

/* How the outputs agreed, how the run's files were called and the manifest's hash stand in the
 * summary alone. */
static int write_summary(struct sl_compared *compared, double threshold_percent,
                         struct sl_diag *diag)
{
    const struct sl_rundir *directory = &compared->sides[0].directory;
    const cJSON *files = sl_value(directory->summary, "files");
    struct sl_summary summary = {.compared = compared,
                                 .threshold_percent = threshold_percent,
                                 .shown_dir = sl_value_text(files, "directory", NULL),
                                 .manifest_sha256 =
                                     sl_value_text(directory->summary, "manifest_sha256", NULL)};
    if (!directory->summary)
        return sl_diag_set(diag, SL_E_NOT_FOUND, directory->path,
                           "analysis_summary%s.json is missing, and how the outputs agreed stands "
                           "nowhere else",
                           directory->suffix);
    for (int i = 0; i < SL_RUNDIR_AGREEMENTS; i++)
        summary.agreements[i] = directory->has_agreement[i] ? &directory->agreements[i] : NULL;
    return sl_summary_write(&summary, diag);
}

static int recompute_one(struct sl_compared *compared, const char *path, const char *experiment,
                         const struct sl_categories *categories, double threshold_percent,
                         int *out_exit, struct sl_diag *diag)
{
    int rc = sl_compared_directory(compared, path, experiment, categories, diag);
    if (rc == 0) {
        *out_exit = sl_verdict_exit_code(&compared->comparison, threshold_percent);
        rc = write_summary(compared, threshold_percent, diag);
    }
    if (rc == 0)
        rc = sl_report_write_pages(compared, path, diag);
    sl_compared_close(compared);
    return rc;
}

int sl_rundir_recompute(const char *path, const struct sl_categories *categories,
                        double threshold_percent, int *out_exit, struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    *out_exit = 0;
    int rc = sl_rundir_list(path, names, &count, diag);
    if (rc < 0)
        return rc;
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    rc = compared ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        int code = 0;
        rc = recompute_one(compared, path, names[i][0] ? names[i] : NULL, categories,
                           threshold_percent, &code, diag);
        *out_exit = code > *out_exit ? code : *out_exit;
    }
    sl_free(compared);
    if (rc == 0)
        rc = sl_collection_write(path, categories, NULL, diag);
    return rc < 0 ? rc : sl_armkit_write(path, categories, diag);
}
