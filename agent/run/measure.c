/* agent/run/measure.c */
#include "agent/run/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "agent/run/etlog.h"
#include "agent/run/feed.h"
#include "agent/run/outputs.h"
#include "agent/run/schedule.h"
#include "agent/run/session.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/clock.h"
#include "common/base/error.h"

/* An owner that says nothing for so long has lost its host. */
#define HOLD_NS (15 * UINT64_C(1000000000))

/* A program may move its memory in every execution. */
enum { MAX_SETTLING = 3 };

/* The reason why the measuring ended. */
enum ended {
    ENDED_PAIRS,  /* all pairs that were asked for */
    ENDED_HOST,   /* the ring's owner has seen enough */
    ENDED_BUDGET, /* no time is left */
};

/* How many pairs a run measures: as many as were asked for, or until the host has seen enough of
 * them, or until the budget of time is spent. */
struct looks {
    uint64_t start_ns;  /* of measuring */
    uint64_t next_hold; /* pairs before which the owner's word is waited for; 0: never */
    enum ended ended;
};

/* The role of one execution. */
struct purpose {
    uint32_t pair; /* index in the schedule; UINT32_MAX outside it */
    bool warmup;
};

/* Room for the block's events, its BLOCK record and that of a stall. */
static int make_ready(struct sl_session *session, const struct sl_session_variant *variant)
{
    size_t events = sl_variant_events(variant->plan);
    int rc = sl_recorder_ready(session->trace.recorder, events + 2);
    if (rc < 0)
        SL_ETLOG('E', "One execution records %zu events, more than the trace's ring can hold: %s",
                 events, sl_strerror(rc));
    return rc;
}

/* `out_ns` is the time of the execution alone, inputs excluded. */
static int execute(struct sl_session *session, size_t v, struct purpose purpose, uint64_t *out_ns)
{
    struct sl_session_variant *variant = &session->variant[v];
    sl_watchdog_kick(session->watchdog, "An execution");
    sl_trace_session_between(&session->trace);
    /* The variants take turns on one memory: each execution begins as the first did, or each would
     * go on where the other ended. A single variant goes on as the real runtime does. */
    if (session->options.paired)
        sl_method_reset(session->method);
    if (sl_feed_inputs(session) || make_ready(session, variant))
        return SL_E_LOGGED;
    sl_recorder_block(session->trace.recorder, session->execute_name, (uint16_t)v,
                      variant->executed++, purpose.pair, purpose.warmup);
    uint64_t start = sl_clock_ns();
    int traced = purpose.warmup ? SL_VARIANT_WARM_UP : SL_VARIANT_TRACED;
    int rc = sl_variant_execute(variant->plan, session->options.clean ? SL_VARIANT_WHOLE : traced,
                                &session->diag);
    *out_ns = sl_clock_ns() - start;
    if (rc != 0)
        return sl_session_execution_failed(session, rc);
    if (!purpose.warmup)
        variant->execute_ns += *out_ns;
    session->last_variant = (int)v;
    return 0;
}

static int warm_up(struct sl_session *session, size_t v, uint32_t count)
{
    const struct purpose purpose = {.pair = UINT32_MAX, .warmup = true};
    uint64_t ns;
    for (uint32_t i = 0; i < count; i++) {
        if (execute(session, v, purpose, &ns))
            return SL_E_LOGGED;
    }
    return 0;
}

/* An instruction is prepared for the memory as it is, and the first executions may move it, after
 * some instructions ran: counts repeat from the execution that finds it as it stays. */
static int settle(struct sl_session *session, size_t first)
{
    const size_t order[2] = {1 - first, first};
    for (int round = 0; session->options.counted && round < MAX_SETTLING; round++) {
        for (int i = 0; i < 2; i++)
            if (!sl_variant_settled(session->variant[order[i]].plan) &&
                warm_up(session, order[i], 1))
                return SL_E_LOGGED;
    }
    return 0;
}

static int execute_plain(struct sl_session *session)
{
    uint32_t count = session->options.num_executions;
    uint64_t ns;
    if (warm_up(session, 0, session->options.warmup))
        return SL_E_LOGGED;
    for (uint32_t i = 0; i < count; i++) {
        if (execute(session, 0, (struct purpose){.pair = i}, &ns))
            return SL_E_LOGGED;
        sl_etlog('I', "executor_runner.cpp", 785, "Iteration %" PRIu32 " of %" PRIu32 ": %f ms",
                 i + 1, count, (double)ns / 1e6);
    }
    return sl_outputs_keep(session, 0);
}

/* One execution of a pair. In time, what ran before leaves caches and frequency behind, so the
 * first execution after a switch of variant is thrown away; instructions know no such thing. */
static int execute_half(struct sl_session *session, size_t v, uint32_t pair)
{
    uint64_t ns;
    uint32_t count = session->options.num_executions;
    if (!session->options.counted && session->last_variant != (int)v && warm_up(session, v, 1))
        return SL_E_LOGGED;
    if (execute(session, v, (struct purpose){.pair = pair}, &ns))
        return SL_E_LOGGED;
    SL_ETLOG('I', "Pair %" PRIu32 " of %" PRIu32 ", variant %s: %f ms", pair + 1, count,
             session->variant[v].spec->name, (double)ns / 1e6);
    return pair + 1 == count ? sl_outputs_keep(session, v) : 0;
}

