/* agent/serve/look.c */
#include "agent/serve/look.h"

#include <errno.h>
#include <signal.h>

#include <uv.h>

#include "agent/probe/dumpsys.h"
#include "agent/probe/health.h"
#include "common/base/mem.h"

struct sl_look {
    uv_work_t work;
    const char *root;
    volatile sig_atomic_t stopped;
    struct sl_health now;
    void (*done)(void *user, const struct sl_health *now);
    void *user;
};

static void read_now(uv_work_t *work)
{
    struct sl_look *look = work->data;
    sl_health_read(look->root, &look->stopped, &look->now);
}

static void after_read(uv_work_t *work, int status)
{
    struct sl_look *look = work->data;
    (void)status; /* nobody cancels it */
    look->done(look->user, look->stopped ? NULL : &look->now);
    sl_free(look);
}

int sl_look_start(uv_loop_t *loop, const char *root,
                  void (*done)(void *user, const struct sl_health *now), void *user,
                  struct sl_look **out)
{
    struct sl_look *look = sl_calloc(1, sizeof(*look));
    if (!look)
        return -ENOMEM;
    *look = (struct sl_look){.root = root, .done = done, .user = user};
    look->work.data = look;
    int rc = uv_queue_work(loop, &look->work, read_now, after_read);
    if (rc < 0)
        sl_free(look);
    else
        *out = look;
    return rc;
}

void sl_look_stop(struct sl_look *look)
{
    look->stopped = 1;
}
