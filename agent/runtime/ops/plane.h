/* agent/runtime/ops/plane.h: operators that go plane by plane of NCHW, f32. */
#pragma once

#include "agent/runtime/ops/op.h"
#include "agent/runtime/tensor.h"

/* Planes of one height and width in, another out. */
struct sl_planes {
    const struct sl_tensor *in, *out;
    size_t count, in_h, in_w, out_h, out_w;
    size_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    bool counts_padding, align_corners;
    int64_t divisor;            /* 0: the window's own */
    float scale_h, scale_w;     /* input pixels for an output pixel */
    size_t scratch;             /* offset into the workspace */
    struct sl_tensor turned[2]; /* what `in` and `out` are where channels lie last */
    size_t places[2];           /* their planes' offsets into the workspace */
};

static inline const float *sl_plane_in(const struct sl_planes *p, size_t i)
{
    return (const float *)(const void *)p->in->data + i * p->in_h * p->in_w;
}

static inline float *sl_plane_out(const struct sl_planes *p, size_t i)
{
    return (float *)(void *)p->out->data + i * p->out_h * p->out_w;
}

/* Both numbers of a list of one or two in [low, INT32_MAX]; an empty list leaves them. */
bool sl_plane_pair(struct sl_op_call *call, uint32_t arg, int64_t low, size_t *h, size_t *w);
/* The input's planes, in the call's state; NULL with *rc set when they are not supported, or (0)
 * when there are none and nothing is left to prepare. */
struct sl_planes *sl_plane_begin(struct sl_op_call *call, struct sl_diag *diag, int *rc);
/* Sizes the output, argument `arg`, and adds the step. */
int sl_plane_finish(struct sl_op_call *call, struct sl_planes *p, uint32_t arg, const char *kernel,
                    sl_own_run_fn run, struct sl_diag *diag);
/* The step's own memory. */
void *sl_plane_scratch(const struct sl_op_call *call, const struct sl_planes *p);

int sl_plane_avg_pool(struct sl_op_call *call, struct sl_diag *diag);
int sl_plane_adaptive(struct sl_op_call *call, struct sl_diag *diag);
int sl_plane_bilinear(struct sl_op_call *call, struct sl_diag *diag);
int sl_plane_nearest(struct sl_op_call *call, struct sl_diag *diag);
