/* host/plugin/line.h: what a plug-in says: one JSON object a line. Pure; the bytes are anybody's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;

enum {
    SL_PLUGIN_LINE_BYTES = 4096, /* of a line, without its end; a longer one is left out */
    SL_PLUGIN_METRIC_BYTES = 64,
    SL_PLUGIN_UNIT_BYTES = 16,
    SL_PLUGIN_REASON_BYTES = 160,
};

enum sl_plugin_said { SL_PLUGIN_ANSWER = 1, SL_PLUGIN_METRIC };

struct sl_plugin_line {
    int said;
    /* An answer: {"id": 7, "ok": true}, or {"id": 7, "ok": false, "error": "..."}. */
    uint64_t id;
    bool ok;
    char error[SL_PLUGIN_REASON_BYTES]; /* cleaned: fit for a terminal */
    /* A figure: {"metric": "power", "unit": "W", "value": 1.93, "at_ms": ..., "job": 12}. */
    char metric[SL_PLUGIN_METRIC_BYTES], unit[SL_PLUGIN_UNIT_BYTES]; /* unit "": none */
    double value;                                                    /* finite */
    uint64_t at_ms, job; /* Unix time; 0: not said. The job may be left out where there is one */
};

/* Reads a line without its end. SL_E_FORMAT or SL_E_LIMIT with `diag` (may be NULL) set, -ENOMEM.
 */
int sl_plugin_line_read(struct sl_bytes line, struct sl_plugin_line *out, struct sl_diag *diag);

/* A metric's name begins with a letter and has letters, digits, '_', '.' and '-'; a unit is
 * letters, digits and "%/^.*-", or the degree, micro and ohm signs, at most 15 bytes. */
bool sl_plugin_is_metric(const char *text);
bool sl_plugin_is_unit(const char *text);

/* Bytes as they come, cut into lines. */
struct sl_plugin_lines {
    char bytes[SL_PLUGIN_LINE_BYTES];
    size_t size;
    bool passing; /* over the rest of a line that is too long */
};

/* Calls `on_line` for each line that ends in `len` bytes of `data`; `whole` is false for one that
 * was too long, whose first bytes it gets. Empty lines come too. It may not free `lines`. */
void sl_plugin_lines_take(struct sl_plugin_lines *lines, const char *data, size_t len,
                          void (*on_line)(void *user, struct sl_bytes line, bool whole),
                          void *user);
