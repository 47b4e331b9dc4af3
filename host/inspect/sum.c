/* host/inspect/sum.c */
#include "host/inspect/sum.h"

#include "common/base/saturate.h"
#include "host/inspect/inspect.h"

_Static_assert(sizeof(((struct sl_inspect_sum *)0)->by_why) / sizeof(uint32_t) == SL_WHY_END,
               "one figure a reason");

struct sl_inspect_sum sl_inspect_sum_of(const struct sl_inspect *inspect,
                                        const struct sl_inspect_method *method)
{
    struct sl_inspect_sum sum = {.nodes = method->node_count};
    for (uint32_t i = 0; i < method->node_count; i++) {
        const struct sl_inspect_node *node = &inspect->nodes[method->node_first + i];
        sum.macs = sl_plus(sum.macs, node->operands.macs);
        sum.weight_bytes = sl_plus(sum.weight_bytes, node->weight_bytes);
        sum.by_why[node->why]++;
        sum.macs_by_why[node->why] = sl_plus(sum.macs_by_why[node->why], node->operands.macs);
        if (node->delegate >= 0) {
            sum.delegated++;
            sum.delegated_macs = sl_plus(sum.delegated_macs, node->operands.macs);
        }
        if (!node->off.predicted || !node->on.predicted)
            continue;
        sum.predicted++;
        sum.off_insns = sl_plus(sum.off_insns, node->off.insns);
        sum.on_insns = sl_plus(sum.on_insns, node->on.insns);
    }
    sum.served = sum.by_why[SL_WHY_SERVED];
    sum.served_macs = sum.macs_by_why[SL_WHY_SERVED];
    return sum;
}

double sl_inspect_share(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole : 0;
}
