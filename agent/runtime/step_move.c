/* agent/runtime/step_move.c: steps that move elements of any size, and what all steps share. */
#include <stddef.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

static void run_none(const struct sl_step *step)
{
    (void)step;
}

static void run_permute(const struct sl_step *step)
{
    sl_permute_x32(step->permute.kernel, step->permute.rank, step->permute.dims, step->permute.perm,
                   step->permute.in, step->permute.out);
}

static void run_permute_x16(const struct sl_step *step)
{
    sl_permute_x16(step->permute.kernel_x16, step->permute.rank, step->permute.dims,
                   step->permute.perm, step->permute.in, step->permute.out);
}

static void run_permute_x8(const struct sl_step *step)
{
    sl_permute_x8(step->permute.kernel_x8, step->permute.rank, step->permute.dims,
                  step->permute.perm, step->permute.in, step->permute.out);
}

void sl_step_permute_of(struct sl_step *step, uint32_t isa, size_t element_bytes, size_t rank,
                        const size_t *dims, const size_t *perm)
{
    *step = (struct sl_step){
        .run = run_permute_x8,
        .kind = SL_STEP_PERMUTE,
        .places = {.a = SL_STEP_AT(permute.in), .out = SL_STEP_AT(permute.out)},
        .permute = {.element_bytes = element_bytes, .rank = rank},
    };
    if (element_bytes == 4) {
        step->run = run_permute;
        step->permute.kernel = sl_transpose_select(isa);
        step->kernel = step->permute.kernel->name;
    } else if (element_bytes == 2) {
        step->run = run_permute_x16;
        step->permute.kernel_x16 = sl_transpose_x16_select(isa);
        step->kernel = step->permute.kernel_x16->name;
    } else {
        step->permute.kernel_x8 = sl_transpose_x8_select(isa);
        step->kernel = step->permute.kernel_x8->name;
    }
    if (!sl_permute_transposes(rank, dims, perm))
        step->kernel = "memcpy"; /* of rows, or of the whole */
    for (size_t i = 0; i < rank; i++) {
        step->permute.dims[i] = dims[i];
        step->permute.perm[i] = perm[i];
        if (dims[i] == 0)
            step->run = run_none;
    }
}

void sl_step_permute(struct sl_step *step, uint32_t isa, size_t rank, const size_t *dims,
                     const size_t *perm)
{
    sl_step_permute_of(step, isa, 4, rank, dims, perm);
}

enum { LONG_BYTES = 1024 };

/* 4 to 15 bytes as two words, the second over the end of the first; both are read before either is
 * written. */
static inline void copy_words(uint8_t *out, const uint8_t *in, size_t bytes)
{
    uint64_t a, b;
    uint32_t c, d;
    if (bytes >= sizeof(a)) {
        memcpy(&a, in, sizeof(a));
        memcpy(&b, in + bytes - sizeof(b), sizeof(b));
        memcpy(out, &a, sizeof(a));
        memcpy(out + bytes - sizeof(b), &b, sizeof(b));
        return;
    }
    memcpy(&c, in, sizeof(c));
    memcpy(&d, in + bytes - sizeof(d), sizeof(d));
    memcpy(out, &c, sizeof(c));
    memcpy(out + bytes - sizeof(d), &d, sizeof(d));
}

/* A row; one of some vectors is moved here, its last vector over the one before it. */
static inline void copy_row(uint8_t *out, const uint8_t *in, size_t bytes)
{
    bool apart = (uintptr_t)out - (uintptr_t)in >= bytes; /* wraps where `out` comes first */
    size_t i = 0;
    if (bytes >= 4 && bytes < 16) {
        copy_words(out, in, bytes);
        return;
    }
    if (bytes < 16 || bytes > LONG_BYTES || !apart) {
        memmove(out, in, bytes);
        return;
    }
    for (; bytes - i >= 64; i += 64)
        memcpy(out + i, in + i, 64);
    if ((bytes - i) & 32) {
        memcpy(out + i, in + i, 32);
        i += 32;
    }
    if ((bytes - i) & 16)
        memcpy(out + i, in + i, 16);
    if (bytes % 16)
        memcpy(out + bytes - 16, in + bytes - 16, 16);
}

