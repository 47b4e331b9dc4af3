/* host/job/collect.c */
#include "host/job/collect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/job/kept_list.h"
#include "host/records.h"
#include "host/spec/job_body.h"

enum { MAX_CONFIG_BYTES = 1 << 20 };

struct sl_collect {
    uv_timer_t timer;
    const struct sl_kept_list *kept;       /* borrowed */
    struct sl_run_id ids[SL_MAX_ATTEMPTS]; /* of the starts before, the latest first */
    uint32_t count;
    uint64_t job;
    char device[SL_NAME_BYTES], *config_json; /* the latter owned */
    unsigned looks;
    sl_collect_fn done;
    void *user;
};

static void on_closed(uv_handle_t *handle)
{
    struct sl_collect *collect = handle->data;
    sl_free(collect->config_json);
    sl_free(collect);
}

void sl_collect_stop(struct sl_collect *collect)
{
    if (collect)
        uv_close((uv_handle_t *)&collect->timer, on_closed);
}

static void end(struct sl_collect *collect, const char *config_json)
{
    collect->done(collect->user, config_json);
    sl_collect_stop(collect);
}

static void take(struct sl_collect *collect, const struct sl_kept *kept)
{
    struct sl_bytes config = {(const uint8_t *)collect->config_json, strlen(collect->config_json)};
    struct sl_diag diag = {.what = ""};
    struct sl_buf body;
    sl_buf_init(&body, MAX_CONFIG_BYTES);
    int rc = sl_job_body_collect(config, collect->device, kept->id, kept->started_ms, &body, &diag);
    if (rc == 0)
        rc = sl_buf_append(&body, "", 1);
    sl_log(rc < 0 ? SL_LOG_WARNING : SL_LOG_INFO,
           SL_LOG_EVENT(rc < 0 ? "result_not_collected" : "result_collected"),
           SL_LOG_JOB(collect->job), SL_LOG_DEVICE(collect->device),
           SL_LOG_TEXT("host", kept->host),
           SL_LOG_REASON(rc < 0 ? sl_strerror(rc) : "the start before left it on the device"));
    end(collect, rc == 0 ? (const char *)body.data : NULL);
    sl_buf_fini(&body);
}

static void on_look(uv_timer_t *timer)
{
    struct sl_collect *collect = timer->data;
    const struct sl_kept *kept = NULL;
    for (uint32_t i = 0; i < collect->count && !kept; i++) {
        kept = sl_kept_list_find(collect->kept, collect->ids[i]);
        if (kept && !sl_kept_is_worth(kept))
            kept = NULL;
    }
    if (kept && kept->config)
        take(collect, kept);
    else if (++collect->looks > SL_COLLECT_PATIENCE_MS / SL_COLLECT_LOOK_MS)
        end(collect, NULL);
}

int sl_collect_start(uv_loop_t *loop, const struct sl_kept_list *kept,
                     const struct sl_collect_wish *wish, sl_collect_fn done, void *user,
                     struct sl_collect **out)
{
    struct sl_collect *collect = sl_calloc(1, sizeof(*collect));
    char *config = collect ? sl_strndup(wish->config_json, strlen(wish->config_json)) : NULL;
    if (!config) {
        sl_free(collect);
        return -ENOMEM;
    }
    *collect = (struct sl_collect){
        .kept = kept, .job = wish->before.job, .config_json = config, .done = done, .user = user};
    struct sl_kept_start before = wish->before;
    for (; before.attempt > 0 && collect->count < SL_MAX_ATTEMPTS; before.attempt--)
        collect->ids[collect->count++] = sl_kept_id(&before);
    snprintf(collect->device, sizeof(collect->device), "%s", wish->device);
    uv_timer_init(loop, &collect->timer); /* cannot fail */
    collect->timer.data = collect;
    uv_timer_start(&collect->timer, on_look, 0, SL_COLLECT_LOOK_MS);
    *out = collect;
    return 0;
}
