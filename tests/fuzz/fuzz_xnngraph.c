/* tests/fuzz/fuzz_xnngraph.c */
#include "common/base/error.h"
#include "common/format/xnngraph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_xnn_graph graph;
    if (sl_xnn_graph_parse((struct sl_bytes){data, size}, &graph, &diag) < 0)
        return 0;
    for (uint32_t i = 0; i < graph.node_count; i++) {
        const struct sl_xnn_value *value = sl_xnn_find_value(&graph, graph.nodes[i].outputs[0]);
        if (!value || sl_xnn_value_bytes(value) > (uint64_t)INT64_MAX)
            __builtin_trap(); /* both were checked */
    }
    sl_xnn_graph_fini(&graph);
    return 0;
}
