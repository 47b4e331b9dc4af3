/* agent/trace/drain.c */
#include "agent/trace/drain.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "agent/trace/ring.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"

enum { BATCH_RECORDS = 1024, MAX_SEALED_BYTES = 2 * BATCH_RECORDS * SL_TRACE_RECORD_BYTES };

struct sl_drain {
    struct sl_ring *ring; /* borrowed */
    int fd;               /* borrowed */
    int error;            /* the first */
    struct sl_trace_sealer sealer;
    struct sl_buf sealed; /* owned; emptied by each append */
    pthread_t thread;
    bool running;
    _Atomic bool stopping;
    struct sl_trace_record batch[BATCH_RECORDS];
};

int sl_drain_new(struct sl_ring *ring, int fd, struct sl_drain **out)
{
    struct sl_drain *drain = sl_calloc(1, sizeof(*drain));
    if (!drain)
        return -ENOMEM;
    drain->ring = ring;
    drain->fd = fd;
    sl_trace_sealer_init(&drain->sealer);
    sl_buf_init(&drain->sealed, MAX_SEALED_BYTES);
    *out = drain;
    return 0;
}

void sl_drain_free(struct sl_drain *drain)
{
    if (!drain)
        return;
    sl_buf_fini(&drain->sealed);
    sl_free(drain);
}

static int append(int fd, const void *bytes, size_t len)
{
    for (const uint8_t *at = bytes; len > 0;) {
        ssize_t put = write(fd, at, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        at += put;
        len -= (size_t)put;
    }
    return 0;
}

/* Seals `count` records of the batch and appends them in one write. */
static int append_batch(struct sl_drain *drain, size_t count)
{
    drain->sealed.size = 0;
    int rc = sl_trace_sealer_put(&drain->sealer, drain->batch, count, &drain->sealed);
    if (rc == 0)
        rc = sl_trace_sealer_flush(&drain->sealer, &drain->sealed);
    return rc < 0 ? rc : append(drain->fd, drain->sealed.data, drain->sealed.size);
}

int sl_drain_now(struct sl_drain *drain)
{
    for (;;) {
        long count = sl_ring_pop(drain->ring, drain->batch, BATCH_RECORDS);
        if (count == 0)
            return drain->error;
        int rc = count < 0 ? (int)count : 0;
        if (rc == 0 && drain->error == 0)
            rc = append_batch(drain, (size_t)count);
        if (rc < 0 && drain->error == 0)
            drain->error = rc;
        if (count < 0)
            return drain->error;
    }
}

static void *drain_thread(void *argument)
{
    struct sl_drain *drain = argument;
    while (!atomic_load_explicit(&drain->stopping, memory_order_acquire)) {
        sl_ring_wait(drain->ring);
        sl_drain_now(drain);
    }
    return NULL;
}

int sl_drain_start(struct sl_drain *drain)
{
    atomic_store(&drain->stopping, false);
    int rc = pthread_create(&drain->thread, NULL, drain_thread, drain);
    drain->running = rc == 0;
    return -rc;
}

int sl_drain_stop(struct sl_drain *drain)
{
    if (drain->running) {
        atomic_store_explicit(&drain->stopping, true, memory_order_release);
        sl_ring_wake(drain->ring);
        pthread_join(drain->thread, NULL);
        drain->running = false;
    }
    return sl_drain_now(drain);
}

uint64_t sl_drain_bytes(const struct sl_drain *drain)
{
    return drain->sealer.offset;
}
