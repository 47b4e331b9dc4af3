/* host/store/pq_plans.c */
#include "host/store/pq_plans.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

const struct sl_pq_plan *sl_pq_plans_find(const struct sl_pq_plans *plans,
                                          const struct sl_pq_call *call, bool of_many)
{
    for (size_t i = 0; i < plans->count; i++) {
        const struct sl_pq_plan *plan = &plans->all[i];
        if (plan->of_many == of_many && sl_pq_call_has_shape(call, &plan->shape))
            return plan;
    }
    return NULL;
}

int sl_pq_plans_add(struct sl_pq_plans *plans, const struct sl_pq_call *call, bool of_many,
                    const struct sl_pq_plan **out)
{
    char many[SL_PQ_MAX_SQL_BYTES];
    if (plans->count == SL_PQ_MAX_PLANS)
        return SL_E_FULL;
    struct sl_pq_plan *plan = &plans->all[plans->count];
    sl_pq_call_shape(call, &plan->shape);
    plan->shape.sql = sl_strndup(call->sql, strlen(call->sql));
    if (!plan->shape.sql)
        return -ENOMEM;
    plan->of_many = of_many;
    plan->joins = !of_many && sl_pq_call_sql(call, true, many) == 0;
    plan->number = ++plans->numbers;
    snprintf(plan->name, sizeof(plan->name), "s%u", plan->number);
    plans->count++;
    *out = plan;
    return 0;
}

static void drop_at(struct sl_pq_plans *plans, size_t at)
{
    sl_free((char *)(uintptr_t)plans->all[at].shape.sql);
    plans->all[at] = plans->all[--plans->count];
}

void sl_pq_plans_drop(struct sl_pq_plans *plans, unsigned number)
{
    for (size_t i = plans->count; i-- > 0;)
        if (plans->all[i].number == number)
            drop_at(plans, i);
}

void sl_pq_plans_clear(struct sl_pq_plans *plans)
{
    while (plans->count > 0)
        drop_at(plans, plans->count - 1);
}
