/* agent/probe/gunzip.h: what a gzip file holds (RFC 1951 and 1952), for /proc/config.gz. */
#pragma once

#include "common/base/bytes.h"

struct sl_buf;

/* Appends what the file's first member holds. 0, SL_E_FORMAT (it is none, or damaged: its length
 * and checksum are looked at), SL_E_LIMIT of `out`, -ENOMEM. */
int sl_gunzip(struct sl_bytes file, struct sl_buf *out);
