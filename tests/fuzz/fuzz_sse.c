/* tests/fuzz/fuzz_sse.c: the daemon's event stream. The first byte says how the rest is cut; the
 * events must not depend on it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t hash;
};

static void add_text(struct seen *seen, const char *text)
{
    for (; *text; text++)
        seen->hash = (seen->hash ^ (uint8_t)*text) * 1099511628211u;
    seen->hash = (seen->hash ^ 0x1ff) * 1099511628211u;
}

static void on_event(void *user, const struct sl_sse_event *event)
{
    add_text(user, event->type);
    add_text(user, event->data);
    add_text(user, event->id);
}

static uint64_t parse(const uint8_t *data, size_t size, size_t cut)
{
    static struct sl_sse sse;
    struct seen seen = {14695981039346656037u};
    sl_sse_init(&sse, on_event, &seen);
    for (size_t at = 0; at < size; at += cut)
        if (sl_sse_feed(&sse, (const char *)data + at, size - at < cut ? size - at : cut) < 0)
            break;
    sl_sse_restart(&sse);
    return seen.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t cut = (size_t)data[0] % 16 + 1;
    if (parse(data + 1, size - 1, cut) != parse(data + 1, size - 1, size))
        abort();
    return 0;
}
