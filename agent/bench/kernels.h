/* agent/bench/kernels.h: which kernel to bench, and its stages. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_bench_shape;
struct sl_bench_stage_run;

/* Which kernel to take: by `name`, else the first of the list that fits the shape and whose name
 * ends in `engine`'s word ("sme2", "neon", "portable"). */
struct sl_bench_choice {
    const char *engine, *name; /* either may be NULL */
    uint32_t isa;              /* what this CPU has */
};

/* One function for each family and type, or for several that one function knows apart; as
 * sl_bench_run() (agent/bench/families.h). */
#define SL_BENCH(type, family, function)                                                           \
    int function(const struct sl_bench_choice *choice, uint64_t seed,                              \
                 struct sl_bench_stage_run *bench);
#include "agent/bench/benches.inc"
#undef SL_BENCH

/* Search through one list. */
struct sl_bench_search {
    const struct sl_bench_choice *choice;
    const char *name; /* of the kernel chosen, or of one this CPU cannot run */
    int found;        /* 1: chosen */
};

/* True for the one kernel to take: the first that is wanted, fits and can run here. */
int sl_bench_consider(struct sl_bench_search *search, const char *name, uint32_t needs, int fits);
/* 0, SL_E_NOT_FOUND or SL_E_UNSUPPORTED as above. */
int sl_bench_chosen(const struct sl_bench_search *search, const char **out_name);
