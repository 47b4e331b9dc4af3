/* kernels/depthwise/depthwise_qs8_plan.h: where the windows of an image lie once it is padded by
 * the input's zero point. */
#pragma once

#include <stdbool.h>

#include "kernels/depthwise/depthwise_qs8.h"

#if defined(__ARM_FEATURE_SME2)
#define SL_ANY_MODE __arm_streaming_compatible
#else
#define SL_ANY_MODE
#endif

struct sl_depthwise_plan {
    size_t top, left;     /* padding, in pixels */
    size_t height, width; /* of the padded image; width of the image in place */
    size_t inner;         /* pixels of a row that are the image's */
    bool in_place;        /* the image needs no padding */
};

/* out_h and out_w are at least 1. */
static inline struct sl_depthwise_plan
sl_depthwise_plan_of(const struct sl_depthwise_shape *s) SL_ANY_MODE
{
    struct sl_depthwise_plan plan = {
        .top = s->pad_top,
        .left = s->pad_left,
        .height = (s->out_h - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h + 1,
        .width = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w + 1,
    };
    plan.in_place =
        plan.top == 0 && plan.left == 0 && plan.height <= s->in_h && plan.width <= s->in_w;
    if (plan.in_place)
        plan.width = s->in_w;
    plan.left = plan.left < plan.width ? plan.left : plan.width;
    plan.inner = plan.width - plan.left < s->in_w ? plan.width - plan.left : s->in_w;
    return plan;
}