/* Rows of the innermost dimension; inlined for lengths that are common, such as pixels. */
__attribute__((always_inline)) static inline void
copy_rows_of(size_t bytes, const struct sl_copy *c, const uint8_t *in, uint8_t *out)
{
    size_t rows = c->rank == 0 ? 1 : c->dims[c->rank - 1];
    size_t in_stride = c->rank == 0 ? 0 : c->in_strides[c->rank - 1];
    size_t out_stride = c->rank == 0 ? 0 : c->out_strides[c->rank - 1];
    for (; rows > 0; rows--, in += in_stride, out += out_stride)
        copy_row(out, in, bytes);
}

static void copy_rows(const struct sl_copy *c, const uint8_t *in, uint8_t *out)
{
    switch (c->row_bytes) {
#define ROWS_OF(bytes)                                                                             \
    case bytes:                                                                                    \
        copy_rows_of(bytes, c, in, out);                                                           \
        break
        ROWS_OF(4);
        ROWS_OF(8);
        ROWS_OF(16);
        ROWS_OF(32);
        ROWS_OF(64);
        ROWS_OF(128);
        ROWS_OF(256);
        ROWS_OF(512);
        ROWS_OF(768);
        ROWS_OF(1024);
#undef ROWS_OF
    default:
        copy_rows_of(c->row_bytes, c, in, out);
    }
}

static void run_copy(const struct sl_step *step)
{
    const struct sl_copy *c = &step->copy;
    size_t at[SL_STEP_MAX_RANK] = {0};
    const uint8_t *in = c->in + c->in_offset;
    uint8_t *out = c->out + c->out_offset;
    for (;;) {
        copy_rows(c, in, out);
        size_t d = c->rank > 0 ? c->rank - 1 : 0;
        for (; d > 0; d--) {
            in += c->in_strides[d - 1];
            out += c->out_strides[d - 1];
            if (++at[d - 1] < c->dims[d - 1])
                break;
            in -= c->in_strides[d - 1] * at[d - 1];
            out -= c->out_strides[d - 1] * at[d - 1];
            at[d - 1] = 0;
        }
        if (d == 0)
            return;
    }
}

/* A run's bytes, or its outermost dimension. Memory that a copy moves within stays whole: what one
 * part writes another may have to read. */
static bool axis_copy(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_copy *c = &step->copy;
    size_t bytes = c->row_bytes, span_in = 0, span_out = 0;
    uint8_t *to = c->out + c->out_offset;
    const uint8_t *from = c->in + c->in_offset;
    (void)crew;
    for (size_t d = 0; d < c->rank; d++) {
        bytes *= c->dims[d];
        span_in += (c->dims[d] - 1) * c->in_strides[d];
        span_out += (c->dims[d] - 1) * c->out_strides[d];
    }
    if (from < to + span_out + c->row_bytes && to < from + span_in + c->row_bytes)
        return false;
    if (c->rank == 0) {
        sl_axis_of_elements(&c->row_bytes, to, 1, SL_WORK_BYTE, out);
        sl_axis_move(out, &c->in, 1);
        sl_axis_move(out, &c->out, 1);
        return true;
    }
    sl_axis_of_rows(&c->dims[0], to, c->out_strides[0], bytes / c->dims[0] * SL_WORK_BYTE, out);
    sl_axis_move(out, &c->in, c->in_strides[0]);
    sl_axis_move(out, &c->out, c->out_strides[0]);
    return true;
}

void sl_step_copy_dense(struct sl_step *step, size_t bytes)
{
    *step = (struct sl_step){.run = bytes != 0 ? run_copy : run_none,
                             .kernel = "memmove",
                             .axis = bytes != 0 ? axis_copy : NULL,
                             .kind = SL_STEP_COPY,
                             .places = {.a = SL_STEP_AT(copy.in), .out = SL_STEP_AT(copy.out)},
                             .copy = {.row_bytes = bytes}};
}

