/* common/base/buf.h: a byte buffer that grows up to a limit. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf {
    uint8_t *data; /* owned; NULL while empty; `data[size]` is 0 once anything was appended */
    size_t size, capacity, limit;
};

/* `limit` bounds `size`. */
void sl_buf_init(struct sl_buf *buf, size_t limit);
void sl_buf_fini(struct sl_buf *buf);

/* Appends whole or not at all: 0, SL_E_LIMIT or -ENOMEM. */
int sl_buf_append(struct sl_buf *buf, const void *bytes, size_t len);

/* Appends text by a printf format. The same results. */
__attribute__((format(printf, 2, 3))) int sl_buf_printf(struct sl_buf *buf, const char *format,
                                                        ...);

/* Appends `len` bytes whose content the caller writes through *out_at before the next call. */
int sl_buf_extend(struct sl_buf *buf, size_t len, uint8_t **out_at);

/* Reads a whole file of at most `limit` bytes into a fresh, terminated buffer: 0, the file's
 * -errno, SL_E_LIMIT, -ENOMEM. On success `out` is owned by the caller; end it with sl_buf_fini().
 */
int sl_buf_read_file(const char *path, size_t limit, struct sl_buf *out);

/* Writes all bytes to `path` by way of a .tmp beside it and rename, so that no half file is ever
 * seen under the name, whoever else writes the same one at that time, and syncs them: at once, or
 * at the end of this thread's group (common/base/sync_group.h). 0 or the file's -errno. */
int sl_buf_write_file(const char *path, const void *bytes, size_t len);

/* Writes all bytes and a newline to standard output and flushes it: 0 or SL_E_TRUNCATED. */
int sl_buf_print_line(const struct sl_buf *buf);
