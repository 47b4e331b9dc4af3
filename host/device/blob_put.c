/* host/device/blob_put.c */
#include "host/device/blob_put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/net/channel.h"
#include "host/device/transport.h"
#include "proto/envelope.pb-c.h"

enum { PATH_BYTES = 1024, NAME_BYTES = 65, MAX_DAMAGED = 2 };

struct sl_blob_put {
    const struct sl_transport_ops *ops;
    char store[PATH_BYTES], workdir[PATH_BYTES];
    char names[SL_BLOB_PUT_MAX][NAME_BYTES];
    size_t count, at;
    sl_blob_put_fn done;
    void *user;
    uv_work_t request;
    uv_timer_t stall;
    bool working, cancelled, ended;
    int rc;
    struct sl_diag diag;
    /* The blob under way, when they are sent. */
    struct sl_channel *channel; /* NULL: the link is down */
    int fd;                     /* -1: none is open */
    uint64_t size, sent, acked;
    bool going; /* the device has said from where on */
    unsigned damaged;
    uint8_t chunk[SL_BLOB_CHUNK_BYTES];
};

static void on_closed(uv_handle_t *handle)
{
    struct sl_blob_put *put = handle->data;
    sl_blob_put_fn done = put->done;
    void *user = put->user;
    struct sl_diag diag = put->diag;
    int rc = put->rc;
    sl_free(put);
    done(user, rc, &diag);
}

static void finish(struct sl_blob_put *put, int rc)
{
    if (put->ended)
        return;
    put->ended = true;
    put->rc = rc;
    if (put->fd >= 0)
        close(put->fd);
    put->fd = -1;
    uv_close((uv_handle_t *)&put->stall, on_closed);
}

/* --- linked --- */

static void do_place(uv_work_t *request)
{
    struct sl_blob_put *put = request->data;
    for (size_t i = 0; put->rc == 0 && i < put->count; i++)
        put->rc = put->ops->place_blob(put->store, put->workdir, put->names[i], &put->diag);
}

static void after_place(uv_work_t *request, int status)
{
    struct sl_blob_put *put = request->data;
    put->working = false;
    finish(put, put->cancelled ? -ECANCELED : status < 0 ? status : put->rc);
}

/* --- sent --- */

static void on_stall(uv_timer_t *timer)
{
    struct sl_blob_put *put = timer->data;
    if (!put->channel)
        return; /* whoever waits for the link has a limit of his own */
    sl_diag_set(&put->diag, SL_E_TIMEOUT, NULL, "The device does not answer while a file is sent");
    finish(put, SL_E_TIMEOUT);
}

static void send_offer(struct sl_blob_put *put)
{
    Sme2lab__Proto__BlobOffer offer = SME2LAB__PROTO__BLOB_OFFER__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    offer.sha256 = put->names[put->at];
    offer.size = put->size;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_BLOB_OFFER;
    envelope.blob_offer = &offer;
    sl_channel_tell(put->channel, &envelope); /* one that cannot take it is about to close */
}

static int send_chunk(struct sl_blob_put *put, size_t len)
{
    Sme2lab__Proto__BlobChunk chunk = SME2LAB__PROTO__BLOB_CHUNK__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    chunk.sha256 = put->names[put->at];
    chunk.offset = put->sent;
    chunk.bytes = (ProtobufCBinaryData){len, put->chunk};
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_BLOB_CHUNK;
    envelope.blob_chunk = &chunk;
    return sl_channel_send(put->channel, &envelope);
}

/* Opens the next blob, if none is open. */
static int open_next(struct sl_blob_put *put)
{
    char path[PATH_BYTES + NAME_BYTES];
    struct stat info;
    if (put->fd >= 0)
        return 0;
    sl_path_join(path, sizeof(path), put->store, "%s", put->names[put->at]);
    put->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (put->fd < 0 || fstat(put->fd, &info) < 0) {
        int rc = errno == ENOENT ? SL_E_NOT_FOUND : -errno;
        return sl_diag_set(&put->diag, rc, path, "The blob cannot be read (%s)", sl_strerror(rc));
    }
    put->size = (uint64_t)info.st_size;
    return 0;
}

