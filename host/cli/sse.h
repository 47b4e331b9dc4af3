/* host/cli/sse.h: takes a text/event-stream apart (HTML standard, 9.2), however it is cut. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_SSE_LINE_BYTES = 16 << 10, SL_SSE_DATA_BYTES = 64 << 10, SL_SSE_NAME_BYTES = 64 };

/* Terminated texts, borrowed for the call. */
struct sl_sse_event {
    const char *type; /* "message" where the stream names none */
    const char *data; /* its lines joined by '\n' */
    const char *id;   /* of this or the last event that had one; "" before */
};
typedef void (*sl_sse_fn)(void *user, const struct sl_sse_event *event);

struct sl_sse {
    sl_sse_fn on_event;
    void *user;
    int error; /* SL_E_LIMIT, for good */
    bool started, after_return, has_data;
    size_t line_len, data_len;
    long retry_ms; /* what the stream asks to wait before coming back; -1: nothing */
    char id[SL_SSE_NAME_BYTES], next_id[SL_SSE_NAME_BYTES], type[SL_SSE_NAME_BYTES];
    char line[SL_SSE_LINE_BYTES], data[SL_SSE_DATA_BYTES];
};

void sl_sse_init(struct sl_sse *sse, sl_sse_fn on_event, void *user);

/* Another connection of the same stream: what was half read is dropped, the id stays. */
void sl_sse_restart(struct sl_sse *sse);

/* Calls `on_event` for each event that ends in these bytes. 0, or SL_E_LIMIT from the first line or
 * event on that is longer than the limits above. */
int sl_sse_feed(struct sl_sse *sse, const char *bytes, size_t len);
