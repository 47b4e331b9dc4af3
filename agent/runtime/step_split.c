/* agent/runtime/step_split.c */
#include "agent/runtime/step_split.h"

#include <string.h>

#include "agent/runtime/workers.h"
#include "kernels/cpu/denormals.h"

enum {
    LINE_BYTES = 64,
    ELEMENTS = 1024,     /* a unit of elements: four vectors of the longest kind */
    CHUNKS = 4,          /* parts for each worker: whoever is late or slow takes fewer */
    MIN_WORK = 1 << 15,  /* of a part: below, waking a worker costs more than it saves */
    STREAMING_RATE = 16, /* streaming mode does so much more at once */
};

static size_t least_unit(size_t unit, size_t out_bytes)
{
    while (unit * out_bytes % LINE_BYTES != 0)
        unit *= 2; /* six times at most */
    return unit;
}

void sl_axis_move(struct sl_step_axis *axis, void *place, size_t bytes)
{
    axis->move[axis->moves].place = place;
    axis->move[axis->moves].bytes = bytes;
    axis->moves++;
}

void sl_axis_of_elements(size_t *count, const void *out, size_t out_bytes, uint32_t work,
                         struct sl_step_axis *axis)
{
    *axis = (struct sl_step_axis){.count = count,
                                  .unit = ELEMENTS,
                                  .out = out,
                                  .out_bytes = out_bytes,
                                  .work = (uint64_t)*count * work};
}

void sl_axis_of_rows(size_t *count, const void *out, size_t out_bytes, uint64_t row_work,
                     struct sl_step_axis *axis)
{
    *axis = (struct sl_step_axis){.count = count,
                                  .unit = least_unit(1, out_bytes),
                                  .out = out,
                                  .out_bytes = out_bytes,
                                  .work = *count * row_work};
}

static bool begins_line(const void *at)
{
    return (uintptr_t)at % LINE_BYTES == 0;
}

/* Columns end with a cache line in every row only if rows do. */
static bool by_columns(const struct sl_axis_product *p, uint32_t crew)
{
    size_t rows = *p->m / least_unit(p->m_step, p->dst_row_bytes);
    size_t columns = *p->n / least_unit(p->n_step, p->dst_bytes);
    return rows < crew && columns > rows && begins_line(p->out) &&
           (*p->m == 1 || p->dst_row_bytes % LINE_BYTES == 0);
}

bool sl_axis_of_product(const struct sl_axis_product *p, uint32_t crew, struct sl_step_axis *out)
{
    if (by_columns(p, crew)) {
        *out = (struct sl_step_axis){.count = p->n,
                                     .unit = least_unit(p->n_step, p->dst_bytes),
                                     .out_bytes = p->dst_bytes,
                                     .whole = true};
        sl_axis_move(out, p->rhs, p->panel_bytes);
        out->move[0].per = p->n_step;
        sl_axis_move(out, p->dst, p->dst_bytes);
    } else {
        *out = (struct sl_step_axis){.count = p->m,
                                     .unit = least_unit(p->m_step, p->dst_row_bytes),
                                     .out_bytes = p->dst_row_bytes};
        sl_axis_move(out, p->lhs, p->lhs_row_bytes);
        sl_axis_move(out, p->dst, p->dst_row_bytes);
    }
    out->out = p->out;
    out->work = (uint64_t)*p->m * *p->n * p->k;
    return true;
}

bool sl_axis_of_window(const struct sl_axis_window *w, struct sl_step_axis *out)
{
    if (*w->batch > 1) {
        size_t image = w->out_row_bytes * *w->out_h;
        sl_axis_of_rows(w->batch, w->out, image, w->image_work, out);
        sl_axis_move(out, w->in, w->in_row_bytes * *w->in_h);
        sl_axis_move(out, w->out_place, image);
        return true;
    }
    *out = (struct sl_step_axis){.count = w->out_h,
                                 .unit = least_unit(1, w->out_row_bytes),
                                 .out_bytes = w->out_row_bytes,
                                 .out = w->out,
                                 .chunks = 2, /* each reads some rows of its neighbours again */
                                 .in_h = w->in_h,
                                 .pad_top = w->pad_top,
                                 .in = w->in,
                                 .stride = w->stride,
                                 .in_row_bytes = w->in_row_bytes,
                                 .work = *w->batch * w->image_work};
    sl_axis_move(out, w->out_place, w->out_row_bytes);
    return true;
}

void sl_axis_of_binary(const struct sl_axis_binary *b, struct sl_step_axis *axis)
{
    struct sl_broadcast_plan *plan = b->plan;
    size_t a = plan->a_step * b->element_bytes, second = plan->b_step * b->element_bytes;
    size_t inner = 1;
    if (plan->rank == 0) {
        sl_axis_of_elements(b->count, b->out, b->element_bytes, SL_WORK_ELEMENT, axis);
    } else {
        inner = *b->count;
        for (size_t d = 1; d < plan->rank; d++)
            inner *= plan->dims[d];
        a = plan->a_strides[0];
        second = plan->b_strides[0];
        sl_axis_of_rows(&plan->dims[0], b->out, inner * b->element_bytes,
                        (uint64_t)inner * SL_WORK_ELEMENT, axis);
    }
    sl_axis_move(axis, b->a, a);
    sl_axis_move(axis, b->b, second);
    sl_axis_move(axis, b->out_place, inner * b->element_bytes);
}

