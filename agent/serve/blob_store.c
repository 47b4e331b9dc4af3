/* agent/serve/blob_store.c */
#include "agent/serve/blob_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/digest.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/sync_file.h"
#include "proto/blob.pb-c.h"

enum { FOLDER_BYTES = 600, PATH_BYTES = FOLDER_BYTES + 80 };
static const char part_ending[] = ".part";

struct sl_blob_store {
    uv_loop_t *loop;
    sl_blob_state_fn state;
    void *user;
    char folder[FOLDER_BYTES];
    uint64_t max_bytes;
    char held[SL_BLOB_MAX_HELD][SL_BLOB_NAME_BYTES]; /* a ring; "": free */
    size_t held_next;
    /* The blob under way. */
    char name[SL_BLOB_NAME_BYTES];
    uint64_t size, offset;              /* bytes that it is to have, bytes that it has */
    int fd;                             /* of its part, -1: none is under way */
    bool checking;                      /* a thread has it: nothing else is begun */
    bool stopped;                       /* meanwhile the host went away */
    char next_name[SL_BLOB_NAME_BYTES]; /* offered meanwhile; "": none */
    uint64_t next_size;
    uv_work_t request;
    int rc; /* of the check */
    void (*closed)(void *user);
    void *closed_user;
};

static bool is_name(const char *text)
{
    return text && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static void path_of(const struct sl_blob_store *store, const char *name, const char *ending,
                    char out[PATH_BYTES])
{
    sl_path_join(out, PATH_BYTES, store->folder, "%s%s", name, ending);
}

int sl_blob_store_new(uv_loop_t *loop, const char *workdir, uint64_t max_bytes,
                      sl_blob_state_fn state, void *user, struct sl_blob_store **out)
{
    struct sl_blob_store *store = sl_calloc(1, sizeof(*store));
    if (!store)
        return -ENOMEM;
    store->loop = loop;
    store->state = state;
    store->user = user;
    store->max_bytes = max_bytes;
    store->fd = -1;
    store->request.data = store;
    int rc = sl_path_join(store->folder, sizeof(store->folder), workdir, "blobs");
    if (rc == 0)
        *out = store;
    else
        sl_free(store);
    return rc;
}

/* --- what the host is told --- */

static void tell(struct sl_blob_store *store, const char *name, bool complete)
{
    Sme2lab__Proto__BlobState state = SME2LAB__PROTO__BLOB_STATE__INIT;
    state.sha256 = (char *)(uintptr_t)name; /* only read */
    state.offset = store->offset;
    state.complete = complete;
    store->state(store->user, &state);
}

static void refuse(struct sl_blob_store *store, const char *name, const char *reason)
{
    Sme2lab__Proto__BlobState state = SME2LAB__PROTO__BLOB_STATE__INIT;
    state.sha256 = (char *)(uintptr_t)name;
    state.refusal = (char *)(uintptr_t)reason;
    sl_blob_store_stop(store);
    store->state(store->user, &state);
}

static void refuse_code(struct sl_blob_store *store, int rc)
{
    char reason[160];
    snprintf(reason, sizeof(reason), "the device cannot store the file: %s", sl_strerror(rc));
    refuse(store, store->name, reason);
}

/* --- the bound --- */

bool sl_blob_store_needs(const struct sl_blob_store *store, const char *name)
{
    for (size_t i = 0; i < SL_BLOB_MAX_HELD; i++) {
        if (store->held[i][0] && strncmp(store->held[i], name, SL_BLOB_NAME_BYTES - 1) == 0)
            return true; /* also its part */
    }
    return false;
}

static void hold(struct sl_blob_store *store, const char *name)
{
    if (sl_blob_store_needs(store, name))
        return;
    memcpy(store->held[store->held_next], name, SL_BLOB_NAME_BYTES);
    store->held_next = (store->held_next + 1) % SL_BLOB_MAX_HELD;
}

/* Bytes in the folder, but for what is under way, and the blob that was used longest ago; *oldest
 * is "" when none may go. */
static uint64_t look(const struct sl_blob_store *store, DIR *folder, char oldest[NAME_MAX + 1])
{
    struct timespec least = {0, 0};
    uint64_t bytes = 0;
    struct stat info;
    oldest[0] = '\0';
    rewinddir(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (fstatat(dirfd(folder), name, &info, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(info.st_mode))
            continue;
        if (strncmp(name, store->name, SL_BLOB_NAME_BYTES - 1) == 0)
            continue;
        bytes += (uint64_t)info.st_size;
        bool older = info.st_mtim.tv_sec < least.tv_sec ||
                     (info.st_mtim.tv_sec == least.tv_sec && info.st_mtim.tv_nsec < least.tv_nsec);
        if (sl_blob_store_needs(store, name) || (oldest[0] && !older))
            continue;
        least = info.st_mtim;
        snprintf(oldest, NAME_MAX + 1, "%s", name);
    }
    return bytes;
}

/* Makes room for the blob under way. 0, SL_E_FULL or -errno. */
static int make_room(struct sl_blob_store *store)
{
    char oldest[NAME_MAX + 1];
    DIR *folder = opendir(store->folder);
    int rc = folder ? 0 : -errno;
    while (rc == 0 && look(store, folder, oldest) + store->size > store->max_bytes) {
        rc = !oldest[0] ? SL_E_FULL : unlinkat(dirfd(folder), oldest, 0) < 0 ? -errno : 0;
        if (rc == 0)
            sl_log(SL_LOG_INFO, SL_LOG_EVENT("blob_removed"), SL_LOG_TEXT("blob", oldest),
                   SL_LOG_REASON("room for another"));
    }
    if (folder)
        closedir(folder);
    return rc;
}

/* --- checking a whole one, off the loop --- */

static void do_check(uv_work_t *request)
{
    struct sl_blob_store *store = request->data;
    char part[PATH_BYTES], whole[PATH_BYTES], found[SL_SHA256_HEX_SIZE];
    path_of(store, store->name, part_ending, part);
    path_of(store, store->name, "", whole);
    store->rc = sl_sha256_fd(store->fd, found);
    if (store->rc == 0 && strcmp(found, store->name) != 0)
        store->rc = SL_E_MISMATCH;
    if (store->rc == 0)
        store->rc = sl_sync_file(store->fd);
    if (store->rc == 0 && rename(part, whole) < 0)
        store->rc = -errno;
    if (store->rc == 0)
        store->rc = sl_durable_folder(store->folder);
    if (store->rc == SL_E_MISMATCH)
        unlink(part);
}

static void take_next(struct sl_blob_store *store)
{
    Sme2lab__Proto__BlobOffer offer = SME2LAB__PROTO__BLOB_OFFER__INIT;
    char name[SL_BLOB_NAME_BYTES];
    memcpy(name, store->next_name, sizeof(name));
    store->next_name[0] = '\0';
    offer.sha256 = name;
    offer.size = store->next_size;
    sl_blob_store_offer(store, &offer);
}

static void after_check(uv_work_t *request, int status)
{
    struct sl_blob_store *store = request->data;
    Sme2lab__Proto__BlobState damaged = SME2LAB__PROTO__BLOB_STATE__INIT;
    int rc = status < 0 ? status : store->rc;
    bool stopped = store->stopped;
    store->checking = false;
    close(store->fd);
    store->fd = -1;
    if (store->closed) {
        sl_blob_store_close(store, store->closed, store->closed_user);
    } else if (store->next_name[0]) {
        take_next(store);
    } else if (stopped) {
        return;
    } else if (rc == SL_E_MISMATCH) {
        damaged.sha256 = store->name;
        damaged.damaged = true;
        store->state(store->user, &damaged);
    } else if (rc < 0) {
        refuse_code(store, rc);
    } else {
        tell(store, store->name, true);
    }
}

static void check(struct sl_blob_store *store)
{
    store->checking = true;
    store->stopped = false;
    uv_queue_work(store->loop, &store->request, do_check, after_check);
}

/* --- offers and chunks --- */

/* The blob is here, whole: only then. One of another size is none that we stored. */
static bool has(const struct sl_blob_store *store, const char *name, uint64_t size)
{
    char path[PATH_BYTES];
    struct stat info;
    path_of(store, name, "", path);
    if (lstat(path, &info) < 0)
        return false;
    if (S_ISREG(info.st_mode) && (uint64_t)info.st_size == size) {
        utimensat(AT_FDCWD, path, NULL, 0); /* used now */
        return true;
    }
    unlink(path);
    return false;
}

/* Opens what there is of it; more than it is to have is nothing. */
static int open_part(struct sl_blob_store *store)
{
    char path[PATH_BYTES];
    struct stat info;
    path_of(store, store->name, part_ending, path);
    store->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (store->fd < 0 || fstat(store->fd, &info) < 0)
        return -errno;
    store->offset = (uint64_t)info.st_size;
    if (store->offset > store->size) {
        store->offset = 0;
        if (ftruncate(store->fd, 0) < 0)
            return -errno;
    }
    return 0;
}

void sl_blob_store_offer(struct sl_blob_store *store, const Sme2lab__Proto__BlobOffer *offer)
{
    char reason[160];
    if (!is_name(offer->sha256)) {
        refuse(store, "", "the offer names no SHA-256");
        return;
    }
    sl_blob_store_stop(store);
    if (store->checking) { /* for a host that went away: answered when that is over */
        memcpy(store->next_name, offer->sha256, sizeof(store->next_name));
        store->next_size = offer->size;
        return;
    }
    memcpy(store->name, offer->sha256, sizeof(store->name));
    store->size = store->offset = offer->size;
    hold(store, store->name);
    if (has(store, store->name, store->size)) {
        tell(store, store->name, true);
        return;
    }
    int rc = make_room(store);
    if (rc == SL_E_FULL) {
        snprintf(reason, sizeof(reason),
                 "a file of %" PRIu64 " bytes does not fit into the device's %" PRIu64
                 " MiB for files",
                 store->size, store->max_bytes >> 20);
        refuse(store, store->name, reason);
        return;
    }
    rc = rc < 0 ? rc : open_part(store);
    if (rc < 0)
        refuse_code(store, rc);
    else if (store->offset == store->size)
        check(store);
    else
        tell(store, store->name, false);
}

void sl_blob_store_take(struct sl_blob_store *store, const Sme2lab__Proto__BlobChunk *chunk)
{
    size_t len = chunk->bytes.len, put = 0;
    if (store->fd < 0 || store->checking || strcmp(chunk->sha256, store->name) != 0)
        return; /* of an offer that is over */
    if (chunk->offset != store->offset || len == 0 || len > SL_BLOB_CHUNK_BYTES ||
        len > store->size - store->offset) {
        refuse(store, store->name, "a stretch of the file does not follow the one before");
        return;
    }
    while (put < len) {
        ssize_t n =
            pwrite(store->fd, chunk->bytes.data + put, len - put, (off_t)(store->offset + put));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            refuse_code(store, -errno);
            return;
        }
        put += (size_t)n;
    }
    store->offset += len;
    if (store->offset == store->size)
        check(store);
    else
        tell(store, store->name, false);
}

void sl_blob_store_stop(struct sl_blob_store *store)
{
    if (!store)
        return;
    store->stopped = true;
    store->next_name[0] = '\0';
    if (store->checking)
        return; /* it ends by itself */
    if (store->fd >= 0)
        close(store->fd);
    store->fd = -1;
}

void sl_blob_store_release(struct sl_blob_store *store)
{
    if (!store)
        return;
    memset(store->held, 0, sizeof(store->held));
    store->held_next = 0;
}

void sl_blob_store_close(struct sl_blob_store *store, void (*closed)(void *user), void *user)
{
    if (store && store->checking) {
        store->closed = closed;
        store->closed_user = user;
        return;
    }
    if (store)
        sl_blob_store_stop(store);
    sl_free(store);
    closed(user);
}
