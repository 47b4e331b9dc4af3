/* agent/runtime/ops/plane_resize.c: resizing of planes: rows of the input are resized across, each
 * once, then mixed down. */
#include <string.h>

#include "agent/runtime/lanes.h"
#include "agent/runtime/ops/plane.h"

/* The place of an output column or row between two of the input. */
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
    if (twice && width / 2 >= SL_LANES)
        for (size_t x = 0; x < width / 2; x = sl_lanes_next(x, width / 2)) {
            sl_lanes v = sl_lanes_load(row + x);
            sl_lanes_store(out + 2 * x, __builtin_shufflevector(v, v, 0, 0, 1, 1));
            sl_lanes_store(out + 2 * x + SL_LANES, __builtin_shufflevector(v, v, 2, 2, 3, 3));
        }
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
                sl_lanes_copy(out, out - width, width);
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

/* Four columns whose pixels are all among 8 of a row, from pixel `base` on. */
struct quad {
    uint8_t left[16], right[16]; /* as sl_lanes_pick() takes them */
    float before[SL_LANES], after[SL_LANES];
    uint32_t base;
};

/* Needed to resize across. */
struct across {
    size_t in, out; /* widths; rows that were made are as long as whole quads */
    const struct tap *taps;
    const struct quad *quads; /* NULL: some are too far apart */
};

enum { REACH = 8 };

static size_t quads_of(size_t width)
{
    return (width + SL_LANES - 1) / SL_LANES;
}

/* Columns four by four, the last of them repeated; false if some need more than 8 pixels. */
static bool list_quads(const struct across *a, struct quad *quads)
{
    if (a->in < REACH)
        return false;
    for (size_t i = 0; i < quads_of(a->out); i++, quads++) {
        size_t first = (size_t)a->taps[i * SL_LANES].left;
        first = first < a->in - REACH ? first : a->in - REACH;
        quads->base = (uint32_t)first;
        for (size_t k = 0; k < SL_LANES; k++) {
            size_t at = i * SL_LANES + k;
            const struct tap *tap = &a->taps[at < a->out ? at : a->out - 1];
            uint32_t left = (uint32_t)tap->left - quads->base;
            uint32_t right = (uint32_t)tap->right - quads->base;
            if (right >= REACH)
                return false;
            left = left * 0x04040404 + 0x03020100; /* little-endian, as all our targets are */
            right = right * 0x04040404 + 0x03020100;
            memcpy(&quads->left[k * 4], &left, 4);
            memcpy(&quads->right[k * 4], &right, 4);
            quads->before[k] = tap->before;
            quads->after[k] = tap->after;
        }
    }
    return true;
}

static void stretch(const struct across *a, const float *restrict in, float *restrict out)
{
    const struct tap *restrict taps = a->taps;
    if (a->quads) {
        const struct quad *end = a->quads + quads_of(a->out);
        for (const struct quad *q = a->quads; q < end; q++, out += SL_LANES)
            sl_lanes_store(out,
                           sl_lanes_pick(in + q->base, q->left) * sl_lanes_load(q->before) +
                               sl_lanes_pick(in + q->base, q->right) * sl_lanes_load(q->after));
        return;
    }
#pragma clang loop unroll_count(4)
    for (size_t x = 0; x < a->out; x++)
        out[x] = in[taps[x].left] * taps[x].before + in[taps[x].right] * taps[x].after;
}

static void mix(size_t width, const float *restrict above, const float *restrict below,
                struct tap down, float *restrict out)
{
    sl_lanes before = sl_lanes_set(down.before), after = sl_lanes_set(down.after);
    if (width < SL_LANES) {
        for (size_t x = 0; x < width; x++)
            out[x] = above[x] * down.before + below[x] * down.after;
        return;
    }
#define MIX(x)                                                                                     \
    sl_lanes_store(out + (x),                                                                      \
                   sl_lanes_load(above + (x)) * before + sl_lanes_load(below + (x)) * after)
    size_t past = width % (2 * SL_LANES);
    for (size_t i = width / (2 * SL_LANES); i > 0; i--) {
        MIX(0);
        MIX(SL_LANES);
        out += 2 * SL_LANES;
        above += 2 * SL_LANES;
        below += 2 * SL_LANES;
    }
    if (past >= SL_LANES)
        MIX(0);
    if (past % SL_LANES != 0) {
        out += past; /* the last of the row, some of them once more */
        above += past;
        below += past;
        MIX(-SL_LANES);
    }
#undef MIX
}

/* One plane; above and below: room for a row each, resized across. */
static void resize_plane(const struct sl_planes *p, const struct across *across,
                         const struct tap *down, const float *in, float *out, float *above,
                         float *below)
{
    int32_t made_above = -1, made_below = -1; /* rows of the input */
    for (const struct tap *end = down + p->out_h; down < end; down++, out += across->out) {
        if (down->left != made_above) {
            float *other = above;
            above = below;
            below = other;
            if (down->left != made_below)
                stretch(across, in + (size_t)down->left * across->in, above);
            made_above = down->left;
            made_below = -1;
        }
        if (down->right != down->left && down->right != made_below) {
            stretch(across, in + (size_t)down->right * across->in, below);
            made_below = down->right;
        }
        mix(across->out, above, down->right != down->left ? below : above, *down, out);
    }
}

static void run_bilinear(struct sl_op_call *call)
{
    const struct sl_planes *p = call->state;
    size_t quads = quads_of(p->out_w);
    struct quad *fours = sl_plane_scratch(call, p);
    float *space = (float *)(void *)(fours + quads);
    struct tap *taps = (struct tap *)(void *)(space + 2 * quads * SL_LANES);
    struct tap *down = taps + p->out_w;
    struct across across = {.in = p->in_w, .out = p->out_w, .taps = taps};
    list_taps(p, p->out_w, p->scale_w, p->in_w, taps);
    list_taps(p, p->out_h, p->scale_h, p->in_h, down);
    across.quads = list_quads(&across, fours) ? fours : NULL;
    for (size_t i = 0; i < p->count; i++)
        resize_plane(p, &across, down, sl_plane_in(p, i), sl_plane_out(p, i), space,
                     space + quads * SL_LANES);
}

/* Output sizes from the list at argument 1, or the factors of argument `at`. */
static bool read_resize(struct sl_op_call *call, struct sl_planes *p, uint32_t at)
{
    const struct sl_method_value *factors = &call->method->values[call->args[at]];
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
    size_t quad = sizeof(struct quad) + 2 * SL_LANES * sizeof(float);
    p->scratch =
        sl_ref_scratch(call, (p->out_w + p->out_h) * sizeof(struct tap) + quads_of(p->out_w) * quad)
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
