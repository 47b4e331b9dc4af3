/* host/analysis/origin_plan.h: which serialized node each event of a delegate call came from, by
 * the model's plan: for ETDumps without a trace, ours or anybody's.
 *
 * A runtime records the operators of a call in the order in which the delegate made them, so the
 * k-th event of a call is the plan's k-th operator there. Names must agree up to their layouts and
 * types, which differ between CPUs and builds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_operands;

struct sl_origin_planned {
    uint32_t chain, instruction;
    const char *name;   /* of the operator, as ETDumps have it; " #N" may be missing */
    const char *origin; /* equal texts have equal pointers */
    const struct sl_operands *operands; /* or NULL */
    const char *kernel;                 /* that our runtime would run; or NULL */
};

/* Borrowed; by chain and instruction, in order of execution. An instruction has the operators of
 * its delegate call, or one of its own. */
struct sl_origin_plan {
    const struct sl_origin_planned *operators;
    size_t count;
};

/* The position of a walk over the events of a run; it starts with zeros. */
struct sl_origin_walk {
    size_t next; /* operator of the plan that is due, if `inside` */
    int64_t chain, instruction;
    int inside;
    uint32_t unknown; /* events that the plan does not have */
};

/* Returns the plan's operator for the next delegate event in file order; NULL if the plan has
 * another operator there, or none. `len` bytes of name. */
const struct sl_origin_planned *sl_origin_plan_next(const struct sl_origin_plan *plan,
                                                    struct sl_origin_walk *walk, int64_t chain,
                                                    int64_t instruction, const char *name,
                                                    size_t len);
/* Returns the plan's entry for an operator outside delegates, or NULL. */
const struct sl_origin_planned *sl_origin_plan_at(const struct sl_origin_plan *plan, int64_t chain,
                                                  int64_t instruction);
/* A call has ended: operators of the plan that it had no event for are `unknown` too. */
void sl_origin_plan_end_call(const struct sl_origin_plan *plan, struct sl_origin_walk *walk);
