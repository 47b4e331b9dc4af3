/* host/peer/run_copy.c */
#include "host/peer/run_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/job/keeper.h"
#include "host/peer/call.h"
#include "host/peer/run_list.h"
#include "host/records.h"
#include "host/store/run_file.h"

enum { WHY_BYTES = 320, MAX_REFUSALS = 100 };

struct copy {
    uv_timer_t timer; /* begins each call, none inside the events of another */
    struct sl_peer_calls *calls;
    struct sl_keeper *keeper;
    const struct sl_run_copy_events *events;
    void *user;
    char url[SL_URL_BYTES], folder[2 * SL_PATH_BYTES];
    uint64_t run, since_ms;
    struct sl_buf text; /* of the list, while it comes */
    struct sl_run_list list;
    bool has_list;
    unsigned refusals;         /* of a host that makes as many lists as it may */
    size_t at;                 /* the file that is under way, or next */
    struct sl_peer_call *call; /* NULL: none is under way */
    int file;                  /* -1: none is open */
    uint64_t written;          /* of it */
    uint64_t awaited;          /* of all files, as the keeper knows of them */
    struct sl_sha256 sha;      /* of the same bytes */
    int rc;                    /* negative: it has failed, and the timer ends it */
    char why[WHY_BYTES];
};

static void on_tick(uv_timer_t *timer);

static void go_on(struct copy *copy)
{
    uv_timer_start(&copy->timer, on_tick, 0, SL_RUN_COPY_TICK_MS);
}

static void stop_call(struct copy *copy)
{
    if (copy->call)
        sl_peer_call_stop(copy->call);
    copy->call = NULL;
    if (copy->file >= 0)
        close(copy->file);
    copy->file = -1;
}

/* The first reason counts. */
__attribute__((format(printf, 3, 4))) static void fail(struct copy *copy, int rc, const char *why,
                                                       ...)
{
    va_list args;
    va_start(args, why);
    if (copy->rc == 0)
        vsnprintf(copy->why, sizeof(copy->why), why, args);
    va_end(args);
    copy->rc = copy->rc == 0 ? rc : copy->rc;
    stop_call(copy);
    go_on(copy);
}

/* Other copies that begin now find the room taken. */
static void await_files(struct copy *copy)
{
    copy->awaited = copy->list.bytes;
    if (copy->keeper)
        sl_keeper_await(copy->keeper, copy->awaited);
}

/* The keeper waits no more for so many bytes. */
static void came(struct copy *copy, uint64_t bytes)
{
    copy->awaited -= bytes;
    if (copy->keeper)
        sl_keeper_came(copy->keeper, bytes);
}

static void on_closed(uv_handle_t *handle)
{
    struct copy *copy = handle->data;
    came(copy, copy->awaited);
    copy->events->ended(copy->user, copy->rc, copy->why);
    sl_buf_fini(&copy->text);
    sl_run_list_fini(&copy->list);
    sl_free(copy);
}

/* --- an answer --- */

static void on_head(void *user, int status)
{
    struct copy *copy = user;
    if (status == 503 && !copy->has_list && copy->refusals++ < MAX_REFUSALS)
        stop_call(copy); /* the next tick asks again */
    else if (status != 200)
        fail(copy, status == 404 ? SL_E_NOT_FOUND : -EPROTO, "it answered %d", status);
}

