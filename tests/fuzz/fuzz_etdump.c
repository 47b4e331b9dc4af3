/* tests/fuzz/fuzz_etdump.c */
#include <assert.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/etdump.h"
#include "common/format/etdump_join.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every event, and a byte of whatever it names. */
static unsigned read_all(const struct sl_etdump *dump)
{
    unsigned sum = 0;
    for (uint32_t r = 0; r < dump->run_count; r++) {
        for (uint32_t i = 0; i < dump->runs[r].event_count; i++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *event = sl_etdump_event_read(&dump->runs[r], i, &room);
            sum += event->name ? (unsigned)event->name[event->name_len] : 1;
            sum += event->delegate_id ? (unsigned)event->delegate_id[event->delegate_id_len] : 1;
            sum += event->metadata.size > 0 ? event->metadata.data[event->metadata.size - 1] : 1;
        }
    }
    return sum;
}

/* A sound file joined with itself is sound, with each of its blocks twice. */
static void join(struct sl_bytes file, uint32_t blocks)
{
    const struct sl_bytes files[] = {file, file};
    struct sl_etdump joined;
    struct sl_buf out;
    sl_buf_init(&out, (size_t)1 << 24);
    if (sl_etdump_join(files, 2, &out, NULL) == 0 &&
        sl_etdump_parse((struct sl_bytes){out.data, out.size}, &joined, NULL) == 0) {
        assert(joined.run_count == 2 * blocks);
        sl_etdump_fini(&joined);
    }
    sl_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_etdump dump;
    struct sl_etdump_loss loss;
    volatile unsigned sum = 0;
    if (sl_etdump_parse((struct sl_bytes){data, size}, &dump, &diag) == 0) {
        sum += read_all(&dump);
        join(dump.file, dump.run_count);
        sl_etdump_fini(&dump);
    }
    if (sl_etdump_salvage((struct sl_bytes){data, size}, &dump, &loss, &diag) == 0) {
        sum += read_all(&dump);
        sl_etdump_fini(&dump);
    }
    return 0;
}
