/* common/format/etdump_join.h: several ETDumps of one program as one file. */
#pragma once

#include <stddef.h>

#include "common/base/bytes.h"

struct sl_buf;
struct sl_diag;

enum { SL_ETDUMP_JOIN_MAX = 1024 };

/* Appends to the empty buffer `out` an ETDump that has the blocks of all files, in their order. The
 * files stand in it as they are, to the byte: a new root names their blocks, so that nothing they
 * hold is lost, events that this program does not know among it. SL_E_FORMAT, SL_E_TRUNCATED or
 * SL_E_LIMIT for what is no ETDump, for versions that differ, and for more than 2 GiB; -ENOMEM. */
int sl_etdump_join(const struct sl_bytes *files, size_t count, struct sl_buf *out,
                   struct sl_diag *diag);
