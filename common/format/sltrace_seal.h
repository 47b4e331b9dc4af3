/* common/format/sltrace_seal.h: turns raw trace records into stream bytes with CRC records between.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/format/sltrace.h"

struct sl_buf;

struct sl_trace_sealer {
    uint64_t offset; /* in the stream, of the next byte */
    uint32_t crc;    /* of the records since the last CRC record */
    uint32_t records;
};

/* Starts a stream. There is nothing to release. */
void sl_trace_sealer_init(struct sl_trace_sealer *sealer);

/* Appends the stream bytes of `count` records (none of them a CRC record) to `out`, with a CRC
 * record after each SL_TRACE_CRC_SPAN. All or nothing: 0, SL_E_LIMIT or -ENOMEM. */
int sl_trace_sealer_put(struct sl_trace_sealer *sealer, const struct sl_trace_record *records,
                        size_t count, struct sl_buf *out);

/* Appends the CRC record of what none covers yet, if anything: what is in the stream so far can
 * then be read. To be called at the end, and whenever a reader should see everything. The same
 * results. */
int sl_trace_sealer_flush(struct sl_trace_sealer *sealer, struct sl_buf *out);
