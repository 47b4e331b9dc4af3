/* agent/runtime/file_map.h: a whole file, mapped for reading. */
#pragma once

#include <stdint.h>

#include "common/base/bytes.h"

/* The system's mark of a file's content. Any change of the content changes the mark, unless it
 * comes within one tick of the clock behind the file's times. */
struct sl_file_identity {
    uint64_t device, inode, size;
    int64_t modified_s, changed_s;
    uint64_t modified_ns, changed_ns; /* of that second */
};

/* When its bytes were written, in nanoseconds of the epoch. */
int64_t sl_file_modified_ns(const struct sl_file_identity *identity);
/* An empty file is no mapping. `out_identity` may be NULL. 0 or -errno; release with
 * sl_file_unmap(). */
int sl_file_map(const char *path, struct sl_bytes *out, struct sl_file_identity *out_identity);
void sl_file_unmap(struct sl_bytes *file);
/* Identifies an open file. Returns 0 or -errno. */
int sl_file_identify(int fd, struct sl_file_identity *out);
