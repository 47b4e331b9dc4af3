/* host/ingest/run_store.c */
#include "host/ingest/run_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/bytes.h"
#include "common/base/crc32c.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "common/base/histogram.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/sync_file.h"
#include "host/ingest/assembler.h"

enum {
    PATH_BYTES = 1024,
    MARK_BYTES = 8 * SL_INGEST_STREAMS + 4,
    MARK_SLOTS = 2,
    MARK_SLOT_BYTES = 4096,
};

static const char *const names[SL_INGEST_STREAMS] = {"trace.sltrace", "log", "output", "files"};

/* One group: which files to sync, and what then counts as durable. Owned by the request. */
struct sync {
    uv_work_t work;
    struct sl_ingest *store;
    int fds[SL_INGEST_STREAMS]; /* -1: nothing new */
    int mark_fd;
    off_t mark_at;
    uint8_t mark[MARK_BYTES];
    uint64_t oldest_ms; /* when the first of these bytes came */
    int rc;
};

struct sl_ingest {
    uv_loop_t *loop;
    struct sl_ingest_events events;
    void *user;
    struct sl_assembler streams[SL_INGEST_STREAMS];
    int fds[SL_INGEST_STREAMS], mark_fd; /* -1 until open */
    int mark_slot;                       /* written last */
    uv_timer_t timer;
    struct sync sync;
    struct sl_histogram *lag; /* borrowed; NULL: it is not measured */
    bool syncing, closing;
    int failure; /* sticks */
    void (*closed)(void *user);
    void *closed_user;
};

static void sync_if_due(struct sl_ingest *store, bool force);

/* --- the mark: four lengths and their checksum, in two slots written in turn --- */

static void pack_mark(uint8_t out[MARK_BYTES], const uint64_t lengths[SL_INGEST_STREAMS])
{
    for (int i = 0; i < SL_INGEST_STREAMS; i++)
        sl_store_u64(out + (size_t)8 * (size_t)i, lengths[i]);
    sl_store_u32(out + MARK_BYTES - 4, sl_crc32c(0, out, MARK_BYTES - 4));
}

/* Lengths only grow, so the larger of what the slots say holds; one torn by a loss of power says
 * nothing. */
static void read_mark(int fd, uint64_t out[SL_INGEST_STREAMS])
{
    memset(out, 0, SL_INGEST_STREAMS * sizeof(*out));
    for (int slot = 0; slot < MARK_SLOTS; slot++) {
        uint8_t mark[MARK_BYTES];
        if (pread(fd, mark, sizeof(mark), (off_t)slot * MARK_SLOT_BYTES) != MARK_BYTES ||
            sl_load_u32(mark + MARK_BYTES - 4) != sl_crc32c(0, mark, MARK_BYTES - 4))
            continue;
        for (size_t i = 0; i < SL_INGEST_STREAMS; i++) {
            uint64_t length = sl_load_u64(mark + 8 * i);
            out[i] = length > out[i] ? length : out[i];
        }
    }
}

/* --- opening --- */

void sl_ingest_path(const char *directory, int stream, char *out, size_t size)
{
    sl_path_join(out, size, directory, "streams/%s", names[stream]);
}

static int open_one(const char *path, int *out_fd)
{
    *out_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return *out_fd < 0 ? -errno : 0;
}

/* Cuts a stream to what is durable: what follows was never acknowledged and comes again. */
static int open_stream(struct sl_ingest *store, const char *directory, int i, uint64_t synced)
{
    char path[PATH_BYTES];
    struct stat info;
    sl_ingest_path(directory, i, path, sizeof(path));
    int rc = open_one(path, &store->fds[i]);
    if (rc == 0 && fstat(store->fds[i], &info) < 0)
        rc = -errno;
    if (rc < 0)
        return rc;
    if (info.st_size < (off_t)synced)
        return SL_E_TRUNCATED; /* somebody took away what was acknowledged */
    sl_assembler_init(&store->streams[i], synced);
    return ftruncate(store->fds[i], (off_t)synced) < 0 ? -errno : 0;
}

