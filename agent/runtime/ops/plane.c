/* agent/runtime/ops/plane.c: what operators on planes share. */
#include "agent/runtime/ops/plane.h"

#include <string.h>

bool sl_plane_pair(struct sl_op_call *call, uint32_t arg, int64_t low, size_t *h, size_t *w)
{
    int64_t pair[2];
    int count = sl_op_ints(call, arg, pair, 2);
    for (int i = 0; i < count; i++)
        if (pair[i] < low || pair[i] > INT32_MAX)
            return false;
    if (count > 0) {
        *h = (size_t)pair[0];
        *w = (size_t)pair[count - 1];
    }
    return count >= 0;
}

static bool is_nhwc(const struct sl_tensor *tensor)
{
    static const uint8_t order[4] = {0, 2, 3, 1};
    return tensor->rank == 4 && memcmp(tensor->dim_order, order, 4) == 0;
}

/* Points the planes that stand for channels-last tensors into the workspace. */
static void run_locate(struct sl_op_call *call)
{
    struct sl_planes *p = call->state;
    for (int i = 0; i < 2; i++)
        p->turned[i].data = call->method->workspace.base + p->places[i];
}

/* Planes in the workspace for a tensor whose channels lie last. */
static struct sl_ref stand_in(struct sl_op_call *call, struct sl_planes *p, int which,
                              const struct sl_tensor *tensor)
{
    struct sl_ref planes = sl_ref_scratch(call, tensor->nbytes);
    p->turned[which] = *tensor;
    p->places[which] = planes.offset;
    return planes;
}

static void turn_input(struct sl_op_call *call, struct sl_planes *p)
{
    static const size_t to_nchw[4] = {0, 3, 1, 2};
    const int32_t *sizes = p->in->sizes;
    const size_t dims[4] = {(size_t)sizes[0], (size_t)sizes[2], (size_t)sizes[3], (size_t)sizes[1]};
    struct sl_ref planes = stand_in(call, p, 0, p->in);
    sl_step_permute(sl_op_step(call), call->isa, 4, dims, to_nchw);
    sl_op_operands(call, sl_ref_tensor(p->in), sl_ref_none(), planes);
    p->in = &p->turned[0];
}

struct sl_planes *sl_plane_begin(struct sl_op_call *call, struct sl_diag *diag, int *rc)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_planes *p = NULL;
    if (in->nbytes == 0) {
        *rc = sl_op_exactly(call, diag);
        return NULL;
    }
    p = sl_op_state(call, sizeof(*p));
    *rc = p ? 0 : sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (p && ((in->rank != 3 && in->rank != 4) || (!sl_tensor_contiguous(in) && !is_nhwc(in))))
        *rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                         "its input is not of rank 3 or 4 in a usual memory order");
    if (*rc != 0)
        return NULL;
    *p = (struct sl_planes){.in = in, .stride_h = 1, .stride_w = 1};
    p->in_h = (size_t)in->sizes[in->rank - 2];
    p->in_w = (size_t)in->sizes[in->rank - 1];
    p->count = sl_tensor_count(in) / p->in_h / p->in_w;
    if (is_nhwc(in))
        turn_input(call, p);
    return p;
}

/* The operator's own step, between those that turn its operands. */
static void add_steps(struct sl_op_call *call, struct sl_planes *p, const char *kernel,
                      sl_own_run_fn run)
{
    static const size_t to_nhwc[4] = {0, 2, 3, 1};
    const struct sl_tensor *out = p->out;
    struct sl_ref planes = sl_ref_none();
    if (is_nhwc(out)) {
        planes = stand_in(call, p, 1, out);
        p->out = &p->turned[1];
    }
    if (p->out != out || p->in == &p->turned[0])
        sl_op_own(call, NULL, run_locate);
    call->main_step = call->step_count;
    sl_op_own(call, kernel, run);
    if (p->out == out)
        return;
    const size_t dims[4] = {(size_t)out->sizes[0], (size_t)out->sizes[1], p->out_h, p->out_w};
    sl_step_permute(sl_op_step(call), call->isa, 4, dims, to_nhwc);
    sl_op_operands(call, planes, sl_ref_none(), sl_ref_tensor(out));
}

int sl_plane_finish(struct sl_op_call *call, struct sl_planes *p, uint32_t arg, const char *kernel,
                    sl_own_run_fn run, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, arg);
    int32_t sizes[4];
    if (p->out_h == 0 || p->out_w == 0 || p->out_h > INT32_MAX || p->out_w > INT32_MAX)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output would be empty");
    memcpy(sizes, p->in->sizes, p->in->rank * sizeof(*sizes));
    sizes[p->in->rank - 2] = (int32_t)p->out_h;
    sizes[p->in->rank - 1] = (int32_t)p->out_w;
    int rc = sl_tensor_resize(out, p->in->rank, sizes, diag);
    if (rc == 0 && !sl_tensor_contiguous(out) && !is_nhwc(out))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    p->out = out;
    if (rc == 0)
        add_steps(call, p, kernel, run);
    return rc;
}

void *sl_plane_scratch(const struct sl_op_call *call, const struct sl_planes *p)
{
    return call->method->workspace.base + p->scratch;
}
