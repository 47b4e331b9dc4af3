/* host/report/runner_log.c */
#include "host/report/runner_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512 }; /* the runner cuts messages at 255 */

/* A figure that `text` begins with, up to `end`; NAN if there is none. */
static double figure(const char *text, const char *end)
{
    char *after = NULL;
    double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &after) : NAN;
    return after && strcmp(after, end) == 0 && isfinite(value) ? value : NAN;
}

static void read_line(const char *line, struct sl_runner_log *out)
{
    static const char loaded[] = "] Model loaded in ", done[] = "] Model executed successfully ",
                      in[] = " time(s) in ";
    const char *at = strstr(line, loaded);
    double value = at ? figure(at + strlen(loaded), " ms.") : NAN;
    if (isfinite(value)) {
        out->has_loaded = true;
        out->loaded_ms = value;
    }
    at = strstr(line, done);
    if (!at)
        return;
    char *after = NULL;
    at += strlen(done);
    unsigned long long count = at[0] >= '0' && at[0] <= '9' ? strtoull(at, &after, 10) : 0;
    if (!after || count > UINT32_MAX || strncmp(after, in, strlen(in)) != 0)
        return;
    value = figure(after + strlen(in), " ms.");
    if (!isfinite(value))
        return;
    out->has_total = true;
    out->executions = (uint32_t)count;
    out->total_ms = value;
}

void sl_runner_log_read(struct sl_bytes text, struct sl_runner_log *out)
{
    char line[LINE_BYTES];
    *out = (struct sl_runner_log){.has_total = false};
    for (size_t at = 0; at < text.size;) {
        const uint8_t *end = memchr(text.data + at, '\n', text.size - at);
        size_t len = end ? (size_t)(end - text.data) - at : text.size - at;
        if (len < sizeof(line)) {
            memcpy(line, text.data + at, len);
            line[len] = '\0';
            read_line(line, out);
        }
        at += len + 1;
    }
}
