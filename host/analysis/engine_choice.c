/* host/analysis/engine_choice.c */
#include "host/analysis/engine_choice.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"

enum { CORE, UNIT, ENGINES };

/* The least sum of all steps up to one that ends on an engine, and where the one before it was. */
struct sum {
    double ns[ENGINES];
    int before[ENGINES];
};

static double own_ns(const struct sl_engine_step *step, int engine)
{
    double ns = engine == UNIT ? step->unit_ns : step->core_ns;
    return isnan(ns) ? (double)INFINITY : ns;
}

static double waits(const struct sl_engine_step *step, int before, int engine,
                    const struct sl_engine_hand_over *hand_over)
{
    return before == CORE && engine == UNIT
               ? hand_over->ns_per_byte * fmin(step->input_bytes, hand_over->most_bytes)
               : 0;
}

static void add_step(const struct sl_engine_step *step, const struct sum *last,
                     const struct sl_engine_hand_over *hand_over, struct sum *out)
{
    for (int engine = CORE; engine < ENGINES; engine++) {
        out->ns[engine] = INFINITY;
        out->before[engine] = CORE;
        for (int before = CORE; before < ENGINES; before++) {
            double ns =
                last->ns[before] + own_ns(step, engine) + waits(step, before, engine, hand_over);
            if (ns < out->ns[engine]) {
                out->ns[engine] = ns;
                out->before[engine] = before;
            }
        }
    }
}

/* All that can be on one engine. */
static double sum_of_one(const struct sl_engine_step *steps, size_t count, int engine,
                         const struct sl_engine_hand_over *hand_over)
{
    double ns = 0;
    int before = CORE;
    for (size_t i = 0; i < count; i++) {
        int here = isinf(own_ns(&steps[i], engine)) ? CORE + UNIT - engine : engine;
        ns += own_ns(&steps[i], here) + waits(&steps[i], before, here, hand_over);
        before = here;
    }
    return ns;
}

static enum sl_engine_why why_of(const struct sl_engine_step *step, int engine)
{
    double here = own_ns(step, engine), there = own_ns(step, CORE + UNIT - engine);
    return isinf(there) ? SL_ENGINE_ONLY : here <= there ? SL_ENGINE_FASTER : SL_ENGINE_BESIDES;
}

/* From the least sums of all steps behind the one after `step`, by its engine, those behind
 * `step`. */
static void add_step_before(const struct sl_engine_step *step,
                            const struct sl_engine_hand_over *hand_over, double behind[ENGINES])
{
    double last[ENGINES] = {behind[CORE], behind[UNIT]};
    for (int before = CORE; before < ENGINES; before++) {
        behind[before] = INFINITY;
        for (int engine = CORE; engine < ENGINES; engine++)
            behind[before] =
                fmin(behind[before],
                     own_ns(step, engine) + waits(step, before, engine, hand_over) + last[engine]);
    }
}

int sl_engine_choose(const struct sl_engine_step *steps, size_t count,
                     const struct sl_engine_hand_over *hand_over, struct sl_engine_chosen *out,
                     struct sl_engine_sums *out_sums)
{
    struct sum *sums = sl_calloc(count + 1, sizeof(*sums));
    if (!sums)
        return -ENOMEM;
    sums[0] = (struct sum){.ns = {0, INFINITY}};
    for (size_t i = 0; i < count; i++)
        add_step(&steps[i], &sums[i], hand_over, &sums[i + 1]);
    int engine = sums[count].ns[UNIT] < sums[count].ns[CORE] ? UNIT : CORE;
    *out_sums = (struct sl_engine_sums){.core_ns = sum_of_one(steps, count, CORE, hand_over),
                                        .unit_ns = sum_of_one(steps, count, UNIT, hand_over),
                                        .chosen_ns = sums[count].ns[engine]};
    double behind[ENGINES] = {0, 0};
    for (size_t i = count; i-- > 0;) {
        int before = sums[i + 1].before[engine], other = CORE + UNIT - engine;
        bool only = isinf(own_ns(&steps[i], other));
        double with_other = sums[i + 1].ns[other] + behind[other];
        out[i] = (struct sl_engine_chosen){
            .unit = engine == UNIT,
            .why = why_of(&steps[i], engine),
            .hand_over_ns = waits(&steps[i], before, engine, hand_over),
            .waits_ns = waits(&steps[i], CORE, UNIT, hand_over),
            .other_adds_ns = only ? (double)NAN : fmax(0, with_other - out_sums->chosen_ns)};
        add_step_before(&steps[i], hand_over, behind);
        engine = before;
    }
    sl_free(sums);
    return 0;
}
