/* host/ingest/file_stream.h: the files that a run left, out of the stream that carries them. */
#pragma once

#include "common/base/bytes.h"

struct sl_diag;

enum { SL_FILE_STREAM_MAX_FILES = 4096, SL_FILE_STREAM_NAME_BYTES = 200 };

/* One file; borrowed. */
typedef int (*sl_file_stream_fn)(void *user, const char *name, struct sl_bytes content);

/* Calls `on_file` for each file in order; its failure ends the walk and comes out. Names are plain:
 * no separators, no leading dot. SL_E_FORMAT, SL_E_TRUNCATED, SL_E_LIMIT or -ENOMEM. */
int sl_file_stream_walk(struct sl_bytes stream, sl_file_stream_fn on_file, void *user,
                        struct sl_diag *diag);

/* Writes each file into `directory`. The same results, and the files' -errno. Blocks. */
int sl_file_stream_unpack(struct sl_bytes stream, const char *directory, struct sl_diag *diag);
