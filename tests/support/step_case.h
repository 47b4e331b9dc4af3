/* tests/support/step_case.h: steps over floats and over halves on the same small whole numbers,
 * which both compute exactly. */
#pragma once

#include "agent/runtime/budget.h"
#include "agent/runtime/step.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/test.h"

enum { SL_CASE_STEP_MOST = 4096 };

/* An operand in both types. */
struct sl_step_operand {
    float f32[SL_CASE_STEP_MOST];
    uint16_t f16[SL_CASE_STEP_MOST];
};

static inline const void *sl_step_as(const struct sl_step_operand *operand, int element)
{
    return element == SL_F16 ? (const void *)operand->f16 : operand->f32;
}

/* Whole numbers from -2 to 2. */
static inline void sl_step_draw(uint32_t seed, struct sl_step_operand *out)
{
    for (size_t i = 0; i < SL_CASE_STEP_MOST; i++) {
        seed = seed * 1664525u + 1013904223u;
        out->f32[i] = (float)(seed >> 24) / 64 - 2;
        out->f32[i] = (float)(int)out->f32[i];
        out->f16[i] = sl_half_from_float(out->f32[i]);
    }
}

/* Binds and runs it; out[0..count) are its results as floats, and what lies behind is as it was. */
static inline void sl_step_results(struct sl_step *step, int element, const void *a, const void *b,
                                   size_t count, float *out)
{
    static _Alignas(64) uint8_t workspace[1 << 18];
    static struct sl_step_operand results;
    assert_true(step->workspace_bytes <= sizeof(workspace) && count < SL_CASE_STEP_MOST);
    void *to = element == SL_F16 ? (void *)results.f16 : results.f32;
    results.f32[count] = 77;
    results.f16[count] = 0x7777;
    sl_step_bind(step, &(struct sl_step_operands){a, b, to, workspace});
    step->run(step);
    for (size_t i = 0; i < count; i++)
        out[i] = element == SL_F16 ? sl_half_to_float(results.f16[i]) : results.f32[i];
    assert_true(element == SL_F16 ? results.f16[count] == 0x7777 : results.f32[count] == 77);
}
