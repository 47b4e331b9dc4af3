/* common/format/sltrace_seal.c */
#include "common/format/sltrace_seal.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/crc32c.h"

void sl_trace_sealer_init(struct sl_trace_sealer *sealer)
{
    *sealer = (struct sl_trace_sealer){0};
}

/* Writes the CRC record to `at` and starts the next span. */
static uint8_t *put_crc(struct sl_trace_sealer *sealer, uint8_t *at)
{
    struct sl_trace_record record = {.kind = SL_TRACE_CRC};
    record.crc.crc = sealer->crc;
    record.crc.records = sealer->records;
    record.crc.offset = sealer->offset - (uint64_t)sealer->records * sizeof(record);
    memcpy(at, &record, sizeof(record));
    sealer->offset += sizeof(record);
    sealer->crc = 0;
    sealer->records = 0;
    return at + sizeof(record);
}

int sl_trace_sealer_put(struct sl_trace_sealer *sealer, const struct sl_trace_record *records,
                        size_t count, struct sl_buf *out)
{
    const size_t size = sizeof(*records);
    uint8_t *at;
    if (count == 0)
        return 0;
    size_t crcs = (sealer->records + count) / SL_TRACE_CRC_SPAN;
    int rc = sl_buf_extend(out, (count + crcs) * size, &at);
    if (rc < 0)
        return rc;
    for (size_t done = 0; done < count;) {
        size_t part = SL_TRACE_CRC_SPAN - sealer->records;
        if (part > count - done)
            part = count - done;
        memcpy(at, records + done, part * size);
        sealer->crc = sl_crc32c(sealer->crc, at, part * size);
        sealer->records += (uint32_t)part;
        sealer->offset += part * size;
        at += part * size;
        done += part;
        if (sealer->records == SL_TRACE_CRC_SPAN)
            at = put_crc(sealer, at);
    }
    return 0;
}

int sl_trace_sealer_flush(struct sl_trace_sealer *sealer, struct sl_buf *out)
{
    uint8_t *at;
    if (sealer->records == 0)
        return 0;
    int rc = sl_buf_extend(out, sizeof(struct sl_trace_record), &at);
    if (rc == 0)
        put_crc(sealer, at);
    return rc;
}
