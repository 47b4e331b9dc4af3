/* host/daemon/compare_runs.c */
#include "host/daemon/compare_runs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/calibration.h"
#include "host/analysis/gain.h"
#include "host/daemon/job_kit.h"
#include "host/http/options.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/perfetto.h"
#include "host/rundir/arms.h"
#include "host/rundir/benchmarks_compared.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/noise_keep.h"

static int open_sides(struct sl_compared *compared, const struct sl_http_comparison *what,
                      const struct sl_categories *categories, struct sl_diag *diag)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < sl_http_compared_runs(what->kind); i++) {
        const struct sl_compared_source source = {what->directories[i], NULL, what->levels[i]};
        rc = sl_compared_open(compared, i, &source, categories, diag);
        if (rc == 0) /* where it lies here is nobody's business */
            compared->sides[i].file.analysis.file = what->names[i];
    }
    return rc;
}

static int compare(struct sl_compared *compared, const struct sl_http_comparison *what,
                   const struct sl_categories *categories, struct sl_arms *arms,
                   struct sl_diag *diag)
{
    const struct sl_comparison_options options = {.seed = 1, .noise_floor = NAN};
    int rc = open_sides(compared, what, categories, diag);
    if (rc == 0)
        rc = sl_compared_read_log(compared, NULL, diag);
    if (rc == 0)
        rc = sl_compared_make(compared, SL_COMPARED_FIND_FACTOR, &options, diag);
    if (rc == 0)
        rc = sl_arms_find(compared, NULL, &options, categories, arms, diag);
    compared->report.arms = arms;
    return rc;
}

static int put_comparison(struct sl_compared *compared, const struct sl_http_comparison *what,
                          const struct sl_categories *categories, struct sl_buf *out,
                          struct sl_diag *diag)
{
    struct sl_json json;
    struct sl_arms arms;
    int rc = compare(compared, what, categories, &arms, diag);
    if (rc < 0)
        return rc;
    sl_json_init(&json, out);
    rc = sl_comparison_json(&json, NULL, &compared->report);
    rc = rc < 0 ? rc : json.error;
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}

/* Times of another tool, against another's or ours: one run alone has no two variants. */
static bool has_benchmark(const struct sl_http_comparison *what)
{
    return what->kind == SL_HTTP_COMPARE &&
           strcmp(what->directories[0], what->directories[1]) != 0 &&
           (sl_is_benchmark_run(what->directories[0]) || sl_is_benchmark_run(what->directories[1]));
}

static int put_benchmarks(const struct sl_http_comparison *what,
                          const struct sl_categories *categories, struct sl_buf *out,
                          struct sl_diag *diag)
{
    struct sl_json json;
    struct sl_benchmarks_compared made;
    const struct sl_benchmarks_request request = {
        .paths = {what->directories[0], what->directories[1]},
        .level = what->levels[1],
        .categories = categories,
        .options = {.seed = 1, .noise_floor = NAN}};
    int rc = sl_benchmarks_compare(&request, &made, diag);
    if (rc < 0)
        return rc;
    const struct sl_comparison_report report = {.comparison = &made.comparison,
                                                .experiment = made.names[1],
                                                .factor = "run",
                                                .baseline_level = what->names[0],
                                                .candidate_level = what->names[1]};
    sl_json_init(&json, out);
    rc = sl_comparison_json(&json, NULL, &report);
    rc = rc < 0 ? rc : json.error;
    sl_comparison_fini(&made.comparison);
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}

static int put_trace(struct sl_compared *compared, const struct sl_http_comparison *what,
                     const struct sl_categories *categories, struct sl_buf *out,
                     struct sl_diag *diag)
{
    int rc = open_sides(compared, what, categories, diag);
    return rc < 0 ? rc : sl_perfetto_trace(out, &compared->sides[0].file.analysis);
}

/* The place of the runs is nobody's business. A job of one runtime is called plainly, whichever it
 * is: ExecuTorch's gets the name that it has where both stand in one directory. */
