/* host/rundir/run_policy.c */
#include "host/rundir/run_policy.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/engine_choice.h"
#include "host/analysis/silicon.h"
#include "host/spec/policy_file.h"

enum { PLACE_BYTES = 48 };

#define KB 1024.0

static const char note[] =
    "Estimated, not measured: each operator where it takes less by the silicon's figures, with "
    "what the unit waits for when the core wrote its operand.";

static bool is_same_call(const struct sl_rundir_policy_step *a,
                         const struct sl_rundir_policy_step *b)
{
    return a->chain == b->chain && a->instruction == b->instruction;
}

double sl_rundir_policy_hand_over_bytes(const struct sl_silicon *silicon, double input_bytes)
{
    double most = silicon->core_level_count > 0 ? silicon->core_levels[0].bytes : INFINITY;
    return fmin(input_bytes, most);
}

/* The place as the agent's --policy takes it. */
static void place_words(const struct sl_rundir_policy_step *step, char out[PLACE_BYTES])
{
    int used = snprintf(out, PLACE_BYTES, "%" PRId32 ".%" PRId32, step->chain, step->instruction);
    if (step->node != SL_TRACE_NO_NODE)
        snprintf(out + used, PLACE_BYTES - (size_t)used, ".%" PRIu32, step->node);
}

static bool is_kept_out(const struct sl_rundir_policy_step *step,
                        const struct sl_engine_chosen *chosen)
{
    return step->streams && !chosen->unit;
}

/* The last of the nodes from `i` on that follow one another and are all kept out. */
static size_t last_of_range(const struct sl_rundir_policy_step *steps,
                            const struct sl_engine_chosen *chosen, size_t count, size_t i)
{
    while (steps[i].node != SL_TRACE_NO_NODE && i + 1 < count &&
           is_same_call(&steps[i], &steps[i + 1]) && steps[i + 1].node == steps[i].node + 1 &&
           is_kept_out(&steps[i + 1], &chosen[i + 1]))
        i++;
    return i;
}

static int operators_off(const struct sl_rundir_policy_step *steps,
                         const struct sl_engine_chosen *chosen, size_t count, struct sl_buf *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        char place[PLACE_BYTES];
        if (!is_kept_out(&steps[i], &chosen[i]))
            continue;
        size_t last = last_of_range(steps, chosen, count, i);
        place_words(&steps[i], place);
        rc = sl_buf_printf(out, "%s%s", out->size ? "," : "", place);
        if (rc == 0 && last > i)
            rc = sl_buf_printf(out, "-%" PRIu32, steps[last].node);
        i = last;
    }
    return rc;
}

static const char *words_of(const struct sl_rundir_policy_step *step,
                            const struct sl_engine_chosen *chosen)
{
    if (chosen->why == SL_ENGINE_ONLY)
        return step->streams ? "there is no other kernel" : "there is no SME2 kernel";
    if (chosen->unit)
        return chosen->why == SL_ENGINE_FASTER
                   ? "SME2 is faster here"
                   : "NEON is faster alone, but handing over to the next costs more";
    return chosen->why == SL_ENGINE_FASTER
               ? "SME2 could, but NEON is faster here"
               : "SME2 is faster alone, but waits for what the core wrote";
}

static void put_step(struct sl_json *json, const struct sl_rundir_policy_step *step,
                     const struct sl_engine_chosen *chosen)
{
    static const char *const kernels[] = {"kernel_off", "kernel_on"}, *const times[] = {"off_ns",
                                                                                        "on_ns"};
    char place[PLACE_BYTES];
    place_words(step, place);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "operator", step->name);
    sl_json_text(json, "place", place);
    for (int side = 0; side < SL_RUNDIR_POLICY_SIDES; side++) {
        if (!step->kernels[side])
            continue;
        sl_json_text(json, kernels[side], step->kernels[side]);
        sl_json_f64(json, times[side], step->ns[side]);
    }
    sl_json_f64(json, "hand_over_ns", chosen->hand_over_ns);
    sl_json_f64(json, "waits_ns", chosen->waits_ns);
    if (chosen->why != SL_ENGINE_ONLY)
        sl_json_f64(json, "other_engine_adds_ns", chosen->other_adds_ns);
    sl_json_bool(json, "streams", chosen->unit);
    sl_json_text(json, "why", words_of(step, chosen));
    sl_json_close_object(json);
}

