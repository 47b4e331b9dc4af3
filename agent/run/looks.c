/* agent/run/looks.c */
#include "agent/run/looks.h"

#include <time.h>

#include "agent/run/etlog.h"
#include "agent/run/state.h"
#include "agent/run/watchdog.h"
#include "agent/trace/ring.h"

/* An owner that says nothing for so long has lost its host. */
#define HOLD_NS (15 * UINT64_C(1000000000))

void sl_run_looks_init(struct sl_run *run, struct sl_run_looks *looks)
{
    *looks =
        (struct sl_run_looks){.start_ns = sl_run_clock_ns(), .next_hold = run->options.first_look};
}

/* What is allowed beyond `pair`, or that nothing is; asked every millisecond. */
static struct sl_ring_allowance wait_for_owner(struct sl_run *run, uint32_t pair)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t start = sl_run_clock_ns();
    struct sl_ring_allowance allowed = sl_ring_allowed(run->trace.ring);
    while (allowed.pairs <= pair && !allowed.last && sl_run_clock_ns() - start < HOLD_NS) {
        nanosleep(&pause, NULL);
        allowed = sl_ring_allowed(run->trace.ring);
    }
    return allowed;
}

/* A pause lets caches and clocks go: the next execution is a warm-up whatever ran before. */
static bool hold(struct sl_run *run, struct sl_run_looks *looks, uint32_t pair)
{
    sl_watchdog_pause(run->watchdog);
    struct sl_ring_allowance allowed = wait_for_owner(run, pair);
    sl_watchdog_kick(run->watchdog, "An execution");
    run->last_variant = -1;
    if (allowed.last && allowed.pairs <= pair) {
        looks->ended = SL_RUN_ENDED_HOST;
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

bool sl_run_looks_go_on(struct sl_run *run, struct sl_run_looks *looks, uint32_t pair)
{
    uint64_t budget_ns = (uint64_t)run->options.budget_ms * 1000000;
    if (looks->next_hold != 0 && pair >= looks->next_hold && !hold(run, looks, pair))
        return false;
    if (budget_ns != 0 && pair > 0 && sl_run_clock_ns() - looks->start_ns >= budget_ns) {
        looks->ended = SL_RUN_ENDED_BUDGET;
        return false;
    }
    return true;
}
