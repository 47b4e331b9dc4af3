/* kernels/layout/resize_sme2.h: bilinear resizing in streaming mode, four vectors of channels at a
 * time, in the arithmetic of the type that the including file names (kernels/cpu/element.h), the
 * kernel KERNEL. Each step is rounded to it, as resize_neon.h does. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define Q(before, after) before##f16##after
#define WHILE(i, end) svwhilelt_c16_u64(i, end, 4)
#define ALL_LANES svptrue_b16
#define WIDTH svcnth
typedef float16_t number_t;
typedef svfloat16_t vec_t;
typedef svfloat16x4_t quad_t;
#else
#define Q(before, after) before##f32##after
#define WHILE(i, end) svwhilelt_c32_u64(i, end, 4)
#define ALL_LANES svptrue_b32
#define WIDTH svcntw
typedef float number_t;
typedef svfloat32_t vec_t;
typedef svfloat32x4_t quad_t;
#endif

#define INLINE static inline __attribute__((always_inline))
#define RESIZE_MODE __arm_streaming

INLINE vec_t between(vec_t a, vec_t b, vec_t weight) __arm_streaming
{
    svbool_t all = ALL_LANES();
    return Q(svmla_, _x)(all, a, Q(svsub_, _x)(all, b, a), weight);
}

INLINE quad_t quad_between(quad_t a, quad_t b, vec_t weight) __arm_streaming
{
#define BETWEEN(i) between(Q(svget4_, )(a, i), Q(svget4_, )(b, i), weight)
    return Q(svcreate4_, )(BETWEEN(0), BETWEEN(1), BETWEEN(2), BETWEEN(3));
#undef BETWEEN
}

INLINE quad_t load(svcount_t some, const SL_ELEMENT *at) __arm_streaming
{
    return Q(svld1_, _x4)(some, (const number_t *)(const void *)at);
}

INLINE void resize_pixel(size_t channels, const SL_ELEMENT *top, const SL_ELEMENT *bottom,
                         size_t right, float x_weight, float y_weight,
                         SL_ELEMENT *out) __arm_streaming
{
    vec_t x = Q(svdup_, )((number_t)x_weight), y = Q(svdup_, )((number_t)y_weight);
    for (size_t c = 0; c < channels; c += 4 * WIDTH()) {
        svcount_t some = WHILE(c, channels);
        quad_t above = quad_between(load(some, top + c), load(some, top + right + c), x);
        quad_t below = quad_between(load(some, bottom + c), load(some, bottom + right + c), x);
        Q(svst1_, _x4)(some, (number_t *)(void *)(out + c), quad_between(above, below, y));
    }
}

#define RESIZE_WALK walk
#include "kernels/layout/resize_walk.h"

static void body(const void *args) __arm_streaming
{
    walk(args);
}

static void run(const struct SL_NAME(sl_resize, _args) * args)
{
    sl_streaming_run(body, args);
}

const struct SL_NAME(sl_resize, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .run = run,
};
