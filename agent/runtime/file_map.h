/* agent/runtime/file_map.h: a whole file, mapped for reading. */
#pragma once

#include "common/base/bytes.h"

/* An empty file is no mapping. 0 or -errno; release with sl_file_unmap(). */
int sl_file_map(const char *path, struct sl_bytes *out);
void sl_file_unmap(struct sl_bytes *file);
