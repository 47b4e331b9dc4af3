/* tests/unit/kernels/cpu/sme2_abi_case.h: the kernels of a list, each called as its contract has it
 * with a caller's state to be kept. */
#pragma once

#include "tests/support/callers_state.h"

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
