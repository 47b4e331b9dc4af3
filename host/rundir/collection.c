/* host/rundir/collection.c */
#include "host/rundir/collection.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/report/combined.h"
#include "host/report/runtime_gap.h"
#include "host/report/runtime_outputs.h"
#include "host/rundir/compared.h"
#include "host/rundir/cross_outputs.h"
#include "host/rundir/import.h"
#include "host/rundir/report_files.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_value.h"

/* Room for one more, all zero; it counts once sl_report_of() was filled. */
static int reserve(struct sl_collection *c, const char *path, struct sl_compared **out,
                   struct sl_diag *diag)
{
    if (c->count == SL_COLLECTION_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, path, "these are more than %d comparisons",
                           SL_COLLECTION_MAX);
    void *compared = sl_realloc(c->compared, c->count + 1, sizeof(struct sl_compared *));
    if (compared)
        c->compared = compared;
    void *reports = sl_realloc(c->reports, c->count + 1, sizeof(struct sl_report));
    if (reports)
        c->reports = reports;
    *out = sl_calloc(1, sizeof(struct sl_compared));
    if (compared && reports && *out) {
        (*out)->plans = c->plans;
        return 0;
    }
    sl_free(*out);
    return sl_diag_set(diag, -ENOMEM, path, "memory is short");
}

/* Takes what was opened and compared, or closes it. */
static int keep(struct sl_collection *c, struct sl_compared *compared, int rc)
{
    if (rc < 0) {
        sl_compared_close(compared);
        sl_free(compared);
        return rc;
    }
    c->compared[c->count] = compared;
    sl_report_of(compared, &c->reports[c->count]);
    c->count++;
    return 0;
}

/* ExecuTorch comes first, because users ship it: sorts from `first` on, in order otherwise. */
static void put_executorch_first(struct sl_collection *c, size_t first)
{
    for (size_t i = first; i < c->count; i++) {
        struct sl_report report = c->reports[i];
        struct sl_compared *compared = c->compared[i];
        size_t at = i;
        if (!report.comparison->runtime)
            continue;
        for (; at > first && !c->reports[at - 1].comparison->runtime; at--) {
            c->reports[at] = c->reports[at - 1];
            c->compared[at] = c->compared[at - 1];
        }
        c->reports[at] = report;
        c->compared[at] = compared;
    }
}

static bool alike(const struct sl_compared_side *a, const struct sl_compared_side *b, int condition)
{
    const char *value = a->conditions.values[condition];
    return value[0] && strcmp(value, b->conditions.values[condition]) == 0;
}

/* Both arms of ExecuTorch's run against both of ours; false where there is nothing to compare. */
static bool compare_outputs(const struct sl_compared *ours, struct sl_compared *theirs)
{
    const struct sl_compared_side *a = ours->sides, *b = theirs->sides;
    const struct sl_rundir *const directories[2] = {&a->directory, &b->directory};
    bool all = a->has_directory && b->has_directory && alike(a, b, SL_CONDITION_MODEL) &&
               alike(a, b, SL_CONDITION_INPUTS);
    for (int pair = 0; pair < 4 && all; pair++) {
        const int levels[2] = {pair % 2, pair / 2};
        all = sl_cross_outputs(directories, levels, &theirs->outputs.pairs[levels[1]][levels[0]]);
    }
    return all;
}

static void compare_runtimes(struct sl_collection *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct sl_report *ours = sl_runtime_gap_ours(c->reports, c->count, i);
        if (ours && compare_outputs(c->compared[ours - c->reports], c->compared[i]))
            c->reports[i].outputs = &c->compared[i]->outputs;
    }
}

static int add_own(struct sl_collection *c, const char *path, const char *experiment,
                   const struct sl_categories *categories, struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 1, first = c->count;
    struct sl_compared *compared = NULL;
    int rc = experiment ? 0 : sl_rundir_list(path, names, &count, diag);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const char *name = experiment ? experiment : names[i][0] ? names[i] : NULL;
        rc = reserve(c, path, &compared, diag);
        if (rc == 0)
            rc = keep(c, compared, sl_compared_directory(compared, path, name, categories, diag));
    }
    put_executorch_first(c, first);
    compare_runtimes(c);
    return rc;
}

static bool is_of(const cJSON *run, const char *experiment)
{
    const char *name = sl_value_text(run, "experiment", NULL);
    return name && strcmp(name, experiment) == 0;
}

