/* host/rundir/file_digest.h: the SHA-256 of a file that is asked for with every run: an agent,
 * a model. Hashed once, and again only when the file is another one. Any thread. */
#pragma once

#include "common/base/digest.h"

/* A file counts as the same while path, device, inode, size and time of its last change are. 0 or
 * the file's -errno. */
int sl_file_digest(const char *path, char out_hex[SL_SHA256_HEX_SIZE]);