static int open_files(struct sl_ingest *store, const char *directory)
{
    char path[PATH_BYTES];
    uint64_t synced[SL_INGEST_STREAMS];
    int rc = sl_path_join(path, PATH_BYTES - 32, directory, "streams");
    if (rc < 0)
        return rc;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -errno;
    sl_path_join(path, sizeof(path), directory, "streams/synced");
    rc = open_one(path, &store->mark_fd);
    if (rc < 0)
        return rc;
    read_mark(store->mark_fd, synced);
    for (int i = 0; i < SL_INGEST_STREAMS && rc == 0; i++)
        rc = open_stream(store, directory, i, synced[i]);
    sl_path_join(path, sizeof(path), directory, "streams");
    return rc < 0 ? rc : sl_durable_folder(path);
}

static void close_files(struct sl_ingest *store)
{
    for (int i = 0; i < SL_INGEST_STREAMS; i++) {
        if (store->fds[i] >= 0)
            close(store->fds[i]);
    }
    if (store->mark_fd >= 0)
        close(store->mark_fd);
}

/* --- syncing --- */

static uint64_t now_ms(const struct sl_ingest *store)
{
    return uv_now(store->loop);
}

static void on_timer(uv_timer_t *timer)
{
    sync_if_due(timer->data, false);
}

