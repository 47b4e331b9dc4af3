/* host/http/range.h: which part of a file a client asks for, and whether it has it already (RFC
 * 9110, 13 and 14). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sl_http_range {
    SL_HTTP_RANGE_ALL,  /* there is none, or one that is not understood or of several parts */
    SL_HTTP_RANGE_PART, /* *out_first to *out_last */
    SL_HTTP_RANGE_NONE, /* it lies beyond the end */
};

/* The value of a header Range, for a body of `size` bytes. `last` is the last byte's place. */
enum sl_http_range sl_http_range_read(const char *value, uint64_t size, uint64_t *out_first,
                                      uint64_t *out_last);

/* Is `tag`, with its quotes, in the list of If-None-Match, weak or not, or is that "*"? */
bool sl_http_tag_is_in(const char *list, const char *tag);
