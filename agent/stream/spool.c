/* agent/stream/spool.c */
#include "agent/stream/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"

struct sl_spool {
    int fd; /* -1 until open */
    uint64_t size_bytes, max_bytes, dropped_bytes;
    int error; /* -errno of the write that failed */
};

int sl_spool_new(const char *path, uint64_t max_bytes, struct sl_spool **out)
{
    int rc;
    struct sl_spool *spool = sl_calloc(1, sizeof(*spool));
    if (!spool)
        return -ENOMEM;
    *spool = (struct sl_spool){.fd = -1, .max_bytes = max_bytes};
    spool->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spool->fd < 0)
        goto fail;
    off_t end = lseek(spool->fd, 0, SEEK_END);
    if (end < 0)
        goto fail;
    spool->size_bytes = (uint64_t)end;
    *out = spool;
    return 0;
fail:
    rc = -errno; /* before close() can change it */
    sl_spool_free(spool);
    return rc;
}

static int drop(struct sl_spool *spool, size_t len, int code)
{
    spool->dropped_bytes += len;
    return code;
}

int sl_spool_append(struct sl_spool *spool, const void *data, size_t len)
{
    size_t put = 0;
    if (spool->dropped_bytes != 0 || spool->size_bytes > spool->max_bytes ||
        len > spool->max_bytes - spool->size_bytes)
        return drop(spool, len, SL_E_FULL);
    while (put < len) {
        ssize_t n = pwrite(spool->fd, (const char *)data + put, len - put,
                           (off_t)(spool->size_bytes + put));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) { /* what was put lies past the end that counts, and is cut off */
            int rc = -errno;
            if (ftruncate(spool->fd, (off_t)spool->size_bytes) < 0)
                rc = -errno;
            spool->error = rc;
            return drop(spool, len, rc);
        }
        put += (size_t)n;
    }
    spool->size_bytes += len;
    return 0;
}

long sl_spool_read(const struct sl_spool *spool, uint64_t offset, void *out, size_t size)
{
    if (offset > spool->size_bytes)
        return SL_E_LIMIT;
    if (size > spool->size_bytes - offset)
        size = (size_t)(spool->size_bytes - offset);
    ssize_t n;
    do {
        n = pread(spool->fd, out, size, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : (long)n;
}

uint64_t sl_spool_bytes(const struct sl_spool *spool)
{
    return spool->size_bytes;
}

uint64_t sl_spool_dropped_bytes(const struct sl_spool *spool)
{
    return spool->dropped_bytes;
}

int sl_spool_error(const struct sl_spool *spool)
{
    return spool->error;
}

void sl_spool_free(struct sl_spool *spool)
{
    if (!spool)
        return;
    if (spool->fd >= 0)
        close(spool->fd);
    sl_free(spool);
}
