/* host/store/adder.c */
#include "host/store/adder.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/store/batch.h"
#include "host/store/database.h"
#include "host/store/schema.h"

enum { WHY_BYTES = 200 };

#define AGAIN_NS (UINT64_C(10) * 1000000000)

struct sl_adder {
    struct sl_adder_options options;
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t wake;
    struct sl_database *db; /* the thread's once it is there */
    /* under the lock: */
    struct sl_request *batch; /* NULL: it is free */
    bool wanted, connected, stopping;
    uint64_t again_ns; /* no attempt to connect before */
};

/* Under the lock, which is open meanwhile. */
static void connect_it(struct sl_adder *adder)
{
    struct sl_diag diag = {0};
    uv_mutex_unlock(&adder->lock);
    int rc = sl_schema_open(adder->options.where, NULL, &adder->db, &diag);
    if (rc == 0)
        snprintf(adder->db->family, sizeof(adder->db->family), "%s", adder->options.family);
    else
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_adder_failed"), SL_LOG_REASON(diag.what));
    uv_mutex_lock(&adder->lock);
    adder->wanted = false;
    adder->connected = rc == 0;
    adder->again_ns = sl_clock_ns() + AGAIN_NS;
}

/* Under the lock, which is open meanwhile. */
static void carry_out(struct sl_adder *adder)
{
    const struct sl_adder_options *options = &adder->options;
    char why[WHY_BYTES] = "";
    struct sl_batch_place place = {.db = adder->db,
                                   .host = options->host,
                                   .pause = options->pause,
                                   .user = options->user,
                                   .why = why,
                                   .why_bytes = sizeof(why)};
    struct sl_request *batch = adder->batch;
    uv_mutex_unlock(&adder->lock);
    uint64_t began_ns = sl_clock_ns();
    int rc = sl_batch_execute(&place, batch);
    uint64_t took_ns = sl_clock_ns() - began_ns;
    uv_mutex_lock(&adder->lock);
    adder->batch = NULL;
    uv_mutex_unlock(&adder->lock);
    options->done(options->user, batch, rc, why, took_ns);
    uv_mutex_lock(&adder->lock);
}

static void work(void *user)
{
    struct sl_adder *adder = user;
    uv_mutex_lock(&adder->lock);
    while (!adder->stopping || adder->batch) {
        if (adder->batch)
            carry_out(adder);
        else if (adder->wanted)
            connect_it(adder);
        else
            uv_cond_wait(&adder->wake, &adder->lock);
    }
    uv_mutex_unlock(&adder->lock);
}

int sl_adder_start(const struct sl_adder_options *options, struct sl_adder **out)
{
    struct sl_adder *adder = sl_calloc(1, sizeof(*adder));
    if (!adder)
        return -ENOMEM;
    adder->options = *options;
    int rc = uv_mutex_init(&adder->lock);
    if (rc < 0)
        goto no_lock;
    rc = uv_cond_init(&adder->wake);
    if (rc < 0)
        goto no_wake;
    rc = uv_thread_create(&adder->thread, work, adder);
    if (rc < 0)
        goto no_thread;
    *out = adder;
    return 0;
no_thread:
    uv_cond_destroy(&adder->wake);
no_wake:
    uv_mutex_destroy(&adder->lock);
no_lock:
    sl_free(adder);
    return rc;
}

bool sl_adder_is_free(struct sl_adder *adder)
{
    uv_mutex_lock(&adder->lock);
    bool is_free = adder->connected && !adder->batch;
    if (!adder->connected && !adder->wanted && sl_clock_ns() >= adder->again_ns) {
        adder->wanted = true;
        uv_cond_signal(&adder->wake);
    }
    uv_mutex_unlock(&adder->lock);
    return is_free;
}

void sl_adder_give(struct sl_adder *adder, struct sl_request *batch)
{
    uv_mutex_lock(&adder->lock);
    adder->batch = batch;
    uv_cond_signal(&adder->wake);
    uv_mutex_unlock(&adder->lock);
}

void sl_adder_stop(struct sl_adder *adder)
{
    if (!adder)
        return;
    uv_mutex_lock(&adder->lock);
    adder->stopping = true;
    uv_cond_signal(&adder->wake);
    uv_mutex_unlock(&adder->lock);
    uv_thread_join(&adder->thread);
    sl_database_close(adder->db);
    uv_cond_destroy(&adder->wake);
    uv_mutex_destroy(&adder->lock);
    sl_free(adder);
}
