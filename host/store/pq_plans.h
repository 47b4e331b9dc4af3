/* host/store/pq_plans.h: the statements that a server has planned for a connection, by their text
 * and the types of their values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/store/pq_call.h"

enum { SL_PQ_MAX_PLANS = 192, SL_PQ_PLAN_NAME_BYTES = 16 };

struct sl_pq_plan {
    struct sl_pq_shape shape; /* with its text, owned */
    bool of_many;             /* rows, each column an array */
    bool joins;               /* of one row: there can be one of many */
    unsigned number;          /* no other plan of this connection had it */
    char name[SL_PQ_PLAN_NAME_BYTES];
};

/* Starts as zero; sl_pq_plans_clear() ends it. */
struct sl_pq_plans {
    struct sl_pq_plan all[SL_PQ_MAX_PLANS];
    size_t count;
    unsigned numbers; /* the latest one */
};

/* NULL: the server does not know it yet. Valid until the next change. */
const struct sl_pq_plan *sl_pq_plans_find(const struct sl_pq_plans *plans,
                                          const struct sl_pq_call *call, bool of_many);

/* With a name of its own, for the server to be told next. 0, SL_E_FULL or -ENOMEM. */
int sl_pq_plans_add(struct sl_pq_plans *plans, const struct sl_pq_call *call, bool of_many,
                    const struct sl_pq_plan **out);

/* The server would not have it. A no-op where there is none of that number any more. */
void sl_pq_plans_drop(struct sl_pq_plans *plans, unsigned number);
/* All: the server forgot them. */
void sl_pq_plans_clear(struct sl_pq_plans *plans);
