/* host/inspect/graph.h: a method's operators and what they read of each other, as a picture. */
#pragma once

struct sl_buf;
struct sl_inspect;
struct sl_inspect_method;

enum { SL_INSPECT_MAX_DRAWN = 4096 };

/* Appends the method as a DOT digraph or as an SVG of its own; operators that SME2 serves are
 * green, those it does not are grey, orange where there is work left for it. Returns 0, SL_E_LIMIT
 * (also for more than SL_INSPECT_MAX_DRAWN operators) or -ENOMEM. */
int sl_inspect_dot(struct sl_buf *out, const struct sl_inspect *inspect,
                   const struct sl_inspect_method *method);
int sl_inspect_svg(struct sl_buf *out, const struct sl_inspect *inspect,
                   const struct sl_inspect_method *method);

/* The fill of a node's box, as "#rrggbb". */
const char *sl_inspect_fill(int why);