/* Returns how much precedes the first unit, so that units begin with cache lines; everything, if
 * none ever would. */
static size_t lead_of(const struct sl_step_axis *axis)
{
    size_t most = axis->whole ? 1 : axis->unit;
    for (size_t lead = 0; lead < most && lead < LINE_BYTES; lead++)
        if (begins_line((const char *)axis->out + lead * axis->out_bytes))
            return lead;
    return *axis->count;
}

static size_t units_of(const struct sl_step_axis *axis, size_t lead)
{
    return *axis->count > lead ? (*axis->count - lead + axis->unit - 1) / axis->unit : 0;
}

static void advance(void *place, size_t bytes)
{
    char *at;
    memcpy(&at, place, sizeof(at));
    if (at)
        at += bytes;
    memcpy(place, &at, sizeof(at));
}

/* Rows of windows from `from` on begin at this row of the input, or in the padding above it. */
static bool skip_rows(const struct sl_step_axis *axis, size_t from)
{
    size_t down = from * axis->stride, pad = *axis->pad_top;
    size_t skipped = down > pad ? down - pad : 0;
    if (skipped >= *axis->in_h)
        return skipped == 0;
    *axis->pad_top = pad + skipped - down;
    *axis->in_h -= skipped;
    advance(axis->in, skipped * axis->in_row_bytes);
    return true;
}

static bool narrow(struct sl_step *step, uint32_t part, struct sl_step_axis *axis)
{
    if (!step->axis(step, step->crew, axis))
        return false;
    size_t lead = lead_of(axis), units = units_of(axis, lead);
    size_t first = units * part / step->parts, last = units * (part + 1) / step->parts;
    size_t from = part == 0 ? 0 : lead + first * axis->unit;
    size_t to = part + 1 == step->parts ? *axis->count : lead + last * axis->unit;
    if (axis->in && !skip_rows(axis, from))
        return false;
    for (uint32_t i = 0; i < axis->moves; i++) {
        size_t per = axis->move[i].per != 0 ? axis->move[i].per : 1;
        advance(axis->move[i].place, from / per * axis->move[i].bytes);
    }
    *axis->count = to - from;
    return !axis->fits || axis->fits(step);
}

bool sl_step_part(const struct sl_step *step, uint32_t part, void *workspace, struct sl_step *out)
{
    struct sl_step_axis axis;
    *out = *step;
    if (!narrow(out, part, &axis))
        return false;
    if (workspace && axis.set_workspace)
        axis.set_workspace(out, workspace);
    else if (workspace && out->places.workspace != 0)
        memcpy((char *)out + out->places.workspace, &workspace, sizeof(workspace));
    return true;
}

/* 0 when it is not worth while, or not possible. */
static uint32_t parts_of(struct sl_step *step, const struct sl_workers *workers)
{
    struct sl_step_axis axis;
    bool streaming = step->kernel && strstr(step->kernel, "_sme2") != NULL;
    uint32_t crew = sl_workers_count(workers, streaming);
    if (crew < 2 || !step->axis || !step->axis(step, crew, &axis))
        return 0;
    uint64_t parts = axis.work / (streaming ? STREAMING_RATE : 1) / MIN_WORK;
    uint64_t most = (uint64_t)crew * (axis.chunks != 0 ? axis.chunks : CHUNKS);
    size_t units = units_of(&axis, lead_of(&axis));
    if (parts > most)
        parts = most;
    if (parts > units)
        parts = units;
    step->crew = (uint16_t)crew;
    return parts < 2 ? 0 : (uint32_t)parts;
}

size_t sl_step_cut(struct sl_step *step, const struct sl_workers *workers)
{
    size_t bytes = 0;
    struct sl_step part;
    struct sl_step_axis axis;
    step->parts = 0;
    step->parts = (uint16_t)parts_of(step, workers);
    for (uint32_t i = 0; i < step->parts; i++) {
        if (!sl_step_part(step, i, NULL, &part) || !part.axis(&part, part.crew, &axis) ||
            axis.workspace_bytes > step->workspace_bytes) {
            step->parts = 0;
            return 0;
        }
        if (axis.workspace_bytes > bytes)
            bytes = axis.workspace_bytes;
    }
    return bytes;
}

struct job {
    const struct sl_step *step;
    const struct sl_crew *crew;
    uint64_t denormals; /* as the caller has them: every part computes so */
};

static void run_part(void *user, uint32_t part, uint32_t seat)
{
    const struct job *job = user;
    struct sl_step step;
    uint8_t *workspace = NULL; /* the step's own */
    if (seat > 1 && job->crew->slot_bytes > 0)
        workspace = job->crew->space.base + (size_t)(seat - 1) * job->crew->slot_bytes;
    else if (seat > 0)
        workspace = job->crew->space.base;
    if (!sl_step_part(job->step, part, workspace, &step))
        return;
    uint64_t own = sl_denormals_now();
    sl_denormals_restore(job->denormals);
    step.run(&step);
    sl_denormals_restore(own);
}

void sl_step_run_parts(const struct sl_step *step, const struct sl_crew *crew)
{
    struct job job = {step, crew, sl_denormals_now()};
    sl_workers_run(crew->workers, step->crew, step->parts, run_part, &job);
}
