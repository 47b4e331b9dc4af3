/* host/cli/sse.c */
#include "host/cli/sse.h"

#include <string.h>

#include "common/base/error.h"

enum { MAX_RETRY_MS = 600000 };

void sl_sse_init(struct sl_sse *sse, sl_sse_fn on_event, void *user)
{
    sse->on_event = on_event;
    sse->user = user;
    sse->retry_ms = -1;
    sse->id[0] = '\0';
    sl_sse_restart(sse);
}

void sl_sse_restart(struct sl_sse *sse)
{
    sse->error = 0;
    sse->started = sse->after_return = sse->has_data = false;
    sse->line_len = sse->data_len = 0;
    sse->type[0] = '\0';
    memcpy(sse->next_id, sse->id, sizeof(sse->next_id));
}

static void dispatch(struct sl_sse *sse)
{
    memcpy(sse->id, sse->next_id, sizeof(sse->id));
    if (sse->has_data) {
        sse->data[sse->data_len] = '\0';
        const struct sl_sse_event event = {
            .type = sse->type[0] ? sse->type : "message", .data = sse->data, .id = sse->id};
        sse->on_event(sse->user, &event);
    }
    sse->has_data = false;
    sse->data_len = 0;
    sse->type[0] = '\0';
}

static int add_data(struct sl_sse *sse, const char *value, size_t len)
{
    size_t joint = sse->has_data ? 1 : 0;
    if (len + joint >= sizeof(sse->data) - sse->data_len)
        return SL_E_LIMIT;
    if (joint)
        sse->data[sse->data_len++] = '\n';
    memcpy(sse->data + sse->data_len, value, len);
    sse->data_len += len;
    sse->has_data = true;
    return 0;
}

static int set_name(char out[SL_SSE_NAME_BYTES], const char *value, size_t len)
{
    if (len >= SL_SSE_NAME_BYTES)
        return SL_E_LIMIT;
    memcpy(out, value, len);
    out[len] = '\0';
    return 0;
}

/* Digits alone; anything else is ignored. */
static void set_retry(struct sl_sse *sse, const char *value, size_t len)
{
    long ms = 0;
    for (size_t i = 0; i < len; i++) {
        if (value[i] < '0' || value[i] > '9')
            return;
        ms = ms > MAX_RETRY_MS ? ms : ms * 10 + (value[i] - '0');
    }
    if (len > 0)
        sse->retry_ms = ms > MAX_RETRY_MS ? MAX_RETRY_MS : ms;
}

static bool is_field(const char *line, size_t len, const char *name)
{
    return len == strlen(name) && memcmp(line, name, len) == 0;
}

static int end_line(struct sl_sse *sse)
{
    const char *line = sse->line;
    size_t len = sse->line_len;
    sse->line_len = 0;
    if (!sse->started && len >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3;
        len -= 3;
    }
    sse->started = true;
    if (len == 0) {
        dispatch(sse);
        return 0;
    }
    const char *colon = memchr(line, ':', len);
    size_t name_len = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;
    if (colon && value < line + len && *value == ' ')
        value++;
    size_t value_len = (size_t)(line + len - value);
    if (is_field(line, name_len, "data"))
        return add_data(sse, value, value_len);
    if (is_field(line, name_len, "event"))
        return set_name(sse->type, value, value_len);
    if (is_field(line, name_len, "id") && !memchr(value, '\0', value_len))
        return set_name(sse->next_id, value, value_len);
    if (is_field(line, name_len, "retry"))
        set_retry(sse, value, value_len);
    return 0; /* a comment, or a field of a later version */
}

int sl_sse_feed(struct sl_sse *sse, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len && sse->error == 0; i++) {
        bool second = sse->after_return && bytes[i] == '\n';
        sse->after_return = bytes[i] == '\r';
        if (second) /* of "\r\n", whose line has ended */
            continue;
        if (bytes[i] == '\n' || bytes[i] == '\r')
            sse->error = end_line(sse);
        else if (sse->line_len == sizeof(sse->line))
            sse->error = SL_E_LIMIT;
        else
            sse->line[sse->line_len++] = bytes[i];
    }
    return sse->error;
}