static void start_looks(struct sl_session *session, struct looks *looks)
{
    *looks = (struct looks){.start_ns = sl_clock_ns(), .next_hold = session->options.first_look};
}

/* Polls every millisecond until the owner allows more than `pair` pairs or ends the run, at most
 * for HOLD_NS. */
static struct sl_ring_allowance wait_for_owner(struct sl_session *session, uint32_t pair)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t start = sl_clock_ns();
    struct sl_ring_allowance allowed = sl_ring_allowed(session->trace.ring);
    sl_trace_session_wake(&session->trace); /* what was measured is to be looked at */
    while (allowed.pairs <= pair && !allowed.last && sl_clock_ns() - start < HOLD_NS) {
        nanosleep(&pause, NULL);
        allowed = sl_ring_allowed(session->trace.ring);
    }
    return allowed;
}

/* A pause lets caches and clocks go: the next execution is a warm-up whatever ran before. */
static bool hold(struct sl_session *session, struct looks *looks, uint32_t pair)
{
    sl_watchdog_pause(session->watchdog);
    struct sl_ring_allowance allowed = wait_for_owner(session, pair);
    sl_watchdog_kick(session->watchdog, "An execution");
    session->last_variant = -1;
    if (allowed.last && allowed.pairs <= pair) {
        looks->ended = ENDED_HOST;
        return false;
    }
    if (allowed.pairs > pair) {
        looks->next_hold = allowed.last ? 0 : allowed.pairs;
        return true;
    }
    looks->next_hold += looks->next_hold / 2 + 1;
    SL_ETLOG('I', "Nobody looked at %u pairs: measuring goes on", pair);
    return true;
}

/* Is pair `pair` (from 0) to be measured? Waits for the ring's owner where it is asked. Outside
 * measured windows only. */
static bool go_on(struct sl_session *session, struct looks *looks, uint32_t pair)
{
    uint64_t budget_ns = (uint64_t)session->options.budget_ms * 1000000;
    if (looks->next_hold != 0 && pair >= looks->next_hold && !hold(session, looks, pair))
        return false;
    if (budget_ns != 0 && pair > 0 && sl_clock_ns() - looks->start_ns >= budget_ns) {
        looks->ended = ENDED_BUDGET;
        return false;
    }
    return true;
}

/* The outputs of a last pair that was not known to be it: the variants share memory, so each is
 * executed once more, as a warm-up that counts nowhere. */
static int keep_last_outputs(struct sl_session *session)
{
    for (size_t v = 0; v < session->options.variant_count; v++) {
        if ((session->pairs > 0 && warm_up(session, v, 1)) || sl_outputs_keep(session, v))
            return SL_E_LOGGED;
    }
    return 0;
}

static void record_end(struct sl_session *session, const struct looks *looks)
{
    static const char *const words[] = {"pairs", "host", "budget"};
    if (session->options.first_look == 0 && session->options.budget_ms == 0)
        return;
    sl_recorder_meta_text(session->trace.recorder, "ended", words[looks->ended]);
    SL_ETLOG('I', "Measured %" PRIu32 " pairs; ended by: %s", session->pairs, words[looks->ended]);
}

static int execute_pairs(struct sl_session *session)
{
    uint32_t count = session->options.num_executions;
    uint64_t seed = session->options.seed;
    size_t first = sl_schedule_first(seed, 0);
    struct looks looks;
    /* The variant that begins is warmed up last, so the first pair starts without a switch. */
    if (warm_up(session, 1 - first, session->options.warmup) ||
        warm_up(session, first, session->options.warmup) ||
        (session->options.warmup > 0 && settle(session, first)))
        return SL_E_LOGGED;
    start_looks(session, &looks);
    for (; session->pairs < count && go_on(session, &looks, session->pairs); session->pairs++) {
        first = sl_schedule_first(seed, session->pairs);
        if (execute_half(session, first, session->pairs) ||
            execute_half(session, 1 - first, session->pairs))
            return SL_E_LOGGED;
    }
    record_end(session, &looks);
    return session->pairs < count || count == 0 ? keep_last_outputs(session) : 0;
}

int sl_measure(struct sl_session *session)
{
    session->execute_name = sl_recorder_name(session->trace.recorder, "Execute");
    if (session->options.paired ? execute_pairs(session) : execute_plain(session))
        return SL_E_LOGGED;
    uint64_t total_ns = session->variant[0].execute_ns + session->variant[1].execute_ns;
    uint64_t executions = session->options.paired
                              ? (uint64_t)session->pairs * (uint64_t)session->options.variant_count
                              : (uint64_t)session->options.num_executions;
    sl_etlog('I', "executor_runner.cpp", 794,
             "Model executed successfully %" PRIu64 " time(s) in %f ms.", executions,
             (double)total_ns / 1e6);
    return 0;
}
