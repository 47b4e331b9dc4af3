/* host/http/head.h: the head of a request (RFC 9112): where it ends, and what stands in it. Pure,
 * and strict: a line ends in CR LF, no header is folded, no name is followed by a blank. Two
 * readers who are lenient in different ways disagree on where a request ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_HTTP_MAX_HEAD_BYTES = 8192, SL_HTTP_MAX_FIELDS = 64 };

/* Failures are HTTP statuses, negative: -400, -414, -431 or -505. */

/* How far the bytes of a head that is not there as a whole have been looked at. */
struct sl_http_head_scan {
    size_t at, line; /* offsets: the next byte, its line's first */
    size_t lines;    /* that have ended; empty ones before the request line do not count */
};

/* Looks at what has come since the last call; `bytes` are all so far, from the same beginning. The
 * head's size, 0 when its end has not come, or a failure as soon as it is certain. */
int sl_http_head_find(struct sl_http_head_scan *scan, const uint8_t *bytes, size_t size);

struct sl_http_field {
    const char *name, *value; /* lower case; without blanks at its ends */
};
struct sl_http_head {
    const char *method, *target;
    int minor; /* of HTTP/1 */
    size_t count;
    struct sl_http_field fields[SL_HTTP_MAX_FIELDS];
};

/* Reads a whole head as sl_http_head_find() measured it. Ends the texts within `text`, which *out
 * points into. 0, or a failure and in *out_why what is wrong. */
int sl_http_head_read(char *text, size_t len, struct sl_http_head *out, const char **out_why);

/* The value of the header: "" when absent, NULL when there are several. `name` in lower case. */
const char *sl_http_head_field(const struct sl_http_head *head, const char *name);
/* Is it there, be it empty? */
bool sl_http_head_has(const struct sl_http_head *head, const char *name);
