/* host/daemon/describer.c */
#include "host/daemon/describer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>
#include <uv.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/daemon/probes.h"
#include "host/device/launch.h"
#include "host/job/lab.h"
#include "host/spec/device_facts.h"

struct asked {
    struct asked *next;
    char name[SL_NAME_BYTES];
    struct sl_device device;
    struct sl_device_facts facts;
    int rc;
};

struct sl_describer {
    uv_loop_t *loop;
    struct sl_probes *probes;
    struct sl_lab *lab;
    struct asked *first, **end; /* the first is being asked, if `busy` */
    uv_work_t work;
    bool busy;
    volatile sig_atomic_t ending; /* nobody waits for the one that is asked */
    void (*closed)(void *user);   /* NULL: it is open */
    void *user;
};

int sl_describer_new(uv_loop_t *loop, struct sl_probes *probes, struct sl_lab *lab,
                     struct sl_describer **out)
{
    struct sl_describer *describer = sl_calloc(1, sizeof(*describer));
    if (!describer)
        return -ENOMEM;
    *describer = (struct sl_describer){.loop = loop, .probes = probes, .lab = lab};
    describer->end = &describer->first;
    describer->work.data = describer;
    *out = describer;
    return 0;
}

static void drop_first(struct sl_describer *describer)
{
    struct asked *asked = describer->first;
    describer->first = asked->next;
    if (!describer->first)
        describer->end = &describer->first;
    sl_free(asked);
}

static void finish_close(struct sl_describer *describer)
{
    void (*closed)(void *) = describer->closed;
    void *user = describer->user;
    while (describer->first)
        drop_first(describer);
    sl_free(describer);
    closed(user);
}

/* On a thread of the pool. */
static void do_ask(uv_work_t *work)
{
    struct sl_describer *describer = work->data;
    struct asked *asked = describer->first;
    cJSON *probe = sl_probes_get(describer->probes, &asked->device, &describer->ending);
    asked->rc = sl_device_facts_of(probe, &asked->facts);
    cJSON_Delete(probe);
}

static void next(struct sl_describer *describer);

static void on_asked(uv_work_t *work, int status)
{
    struct sl_describer *describer = work->data;
    const struct asked *asked = describer->first;
    int rc = status < 0 ? status : asked->rc;
    describer->busy = false;
    if (describer->closed) {
        finish_close(describer);
        return;
    }
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("device_not_described"), SL_LOG_DEVICE(asked->name),
               SL_LOG_REASON("its agent's probe does not answer"));
    else
        sl_lab_device_facts(describer->lab, asked->name, &asked->facts);
    drop_first(describer);
    next(describer);
}

static void next(struct sl_describer *describer)
{
    while (describer->first && !describer->busy) {
        describer->busy = uv_queue_work(describer->loop, &describer->work, do_ask, on_asked) == 0;
        if (!describer->busy)
            drop_first(describer);
    }
}

int sl_describer_ask(struct sl_describer *describer, const char *name,
                     const struct sl_device *device)
{
    struct asked *asked = sl_calloc(1, sizeof(*asked));
    if (!asked)
        return -ENOMEM;
    asked->device = *device;
    snprintf(asked->name, sizeof(asked->name), "%s", name);
    *describer->end = asked;
    describer->end = &asked->next;
    next(describer);
    return 0;
}

void sl_describer_close(struct sl_describer *describer, void (*closed)(void *user), void *user)
{
    describer->closed = closed;
    describer->user = user;
    describer->ending = 1;
    if (!describer->busy)
        finish_close(describer);
}
