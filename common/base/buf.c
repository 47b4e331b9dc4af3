/* common/base/buf.c */
#include "common/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/sync_file.h"
#include "common/base/sync_group.h"

enum { PIECE_BYTES = 256 << 10 };

void sl_buf_init(struct sl_buf *buf, size_t limit)
{
    *buf = (struct sl_buf){.limit = limit};
}

void sl_buf_fini(struct sl_buf *buf)
{
    sl_free(buf->data);
    *buf = (struct sl_buf){.limit = buf->limit};
}

/* Makes room for `len` more bytes and the terminator. */
static int reserve(struct sl_buf *buf, size_t len)
{
    if (len > buf->limit - buf->size)
        return SL_E_LIMIT;
    size_t needed = buf->size + len + 1;
    if (needed <= buf->capacity)
        return 0;
    size_t capacity = buf->capacity < 32 ? 64 : buf->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    uint8_t *data = sl_realloc(buf->data, capacity, 1);
    if (!data)
        return -ENOMEM;
    buf->data = data;
    buf->capacity = capacity;
    return 0;
}

int sl_buf_extend(struct sl_buf *buf, size_t len, uint8_t **out_at)
{
    int rc = reserve(buf, len);
    if (rc < 0)
        return rc;
    *out_at = buf->data + buf->size;
    buf->size += len;
    buf->data[buf->size] = 0;
    return 0;
}

int sl_buf_append(struct sl_buf *buf, const void *bytes, size_t len)
{
    uint8_t *at;
    int rc = sl_buf_extend(buf, len, &at);
    if (rc == 0 && len != 0)
        memcpy(at, bytes, len);
    return rc;
}

int sl_buf_printf(struct sl_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        return -EINVAL;
    int rc = reserve(buf, (size_t)len);
    if (rc < 0)
        return rc;
    va_start(args, format);
    vsnprintf((char *)buf->data + buf->size, (size_t)len + 1, format, args);
    va_end(args);
    buf->size += (size_t)len;
    return 0;
}

static int read_all(int fd, struct sl_buf *buf)
{
    for (;;) {
        int rc = reserve(buf, 1);
        if (rc == SL_E_LIMIT) { /* exactly full is fine: one more byte tells */
            uint8_t probe;
            ssize_t more = read(fd, &probe, 1);
            return more == 0 ? 0 : more < 0 ? -errno : SL_E_LIMIT;
        }
        if (rc < 0)
            return rc;
        size_t room = buf->capacity - buf->size - 1;
        if (room > buf->limit - buf->size)
            room = buf->limit - buf->size;
        ssize_t got = read(fd, buf->data + buf->size, room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        buf->size += (size_t)got;
        buf->data[buf->size] = 0; /* an empty file ends here too */
        if (got == 0)
            return 0;
    }
}

int sl_buf_read_file(const char *path, size_t limit, struct sl_buf *out)
{
    struct sl_buf buf;
    struct stat info;
    sl_buf_init(&buf, limit);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &info) < 0 ? -errno : 0;
    if (rc == 0 && S_ISDIR(info.st_mode))
        rc = -EISDIR;
    /* One allocation for a regular file; a pipe or a growing file goes on from there. */
    if (rc == 0 && info.st_size > 0 && (uint64_t)info.st_size <= limit)
        rc = reserve(&buf, (size_t)info.st_size);
    if (rc == 0)
        rc = read_all(fd, &buf);
    close(fd);
    if (rc < 0)
        sl_buf_fini(&buf);
    else
        *out = buf;
    return rc;
}

/* Writes in pieces, because for a write of megabytes Linux takes pages of megabytes, which nobody
 * has used lately. On a virtual machine these come from its host, and filling them took four times
 * as long. */
static int write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, bytes, len < PIECE_BYTES ? len : PIECE_BYTES);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        bytes += put;
        len -= (size_t)put;
    }
    return 0;
}

/* It has its name now and is synced at the group's end. */
static int name_and_group(int fd, const char *temporary, const char *path)
{
    int rc = rename(temporary, path) < 0 ? -errno : 0;
    if (rc == 0) {
        sl_sync_group_take(fd, path);
        return 0;
    }
    close(fd);
    unlink(temporary);
    return rc;
}

/* Nobody else writes under that name, who may be at the same file. The file or -errno. */
static int open_temporary(const char *path, char *out, size_t size)
{
    static atomic_uint count;
    int fd = -1;
    do {
        int n = snprintf(out, size, "%s.%ld-%u.tmp", path, (long)getpid(), count++);
        if (n < 0 || (size_t)n >= size)
            return -ENAMETOOLONG;
        fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    } while (fd < 0 && errno == EEXIST); /* left by a process that had this one's number */
    return fd < 0 ? -errno : fd;
}

int sl_buf_write_file(const char *path, const void *bytes, size_t len)
{
    char temporary[4096];
    int fd = open_temporary(path, temporary, sizeof(temporary));
    if (fd < 0)
        return fd;
    int rc = write_all(fd, bytes, len);
    if (rc == 0 && sl_sync_group_is_open())
        return name_and_group(fd, temporary, path);
    if (rc == 0)
        rc = sl_sync_file(fd);
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(temporary, path) < 0)
        rc = -errno;
    if (rc < 0)
        unlink(temporary);
    return rc;
}

int sl_buf_print_line(const struct sl_buf *buf)
{
    bool written = fwrite(buf->data, 1, buf->size, stdout) == buf->size;
    return written && putchar('\n') == '\n' && fflush(stdout) == 0 ? 0 : SL_E_TRUNCATED;
}
