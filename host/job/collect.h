/* host/job/collect.h: a job that starts again first looks whether its device keeps the result of
 * a start before: the host that sent it died, and the device went on without it. On the loop's
 * thread. */
#pragma once

typedef struct uv_loop_s uv_loop_t;
struct sl_collect;
struct sl_job_record;
struct sl_kept_list;

enum {
    SL_COLLECT_LOOK_MS = 100,
    SL_COLLECT_PATIENCE_MS = 3000, /* for the device to say what it keeps */
    SL_COLLECT_SLACK_MS = 60000    /* between the clocks of two hosts */
};

/* `config_json` collects the result, borrowed for the call; NULL: there is none to collect. The
 * look is over and freed after this. */
typedef void (*sl_collect_fn)(void *user, const char *config_json);

/* Looks into `kept` (borrowed until the end) for the result of the latest start before this one of
 * `job`: of the same job, asked for in the same words, and begun after the job was submitted.
 * `done` comes once, never inside this call. 0 or -ENOMEM. */
int sl_collect_start(uv_loop_t *loop, const struct sl_kept_list *kept,
                     const struct sl_job_record *job, const char *config_json, sl_collect_fn done,
                     void *user, struct sl_collect **out);
/* `done` does not come any more. NULL is a no-op. */
void sl_collect_stop(struct sl_collect *collect);
