/* agent/serve/last_operator.c */
#include "agent/serve/last_operator.h"

#include <stdbool.h>
#include <string.h>

#include "agent/stream/spool.h"
#include "common/format/sltrace.h"

enum { BATCH_RECORDS = 256 };

/* Puts one part of the name in its place; true when it was the last that is wanted. */
static bool take_part(const struct sl_trace_record *record, char out[SL_LAST_OPERATOR_BYTES])
{
    size_t total = record->part.total_bytes, at = record->part.part_offset;
    size_t room = total < SL_LAST_OPERATOR_BYTES - 1 ? total : SL_LAST_OPERATOR_BYTES - 1;
    if (at >= room)
        return true;
    size_t len = room - at < SL_TRACE_NAME_PART_BYTES ? room - at : SL_TRACE_NAME_PART_BYTES;
    memcpy(out + at, record->part.text, len);
    return at + len == room;
}

void sl_last_operator_find(const struct sl_spool *trace, uint32_t id,
                           char out[SL_LAST_OPERATOR_BYTES])
{
    struct sl_trace_record batch[BATCH_RECORDS];
    uint64_t offset = 0;
    memset(out, 0, SL_LAST_OPERATOR_BYTES);
    for (long n; id != 0 && (n = sl_spool_read(trace, offset, batch, sizeof(batch))) > 0;
         offset += (uint64_t)n) {
        for (size_t i = 0; i < (size_t)n / sizeof(batch[0]); i++) {
            if (batch[i].kind == SL_TRACE_NAME && batch[i].name == id && take_part(&batch[i], out))
                return;
        }
    }
}