void sl_step_copy_box(struct sl_step *step, const struct sl_box *box)
{
    size_t in_stride = box->element_bytes, out_stride = box->element_bytes;
    sl_step_copy_dense(step, box->element_bytes);
    struct sl_copy *c = &step->copy;
    bool whole = true; /* everything inside dimension d is one run on both sides */
    for (size_t d = box->rank; d > 0; d--) {
        if (box->dims[d - 1] == 0)
            *step = (struct sl_step){.run = run_none, .kernel = step->kernel, .kind = step->kind};
        c->in_offset += box->in_at[d - 1] * in_stride;
        c->out_offset += box->out_at[d - 1] * out_stride;
        if (whole) {
            c->row_bytes *= box->dims[d - 1];
        } else {
            memmove(c->dims + 1, c->dims, c->rank * sizeof(*c->dims));
            memmove(c->in_strides + 1, c->in_strides, c->rank * sizeof(*c->in_strides));
            memmove(c->out_strides + 1, c->out_strides, c->rank * sizeof(*c->out_strides));
            c->dims[0] = box->dims[d - 1];
            c->in_strides[0] = in_stride;
            c->out_strides[0] = out_stride;
            c->rank++;
        }
        whole = whole && box->dims[d - 1] == box->in_dims[d - 1] &&
                box->dims[d - 1] == box->out_dims[d - 1];
        in_stride *= box->in_dims[d - 1];
        out_stride *= box->out_dims[d - 1];
    }
}

/* The first element, then as much again as there is. */
static void run_fill(const struct sl_step *step)
{
    size_t bytes = step->fill.element_bytes, all = step->fill.count * bytes, done = bytes;
    if (all == 0)
        return;
    memcpy(step->fill.out, &step->fill.bits, bytes);
    while (done < all) {
        size_t more = done < all - done ? done : all - done;
        memcpy(step->fill.out + done, step->fill.out, more);
        done += more;
    }
}

static void run_fill_bytes(const struct sl_step *step)
{
    memset(step->fill.out, (int)(step->fill.bits & 0xff), step->fill.count);
}

void sl_step_fill(struct sl_step *step, size_t element_bytes, size_t count, uint32_t bits)
{
    *step = (struct sl_step){
        .run = element_bytes == 1 ? run_fill_bytes : run_fill,
        .kernel = "sl_fill_scalar",
        .kind = SL_STEP_FILL,
        .places = {.out = SL_STEP_AT(fill.out)},
        .fill = {.count = count, .element_bytes = element_bytes, .bits = bits},
    };
}

void sl_step_none(struct sl_step *step)
{
    *step = (struct sl_step){.run = run_none, .kernel = NULL, .kind = SL_STEP_NONE};
}

static void put(struct sl_step *step, uint16_t place, const void *value, size_t bytes)
{
    if (place != 0)
        memcpy((char *)step + place, value, bytes);
}

void sl_step_bind(struct sl_step *step, const struct sl_step_operands *o)
{
    put(step, step->places.a, &o->a, sizeof(o->a));
    if (o->b)
        put(step, step->places.b, &o->b, sizeof(o->b));
    put(step, step->places.out, &o->out, sizeof(o->out));
    put(step, step->places.workspace, &o->workspace, sizeof(o->workspace));
    if (step->bind)
        step->bind(step, o);
}

void sl_step_set_clamp(struct sl_step *step, float min, float max)
{
    put(step, step->places.min, &min, sizeof(min));
    put(step, step->places.max, &max, sizeof(max));
}

/* Rows and images are so many pixels, however far apart those are. */
static void set_multiple(struct sl_step *step, uint16_t place, size_t dense, size_t pitch)
{
    size_t distance = 0;
    if (place == 0)
        return;
    memcpy(&distance, (char *)step + place, sizeof(distance));
    distance = distance / dense * pitch;
    memcpy((char *)step + place, &distance, sizeof(distance));
}

bool sl_step_set_pitch(struct sl_step *step, size_t pitch)
{
    size_t dense = 0;
    if (step->places.pitch == 0)
        return false;
    memcpy(&dense, (char *)step + step->places.pitch, sizeof(dense));
    set_multiple(step, step->places.row, dense, pitch);
    set_multiple(step, step->places.image, dense, pitch);
    put(step, step->places.pitch, &pitch, sizeof(pitch));
    return true;
}
