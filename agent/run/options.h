/* agent/run/options.h: what a run was asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sl_diag;

enum { SL_RUN_MAX_VARIANTS = 2, SL_RUN_DEFAULT_PAIRS = 20, SL_RUN_COUNTED_PAIRS = 2 };

/* A variant as asked for: its name and the mask behind it. */
struct sl_run_variant_spec {
    char name[32];
    uint32_t isa; /* kernels/cpu/isa.h, with policy.h's bits where it has SME */
};

/* Texts point into argv. */
struct sl_run_options {
    /* executor_runner's */
    const char *model_path, *data_path, *inputs, *output_file, *print_output, *method_name;
    const char *etdump_path;
    uint32_t num_executions;
    int32_t cpu_threads;
    bool server_mode;
    double bundleio_rtol, bundleio_atol;
    /* ours */
    const char *load; /* file that a process beside the measured one leaves; "": it is none */
    uint32_t place;   /* which of those, from 1; 0: the measured one */
    const char *isa, *policy, *variants, *input_shapes, *clock, *events, *trace_path, *affinity;
    const char *weight_cache; /* a directory; "": none */
    uint32_t warmup, timeout; /* executions; seconds, 0: none */
    uint32_t first_look;      /* pairs after which the ring's owner is asked; 0: never */
    uint32_t budget_ms;       /* of measuring; 0: none */
    uint32_t sme_threads;     /* 0: all */
    uint64_t seed;
    uint64_t max_memory;       /* bytes that a program may ask for */
    uint64_t weight_cache_max; /* bytes that the directory may hold */
    int32_t ring;              /* file descriptor, -1: none */
    bool json;

    bool counted; /* --clock marks */
    bool clean;   /* --events runs */
    bool paired;  /* --variants */
    size_t variant_count;
    struct sl_run_variant_spec variant[SL_RUN_MAX_VARIANTS];
};

enum sl_run_parsed { SL_RUN_GO = 0, SL_RUN_STOP = 1, SL_RUN_DONE = 2 };

/* Parses argv[1..] and checks the words that gflags cannot. SL_RUN_STOP: refused, said on `err` or
 * in the log. SL_RUN_DONE: help or version was printed; *out_exit is the exit code. */
int sl_run_options_parse(struct sl_run_options *options, int argc, char **argv, FILE *err,
                         int *out_exit);

/* Fills in `variant`: `detected` are the CPU's bits. SL_E_UNSUPPORTED or SL_E_FORMAT with words. */
int sl_run_options_variants(struct sl_run_options *options, uint32_t detected,
                            struct sl_diag *diag);
