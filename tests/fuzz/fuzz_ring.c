/* tests/fuzz/fuzz_ring.c: the bytes are the shared memory of a ring that another process made. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/trace/ring.h"
#include "common/format/sltrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct sl_ring *ring)
{
    struct sl_trace_record out[16];
    sl_ring_current(ring);
    sl_ring_allow(ring, sl_ring_allowed(ring));
    sl_ring_wake(ring);
    sl_ring_wait(ring);
    for (int i = 0; i < 40; i++) {
        struct sl_trace_record *slot = sl_ring_slot(ring);
        if (slot) {
            memset(slot, i, sizeof(*slot));
            sl_ring_push(ring);
        }
        if (i % 3 == 0 && sl_ring_pop(ring, out, 16) < 0)
            break;
        if (sl_ring_room(ring) > sl_ring_capacity(ring))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = tmpfile();
    struct sl_ring *ring = NULL;
    if (!file)
        return 0;
    if (fwrite(data, 1, size, file) == size && fflush(file) == 0 &&
        sl_ring_open(fileno(file), &ring) == 0)
        use(ring);
    sl_ring_free(ring);
    fclose(file);
    return 0;
}
