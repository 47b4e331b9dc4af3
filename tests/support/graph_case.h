/* tests/support/graph_case.h: delegates made by hand. All functions fail the test when something
 * goes wrong. */
#pragma once

#include <stdint.h>

#include "agent/runtime/tensor.h"
#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"

enum { MAX_VALUES = 24, MAX_NODES = 12, MAX_ARGS = 8, MAX_FLOATS = 4096 };

struct sl_graph_case {
    struct sl_xnn_value values[MAX_VALUES];
    struct sl_xnn_node nodes[MAX_NODES];
    struct sl_xnn_graph graph;
    struct sl_tensor tensors[MAX_ARGS];
    struct sl_tensor *args[MAX_ARGS];
    int32_t bounds[MAX_ARGS][SL_TENSOR_MAX_RANK];
    float data[MAX_ARGS][MAX_FLOATS];
    uint32_t arg_count;
    struct sl_model model;
    struct sl_budget budget;
    struct sl_workspace workspace;
    struct sl_xnn_plan *plan;
    struct sl_diag diag;
};

/* There is one graph at a time: it is too large for a stack. begin() clears it, end() frees what
 * was compiled and checks that nothing is left. */
extern struct sl_graph_case sl_graph;
void sl_graph_begin(void);
void sl_graph_end(void);

#define DIMS(...) ((const uint32_t[]){__VA_ARGS__}), sizeof((uint32_t[]){__VA_ARGS__}) / 4

/* Values by id. Inputs hold multiples of 1/7 around zero. */
uint32_t sl_graph_add_value(const uint32_t *dims, uint32_t rank);
uint32_t sl_graph_add_input(const uint32_t *dims, uint32_t rank);
uint32_t sl_graph_add_output(const uint32_t *dims, uint32_t rank);
uint32_t sl_graph_add_constant(const float *data, const uint32_t *dims, uint32_t rank);
/* A tensor of int8 with one scaling, and a constant one. */
uint32_t sl_graph_add_int8(const uint32_t *dims, uint32_t rank, float scale, int32_t zero_point);
uint32_t sl_graph_add_int8_constant(const int8_t *data, const uint32_t *dims, uint32_t rank,
                                    float scale);

#define IN(...) sizeof((uint32_t[]){__VA_ARGS__}) / 4, ((const uint32_t[]){__VA_ARGS__})

struct sl_xnn_node *sl_graph_add_node(int type, uint32_t count, const uint32_t *in, uint32_t out);
void sl_graph_set_window(struct sl_xnn_node *node, uint32_t kernel, uint32_t stride, uint32_t pad);
void sl_graph_set_channels(struct sl_xnn_node *node, uint32_t groups, uint32_t ic, uint32_t oc);

int sl_graph_compile(uint32_t isa);
int sl_graph_shape(void);
/* Compiles for the CPU, or for what `isa` allows of it, and runs. */
void sl_graph_run(void);
void sl_graph_run_on(uint32_t isa);

#define NAMES(...)                                                                                 \
    sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), ((const char *const[]){__VA_ARGS__})

void sl_graph_check_names(uint32_t count, const char *const *names);
void sl_graph_check_float(float have, float want);
