/* host/cli/inspect_text.h: an inspected program for people. */
#pragma once

#include <stdint.h>

struct sl_buf;
struct sl_inspect;
struct sl_style;

/* `only` is a method's index, or -1: all. No line is wider than the style's width. Returns 0,
 * SL_E_LIMIT or -ENOMEM. */
int sl_inspect_text(struct sl_buf *out, const struct sl_style *style,
                    const struct sl_inspect *inspect, const char *file, int64_t only);
