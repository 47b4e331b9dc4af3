/* host/analysis/attribution.h: where the time of an ETDump's runs went, exactly.
 *
 * A run is a block named Execute, or any block with a Method::execute in it. Every event's self
 * time goes to one category; for each run the categories sum to its end-to-end figure, to the unit
 * of the file. Pure: no clock, no file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/category.h"
#include "host/analysis/operators.h"

struct sl_diag;
struct sl_etdump;
struct sl_origin_plan;
struct sl_rounds;
struct sl_trace;

enum { SL_ATTRIBUTION_MAX_WARNINGS = 16 };

struct sl_attribution_options {
    const struct sl_rules *rules;
    const struct sl_trace *trace; /* what the file was made of, or NULL: names are all there is */
    int64_t only_run;             /* index of one run, or -1: all */
    const struct sl_origin_plan *plan; /* of the model, for files without a trace; or NULL */
    const struct sl_rounds *rounds;    /* what is warm-up in a file without a trace; or NULL */
    /* So many leading measured runs, or pairs where they are known, are cold; NULL: they are looked
     * for (cold.h). */
    const uint32_t *cold;
};

struct sl_attribution_run {
    uint32_t run;           /* index among the file's runs */
    uint32_t block;         /* index among the file's blocks */
    const char *block_name; /* borrowed from the file, not terminated */
    uint32_t block_name_len;
    bool warmup;                     /* trace or rounds say so, or cold: not among the measured */
    bool cold;                       /* it was to be measured */
    uint32_t pair;                   /* in the schedule, or the round; UINT32_MAX without either */
    size_t first_event, event_count; /* among the events of the file */
    uint64_t started;                /* its last event's begin: Method::execute stands last */
    int64_t end_to_end;
    int64_t categories[SL_CATEGORY_COUNT];
};

/* Position in a run whose events are the same from run to run. */
#define SL_POSITION_NO_OPERATOR UINT32_MAX /* an event without time */
struct sl_position {
    uint32_t operator_index; /* or SL_POSITION_NO_OPERATOR */
    int64_t total;           /* self time there over all measured runs */
    int64_t packing;         /* what of it laid operands out for products */
    /* The place by the trace or the model's plan; NULL where they say nothing. */
    const char *origin;                 /* the serialized node's kind */
    const struct sl_operands *operands; /* from the trace, borrowed, or from the plan */
    const char *kernel;                 /* of ours: the one that ran, or that the plan has there */
};

struct sl_attribution {
    int unit;           /* SL_TRACE_NS or SL_TRACE_INSTRUCTIONS (common/format/sltrace.h) */
    bool by_origin;     /* the categories are of origins, not of names */
    bool traced;        /* a trace says so, with kernels, warm-ups and pairs; else the plan */
    bool packing;       /* the trace says what of each operator was packing */
    bool in_rounds;     /* warm-ups and pairs are known of its processes (rounds.h) */
    uint32_t variant;   /* of the trace, when traced */
    uint32_t unplanned; /* delegate events that the plan does not have where they are */
    size_t run_count, measured_count;
    size_t cold_count; /* runs that were to be measured, but are cold */
    uint32_t cold;     /* what sets them aside: see sl_attribution_options */
    struct sl_attribution_run *runs;
    bool has_program_load, has_method_init;
    int64_t program_load, method_init; /* of a file of several rounds: the mean of a process */
    size_t operator_count;
    struct sl_operator *operators; /* largest total first */
    /* For every event of the file in order; SL_POSITION_NO_OPERATOR outside of the runs above. The
     * operators of warm-up runs alone stand behind operator_count. */
    uint32_t *event_operators;
    int64_t *event_self;
    size_t position_count; /* 0 when runs differ in their events */
    struct sl_position *positions;
    size_t warning_count;
    char warnings[SL_ATTRIBUTION_MAX_WARNINGS][320];
    struct sl_attribution_pool *pool;
};

/* The result borrows from `etdump` and the options' trace. Memory is bounded by a small multiple of
 * the file's events. Returns 0, SL_E_NOT_FOUND (no such run), SL_E_LIMIT or -ENOMEM. A trace that
 * does not match is a warning. End with sl_attribution_fini(). */
int sl_attribution_make(const struct sl_etdump *etdump,
                        const struct sl_attribution_options *options, struct sl_attribution *out,
                        struct sl_diag *diag);

/* Adds a warning; more than SL_ATTRIBUTION_MAX_WARNINGS are left out. */
__attribute__((format(printf, 2, 3))) void sl_attribution_warn(struct sl_attribution *attribution,
                                                               const char *format, ...);
void sl_attribution_fini(struct sl_attribution *attribution);
