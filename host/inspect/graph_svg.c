/* host/inspect/graph_svg.c: a layered drawing: a row for each step of depth, inputs at the top. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/inspect/graph.h"
#include "host/inspect/inspect.h"
#include "host/report/markup.h"
#include "host/report/text.h"

enum { BOX_WIDTH = 210, BOX_HEIGHT = 46, GAP_X = 24, GAP_Y = 34, MARGIN = 20, LEGEND = 34 };

struct place {
    uint32_t row, column;
};

struct drawing {
    struct sl_markup m;
    const struct sl_inspect *inspect;
    const struct sl_inspect_method *method;
    struct place *places; /* of each node */
    uint32_t rows, columns;
};

/* A node stands below all that it reads; nodes are in order of execution, so one pass suffices. */
static int place_nodes(struct drawing *d)
{
    const struct sl_inspect_node *nodes = sl_inspect_nodes(d->inspect, d->method);
    uint32_t count = d->method->node_count, *used = sl_calloc(count + 1, sizeof(*used));
    if (!used)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = 0, column = UINT32_MAX;
        for (uint32_t j = 0; j < nodes[i].from_count; j++) {
            const struct place *above = &d->places[nodes[i].from[j] - d->method->node_first];
            row = above->row + 1 > row ? above->row + 1 : row;
            column = above->column < column ? above->column : column;
        }
        if (column == UINT32_MAX || column < used[row])
            column = used[row];
        used[row] = column + 1;
        d->places[i] = (struct place){row, column};
        d->rows = row + 1 > d->rows ? row + 1 : d->rows;
        d->columns = column + 1 > d->columns ? column + 1 : d->columns;
    }
    sl_free(used);
    return 0;
}

static uint32_t left_of(const struct place *place)
{
    return MARGIN + place->column * (BOX_WIDTH + GAP_X);
}

static uint32_t top_of(const struct place *place)
{
    return MARGIN + LEGEND + place->row * (BOX_HEIGHT + GAP_Y);
}

/* An edge that passes rows of its own column runs beside them, in the gap, not behind their boxes.
 */
static void put_edge(struct drawing *d, const struct place *from, const struct place *to)
{
    uint32_t x1 = left_of(from) + BOX_WIDTH / 2, y1 = top_of(from) + BOX_HEIGHT;
    uint32_t x2 = left_of(to) + BOX_WIDTH / 2, y2 = top_of(to);
    uint32_t bend = (y2 - y1) / 2;
    bool passes = to->column == from->column && to->row > from->row + 1;
    uint32_t aside =
        passes ? (BOX_WIDTH + GAP_X) * 2 / 3 : 0; /* three quarters of it are reached */
    bend = passes ? GAP_Y : bend;
    sl_markup_put(&d->m,
                  "<path d=\"M%" PRIu32 " %" PRIu32 "C%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
                  " %" PRIu32 " %" PRIu32 "\"/>\n",
                  x1, y1, x1 + aside, y1 + bend, x2 + aside, y2 - bend, x2, y2);
}

static void put_label(struct drawing *d, const char *text, uint32_t x, uint32_t y, size_t most)
{
    char fit[SL_TEXT_SIZE];
    sl_text_copy(fit, text, strlen(text));
    sl_text_fit(fit, most);
    sl_markup_put(&d->m, "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">", x, y);
    sl_markup_text(&d->m, fit);
    sl_markup_put(&d->m, "</text>\n");
}

static void put_box(struct drawing *d, const struct sl_inspect_node *node,
                    const struct place *place)
{
    uint32_t x = left_of(place), y = top_of(place);
    sl_markup_put(&d->m,
                  "<g><rect x=\"%" PRIu32 "\" y=\"%" PRIu32
                  "\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\" stroke=\"%s\"/>\n<title>",
                  x, y, BOX_WIDTH, BOX_HEIGHT, sl_inspect_fill(node->why),
                  node->delegate >= 0 ? "#607d8b" : "#c62828");
    sl_markup_text(&d->m, node->shape);
    sl_markup_put(&d->m, "\n");
    sl_markup_text(&d->m, node->on.kernel[0] ? node->on.kernel : node->off.kernel);
    sl_markup_put(&d->m, "\nSME2: ");
    sl_markup_text(&d->m, sl_why_words(node->why));
    sl_markup_put(&d->m, "</title>\n");
    put_label(d, node->kind, x + 8, y + 19, 30);
    put_label(d, node->type, x + 8, y + 37, 8);
    put_label(d, node->out_shape, x + 70, y + 37, 20);
    sl_markup_put(&d->m, "</g>\n");
}

static void put_legend(struct drawing *d)
{
    static const struct {
        int why;
        const char *words;
    } fills[] = {{SL_WHY_SERVED, "SME2 serves it"},
                 {SL_WHY_KIND, "it does not, and there is work"},
                 {SL_WHY_MOVES, "merged, or moves data"}};
    uint32_t x = MARGIN;
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        sl_markup_put(&d->m,
                      "<rect x=\"%" PRIu32 "\" y=\"10\" width=\"14\" height=\"14\" fill=\"%s\"/>\n",
                      x, sl_inspect_fill(fills[i].why));
        put_label(d, fills[i].words, x + 20, 22, 40);
        x += 40 + 7 * (uint32_t)strlen(fills[i].words);
    }
    put_label(d, "red edge: not delegated", x, 22, 40);
}

static void draw(struct drawing *d)
{
    const struct sl_inspect_node *nodes = sl_inspect_nodes(d->inspect, d->method);
    uint32_t width = 2 * MARGIN + d->columns * (BOX_WIDTH + GAP_X);
    uint32_t height = 2 * MARGIN + LEGEND + d->rows * (BOX_HEIGHT + GAP_Y);
    width = width < 720 ? 720 : width;
    sl_markup_put(&d->m,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32
                  "\" height=\"%" PRIu32 "\" viewBox=\"0 0 %" PRIu32 " %" PRIu32
                  "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
                  width, height, width, height);
    sl_markup_text(&d->m, d->method->plan->name);
    sl_markup_put(&d->m, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
    put_legend(d);
    sl_markup_put(&d->m, "<g fill=\"none\" stroke=\"#90a4ae\">\n");
    for (uint32_t i = 0; i < d->method->node_count; i++)
        for (uint32_t j = 0; j < nodes[i].from_count; j++)
            put_edge(d, &d->places[nodes[i].from[j] - d->method->node_first], &d->places[i]);
    sl_markup_put(&d->m, "</g>\n");
    for (uint32_t i = 0; i < d->method->node_count; i++)
        put_box(d, &nodes[i], &d->places[i]);
    sl_markup_put(&d->m, "</svg>\n");
}

int sl_inspect_svg(struct sl_buf *out, const struct sl_inspect *inspect,
                   const struct sl_inspect_method *method)
{
    struct drawing d = {.m = {out, 0}, .inspect = inspect, .method = method};
    if (method->node_count > SL_INSPECT_MAX_DRAWN)
        return SL_E_LIMIT;
    d.places = sl_calloc(method->node_count + 1, sizeof(*d.places));
    if (!d.places)
        return -ENOMEM;
    d.m.error = place_nodes(&d);
    if (d.m.error == 0 && method->node_count > 0)
        draw(&d);
    else if (d.m.error == 0)
        sl_markup_put(&d.m, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
    sl_free(d.places);
    return d.m.error;
}