static int write_all(int file, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(file, bytes, len);
        if (wrote < 0 && errno != EINTR)
            return -errno;
        bytes += wrote > 0 ? wrote : 0;
        len -= wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

static bool on_body(void *user, const void *bytes, size_t len)
{
    struct copy *copy = user;
    int rc;
    if (!copy->has_list) {
        rc = sl_buf_append(&copy->text, bytes, len);
        if (rc < 0)
            fail(copy, rc, "its list of files is too long");
        return true;
    }
    const struct sl_run_list_file *file = &copy->list.files[copy->at];
    if (len > file->bytes - copy->written) {
        fail(copy, -EPROTO, "it sends more of %.200s than it said", file->path);
        return true;
    }
    rc = write_all(copy->file, bytes, len);
    if (rc < 0)
        fail(copy, rc, "%.200s cannot be written here: %s", file->path, sl_strerror(rc));
    sl_sha256_update(&copy->sha, bytes, len);
    copy->written += len;
    came(copy, len);
    return true;
}

static void take_list(struct copy *copy)
{
    struct sl_diag diag = {.what = ""};
    char full[SL_KEEPER_WHY_BYTES];
    int rc =
        sl_run_list_read((struct sl_bytes){copy->text.data, copy->text.size}, &copy->list, &diag);
    copy->has_list = rc == 0;
    if (rc < 0)
        fail(copy, rc, "its list of files cannot be used: %.200s",
             diag.what[0] ? diag.what : sl_strerror(rc));
    else if (copy->keeper && sl_keeper_is_full(copy->keeper, copy->list.bytes, full))
        fail(copy, -ENOSPC, "%s", full);
    else
        await_files(copy);
}

static void take_file(struct copy *copy)
{
    const struct sl_run_list_file *file = &copy->list.files[copy->at];
    char sha256[SL_SHA256_HEX_SIZE];
    sl_sha256_final_hex(&copy->sha, sha256);
    if (copy->written != file->bytes || strcmp(sha256, file->sha256) != 0)
        fail(copy, SL_E_MISMATCH, "%.200s came with another length or SHA-256 than it said",
             file->path);
    copy->at++;
    stop_call(copy);
}

static void on_ended(void *user, int rc, const char *why)
{
    struct copy *copy = user;
    copy->call = NULL;
    if (rc < 0)
        fail(copy, rc, "%s", why);
    else if (copy->has_list)
        take_file(copy);
    else
        take_list(copy);
    go_on(copy);
}

/* --- the next --- */

static void open_file(struct copy *copy)
{
    const struct sl_run_list_file *file = &copy->list.files[copy->at];
    char path[2 * SL_PATH_BYTES + SL_RUN_LIST_PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), copy->folder, "%s", file->path);
    if (rc == 0)
        rc = sl_run_file_make_folders(path, strlen(copy->folder) + 1);
    if (rc == 0)
        copy->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (rc == 0 && copy->file < 0)
        rc = -errno;
    if (rc < 0)
        fail(copy, rc, "%.200s cannot be made here: %s", file->path, sl_strerror(rc));
    copy->written = 0;
    sl_sha256_init(&copy->sha);
}

/* A request that finds too many calls under way is tried again at the next tick. */
static void ask(struct copy *copy)
{
    static const struct sl_peer_call_events events = {on_head, on_body, on_ended};
    char path[64 + SL_RUN_LIST_PATH_BYTES];
    int len =
        snprintf(path, sizeof(path), "/api/v1/runs/%llu/files", (unsigned long long)copy->run);
    if (copy->has_list)
        snprintf(path + len, sizeof(path) - (size_t)len, "/%s", copy->list.files[copy->at].path);
    const struct sl_peer_request request = {.url = copy->url,
                                            .path = path,
                                            .query = copy->has_list ? NULL : "sha256=1",
                                            .least_rate = SL_RUN_COPY_LEAST_RATE};
    int rc = sl_peer_call_start(copy->calls, &request, &events, copy, &copy->call);
    if (rc < 0 && rc != SL_E_FULL)
        fail(copy, rc, "it cannot be asked: %s", sl_strerror(rc));
}

static void on_tick(uv_timer_t *timer)
{
    struct copy *copy = timer->data;
    if (copy->rc == 0 && !copy->events->wanted(copy->user))
        fail(copy, -ECANCELED, "it is not wanted any more");
    else if (copy->rc == 0 && uv_now(timer->loop) - copy->since_ms >= SL_RUN_COPY_MAX_MS)
        fail(copy, -ETIMEDOUT, "its files did not come within %d s", SL_RUN_COPY_MAX_MS / 1000);
    bool is_whole = copy->has_list && copy->at == copy->list.count;
    if (copy->rc < 0 || is_whole) {
        uv_close((uv_handle_t *)timer, on_closed);
        return;
    }
    if (copy->call)
        return;
    if (copy->has_list && copy->file < 0)
        open_file(copy);
    if (copy->rc == 0)
        ask(copy);
}

int sl_run_copy_start(uv_loop_t *loop, const struct sl_run_copy_setup *setup,
                      const struct sl_run_copy_events *events, void *user)
{
    struct copy *copy = sl_calloc(1, sizeof(*copy));
    if (!copy)
        return -ENOMEM;
    *copy = (struct copy){.calls = setup->calls,
                          .keeper = setup->keeper,
                          .events = events,
                          .user = user,
                          .run = setup->run,
                          .since_ms = uv_now(loop),
                          .file = -1};
    if (strlen(setup->url) >= sizeof(copy->url) || strlen(setup->folder) >= sizeof(copy->folder)) {
        sl_free(copy);
        return -ENAMETOOLONG;
    }
    memcpy(copy->url, setup->url, strlen(setup->url) + 1);
    memcpy(copy->folder, setup->folder, strlen(setup->folder) + 1);
    sl_buf_init(&copy->text, SL_RUN_COPY_MAX_LIST_BYTES);
    uv_timer_init(loop, &copy->timer); /* cannot fail */
    copy->timer.data = copy;
    go_on(copy);
    return 0;
}
