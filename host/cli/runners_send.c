/* host/cli/runners_send.c */
#include "host/cli/runners_send.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/job_sender.h"
#include "host/cli/runner_libraries.h"
#include "host/cli/upload.h"
#include "host/spec/job_body.h"
#include "host/spec/plan.h"

enum { MAX_BODY_BYTES = 1 << 20 };

struct sending {
    struct sl_job_sender *sender;
    struct sl_plan plan; /* with absolute paths of runners, and with digests */
    char runners[SL_PLAN_MAX][SL_SPEC_MAX_PATH + 1];
    char *libraries[SL_PLAN_MAX][SL_SPEC_MAX_LIBRARIES]; /* owned: found beside each */
    size_t library_counts[SL_PLAN_MAX];
};

static bool try_path(const char *folder, const char *path, char out[SL_SPEC_MAX_PATH + 1])
{
    char here[SL_SPEC_MAX_PATH + 1] = "";
    if (path[0] != '/' && !getcwd(here, sizeof(here)))
        return false;
    int len =
        snprintf(out, SL_SPEC_MAX_PATH + 1, "%s%s%s%s", here, here[0] ? "/" : "", folder, path);
    struct stat info;
    if (len <= 0 || len > SL_SPEC_MAX_PATH || access(out, X_OK) < 0 || stat(out, &info) < 0)
        return false;
    errno = S_ISDIR(info.st_mode) ? EISDIR : 0;
    return errno == 0;
}

static int find_runner(const char *path, char out[SL_SPEC_MAX_PATH + 1], struct sl_diag *diag)
{
    if ((path[0] != '/' && try_path("executorch/", path, out)) || try_path("", path, out))
        return 0;
    int rc = errno != 0 ? -errno : -ENOENT;
    sl_diag_hint(diag, "name an executor_runner with 'runner_path'; it is looked for below "
                       "executorch/ and as it is given");
    return sl_diag_set(diag, rc, path, "The runner cannot be executed (%s)", sl_strerror(rc));
}

int sl_runners_check(const struct sl_plan *plan, struct sl_diag *diag)
{
    char path[SL_SPEC_MAX_PATH + 1];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < plan->count; i++)
        rc = find_runner(plan->specs[i].runner, path, diag);
    return rc;
}

/* Those that the experiment names, else those that lie beside its runner. */
static int find_libraries(struct sending *sending, size_t place, struct sl_diag *diag)
{
    struct sl_spec *spec = &sending->plan.specs[place];
    char **found = sending->libraries[place];
    size_t *count = &sending->library_counts[place];
    if (spec->runner_libraries_count > 0)
        return 0;
    int rc = sl_runner_libraries_find(spec->runner, found, count, diag);
    for (size_t i = 0; i < *count; i++)
        spec->runner_libraries[i] = found[i];
    spec->runner_libraries_count = *count;
    return rc;
}

static void sending_free(struct sending *sending)
{
    for (size_t i = 0; i < SL_PLAN_MAX; i++)
        for (size_t k = 0; k < sending->library_counts[i]; k++)
            sl_free(sending->libraries[i][k]);
    sl_free(sending);
}

static int post(struct sending *sending, uint64_t *out_job, struct sl_diag *diag)
{
    struct sl_job_sender *sender = sending->sender;
    struct sl_spec spec = sending->plan.specs[0];
    struct sl_buf body;
    sl_job_sender_fill(sender, &spec);
    spec.task = SL_TASK_RUNNERS;
    spec.mode = SL_MODE_TIMING; /* each experiment's own stands in the configuration */
    spec.native = sender->native;
    spec.plan = &sending->plan;
    sl_buf_init(&body, MAX_BODY_BYTES);
    int rc = sl_job_body_put(&spec, &body);
    if (rc < 0)
        sl_diag_set(diag, rc, NULL, "The configuration cannot be sent (%s)", sl_strerror(rc));
    else
        rc = sl_job_sender_post(sender->client, sender->group, &body, out_job, diag);
    sl_buf_fini(&body);
    return rc;
}

int sl_runners_send(struct sl_job_sender *sender, uint64_t *out_job, struct sl_diag *diag)
{
    struct sending *sending = sl_calloc(1, sizeof(*sending));
    if (!sending)
        return -ENOMEM;
    sending->sender = sender;
    sending->plan = *sender->plan;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sending->plan.count; i++) {
        struct sl_spec *spec = &sending->plan.specs[i];
        rc = find_runner(spec->runner, sending->runners[i], diag);
        spec->runner = sending->runners[i];
        if (rc == 0)
            rc = find_libraries(sending, i, diag);
        if (rc == 0)
            rc = sl_job_sender_upload(sender, spec, diag);
    }
    if (rc == 0)
        rc = post(sending, out_job, diag);
    sender->file_count = 0; /* the runners' paths end here */
    sending_free(sending);
    return rc;
}
