/* host/rundir/task_estimate.c */
#include "host/rundir/task_estimate.h"

#include <errno.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/estimate.h"
#include "host/analysis/silicon.h"
#include "host/device/count_log.h"
#include "host/report/estimate_out.h"
#include "host/report/silicon_file.h"
#include "host/rundir/log_estimate.h"

enum { MAX_PROFILES = 8 };

struct estimating {
    struct sl_silicon silicon[MAX_PROFILES];
    struct sl_log_estimator *estimators[MAX_PROFILES]; /* owned */
    size_t count;
};

static int load(struct estimating *e, const struct sl_count_log *log, const char *names,
                struct sl_diag *diag)
{
    char name[SL_SILICON_NAME_BYTES];
    int rc = sl_silicon_check_names(names, diag); /* no paths: they came over a wire */
    while (rc == 0 && sl_silicon_next_name(&names, name)) {
        if (e->count == MAX_PROFILES)
            return sl_diag_set(diag, SL_E_LIMIT, "silicon", "These are more than %d profiles",
                               MAX_PROFILES);
        rc = sl_silicon_load(name, &e->silicon[e->count], diag);
        if (rc == 0)
            rc = sl_log_estimator_new(log, &e->silicon[e->count], &e->estimators[e->count]);
        e->count += rc == 0;
    }
    return rc;
}

/* Puts the estimate of the stage between the marks `first` and the one after it. */
static void put_stage(struct sl_json *json, const struct estimating *e, size_t first)
{
    static const struct sl_estimate_data once = {.calls = 1, .passes = 1};
    sl_json_open_array(json, NULL);
    for (size_t i = 0; i < e->count; i++) {
        struct sl_estimate estimate = {0};
        sl_log_estimator_add(e->estimators[i], first + 1, first + 2, &estimate);
        sl_estimate_finish(&estimate, &e->silicon[i], &once);
        sl_json_open_object(json, NULL);
        sl_estimate_members(json, &e->silicon[i], &estimate);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

int sl_task_estimates_put(struct sl_json *json, const struct sl_count_log *log, const char *names,
                          struct sl_diag *diag)
{
    struct estimating *e = sl_calloc(1, sizeof(*e));
    size_t marks;
    if (!e)
        return -ENOMEM;
    int rc = load(e, log, names, diag);
    sl_count_log_marks(log, &marks);
    if (rc == 0) {
        sl_json_open_array(json, "estimates");
        for (size_t i = 0; i + 1 < marks; i += 2)
            put_stage(json, e, i);
        sl_json_close_array(json);
        rc = json->error;
    }
    for (size_t i = 0; i < e->count; i++)
        sl_log_estimator_free(e->estimators[i]);
    sl_free(e);
    return rc;
}
