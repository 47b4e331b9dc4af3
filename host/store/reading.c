/* host/store/reading.c */
#include "host/store/reading.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/store/batch.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/request_queue.h"
#include "host/store/schema.h"

#define AGAIN_NS UINT64_C(1000000000)

struct sl_reading {
    struct sl_reading_options options;
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t wake;
    /* the thread's: */
    struct sl_database *db; /* NULL: it is to be opened */
    uint64_t again_ns;      /* not before, by sl_clock_ns() */
    bool said;              /* why it could not be opened */
    /* under the lock: */
    struct sl_request_queue waiting;
    bool stopping;
};

/* A server that refuses it, or is silent, is asked once a second; why is said once. */
static int connect_if_needed(struct sl_reading *reading)
{
    struct sl_diag diag = {0};
    if (reading->db)
        return 0;
    if (sl_clock_ns() < reading->again_ns)
        return -ENOTCONN;
    int rc =
        sl_schema_open_to_read(reading->options.where, reading->options.store, &reading->db, &diag);
    if (rc < 0 && !reading->said)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_not_read_beside"), SL_LOG_REASON(diag.what));
    reading->said = rc < 0;
    reading->again_ns = sl_clock_ns() + AGAIN_NS;
    return rc;
}

/* A connection that failed is not used again. */
static void carry_out(struct sl_reading *reading, struct sl_request *request)
{
    int rc = connect_if_needed(reading);
    rc = rc < 0 ? rc : sl_batch_read(reading->db, request);
    if (rc == 0) {
        reading->options.answered(reading->options.user, request);
        return;
    }
    sl_database_close(reading->db);
    reading->db = NULL;
    sl_request_reset(request);
    reading->options.failed(reading->options.user, request);
}

static void work(void *user)
{
    struct sl_reading *reading = user;
    connect_if_needed(reading); /* after a failure a later question tries again */
    uv_mutex_lock(&reading->lock);
    while (!reading->stopping) {
        size_t count;
        struct sl_request *request = sl_request_queue_take_first(&reading->waiting, 1, &count);
        if (!request) {
            uv_cond_wait(&reading->wake, &reading->lock);
            continue;
        }
        uv_mutex_unlock(&reading->lock);
        carry_out(reading, request);
        uv_mutex_lock(&reading->lock);
    }
    uv_mutex_unlock(&reading->lock);
}

static int start(struct sl_reading *reading)
{
    int rc = uv_mutex_init(&reading->lock);
    if (rc < 0)
        return rc;
    rc = uv_cond_init(&reading->wake);
    if (rc == 0) {
        rc = uv_thread_create(&reading->thread, work, reading);
        if (rc < 0)
            uv_cond_destroy(&reading->wake);
    }
    if (rc < 0)
        uv_mutex_destroy(&reading->lock);
    return rc;
}

int sl_reading_new(const struct sl_reading_options *options, struct sl_reading **out)
{
    struct sl_reading *reading = sl_calloc(1, sizeof(*reading));
    if (!reading)
        return -ENOMEM;
    reading->options = *options;
    sl_request_queue_init(&reading->waiting);
    int rc = start(reading);
    if (rc < 0)
        sl_free(reading);
    else
        *out = reading;
    return rc;
}

void sl_reading_ask(struct sl_reading *reading, struct sl_request *request)
{
    uv_mutex_lock(&reading->lock);
    sl_request_queue_append(&reading->waiting, request);
    uv_cond_signal(&reading->wake);
    uv_mutex_unlock(&reading->lock);
}

void sl_reading_stop(struct sl_reading *reading)
{
    if (!reading)
        return;
    uv_mutex_lock(&reading->lock);
    reading->stopping = true;
    uv_cond_signal(&reading->wake);
    uv_mutex_unlock(&reading->lock);
}

void sl_reading_close(struct sl_reading *reading)
{
    if (!reading)
        return;
    sl_reading_stop(reading);
    uv_thread_join(&reading->thread);
    for (struct sl_request *request = sl_request_queue_take_all(&reading->waiting), *next; request;
         request = next) {
        next = request->next;
        reading->options.failed(reading->options.user, request);
    }
    sl_database_close(reading->db);
    uv_cond_destroy(&reading->wake);
    uv_mutex_destroy(&reading->lock);
    sl_free(reading);
}
