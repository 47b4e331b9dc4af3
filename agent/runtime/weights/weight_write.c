/* agent/runtime/weights/weight_write.c */
#include "agent/runtime/weights/weight_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/runtime/weights/known_content.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/sync_file.h"

enum { PATH_BYTES = 4160, ALIGNMENT = 64 };

static int write_all(int fd, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    while (len > 0) {
        ssize_t put = write(fd, at, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? -errno : -ENOSPC;
        at += put;
        len -= (size_t)put;
    }
    return 0;
}

/* The head with all entries, which is `bytes` long; the hash of the weights goes to *out_content.
 * NULL when out of memory. */
static uint8_t *make_head(const struct sl_weight_store *store, struct sl_content key, size_t bytes,
                          struct sl_content *out_content)
{
    struct sl_content_hash hash;
    uint8_t *head = sl_calloc(1, bytes);
    uint64_t offset = bytes;
    if (!head)
        return NULL;
    sl_content_start(&hash);
    for (uint32_t i = 0; i < store->order_count; i++) {
        const struct sl_weight_blob *blob = store->order[i];
        const struct sl_weight_entry entry = {blob->key.form, offset, blob->key.bytes};
        sl_weight_file_put_entry(head, i, &entry);
        sl_content_add(&hash, blob->packed, blob->key.bytes);
        offset += (blob->key.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    hash.bytes = offset - bytes; /* of the whole run, zeros included */
    *out_content = sl_content_end(&hash);
    sl_weight_file_put_head(head, store->order_count, key, offset, *out_content);
    return head;
}

static int write_file(const struct sl_weight_store *store, int fd, const uint8_t *head,
                      size_t head_bytes)
{
    static const uint8_t zeros[ALIGNMENT];
    int rc = write_all(fd, head, head_bytes);
    for (uint32_t i = 0; i < store->order_count && rc == 0; i++) {
        const struct sl_weight_blob *blob = store->order[i];
        size_t rest = (ALIGNMENT - blob->key.bytes % ALIGNMENT) % ALIGNMENT;
        rc = write_all(fd, blob->packed, blob->key.bytes);
        if (rc == 0)
            rc = write_all(fd, zeros, rest);
    }
    return rc == 0 ? sl_sync_file(fd) : rc;
}

static bool all_packed(const struct sl_weight_store *store)
{
    for (uint32_t i = 0; i < store->order_count; i++)
        if (store->order[i]->failed)
            return false;
    return true;
}

/* A name that no other writer has, be it on another machine that shares the directory. */
static int open_temporary(const char *path, char *out)
{
    int length = snprintf(out, PATH_BYTES, "%s.XXXXXX", path);
    if (length < 0 || length >= PATH_BYTES)
        return -ENAMETOOLONG;
    int fd = mkstemp(out);
    if (fd < 0)
        return -errno;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fchmod(fd, 0644); /* others may read; where that is not to be, it is the owner's alone */
    return fd;
}

/* Makes the file and names it `path`; what the system knows it by then goes to *out_identity. */
static int write_named(const struct sl_weight_store *store, const uint8_t *head, size_t head_bytes,
                       const char *path, struct sl_file_identity *out_identity)
{
    char temporary[PATH_BYTES];
    int fd = open_temporary(path, temporary);
    if (fd < 0)
        return fd;
    int rc = write_file(store, fd, head, head_bytes);
    if (rc == 0 && rename(temporary, path) < 0)
        rc = -errno;
    if (rc == 0)
        rc = sl_file_identify(fd, out_identity);
    else
        unlink(temporary);
    close(fd);
    return rc;
}

static uint64_t file_bytes(const struct sl_weight_store *store)
{
    uint64_t bytes = sl_weight_file_data_at(store->order_count);
    for (uint32_t i = 0; i < store->order_count; i++)
        bytes += (store->order[i]->key.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return bytes;
}

int sl_weight_write(const struct sl_weight_store *store, struct sl_content key, uint64_t max_bytes,
                    const char *directory, const char *path)
{
    struct sl_content content;
    struct sl_file_identity identity;
    if (!all_packed(store))
        return SL_E_STATE;
    if (file_bytes(store) > max_bytes)
        return SL_E_LIMIT;
    size_t head_bytes = (size_t)sl_weight_file_data_at(store->order_count);
    uint8_t *head = make_head(store, key, head_bytes, &content);
    if (!head)
        return -ENOMEM;
    int rc = write_named(store, head, head_bytes, path, &identity);
    /* Young as it is: those who write here rename, and nobody writes into a named file. */
    if (rc == 0)
        sl_known_content_note(directory, &identity, content);
    sl_free(head);
    return rc;
}