/* Returns the operator as the choice sees it. */
static struct sl_engine_step engine_step_of(const struct sl_rundir_policy_step *step)
{
    bool off = step->kernels[SL_RUNDIR_POLICY_OFF], on = step->kernels[SL_RUNDIR_POLICY_ON];
    struct sl_engine_step made = {.core_ns = NAN, .unit_ns = NAN, .input_bytes = step->input_bytes};
    if (on && step->streams)
        made.unit_ns = step->ns[SL_RUNDIR_POLICY_ON];
    else if (on)
        made.core_ns = step->ns[SL_RUNDIR_POLICY_ON];
    if (off && !(on && !step->streams))
        made.core_ns = step->ns[SL_RUNDIR_POLICY_OFF];
    return made;
}

static void put_table(struct sl_json *json, const struct sl_silicon *silicon,
                      const struct sl_rundir_policy_step *steps, size_t count,
                      const struct sl_engine_chosen *chosen, const struct sl_engine_sums *sums)
{
    static const char *const keys[] = {"all_neon_ns", "all_sme2_ns", "chosen_ns"};
    const double values[] = {sums->core_ns, sums->unit_ns, sums->chosen_ns};
    sl_json_text(json, "schema", "sme2lab.policy/1");
    sl_json_text(json, "source", "estimated");
    sl_json_text(json, "profile", silicon->name);
    sl_json_text(json, "profile_sha256", silicon->sha256);
    sl_json_text(json, "unit", "ns");
    sl_json_text(json, "note", note);
    sl_json_open_array(json, "streaming_off");
    sl_json_close_array(json);
    sl_json_open_object(json, "estimated");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        sl_json_f64(json, keys[i], values[i]);
    sl_json_close_object(json);
    sl_json_open_array(json, "operators");
    for (size_t i = 0; i < count; i++)
        put_step(json, &steps[i], &chosen[i]);
    sl_json_close_array(json);
}

void sl_rundir_policy_file(const char *profile, const char *suffix,
                           char out[SL_RUNDIR_POLICY_FILE_BYTES])
{
    snprintf(out, SL_RUNDIR_POLICY_FILE_BYTES, "policy_%.100s%.100s.json", profile, suffix);
}

int sl_rundir_policy_put(struct sl_json *json, const struct sl_silicon *silicon,
                         const struct sl_rundir_policy_step *steps, size_t count)
{
    const struct sl_engine_hand_over hand_over = {
        .ns_per_byte = silicon->figures[SL_FIGURE_UNIT_HAND_OVER].value / KB,
        .most_bytes = sl_rundir_policy_hand_over_bytes(silicon, INFINITY)};
    struct sl_engine_step *engine = sl_calloc(count + 1, sizeof(*engine));
    struct sl_engine_chosen *chosen = sl_calloc(count + 1, sizeof(*chosen));
    struct sl_engine_sums sums;
    struct sl_buf off;
    sl_buf_init(&off, SL_POLICY_OPERATORS_BYTES - 1);
    int rc = engine && chosen ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++)
        engine[i] = engine_step_of(&steps[i]);
    if (rc == 0)
        rc = sl_engine_choose(engine, count, &hand_over, chosen, &sums);
    if (rc == 0)
        rc = operators_off(steps, chosen, count, &off);
    if (rc == 0)
        rc = sl_buf_append(&off, "", 1);
    if (rc == 0) {
        sl_json_open_object(json, NULL);
        if (off.size > 1)
            sl_json_text(json, "operators_off", (const char *)off.data);
        put_table(json, silicon, steps, count, chosen, &sums);
        sl_json_close_object(json);
        rc = json->error;
    }
    sl_buf_fini(&off);
    sl_free(chosen);
    sl_free(engine);
    return rc;
}
