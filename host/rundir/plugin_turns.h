/* host/rundir/plugin_turns.h: when each variant of a run had the machine, so that what plug-ins
 * measured meanwhile can be told apart. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_plugin_clock;
struct sl_trace;

/* Executions of one variant without a pause between them. */
struct sl_plugin_turn {
    uint64_t begin_us, end_us; /* Unix time, by the device's clock */
    int level;                 /* 0: SME2 off, 1: on */
};

struct sl_plugin_turns {
    struct sl_plugin_turn *list; /* owned; in the order of time */
    size_t count;
    bool known; /* false: the trace says nothing of time, or its clock was set meanwhile */
};

/* Samples that fell into the turns of each variant. */
struct sl_plugin_apart {
    size_t samples[2]; /* off, on */
    double means[2];   /* NAN where there is no sample */
    size_t neither;    /* samples of no variant alone */
};

/* Takes the turns from a trace. 0 or -ENOMEM. End with sl_plugin_turns_fini(). */
int sl_plugin_turns_init(struct sl_plugin_turns *turns, const struct sl_trace *trace);
void sl_plugin_turns_fini(struct sl_plugin_turns *turns);

/* Tells apart the samples from `first` to before `end`, whose times never go back. A sample is of
 * the time since the one before it, for a meter may average over that; only if all of this is in
 * one turn, with SL_PLUGIN_TURN_SLACK_MS and what is uncertain of the device's `clock` to spare,
 * is the sample its variant's. */
void sl_plugin_turns_split(const struct sl_plugin_turns *turns, const struct sl_plugin_clock *clock,
                           const uint64_t *at_ms, const double *values, size_t first, size_t end,
                           struct sl_plugin_apart *out);

enum {
    SL_PLUGIN_TURN_SLACK_MS = 5, /* that readings and the trace may be off */
    SL_PLUGIN_TURN_PAUSE_MS = 5, /* a longer one ends a turn */
};
