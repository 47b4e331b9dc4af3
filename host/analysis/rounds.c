/* host/analysis/rounds.c */
#include "host/analysis/rounds.h"

uint64_t sl_rounds_executions(const struct sl_rounds *rounds)
{
    uint64_t all = 0;
    for (size_t i = 0; i < rounds->count; i++)
        all += rounds->executions[i];
    return all;
}

uint32_t sl_rounds_find(const struct sl_rounds *rounds, uint32_t execution, bool *out_warmup)
{
    uint32_t begin = 0;
    for (uint32_t i = 0; i < rounds->count; i++) {
        if (execution - begin < rounds->executions[i]) {
            *out_warmup = execution - begin < rounds->warmup;
            return i;
        }
        begin += rounds->executions[i];
    }
    *out_warmup = false;
    return UINT32_MAX;
}