static int add_run(struct sl_collection *all, const struct sl_http_comparison *what, int i,
                   const struct sl_categories *categories, struct sl_diag *diag)
{
    size_t first = all->count;
    int rc = sl_collection_add(all, what->directories[i], NULL, categories, diag);
    for (size_t k = first; k < all->count; k++) {
        struct sl_report *report = &all->reports[k];
        for (int side = 0; side < 2; side++)
            all->compared[k]->sides[side].file.analysis.file = what->names[i];
        if (report->comparison->runtime && strcmp(report->experiment, "run") == 0)
            report->experiment = "run_executorch";
    }
    return rc;
}

static int put_combined(const struct sl_http_comparison *what,
                        const struct sl_categories *categories, struct sl_buf *out,
                        struct sl_diag *diag)
{
    struct sl_collection all = {.count = 0};
    int rc = 0;
    for (int i = 0; rc == 0 && i < sl_http_compared_runs(what->kind); i++)
        rc = add_run(&all, what, i, categories, diag);
    const struct sl_combined combined = {all.reports, all.count};
    if (rc == 0)
        rc = what->kind == SL_HTTP_COMBINE ? sl_combined_json(out, &combined)
                                           : sl_combined_html(out, &combined);
    sl_collection_fini(&all);
    return rc;
}

/* A against A of one variant. */
static int find_floor(const struct sl_http_comparison *what, int level,
                      const struct sl_categories *categories, struct sl_noise_calibration *out,
                      struct sl_diag *diag)
{
    const struct sl_comparison_options options = {.seed = 1, .noise_floor = NAN};
    const struct sl_compared_source source = {what->directories[0], NULL, level};
    struct sl_comparison found;
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return -ENOMEM;
    int rc = sl_compared_open(compared, 0, &source, categories, diag);
    if (rc == 0)
        rc = sl_calibration_make(&compared->sides[0].file.analysis.attribution, &options, &found);
    if (rc == 0) {
        *out = (struct sl_noise_calibration){
            .on = level == 1, .floor = found.noise_floor, .pairs = found.blocks};
        sl_comparison_fini(&found);
    }
    sl_compared_close(compared);
    sl_free(compared);
    return rc;
}

static int put_floor(const struct sl_http_comparison *what, const struct sl_categories *categories,
                     struct sl_buf *out, struct sl_diag *diag)
{
    struct sl_noise_calibration found[SL_RUNDIR_LEVELS];
    char path[SL_PATH_BYTES];
    struct sl_json json;
    double floor = 0;
    int rc = 0;
    for (int level = 0; rc == 0 && level < SL_RUNDIR_LEVELS; level++)
        rc = find_floor(what, level, categories, &found[level], diag);
    if (rc == 0)
        rc = sl_noise_keep(what->state_dir, what->directories[0], found, SL_RUNDIR_LEVELS, &floor,
                           path, diag);
    if (rc < 0)
        return rc;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_f64(&json, "noise_floor", floor);
    sl_json_u64(&json, "pairs", found[0].pairs < found[1].pairs ? found[0].pairs : found[1].pairs);
    sl_json_close_object(&json);
    return json.error;
}

int sl_compare_runs(void *kit, const struct sl_http_comparison *what, struct sl_buf *out,
                    struct sl_diag *diag)
{
    const struct sl_kit *own = kit;
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return -ENOMEM;
    int rc = has_benchmark(what)           ? put_benchmarks(what, &own->categories, out, diag)
             : what->kind == SL_HTTP_TRACE ? put_trace(compared, what, &own->categories, out, diag)
             : what->kind == SL_HTTP_CALIBRATE ? put_floor(what, &own->categories, out, diag)
             : what->kind == SL_HTTP_COMPARE
                 ? put_comparison(compared, what, &own->categories, out, diag)
                 : put_combined(what, &own->categories, out, diag);
    if (rc < 0 && diag->where[0] == '/') /* a path of this machine */
        diag->where[0] = '\0';
    sl_compared_close(compared);
    sl_free(compared);
    sl_mem_trim();
    return rc;
}
