/* agent/runtime/step_split.h: one step as parts for several workers.
 *
 * A part is a copy of the step with less to do: fewer rows of a product, columns, rows of pixels,
 * elements. Each kind of step says along what it may be cut (struct sl_step_axis). However a step
 * is cut, the same outputs come out, bit for bit: no sum is ever divided. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/step.h"

struct sl_workers;

enum { SL_AXIS_MAX_MOVES = 4 };

/* The costs of things, in multiply-adds of a matrix product. */
enum { SL_WORK_BYTE = 1, SL_WORK_ELEMENT = 2, SL_WORK_TAP = 2, SL_WORK_FUNCTION = 32 };

/* Along what a step may be cut. All that is pointed to lies in the step itself. */
struct sl_step_axis {
    size_t *count;
    size_t unit;      /* parts but the last are multiples of it */
    size_t out_bytes; /* from one to the next in the output: parts end where a cache line does;
                         where no place between two units is such, the step is not cut */
    const void *out;
    bool whole; /* units are counted from the first: they cannot wait for a cache line to end */
    uint32_t chunks; /* parts a worker should find; 0: the usual number */
    /* Pointers that move by `bytes` for every `per` (0: 1) that are left out before. */
    struct {
        void *place;
        size_t bytes, per;
    } move[SL_AXIS_MAX_MOVES];
    uint32_t moves;
    /* The input's rows, if rows of windows are cut. */
    size_t *in_h, *pad_top;
    void *in; /* place of the pointer */
    size_t stride, in_row_bytes;
    uint64_t work;          /* about a multiply-add each */
    size_t workspace_bytes; /* as the step is */
    /* Gives the step another workspace; NULL: as `places` say. */
    void (*set_workspace)(struct sl_step *step, void *workspace);
    bool (*fits)(const struct sl_step *step); /* whether a kernel takes the part; NULL: always */
};

/* A product: cut by rows where there are enough of them, else by columns. */
struct sl_axis_product {
    size_t *m, *n, k;
    size_t m_step, n_step;
    void *lhs, *rhs, *dst; /* places of pointers */
    size_t lhs_row_bytes, dst_row_bytes, dst_bytes;
    size_t panel_bytes; /* packed weights of n_step columns */
    const void *out;
};
/* Takes a kernel, its struct sl_matmul_args or the like, the bytes of an element of the left
 * operand and those of a panel. */
#define SL_AXIS_PRODUCT(kernel, args, element, result, panel)                                      \
    (struct sl_axis_product)                                                                       \
    {                                                                                              \
        .m = &(args)->m, .n = &(args)->n, .k = (args)->k, .m_step = (kernel)->m_step(),            \
        .n_step = (kernel)->n_step(), .lhs = &(args)->lhs, .rhs = &(args)->rhs,                    \
        .dst = &(args)->dst, .lhs_row_bytes = (args)->lhs_stride * (element),                      \
        .dst_row_bytes = (args)->dst_stride * (result), .dst_bytes = (result),                     \
        .panel_bytes = (panel), .out = (args)->dst                                                 \
    }
bool sl_axis_of_product(const struct sl_axis_product *product, uint32_t crew,
                        struct sl_step_axis *out);

/* Windows over images: cut by images where there are several, else by rows. */
struct sl_axis_window {
    size_t *batch, *in_h, *out_h, *pad_top;
    size_t stride, in_row_bytes, out_row_bytes;
    void *in, *out_place;
    const void *out;
    uint64_t image_work;
};
/* Takes a shape, the bytes of an element, the pointers `in_to` and `out_to`, and the channels and
 * work of one pixel. */
#define SL_AXIS_WINDOW(shape, bytes, in_to, in_channels, out_to, out_channels, pixel_work)         \
    (struct sl_axis_window)                                                                        \
    {                                                                                              \
        .batch = &(shape)->batch, .in_h = &(shape)->in_h, .out_h = &(shape)->out_h,                \
        .pad_top = &(shape)->pad_top, .stride = (shape)->stride_h,                                 \
        .in_row_bytes = (shape)->in_w * (in_channels) * (bytes),                                   \
        .out_row_bytes = (shape)->out_w * (out_channels) * (bytes), .in = (in_to),                 \
        .out_place = (out_to), .out = *(out_to),                                                   \
        .image_work = (uint64_t)(shape)->out_h * (shape)->out_w * (pixel_work)                     \
    }
/* Takes the shape of a convolution; `times` each input channel of a depthwise one was repeated. */
#define SL_AXIS_CONV(shape, bytes, in_to, out_to)                                                  \
    SL_AXIS_WINDOW(shape, bytes, in_to, (shape)->groups *(shape)->group_in_c, out_to,              \
                   (shape)->groups *(shape)->group_out_c,                                          \
                   (shape)                                                                         \
                       ->groups *(shape)                                                           \
                       ->group_out_c *(shape)                                                      \
                       ->kernel_h *(shape)                                                         \
                       ->kernel_w *(shape)                                                         \
                       ->group_in_c)
#define SL_AXIS_DEPTHWISE(shape, bytes, times, in_to, out_to)                                      \
    SL_AXIS_WINDOW(shape, bytes, in_to, (shape)->channels / (times), out_to, (shape)->channels,    \
                   (shape)->channels * (shape)->kernel_h * (shape)->kernel_w)
bool sl_axis_of_window(const struct sl_axis_window *window, struct sl_step_axis *out);

/* Elements, or rows of `out_bytes`: adds a pointer that moves by `bytes` for each. */
void sl_axis_move(struct sl_step_axis *axis, void *place, size_t bytes);
/* Elements side by side. */
void sl_axis_of_elements(size_t *count, const void *out, size_t out_bytes, uint32_t work,
                         struct sl_step_axis *axis);
/* Rows that are computed one by one. */
void sl_axis_of_rows(size_t *count, const void *out, size_t out_bytes, uint64_t row_work,
                     struct sl_step_axis *axis);
/* A broadcasting binary operator: cut along its elements, or its outermost dimension. */
struct sl_axis_binary {
    struct sl_broadcast_plan *plan;
    size_t *count, element_bytes;
    void *a, *b, *out_place;
    const void *out;
};
#define SL_AXIS_BINARY(broadcast, args, bytes)                                                     \
    (struct sl_axis_binary)                                                                        \
    {                                                                                              \
        .plan = (broadcast), .count = &(args)->count, .element_bytes = (bytes), .a = &(args)->a,   \
        .b = &(args)->b, .out_place = &(args)->out, .out = (args)->out                             \
    }
void sl_axis_of_binary(const struct sl_axis_binary *binary, struct sl_step_axis *axis);

/* The threads of a method and what memory its steps' parts have. All zeros: everything is serial.
 */
struct sl_crew {
    struct sl_workers *workers; /* borrowed; NULL: none */
    struct sl_workspace space;  /* a slot for every worker but the caller */
    size_t slot_bytes;
};

/* Decides into how many parts the bound step falls; returns the workspace bytes of one part. */
size_t sl_step_cut(struct sl_step *step, const struct sl_workers *workers);
/* Makes *out part `part` of step->parts. `workspace` NULL: the step's own. False when the kernel
 * does not take such a part; sl_step_cut() has excluded that. */
bool sl_step_part(const struct sl_step *step, uint32_t part, void *workspace, struct sl_step *out);
/* All parts of a step that has some, on the crew. */
void sl_step_run_parts(const struct sl_step *step, const struct sl_crew *crew);

static inline void sl_step_go(const struct sl_step *step, const struct sl_crew *crew)
{
    if (step->parts == 0)
        step->run(step);
    else
        sl_step_run_parts(step, crew);
}
