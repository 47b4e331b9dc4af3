/* tests/fuzz/fuzz_sltrace.c: the input as a stream, and again as bare records that get their CRCs
 * here, so that what lies behind a CRC is reached. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"
#include "common/format/trace_etdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_stream(struct sl_bytes stream)
{
    struct sl_trace trace;
    struct sl_diag diag;
    const char *text;
    int64_t integer;
    if (sl_trace_parse(stream, &trace, &diag) < 0)
        return;
    struct sl_buf etdump;
    sl_buf_init(&etdump, 1 << 20);
    sl_trace_to_etdump(&trace, 0, &etdump, &diag);
    sl_buf_fini(&etdump);
    for (uint32_t i = 1; i <= trace.operands_count; i++) {
        char words[SL_OPERANDS_WORDS_BYTES];
        sl_operands_words(&trace.operands[i], words, sizeof(words));
    }
    sl_trace_meta_text(&trace, "model", &text);
    sl_trace_meta_integer(&trace, "threads", &integer);
    sl_trace_fini(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_stream((struct sl_bytes){data, size});
    size_t count = size / SL_TRACE_RECORD_BYTES;
    struct sl_trace_record *records = calloc(count + 1, sizeof(*records));
    if (!records)
        return 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (data[i * SL_TRACE_RECORD_BYTES] != SL_TRACE_CRC)
            memcpy(&records[kept++], data + i * SL_TRACE_RECORD_BYTES, SL_TRACE_RECORD_BYTES);
    }
    struct sl_trace_sealer sealer;
    struct sl_buf stream;
    sl_trace_sealer_init(&sealer);
    sl_buf_init(&stream, 1 << 24);
    if (sl_trace_sealer_put(&sealer, records, kept, &stream) == 0 &&
        sl_trace_sealer_flush(&sealer, &stream) == 0)
        read_stream((struct sl_bytes){stream.data, stream.size});
    sl_buf_fini(&stream);
    free(records);
    return 0;
}