static int write_all(int fd, const uint8_t *bytes, size_t len, uint64_t offset)
{
    while (len > 0) {
        ssize_t put = pwrite(fd, bytes, len, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? -errno : -ENOSPC;
        bytes += put;
        offset += (uint64_t)put;
        len -= (size_t)put;
    }
    return 0;
}

/* On a thread of the pool: touches nothing but its own request. The mark is written only when what
 * it promises is on the disk. */
static void do_sync(uv_work_t *work)
{
    struct sync *sync = work->data;
    sync->rc = 0;
    for (int i = 0; i < SL_INGEST_STREAMS && sync->rc == 0; i++) {
        if (sync->fds[i] >= 0)
            sync->rc = sl_sync_file_data(sync->fds[i]);
    }
    if (sync->rc == 0)
        sync->rc = write_all(sync->mark_fd, sync->mark, MARK_BYTES, (uint64_t)sync->mark_at);
    if (sync->rc == 0)
        sync->rc = sl_sync_file_data(sync->mark_fd);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_ingest *store = handle->data;
    void (*closed)(void *) = store->closed;
    void *user = store->closed_user;
    close_files(store);
    sl_free(store);
    closed(user);
}

static void after_sync(uv_work_t *work, int status)
{
    struct sync *sync = work->data;
    struct sl_ingest *store = sync->store;
    int rc = status < 0 ? status : sync->rc;
    store->syncing = false;
    for (int i = 0; i < SL_INGEST_STREAMS; i++) {
        if (sync->fds[i] >= 0)
            sl_assembler_sync_ended(&store->streams[i], now_ms(store), rc == 0);
    }
    if (store->closing) {
        uv_close((uv_handle_t *)&store->timer, on_timer_closed);
        return;
    }
    if (rc < 0) {
        store->failure = rc;
        store->events.failed(store->user, rc);
        return;
    }
    if (store->lag)
        sl_histogram_add(store->lag, 1000000 * (now_ms(store) - sync->oldest_ms));
    sync_if_due(store, false);
    store->events.synced(store->user); /* last: it may close the store */
}

static void start_sync(struct sl_ingest *store)
{
    struct sync *sync = &store->sync;
    uint64_t lengths[SL_INGEST_STREAMS];
    store->mark_slot = (store->mark_slot + 1) % MARK_SLOTS;
    *sync = (struct sync){.store = store,
                          .mark_fd = store->mark_fd,
                          .oldest_ms = now_ms(store),
                          .mark_at = (off_t)store->mark_slot * MARK_SLOT_BYTES};
    sync->work.data = sync;
    for (int i = 0; i < SL_INGEST_STREAMS; i++) {
        struct sl_assembler *stream = &store->streams[i];
        bool dirty = stream->appended > stream->synced;
        sync->fds[i] = dirty ? store->fds[i] : -1;
        if (dirty && stream->oldest_ms < sync->oldest_ms)
            sync->oldest_ms = stream->oldest_ms;
        if (dirty)
            sl_assembler_sync_started(stream);
        lengths[i] = stream->appended;
    }
    pack_mark(sync->mark, lengths);
    store->syncing = true;
    int rc = uv_queue_work(store->loop, &sync->work, do_sync, after_sync);
    (void)rc; /* fails only without a function to run */
}

/* One group for all streams: when one of them is due, what the others have goes along. */
static void sync_if_due(struct sl_ingest *store, bool force)
{
    uint64_t now = now_ms(store), wait_ms = UINT64_MAX;
    bool due = false;
    if (store->syncing || store->failure < 0 || store->closing)
        return;
    for (int i = 0; i < SL_INGEST_STREAMS; i++) {
        const struct sl_assembler *stream = &store->streams[i];
        if (stream->appended == stream->synced)
            continue;
        due = due || sl_assembler_sync_due(stream, now, force);
        uint64_t age = now - stream->oldest_ms;
        uint64_t left = age < SL_ASSEMBLER_SYNC_MS ? SL_ASSEMBLER_SYNC_MS - age : 0;
        wait_ms = left < wait_ms ? left : wait_ms;
    }
    if (due)
        start_sync(store);
    else if (wait_ms != UINT64_MAX)
        uv_timer_start(&store->timer, on_timer, wait_ms, 0);
}

/* --- what is asked of it --- */

int sl_ingest_open(uv_loop_t *loop, const char *directory, const struct sl_ingest_events *events,
                   void *user, struct sl_ingest **out)
{
    struct sl_ingest *store = sl_calloc(1, sizeof(*store));
    if (!store)
        return -ENOMEM;
    store->loop = loop;
    store->events = *events;
    store->user = user;
    store->mark_fd = -1;
    for (int i = 0; i < SL_INGEST_STREAMS; i++)
        store->fds[i] = -1;
    int rc = open_files(store, directory);
    if (rc < 0) {
        close_files(store);
        sl_free(store);
        return rc;
    }
    uv_timer_init(loop, &store->timer); /* cannot fail */
    store->timer.data = store;
    *out = store;
    return 0;
}

void sl_ingest_measure(struct sl_ingest *store, struct sl_histogram *lag)
{
    store->lag = lag;
}

int sl_ingest_take(struct sl_ingest *store, int stream, uint64_t offset, const void *bytes,
                   size_t len)
{
    size_t fresh = 0;
    if (store->failure < 0 || store->closing)
        return SL_E_STATE;
    int rc = sl_assembler_take(&store->streams[stream], offset, len, now_ms(store), &fresh);
    if (rc < 0 || fresh == 0)
        return rc;
    rc = write_all(store->fds[stream], (const uint8_t *)bytes + (len - fresh), fresh,
                   offset + (len - fresh));
    if (rc < 0)
        store->failure = rc; /* what was counted as taken is not there: nothing is synced again */
    sync_if_due(store, false);
    return rc;
}

int sl_ingest_end(struct sl_ingest *store, const uint64_t lengths[SL_INGEST_STREAMS])
{
    int rc = 0;
    for (int i = 0; i < SL_INGEST_STREAMS && rc == 0; i++)
        rc = sl_assembler_end(&store->streams[i], lengths[i]);
    sync_if_due(store, true);
    return rc;
}

bool sl_ingest_ack(struct sl_ingest *store, int stream, uint64_t *out_offset)
{
    return sl_assembler_ack(&store->streams[stream], out_offset);
}

void sl_ingest_synced(const struct sl_ingest *store, uint64_t out[SL_INGEST_STREAMS])
{
    for (int i = 0; i < SL_INGEST_STREAMS; i++)
        out[i] = store->streams[i].synced;
}

bool sl_ingest_full(const struct sl_ingest *store)
{
    bool full = false;
    for (int i = 0; i < SL_INGEST_STREAMS; i++)
        full = full || sl_assembler_full(&store->streams[i]);
    return full;
}

bool sl_ingest_complete(const struct sl_ingest *store)
{
    bool complete = true;
    for (int i = 0; i < SL_INGEST_STREAMS; i++)
        complete = complete && sl_assembler_complete(&store->streams[i]);
    return complete;
}

void sl_ingest_close(struct sl_ingest *store, void (*closed)(void *user), void *user)
{
    if (store->closing)
        return;
    store->closing = true;
    store->closed = closed;
    store->closed_user = user;
    uv_timer_stop(&store->timer);
    if (!store->syncing)
        uv_close((uv_handle_t *)&store->timer, on_timer_closed);
}
