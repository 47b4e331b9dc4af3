/* host/inspect/graph_dot.c */
#include <inttypes.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/inspect/graph.h"
#include "host/inspect/inspect.h"

const char *sl_inspect_fill(int why)
{
    switch (why) {
    case SL_WHY_SERVED:
        return "#c8e6c9";
    case SL_WHY_NOT_DELEGATED:
    case SL_WHY_TYPE:
    case SL_WHY_SHAPE:
    case SL_WHY_KIND:
        return "#ffe0b2";
    case SL_WHY_REFUSED:
        return "#ffcdd2";
    default:
        return "#eceff1";
    }
}

/* A quoted string of DOT: names come out of the file. */
static int put_quoted(struct sl_buf *out, const char *text)
{
    int rc = 0;
    for (; *text && rc == 0; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            rc = sl_buf_printf(out, "\\%c", c);
        else
            rc = sl_buf_printf(out, "%c", c < 0x20 || c >= 0x7f ? '?' : c);
    }
    return rc;
}

static int put_node(struct sl_buf *out, const struct sl_inspect_node *node, uint32_t number)
{
    int rc = sl_buf_printf(out, "  n%" PRIu32 " [fillcolor=\"%s\", label=\"", number,
                           sl_inspect_fill(node->why));
    if (rc == 0)
        rc = put_quoted(out, node->kind);
    if (rc == 0)
        rc = sl_buf_printf(out, " %s\\n%s\", tooltip=\"", node->type, node->shape);
    if (rc == 0)
        rc = put_quoted(out, node->on.kernel[0] ? node->on.kernel : sl_why_words(node->why));
    return rc == 0 ? sl_buf_printf(out, "\"];\n") : rc;
}

/* Operators of one delegate call stand in a box of their own. */
static int put_nodes(struct sl_buf *out, const struct sl_inspect_node *nodes, uint32_t count)
{
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        bool inside = nodes[i].delegate >= 0;
        bool first = i == 0 || nodes[i - 1].instruction != nodes[i].instruction ||
                     nodes[i - 1].chain != nodes[i].chain;
        bool last = i + 1 == count || nodes[i + 1].instruction != nodes[i].instruction ||
                    nodes[i + 1].chain != nodes[i].chain;
        if (inside && first)
            rc = sl_buf_printf(out,
                               "  subgraph cluster_%" PRIu32 " {\n  label=\"delegate %" PRId32
                               ", call %" PRIu32 "\";\n",
                               i, nodes[i].delegate, nodes[i].instruction);
        if (rc == 0)
            rc = put_node(out, &nodes[i], i);
        if (rc == 0 && inside && last)
            rc = sl_buf_printf(out, "  }\n");
    }
    return rc;
}

int sl_inspect_dot(struct sl_buf *out, const struct sl_inspect *inspect,
                   const struct sl_inspect_method *method)
{
    const struct sl_inspect_node *nodes = sl_inspect_nodes(inspect, method);
    if (method->node_count > SL_INSPECT_MAX_DRAWN)
        return SL_E_LIMIT;
    int rc = sl_buf_printf(out, "digraph \"");
    if (rc == 0)
        rc = put_quoted(out, method->plan->name);
    if (rc == 0)
        rc = sl_buf_printf(out,
                           "\" {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n");
    if (rc == 0 && method->node_count > 0)
        rc = put_nodes(out, nodes, method->node_count);
    for (uint32_t i = 0; i < method->node_count && rc == 0; i++)
        for (uint32_t j = 0; j < nodes[i].from_count && rc == 0; j++)
            rc = sl_buf_printf(out, "  n%" PRIu32 " -> n%" PRIu32 ";\n",
                               nodes[i].from[j] - method->node_first, i);
    return rc == 0 ? sl_buf_printf(out, "}\n") : rc;
}
