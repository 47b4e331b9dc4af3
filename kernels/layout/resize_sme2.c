/* kernels/layout/resize_sme2.c: bilinear resizing of f32 in streaming mode, four vectors of
 * channels at a time: two rows of the input are blended once for all pixels of a row of the output
 * that lie between the same columns, then two columns. Sums are in ZA, where they take less time
 * than arithmetic on single vectors. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/layout/resize.h"

#define INLINE static inline __attribute__((always_inline))
#define SL_ELEMENT float
#define RESIZE_MODE __arm_streaming __arm_inout("za")
#define RESIZE_ENTER sl_streaming_run_za
#define RESIZE_OWN_ROWS
#include "kernels/layout/resize_walk.inc"

/* Both weights of a place, lanes 0 and 1. */
INLINE svfloat32_t weights_at(const struct place *place) __arm_streaming
{
    return svld1rq_f32(svptrue_pat_b32(SV_VL2), place->weight);
}

INLINE svfloat32x4_t blend(svfloat32x4_t first, svfloat32x4_t second,
                           svfloat32_t weights) RESIZE_MODE
{
    svzero_za();
    svmla_lane_za32_f32_vg1x4(0, first, weights, 0);
    svmla_lane_za32_f32_vg1x4(0, second, weights, 1);
    return svread_za32_f32_vg1x4(0);
}

/* Four vectors of channels of a row of the output, and of the two rows of the input around it. */
struct strip {
    const float *top, *bottom;
    const struct place *at, *end; /* the pixels to come */
    float *out;
    size_t channels;
};

/* Between the two rows, at a column of the input. */
INLINE svfloat32x4_t column_of(const struct strip *s, svcount_t some, svfloat32_t down,
                               size_t column) RESIZE_MODE
{
    size_t at = column * s->channels;
    return blend(svld1_f32_x4(some, s->top + at), svld1_f32_x4(some, s->bottom + at), down);
}

/* The pixels to come that lie between these columns; whether those behind lie one column on. */
INLINE bool pixels_of(struct strip *s, svcount_t some, svfloat32x4_t left,
                      svfloat32x4_t right) RESIZE_MODE
{
    size_t first = s->at->first;
    do {
        svst1_f32_x4(some, s->out, blend(left, right, weights_at(s->at)));
        s->out += s->channels;
        s->at++;
    } while (s->at != s->end && s->at->first == first);
    return s->at != s->end && s->at->first == first + 1;
}

/* Two columns take turns to be the left one, so that neither moves. */
INLINE void strip_of(struct strip s, svcount_t some, svfloat32_t down) RESIZE_MODE
{
    while (s.at != s.end) {
        svfloat32x4_t even = column_of(&s, some, down, s.at->first);
        svfloat32x4_t odd = column_of(&s, some, down, s.at->second);
        while (pixels_of(&s, some, even, odd)) {
            even = column_of(&s, some, down, s.at->second);
            if (!pixels_of(&s, some, odd, even))
                break;
            odd = column_of(&s, some, down, s.at->second);
        }
    }
}

static void resize_row(const struct resize_block *b, const float *top, const float *bottom,
                       const struct place *y, float *out) RESIZE_MODE
{
    size_t channels = b->args->channels;
    svfloat32_t down = weights_at(y);
    for (size_t c = 0; c < channels; c += 4 * svcntw())
        strip_of((struct strip){top + c, bottom + c, b->x, b->x + b->columns, out + c, channels},
                 svwhilelt_c32_u64(c, channels, 4), down);
}

const struct sl_resize sl_resize_f32_f32_4vl_sme2 = {
    .name = "sl_resize_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F32,
    .run = run,
};
