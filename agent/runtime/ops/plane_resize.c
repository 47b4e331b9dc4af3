/* agent/runtime/ops/plane_resize.c: resizing of planes: rows of the input are resized across, each
 * once, then mixed down. */
#include <string.h>

#include "agent/runtime/ops/plane.h"

/* Where an output column or row lies between two of the input. */
struct tap {
    int32_t left, right; /* or above and below */
    float before, after; /* how much of each */
};

static size_t nearest(size_t at, float scale, size_t size)
{
    size_t from = (size_t)((float)at * scale);
    return from < size ? from : size - 1;
}

/* One row across; `twice`: every column is there two times. */
static void pick(size_t width, bool twice, const int32_t *restrict columns,
                 const float *restrict row, float *restrict out)
{
    if (twice)
        for (size_t x = 0; x < width / 2; x++)
            out[2 * x] = out[2 * x + 1] = row[x];
    else
#pragma clang loop unroll_count(4)
        for (size_t x = 0; x < width; x++)
            out[x] = row[columns[x]];
}

static void run_nearest(struct sl_op_call *call)
{
    const struct sl_planes *p = call->state;
    int32_t *columns = sl_plane_scratch(call, p);
    size_t width = p->out_w, last = SIZE_MAX;
    bool twice = width % 2 == 0;
    for (size_t x = 0; x < width; x++) {
        columns[x] = (int32_t)nearest(x, p->scale_w, p->in_w);
        twice = twice && columns[x] == (int32_t)(x / 2);
    }
    for (size_t i = 0; i < p->count; i++, last = SIZE_MAX) {
        float *out = sl_plane_out(p, i);
        for (size_t y = 0; y < p->out_h; y++, out += width) {
            size_t from = nearest(y, p->scale_h, p->in_h);
            if (from == last)
                memcpy(out, out - width, width * sizeof(float));
            else
                pick(width, twice, columns, sl_plane_in(p, i) + from * p->in_w, out);
            last = from;
        }
    }
}

/* The two pixels around output place `at` and how much of the second. */
static float between(const struct sl_planes *p, size_t at, float scale, size_t size, size_t *out)
{
    float from = p->align_corners ? (float)at * scale : ((float)at + 0.5f) * scale - 0.5f;
    from = from > 0.0f ? from : 0.0f;
    out[0] = (size_t)from < size ? (size_t)from : size - 1;
    out[1] = out[0] + 1 < size ? out[0] + 1 : out[0];
    return from - (float)out[0];
}

static void list_taps(const struct sl_planes *p, size_t out, float scale, size_t in,
                      struct tap *taps)
{
    for (size_t i = 0; i < out; i++) {
        size_t places[2];
        float after = between(p, i, scale, in, places);
        taps[i] = (struct tap){(int32_t)places[0], (int32_t)places[1], 1.0f - after, after};
    }
}

static void stretch(size_t width, const struct tap *restrict taps, const float *restrict in,
                    float *restrict out)
{
#pragma clang loop unroll_count(4)
    for (size_t x = 0; x < width; x++)
        out[x] = in[taps[x].left] * taps[x].before + in[taps[x].right] * taps[x].after;
}

static void mix(size_t width, const float *restrict above, const float *restrict below,
                struct tap down, float *restrict out)
{
    for (size_t x = 0; x < width; x++)
        out[x] = above[x] * down.before + below[x] * down.after;
}

/* Two rows of the input, resized across: which they are. */
struct rows {
    int32_t at[2];
    float *row[2];
};

/* Row `y`, made unless it is there; row `keep` stays. */
static const float *row_of(const struct sl_planes *p, const struct tap *taps, const float *in,
                           struct rows *rows, int32_t y, int32_t keep)
{
    if (rows->at[0] == y || rows->at[1] == y)
        return rows->row[rows->at[0] == y ? 0 : 1];
    int slot = rows->at[0] == keep ? 1 : 0;
    stretch(p->out_w, taps, in + (size_t)y * p->in_w, rows->row[slot]);
    rows->at[slot] = y;
    return rows->row[slot];
}

static void run_bilinear(struct sl_op_call *call)
{
    const struct sl_planes *p = call->state;
    struct tap *across = sl_plane_scratch(call, p), *down = across + p->out_w;
    float *space = (float *)(void *)(down + p->out_h);
    list_taps(p, p->out_w, p->scale_w, p->in_w, across);
    list_taps(p, p->out_h, p->scale_h, p->in_h, down);
    for (size_t i = 0; i < p->count; i++) {
        struct rows rows = {{-1, -1}, {space, space + p->out_w}};
        const float *in = sl_plane_in(p, i);
        float *out = sl_plane_out(p, i);
        for (size_t y = 0; y < p->out_h; y++, out += p->out_w) {
            struct tap tap = down[y];
            const float *above = row_of(p, across, in, &rows, tap.left, tap.right);
            const float *below = row_of(p, across, in, &rows, tap.right, tap.left);
            mix(p->out_w, above, below, tap, out);
        }
    }
}

/* Output sizes from the list at argument 1, or the factors of argument `at`. */
static bool read_resize(struct sl_op_call *call, struct sl_planes *p, uint32_t at)
{
    const struct sl_value *factors = &call->method->values[call->args[at]];
    bool scaled = factors->kind == SL_PTE_DOUBLE_LIST && factors->list->list.count == 2;
    double h = scaled ? factors->list->list.doubles[0] : 0.0;
    double w = scaled ? factors->list->list.doubles[1] : 0.0;
    if (!sl_plane_pair(call, 1, 1, &p->out_h, &p->out_w))
        return false;
    if (p->out_h == 0 && scaled && h > 0.0 && w > 0.0) {
        h *= (double)p->in_h;
        w *= (double)p->in_w;
        p->out_h = h < INT32_MAX ? (size_t)h : 0;
        p->out_w = w < INT32_MAX ? (size_t)w : 0;
    }
    if (p->out_h == 0 || p->out_w == 0)
        return false;
    p->scale_h = scaled && !p->align_corners ? (float)(1.0 / factors->list->list.doubles[0])
                                             : (float)p->in_h / (float)p->out_h;
    p->scale_w = scaled && !p->align_corners ? (float)(1.0 / factors->list->list.doubles[1])
                                             : (float)p->in_w / (float)p->out_w;
    if (p->align_corners) {
        p->scale_h = p->out_h > 1 ? (float)(p->in_h - 1) / (float)(p->out_h - 1) : 0.0f;
        p->scale_w = p->out_w > 1 ? (float)(p->in_w - 1) / (float)(p->out_w - 1) : 0.0f;
    }
    return true;
}

static int resize_planes(struct sl_op_call *call, bool bilinear, struct sl_diag *diag)
{
    int rc;
    struct sl_planes *p = sl_plane_begin(call, diag, &rc);
    if (!p)
        return rc;
    p->align_corners = bilinear && sl_op_bool(call, 2);
    if (!read_resize(call, p, bilinear ? 3 : 2))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output size is not valid");
    p->scratch = sl_ref_scratch(call, (p->out_w + p->out_h) * sizeof(struct tap) +
                                          2 * p->out_w * sizeof(float))
                     .offset;
    return bilinear ? sl_plane_finish(call, p, 4, "sl_plane_bilinear_f32", run_bilinear, diag)
                    : sl_plane_finish(call, p, 3, "sl_plane_nearest_f32", run_nearest, diag);
}

int sl_plane_bilinear(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize_planes(call, true, diag);
}

int sl_plane_nearest(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize_planes(call, false, diag);
}