/* Opens an imported run as a side; its path stands in import.json, relative to it. */
static int open_side(struct sl_compared *compared, int side, const char *path, const cJSON *run,
                     const struct sl_categories *categories, struct sl_diag *diag)
{
    struct sl_rundir directory = {.manifest = NULL};
    char etdump[SL_RUNDIR_PATH_BYTES];
    snprintf(directory.path, sizeof(directory.path), "%.1000s", path);
    int rc = sl_rundir_file(&directory, sl_value_text(run, "etdump", NULL), etdump, diag);
    struct sl_compared_source source = {etdump, NULL, side};
    return rc < 0 ? rc : sl_compared_open(compared, side, &source, categories, diag);
}

/* Names the pair by its label and its experiments, with their threads where these differ. */
static void name_pair(struct sl_compared *compared, const struct cJSON *pair,
                      const cJSON *const runs[2])
{
    struct sl_compared_import *about = &compared->import;
    const char *label = sl_value_text(pair, "label", NULL);
    double threads[2];
    for (int side = 0; side < 2; side++)
        threads[side] = sl_value_number(runs[side], "threads", NAN);
    bool differ = isfinite(threads[0]) && isfinite(threads[1]) && threads[0] != threads[1];
    snprintf(about->label, sizeof(about->label), "%.90s", label ? label : "");
    if (differ)
        snprintf(about->threads, sizeof(about->threads), "%.0f and %.0f", threads[0], threads[1]);
    else if (isfinite(threads[0]))
        snprintf(about->threads, sizeof(about->threads), "%.0f", threads[0]);
    for (int side = 0; side < 2; side++) {
        const char *name = sl_value_text(runs[side], "experiment", NULL);
        struct sl_conditions *conditions = &compared->sides[side].conditions;
        snprintf(about->names[side], sizeof(about->names[side]), differ ? "%.80s_t%.0f" : "%.80s",
                 name ? name : "", threads[side]);
        if (differ)
            snprintf(conditions->values[SL_CONDITION_THREADS],
                     sizeof(conditions->values[SL_CONDITION_THREADS]), "%.0f", threads[side]);
    }
}

/* Did the side run in several processes, with those of other sides beside them? */
static bool is_round(const struct sl_compared_side *side)
{
    return side->file.said.rounds.count > 1 && side->file.said.rounds.together;
}

static int compare_imported(struct sl_compared *compared, const char *path,
                            const struct cJSON *import, const cJSON *const runs[2],
                            const struct sl_categories *categories, struct sl_diag *diag)
{
    const struct sl_comparison_options options = {.seed = 1, .noise_floor = NAN};
    struct sl_compared_import *about = &compared->import;
    const char *model = sl_value_text(import, "model", NULL);
    const char *at = sl_value_text(import, "generated_at", NULL);
    const char *device = sl_value_text(import, "device", NULL);
    snprintf(about->model, sizeof(about->model), "%s", model ? model : "");
    snprintf(about->generated_at, sizeof(about->generated_at), "%s", at ? at : "");
    about->emulated = device && sl_device_kind_traits(sl_device_kind_find(device)).emulated;
    int rc = 0;
    for (int side = 0; rc == 0 && side < 2; side++)
        rc = open_side(compared, side, path, runs[side], categories, diag);
    about->interleaved = rc == 0 && is_round(&compared->sides[0]) && is_round(&compared->sides[1]);
    about->has_agreement = sl_import_outputs(path, runs[0], runs[1], &about->agreement);
    name_pair(compared, sl_import_pair(import, runs[0], runs[1]), runs);
    return rc < 0 ? rc : sl_compared_make(compared, SL_COMPARED_FIND_FACTOR, &options, diag);
}

/* Every two runs that the import declares a pair; `experiment` as of sl_collection_add(). */
static int add_pairs(struct sl_collection *c, const char *path, const char *experiment,
                     const struct cJSON *import, const struct sl_categories *categories,
                     struct sl_diag *diag)
{
    const cJSON *all = sl_value(import, "runs");
    const cJSON *runs[2];
    struct sl_compared *compared = NULL;
    size_t before = c->count;
    int rc = 0;
    cJSON_ArrayForEach(runs[0], all)
    {
        cJSON_ArrayForEach(runs[1], all)
        {
            if (rc < 0 || !sl_import_pair(import, runs[0], runs[1]) || sl_import_traced(runs[0]) ||
                sl_import_traced(runs[1]) || (experiment && !is_of(runs[1], experiment)))
                continue;
            rc = reserve(c, path, &compared, diag);
            if (rc == 0)
                rc = keep(c, compared,
                          compare_imported(compared, path, import, runs, categories, diag));
        }
    }
    if (rc == 0 && c->count == before)
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           "the import has no two timed runs that it declares a pair%s%.60s",
                           experiment ? " with the candidate " : "", experiment ? experiment : "");
    return rc;
}

