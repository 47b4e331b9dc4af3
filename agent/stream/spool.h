/* agent/stream/spool.h: append-only file of one stream that outlives a lost link, and the process
 * that wrote it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_spool; /* one thread at a time */

/* Opens `path`, made if absent (mode 0600); what it holds is kept. `max_bytes` bounds the file:
 * bytes past it are dropped and counted, and nothing is appended after the first drop, so what is
 * there is always the stream's beginning without a gap. Moves the new spool to *out; end it with
 * sl_spool_free(). 0, -ENOMEM or the file's -errno. */
int sl_spool_new(const char *path, uint64_t max_bytes, struct sl_spool **out);

/* Appends `len` bytes of borrowed `data`, whole or not at all. SL_E_FULL at the limit or after a
 * drop, the file's -errno (a full disk counts as a drop too). */
int sl_spool_append(struct sl_spool *spool, const void *data, size_t len);

/* Reads up to `size` bytes from `offset`: how many, 0 at the end, SL_E_LIMIT past it, or the file's
 * -errno. */
long sl_spool_read(const struct sl_spool *spool, uint64_t offset, void *out, size_t size);

uint64_t sl_spool_bytes(const struct sl_spool *spool);
uint64_t sl_spool_dropped_bytes(const struct sl_spool *spool); /* since it was opened */

/* The -errno for which bytes were dropped, 0 if only for `max_bytes` or none were. */
int sl_spool_error(const struct sl_spool *spool);

/* Closes and releases; NULL is a no-op. The file stays. */
void sl_spool_free(struct sl_spool *spool);
