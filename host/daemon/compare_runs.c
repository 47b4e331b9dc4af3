/* host/daemon/compare_runs.c */
#include "host/daemon/compare_runs.h"

#include <errno.h>
#include <math.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/gain.h"
#include "host/daemon/job_kit.h"
#include "host/http/options.h"
#include "host/report/comparison.h"
#include "host/report/perfetto.h"
#include "host/rundir/arms.h"
#include "host/rundir/compared.h"

static int open_sides(struct sl_compared *compared, const struct sl_http_comparison *what,
                      const struct sl_categories *categories, struct sl_diag *diag)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < (what->trace ? 1 : 2); i++) {
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

static int put_trace(struct sl_compared *compared, const struct sl_http_comparison *what,
                     const struct sl_categories *categories, struct sl_buf *out,
                     struct sl_diag *diag)
{
    int rc = open_sides(compared, what, categories, diag);
    return rc < 0 ? rc : sl_perfetto_trace(out, &compared->sides[0].file.analysis);
}

int sl_compare_runs(void *kit, const struct sl_http_comparison *what, struct sl_buf *out,
                    struct sl_diag *diag)
{
    const struct sl_kit *own = kit;
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return -ENOMEM;
    int rc = what->trace ? put_trace(compared, what, &own->categories, out, diag)
                         : put_comparison(compared, what, &own->categories, out, diag);
    if (rc < 0 && diag->where[0] == '/') /* a path of this machine */
        diag->where[0] = '\0';
    sl_compared_close(compared);
    sl_free(compared);
    sl_mem_trim();
    return rc;
}
