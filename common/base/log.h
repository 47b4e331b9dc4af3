/* common/base/log.h: one line on standard error for what happened: time, level, event, fields.
 *
 *     time=2026-11-23T02:38:11.042Z level=warning event=link_down device=lab-1 failures=3
 *
 * A value of other characters than those of names and paths stands in quotes, escaped as in JSON. A
 * line goes out in one write, so that lines of several threads or processes do not mix. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sl_log_level { SL_LOG_ERROR, SL_LOG_WARNING, SL_LOG_INFO };

enum { SL_LOG_MAX_BYTES = 2048 }; /* of a line; a longer one is cut at a whole field or value */

struct sl_log_field {
    const char *key;  /* NULL ends the fields */
    const char *text; /* NULL: the number */
    int64_t number;
    bool quoted; /* whatever the text is */
};

#define SL_LOG_EVENT(name) {.key = "event", .text = (name)}
#define SL_LOG_TEXT(name, value) {.key = (name), .text = (value)}
#define SL_LOG_NUMBER(name, value) {.key = (name), .number = (int64_t)(value)}
#define SL_LOG_QUOTED(name, value) {.key = (name), .text = (value), .quoted = true}
#define SL_LOG_REASON(words) SL_LOG_QUOTED("reason", words)

/* The subject of a line, so that one word finds all lines about one thing. */
#define SL_LOG_REQUEST(id) SL_LOG_NUMBER("request", id)
#define SL_LOG_JOB(id) SL_LOG_NUMBER("job", id)
#define SL_LOG_DEVICE(name) SL_LOG_TEXT("device", name)
#define SL_LOG_RUN(id) SL_LOG_NUMBER("run", id)

/* sl_log(SL_LOG_WARNING, SL_LOG_EVENT("link_down"), SL_LOG_DEVICE(name), ...); the event first. */
#define sl_log(level, ...)                                                                         \
    sl_log_write(level, (const struct sl_log_field[]){__VA_ARGS__, {.key = NULL}})

void sl_log_write(enum sl_log_level level, const struct sl_log_field *fields);