static int add_imported(struct sl_collection *c, const char *path, const char *experiment,
                        const struct cJSON *import, const struct sl_categories *categories,
                        struct sl_diag *diag)
{
    if (!sl_import_has_pairs(import)) {
        sl_diag_hint(diag, "import into a new directory with --pair BASE=CAND, or take 'sme2lab "
                           "compare A.etdump B.etdump'");
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           "the import does not say which runs are to be compared");
    }
    return add_pairs(c, path, experiment, import, categories, diag);
}

int sl_collection_add(struct sl_collection *collection, const char *path, const char *experiment,
                      const struct sl_categories *categories, struct sl_diag *diag)
{
    cJSON *import = NULL;
    int rc = sl_import_read(path, &import);
    if (rc == SL_E_FORMAT)
        return sl_diag_set(diag, rc, path, "import.json is not of sme2lab's form");
    if (rc < 0)
        return add_own(collection, path, experiment, categories, diag);
    rc = add_imported(collection, path, experiment, import, categories, diag);
    cJSON_Delete(import);
    return rc;
}

void sl_collection_fini(struct sl_collection *collection)
{
    for (size_t i = 0; i < collection->count; i++) {
        sl_compared_close(collection->compared[i]);
        sl_free(collection->compared[i]);
    }
    sl_free(collection->compared);
    sl_free(collection->reports);
    *collection = (struct sl_collection){.count = 0};
}

/* Processes that cannot be judged together, being of several devices, show nothing; runtimes that
 * compute different things are wrong, one of them or both. */
static void judge_together(const struct sl_combined *combined, struct sl_collection_told *told)
{
    size_t alone = 0;
    for (size_t i = 0; i < combined->count; i++)
        alone += combined->reports[i].process && combined->reports[i].process[0];
    told->exit_code = 0;
    for (size_t i = 0; i < combined->count; i++) {
        struct sl_comparison c;
        size_t count = sl_combined_processes(combined, i, &c);
        if (count == 0)
            continue;
        alone -= count;
        told->exit_code = sl_verdict_exit_louder(told->exit_code,
                                                 sl_verdict_exit_code(&c, told->threshold_percent));
        sl_comparison_fini(&c);
    }
    if (alone > 0)
        told->exit_code = sl_verdict_exit_louder(told->exit_code, SL_VERDICT_EXIT_NOTHING);
    told->outputs_agree = sl_runtime_outputs_agree(combined->reports, combined->count);
    if (!told->outputs_agree)
        told->exit_code = sl_verdict_exit_louder(told->exit_code, SL_VERDICT_EXIT_WRONG);
    told->outputs_agree &= sl_runtime_outputs_count(combined->reports, combined->count) > 0;
}

static int put_members(const struct sl_combined *combined, struct sl_buf *out)
{
    struct sl_json json;
    if (!out)
        return 0;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_runtime_gap_json(&json, combined->reports, combined->count);
    sl_runtime_outputs_json(&json, combined->reports, combined->count);
    sl_json_close_object(&json);
    return json.error;
}

int sl_collection_write(const char *directory, const struct sl_categories *categories,
                        struct sl_collection_told *told, struct sl_diag *diag)
{
    struct sl_collection all = {.count = 0};
    struct sl_report_files files = {.count = 0};
    int rc = sl_collection_add(&all, directory, NULL, categories, diag);
    const struct sl_combined combined = {all.reports, all.count};
    bool several = rc == 0 && all.count > 1;
    if (several)
        rc = sl_report_files_add_combined(&files, &combined, "md", diag);
    if (rc == 0 && several)
        rc = sl_report_files_add_combined(&files, &combined, "html", diag);
    if (rc == 0 && several)
        rc = sl_report_files_write(&files, directory, true, diag);
    if (rc == 0 && several && told)
        rc = sl_combined_findings(told->words, told->style, &combined);
    if (rc == 0 && several && told)
        rc = put_members(&combined, told->members);
    if (rc == 0 && several && told)
        judge_together(&combined, told);
    sl_report_files_fini(&files);
    sl_collection_fini(&all);
    return rc;
}
