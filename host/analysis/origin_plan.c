/* host/analysis/origin_plan.c */
#include "host/analysis/origin_plan.h"

#include <stdbool.h>
#include <string.h>

static bool is_at(const struct sl_origin_plan *plan, size_t i, int64_t chain, int64_t instruction)
{
    return i < plan->count && plan->operators[i].chain == chain &&
           plan->operators[i].instruction == instruction;
}

/* "Convolution" of "Convolution (NHWC, PF32) IGEMM #1". */
static size_t kind_len(const char *name, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++) {
        if (name[i] == ' ' && (name[i + 1] == '(' || name[i + 1] == '#'))
            return i;
    }
    return len;
}

static bool same_kind(const char *planned, const char *name, size_t len)
{
    size_t wanted = kind_len(planned, strlen(planned));
    size_t found = kind_len(name, len);
    return wanted == found && memcmp(planned, name, found) == 0;
}

static void begin_call(const struct sl_origin_plan *plan, struct sl_origin_walk *walk,
                       int64_t chain, int64_t instruction)
{
    *walk = (struct sl_origin_walk){
        .chain = chain, .instruction = instruction, .inside = 1, .unknown = walk->unknown};
    while (walk->next < plan->count && !is_at(plan, walk->next, chain, instruction))
        walk->next++;
}

const struct sl_origin_planned *sl_origin_plan_next(const struct sl_origin_plan *plan,
                                                    struct sl_origin_walk *walk, int64_t chain,
                                                    int64_t instruction, const char *name,
                                                    size_t len)
{
    if (!walk->inside || walk->chain != chain || walk->instruction != instruction)
        begin_call(plan, walk, chain, instruction);
    if (is_at(plan, walk->next, chain, instruction) &&
        same_kind(plan->operators[walk->next].name, name, len))
        return &plan->operators[walk->next++];
    walk->unknown++;
    return NULL;
}

const struct sl_origin_planned *sl_origin_plan_at(const struct sl_origin_plan *plan, int64_t chain,
                                                  int64_t instruction)
{
    size_t low = 0, high = plan->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct sl_origin_planned *at = &plan->operators[middle];
        if (at->chain < chain || (at->chain == chain && at->instruction < instruction))
            low = middle + 1;
        else
            high = middle;
    }
    return is_at(plan, low, chain, instruction) ? &plan->operators[low] : NULL;
}

void sl_origin_plan_end_call(const struct sl_origin_plan *plan, struct sl_origin_walk *walk)
{
    for (; walk->inside && is_at(plan, walk->next, walk->chain, walk->instruction); walk->next++)
        walk->unknown++;
    walk->inside = 0;
}
