/* host/analysis/engine_choice.h: which operators of an execution belong on the unit for streaming
 * code and which on the core, by the time that each would take there. Pure.
 *
 * A choice is no matter of one operator: the unit waits for what the core has just written, so an
 * operator that is faster there alone may not be between neighbours on the core. The choice is the
 * one whose sum over all is least: an operator may be slower alone only where the least sum with it
 * on the other engine is greater, and by how much is said. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One operator; they come in the order of execution. */
struct sl_engine_step {
    double core_ns, unit_ns; /* NAN: it has no kernel there; one of both has a value */
    double input_bytes;      /* that it reads of what the operator before it wrote */
};

/* The time that the unit waits for data from the core. */
struct sl_engine_hand_over {
    double ns_per_byte;
    double most_bytes; /* of one hand-over: the rest has left the core's cache */
};

enum sl_engine_why {
    SL_ENGINE_ONLY,    /* there is one kernel */
    SL_ENGINE_FASTER,  /* its own time is the lesser */
    SL_ENGINE_BESIDES, /* its own time is not, but with the hand-over of its neighbours it is */
};

struct sl_engine_chosen {
    bool unit;
    enum sl_engine_why why;
    double hand_over_ns;  /* that it waits for */
    double waits_ns;      /* that it waits for wherever it is on the unit after one on the core */
    double other_adds_ns; /* to the least sum if it were on the other engine, and the rest placed
                             anew; at least 0. NAN: it has one kernel */
};

/* Sums of all operators with hand-over: all that have a kernel there on one engine, and as chosen,
 * which is at most the lesser of both. */
struct sl_engine_sums {
    double core_ns, unit_ns, chosen_ns;
};

/* The core wrote what the first one reads. Of equal sums the one with more on the core. `out` has
 * room for `count`. 0 or -ENOMEM. */
int sl_engine_choose(const struct sl_engine_step *steps, size_t count,
                     const struct sl_engine_hand_over *hand_over, struct sl_engine_chosen *out,
                     struct sl_engine_sums *out_sums);