static void offer(struct sl_blob_put *put)
{
    if (put->at == put->count) { /* none was asked for: the link is up */
        finish(put, 0);
        return;
    }
    int rc = open_next(put);
    put->going = false;
    put->sent = put->acked = 0;
    if (rc < 0) {
        finish(put, rc);
        return;
    }
    uv_timer_start(&put->stall, on_stall, SL_BLOB_STALL_MS, 0);
    if (put->channel)
        send_offer(put);
}

static void pump(struct sl_blob_put *put)
{
    while (put->going && put->channel && put->sent < put->size &&
           put->sent - put->acked < SL_BLOB_WINDOW_BYTES) {
        ssize_t got = pread(put->fd, put->chunk, sizeof(put->chunk), (off_t)put->sent);
        if (got <= 0) {
            sl_diag_set(&put->diag, got < 0 ? -errno : SL_E_TRUNCATED, put->names[put->at],
                        "The blob cannot be read");
            finish(put, got < 0 ? -errno : SL_E_TRUNCATED);
            return;
        }
        if (send_chunk(put, (size_t)got) < 0)
            return; /* full: goes on when it is writable; closed: when the link is up again */
        put->sent += (size_t)got;
    }
}

static void next(struct sl_blob_put *put)
{
    close(put->fd);
    put->fd = -1;
    put->damaged = 0;
    if (++put->at == put->count)
        finish(put, 0);
    else
        offer(put);
}

void sl_blob_put_link(struct sl_blob_put *put, struct sl_channel *channel)
{
    put->channel = channel;
    put->going = false;
    if (channel && !put->ended && !put->ops->place_blob)
        offer(put);
}

void sl_blob_put_state(struct sl_blob_put *put, const struct sl_blob_put_state *state)
{
    if (put->ended || put->fd < 0 || !state->sha256 ||
        (state->sha256[0] && strcmp(state->sha256, put->names[put->at]) != 0))
        return; /* of what is no longer under way */
    uv_timer_start(&put->stall, on_stall, SL_BLOB_STALL_MS, 0);
    if (state->refusal && state->refusal[0]) {
        sl_diag_set(&put->diag, SL_E_STATE, put->names[put->at], "%s", state->refusal);
        finish(put, SL_E_STATE);
    } else if (state->damaged && ++put->damaged == MAX_DAMAGED) {
        sl_diag_set(&put->diag, SL_E_MISMATCH, put->names[put->at],
                    "The blob's bytes are not what its name says");
        finish(put, SL_E_MISMATCH);
    } else if (state->damaged) {
        offer(put);
    } else if (state->complete) {
        next(put);
    } else if (!put->going && state->offset < put->size) {
        put->sent = put->acked = state->offset;
        put->going = true;
        pump(put);
    } else if (put->going && state->offset > put->acked && state->offset <= put->sent) {
        put->acked = state->offset;
        pump(put);
    }
}

void sl_blob_put_writable(struct sl_blob_put *put)
{
    if (!put->ended)
        pump(put);
}

void sl_blob_put_stop(struct sl_blob_put *put)
{
    put->cancelled = true;
    if (!put->working)
        finish(put, -ECANCELED);
}

int sl_blob_put_start(uv_loop_t *loop, const struct sl_transport_ops *ops, const char *workdir,
                      const struct sl_blob_put_list *list, sl_blob_put_fn done, void *user,
                      struct sl_blob_put **out)
{
    if (list->count > SL_BLOB_PUT_MAX)
        return SL_E_LIMIT;
    struct sl_blob_put *put = sl_calloc(1, sizeof(*put));
    if (!put)
        return -ENOMEM;
    put->ops = ops;
    put->done = done;
    put->user = user;
    put->fd = -1;
    put->count = list->count;
    put->request.data = put;
    snprintf(put->store, sizeof(put->store), "%s", list->store);
    snprintf(put->workdir, sizeof(put->workdir), "%s", workdir);
    for (size_t i = 0; i < list->count; i++)
        snprintf(put->names[i], NAME_BYTES, "%s", list->names[i]);
    uv_timer_init(loop, &put->stall); /* cannot fail */
    put->stall.data = put;
    put->working = ops->place_blob != NULL;
    if (put->working)
        uv_queue_work(loop, &put->request, do_place, after_place);
    *out = put;
    return 0;
}
