/* kernels/matmul/qs8_windows.c: the windows of a convolution as rows for the NEON engines of static
 * int8. Where the taps of a row follow each other in whole SL_QS8_DEPTH, an engine that takes runs
 * reads them in the image itself; else they are copied. */
#include <string.h>

#include "kernels/matmul/qs8_blocks.h"

enum { MAX_RUNS = 16, COPY_BYTES = 16 };

struct windows {
    const struct sl_conv_qs8_args *a;
    const int8_t *in, *end; /* of the image at the group's first channel; of all images */
    const int8_t **lines;   /* of the output row: its rows of the image, NULL for padding */
    const int8_t *padding;  /* a row of taps that are zero */
    size_t channels, c;     /* of a pixel, of a group */
    bool in_runs, dense;    /* the taps of a row follow each other */
    size_t oy, ox;          /* the next output pixel; ox may be past its row */
};

static size_t window_bytes(const struct sl_conv_shape *s)
{
    return s->kernel_h * s->kernel_w * s->group_in_c;
}

size_t sl_qs8_conv_workspace(const struct sl_conv_shape *shape)
{
    size_t k = window_bytes(shape);
    return sl_qs8_matmul_workspace(k) + sl_qs8_whole(k) + shape->kernel_h * sizeof(int8_t *);
}

static void find_lines(struct windows *w, size_t oy)
{
    const struct sl_conv_shape *s = &w->a->shape;
    for (size_t ky = 0; ky < s->kernel_h; ky++) {
        size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top; /* wraps when outside */
        w->lines[ky] = y < s->in_h ? w->in + y * s->in_w * w->channels : NULL;
    }
}

/* One row of taps from x on (wraps when outside), each where it is or zero. */
static void pack_taps(const struct windows *w, const int8_t *line, size_t x, int8_t *to)
{
    const struct sl_conv_shape *s = &w->a->shape;
    for (size_t kx = 0; kx < s->kernel_w; kx++, x += s->dilation_w, to += w->c) {
        if (x < s->in_w)
            memcpy(to, line + x * w->channels, w->c);
        else
            memset(to, w->a->in_zero, w->c);
    }
}

/* The window at column ox as one row. A short row of taps is copied as one vector where that stays
 * within the images: what it spills over is overwritten, or meets weights that are zero. */
static void pack_window(const struct windows *w, size_t ox, int8_t *row)
{
    const struct sl_conv_shape *s = &w->a->shape;
    size_t x = ox * s->stride_w - s->pad_left, bytes = s->kernel_w * w->c;
    bool whole = w->dense && x < s->in_w && s->in_w - x >= s->kernel_w;
    for (size_t ky = 0; ky < s->kernel_h; ky++, row += bytes) {
        const int8_t *line = w->lines[ky], *at = whole && line ? line + x * w->channels : NULL;
        if (at && bytes <= COPY_BYTES && w->end - at >= COPY_BYTES)
            memcpy(row, at, COPY_BYTES);
        else if (at)
            memcpy(row, at, bytes);
        else if (line)
            pack_taps(w, line, x, row);
        else
            memset(row, w->a->in_zero, bytes);
    }
}

/* The window at column ox as runs; rows of taps at the edges are copied into `row`. */
static void find_runs(const struct windows *w, size_t ox, int8_t *row, const int8_t **runs)
{
    const struct sl_conv_shape *s = &w->a->shape;
    size_t x = ox * s->stride_w - s->pad_left, bytes = s->kernel_w * w->c;
    bool whole = x < s->in_w && s->in_w - x >= s->kernel_w;
    for (size_t ky = 0; ky < s->kernel_h; ky++, row += bytes) {
        const int8_t *line = w->lines[ky];
        runs[ky] = !line ? w->padding : whole ? line + x * w->channels : row;
        if (line && !whole)
            pack_taps(w, line, x, row);
    }
}

/* Goes to the row of the next pixel. */
static void enter_row(struct windows *w)
{
    if (w->ox < w->a->shape.out_w)
        return;
    w->oy++;
    w->ox = 0;
    find_lines(w, w->oy);
}

/* Are the next SL_QS8_MR pixels of one row, their windows whole? */
static bool eight_whole(const struct windows *w)
{
    const struct sl_conv_shape *s = &w->a->shape;
    size_t first = w->ox * s->stride_w - s->pad_left, past = (SL_QS8_MR - 1) * s->stride_w;
    return w->dense && s->out_w - w->ox >= SL_QS8_MR && first < s->in_w &&
           first + past + s->kernel_w <= s->in_w;
}

/* Returns the row of taps `ky` of the next pixel; *out_step leads to that of the pixel after it. */
static const int8_t *first_taps(const struct windows *w, size_t ky, size_t *out_step)
{
    const struct sl_conv_shape *s = &w->a->shape;
    *out_step = w->lines[ky] ? s->stride_w * w->c : 0;
    return w->lines[ky] ? w->lines[ky] + (w->ox * s->stride_w - s->pad_left) * w->c : w->padding;
}

