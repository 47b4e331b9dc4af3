/* tests/unit/kernels/cpu/sme2_abi_case.h: the kernels of a list, each called as its contract has it
 * with a caller's state to be kept. */
#pragma once

#include "kernels/depthwise/depthwise.h"
#include "tests/support/callers_state.h"

/* Between them they fit each kernel of depthwise convolutions, whatever its type. */
static const struct sl_depthwise_shape depthwise_shapes[] = {
    {1, 9, 9, 9, 9, 21, 1, 3, 3, 1, 1, 1, 1, 1, 1},
    {1, 9, 9, 5, 5, 21, 1, 3, 3, 2, 2, 1, 1, 1, 1},
    {1, 9, 9, 9, 9, 21, 1, 5, 5, 1, 1, 1, 1, 2, 2},
    {1, 9, 9, 5, 5, 21, 1, 5, 5, 2, 2, 1, 1, 2, 2},
    {1, 9, 9, 9, 9, 21, 1, 7, 7, 1, 1, 1, 1, 3, 3},
    {1, 5, 16, 5, 16, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1}, /* few channels */
};
enum { DEPTHWISE_SHAPES = sizeof(depthwise_shapes) / sizeof(depthwise_shapes[0]) };

/* A thunk that calls run(&args) of a kernel of the family. */
#define RUNS(family)                                                                               \
    struct family##_case {                                                                         \
        const struct sl_##family *kernel;                                                          \
        struct sl_##family##_args args;                                                            \
    };                                                                                             \
    static void run_##family(const void *context)                                                  \
    {                                                                                              \
        const struct family##_case *c = context;                                                   \
        c->kernel->run(&c->args);                                                                  \
    }

/* Every SME2 kernel of the family that `fits`, prepared and run; the arguments after it are those
 * of the contract. */
#define EACH(family, fits, prepare, ...)                                                           \
    {                                                                                              \
        const struct sl_##family *kernel;                                                          \
        for (size_t i = 0; (kernel = sl_##family##_at(i)) != NULL; i++) {                          \
            if (!sl_case_is_sme2(kernel->name, kernel->needs) || !(fits))                          \
                continue;                                                                          \
            prepare;                                                                               \
            struct family##_case c = {kernel, {__VA_ARGS__}};                                      \
            sl_case_survives(kernel->name, run_##family, &c);                                      \
        }                                                                                          \
    }
