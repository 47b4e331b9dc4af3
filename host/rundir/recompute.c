/* host/rundir/recompute.c */
#include "host/rundir/recompute.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/report/analysis_json.h"
#include "host/rundir/armkit.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/json_copy.h"
#include "host/rundir/report_files.h"
#include "host/rundir/verdict_exit.h"

#define MAX_SUMMARY_BYTES ((size_t)1 << 29)

/* Members of the kit's that sl_armkit_summary() writes together, where the first of them stands. */
static bool is_kits(const char *key)
{
    static const char *const names[] = {
        "run_dir",   "etrecord",           "etdump_count",         "per_etdump",
        "csv_files", "category_totals_ms", "category_totals_insns"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

static int put_kit(struct sl_json *json, const struct sl_compared *compared)
{
    struct sl_armkit_named named[2];
    for (int level = 0; level < 2; level++) {
        const struct sl_compared_side *side = &compared->sides[level];
        const struct cJSON *result = sl_rundir_result(&side->directory, level);
        named[level] =
            (struct sl_armkit_named){&side->file.analysis, sl_rundir_text(result, "experiment"),
                                     sl_rundir_text(result, "etdump")};
    }
    return sl_armkit_summary(json, named);
}

/* A member as it is now. */
static int put_member(struct sl_json *json, const struct sl_compared *compared, const cJSON *member,
                      int exit_code, double threshold_percent)
{
    int rc = 0;
    if (strcmp(member->string, "verdict") == 0) {
        sl_json_text(json, "verdict", sl_verdict_name(compared->comparison.verdict));
    } else if (strcmp(member->string, "exit_code") == 0) {
        sl_json_i64(json, "exit_code", exit_code);
    } else if (strcmp(member->string, "threshold_percent") == 0) {
        sl_json_f64(json, "threshold_percent", threshold_percent);
    } else if (strcmp(member->string, "comparison") == 0) {
        rc = sl_comparison_json(json, "comparison", &compared->report);
    } else if (strcmp(member->string, "analyses") == 0) {
        sl_json_open_array(json, "analyses");
        for (int level = 0; level < 2 && rc == 0; level++)
            rc = sl_analysis_json(json, NULL, &compared->sides[level].file.analysis);
        sl_json_close_array(json);
    } else if (strcmp(member->string, "run_dir") == 0) {
        rc = put_kit(json, compared);
    } else if (!is_kits(member->string)) {
        sl_json_copy(json, member->string, member);
    }
    return rc;
}

/* analysis_summary.json with the same members in the same order. */
static int write_summary(const struct sl_compared *compared, int exit_code,
                         double threshold_percent, struct sl_diag *diag)
{
    const struct sl_rundir *directory = &compared->sides[0].directory;
    char path[SL_RUNDIR_PATH_BYTES + 160];
    struct sl_buf text;
    struct sl_json json;
    const cJSON *member;
    int rc = 0;
    snprintf(path, sizeof(path), "%s/analysis_summary%s.json", directory->path, directory->suffix);
    if (!directory->summary)
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           "it is missing, and how the outputs agreed stands nowhere else");
    sl_buf_init(&text, MAX_SUMMARY_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    cJSON_ArrayForEach(member, directory->summary)
    {
        if (rc == 0)
            rc = put_member(&json, compared, member, exit_code, threshold_percent);
    }
    sl_json_close_object(&json);
    rc = rc < 0 ? rc : json.error;
    if (rc == 0)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0 ? sl_diag_set(diag, rc, path, "it cannot be written: %s", sl_strerror(rc)) : 0;
}

/* The paths of what is analysed stand in the summary as the run wrote them. */
static void keep_names(struct sl_compared *compared)
{
    const cJSON *analyses =
        cJSON_GetObjectItemCaseSensitive(compared->sides[0].directory.summary, "analyses");
    for (int level = 0; level < 2; level++) {
        const char *file = sl_rundir_text(cJSON_GetArrayItem(analyses, level), "file");
        if (file)
            compared->sides[level].file.analysis.file = file;
    }
}

static int recompute_one(struct sl_compared *compared, const char *path, const char *experiment,
                         const struct sl_categories *categories, double threshold_percent,
                         int *out_exit, struct sl_diag *diag)
{
    int rc = sl_compared_directory(compared, path, experiment, categories, diag);
    if (rc == 0) {
        keep_names(compared);
        *out_exit = sl_verdict_exit_code(&compared->comparison, threshold_percent);
        rc = write_summary(compared, *out_exit, threshold_percent, diag);
    }
    sl_compared_close(compared);
    return rc < 0 ? rc : sl_report_write_run(path, experiment, categories, diag);
}

int sl_run_recompute(const char *path, const struct sl_categories *categories,
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