/* Eight pixels as eight_whole() says. */
static void find_eight(const struct windows *w, const int8_t **runs)
{
    size_t rows = w->a->shape.kernel_h;
    for (size_t ky = 0; ky < rows; ky++, runs++) {
        size_t step;
        const int8_t *at = first_taps(w, ky, &step), **to = runs;
        for (size_t r = 0; r < SL_QS8_MR; r++, at += step, to += rows)
            *to = at;
    }
}

/* The same, copied: rows of taps of COPY_BYTES at most. False where that would read too far. */
static bool pack_eight(const struct windows *w, size_t depth, int8_t *rows)
{
    size_t count = w->a->shape.kernel_h, bytes = w->a->shape.kernel_w * w->c, steps[MAX_RUNS];
    const int8_t *at[MAX_RUNS];
    if (bytes > COPY_BYTES || count > MAX_RUNS)
        return false;
    for (size_t ky = 0; ky < count; ky++) {
        at[ky] = first_taps(w, ky, &steps[ky]);
        if (w->lines[ky] && (size_t)(w->end - at[ky]) < (SL_QS8_MR - 1) * steps[ky] + COPY_BYTES)
            return false;
    }
    for (size_t r = 0; r < SL_QS8_MR; r++, rows += depth) {
        int8_t *to = rows;
        for (size_t ky = 0; ky < count; ky++, to += bytes) {
            memcpy(to, at[ky], COPY_BYTES);
            at[ky] += steps[ky];
        }
    }
    return true;
}

/* The next pixels as job->rows or `runs`. */
static void take(struct windows *w, struct sl_qs8_rows *job, const int8_t **runs)
{
    int8_t *copies = w->a->workspace;
    enter_row(w);
    if (job->count == SL_QS8_MR && eight_whole(w)) {
        bool taken = w->in_runs || pack_eight(w, job->depth, copies);
        if (w->in_runs)
            find_eight(w, runs);
        w->ox += taken ? SL_QS8_MR : 0;
        if (taken)
            return;
    }
    for (size_t r = 0; r < job->count; r++, w->ox++) {
        enter_row(w);
        if (w->in_runs)
            find_runs(w, w->ox, copies + r * job->depth, runs + r * job->run_count);
        else
            pack_window(w, w->ox, copies + r * job->depth);
    }
}

/* `count` output pixels of one group from row oy on, which follow each other at job->dst. */
static void conv_pixels(const struct sl_qs8_engine *engine, struct windows *w, size_t oy,
                        size_t count, struct sl_qs8_rows *job)
{
    const int8_t *runs[SL_QS8_MR * MAX_RUNS];
    job->runs = w->in_runs ? runs : job->rows;
    for (size_t r = 0; r < SL_QS8_MR; r++)
        job->rows[r] = (const int8_t *)w->a->workspace + r * job->depth;
    w->oy = oy;
    w->ox = 0;
    find_lines(w, oy);
    for (; count > 0; count -= job->count) {
        job->count = count < SL_QS8_MR ? count : SL_QS8_MR;
        take(w, job, runs);
        for (size_t r = job->count; r < SL_QS8_MR && !w->in_runs; r++)
            job->rows[r] = job->rows[job->count - 1];
        engine->run(job);
        job->dst += job->count * w->a->out_pixel;
    }
}

void sl_qs8_conv_run(const struct sl_qs8_engine *engine, const struct sl_conv_qs8_args *a)
{
    const struct sl_conv_shape *s = &a->shape;
    size_t n = s->group_out_c, k = window_bytes(s), c = s->group_in_c, channels = s->groups * c;
    size_t image = s->in_h * s->in_w * channels, line = s->kernel_w * c;
    int8_t *padding = (int8_t *)a->workspace + sl_qs8_matmul_workspace(k);
    bool dense = s->groups == 1 && s->dilation_w == 1;
    struct windows w = {.a = a,
                        .end = a->in + s->batch * image,
                        .lines = (const int8_t **)(void *)(padding + sl_qs8_whole(k)),
                        .padding = padding,
                        .channels = channels,
                        .c = c,
                        .in_runs = engine->takes_runs && dense && line % SL_QS8_DEPTH == 0 &&
                                   line > 0 && s->kernel_h <= MAX_RUNS,
                        .dense = dense};
    struct sl_qs8_rows job = {.n = n,
                              .depth = sl_qs8_whole(k),
                              .dst_stride = a->out_pixel,
                              .out = a->out_quant,
                              .run_count = w.in_runs ? s->kernel_h : 1,
                              .run_bytes = w.in_runs ? line : sl_qs8_whole(k),
                              .scratch = (char *)a->workspace + sl_qs8_rows_bytes(k)};
    /* rows of a dense output are one long row */
    size_t together = a->out_row == s->out_w * a->out_pixel && s->out_h > 0 ? s->out_h : 1;
    memset(a->workspace, 0, sl_qs8_rows_bytes(k));
    memset(padding, a->in_zero, line);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t g = 0; g < s->groups; g++)
            for (size_t oy = 0; oy < s->out_h; oy += together) {
                w.in = a->in + b * image + g * c;
                job.panels = (const char *)a->weights + g * sl_qs8_panels_bytes(engine, n, k);
                job.dst = a->out + b * a->out_image + oy * a->out_row + g * n;
                conv_pixels(engine, &w, oy, together * s->out_w, &job);
            }
}
