/* host/analysis/silicon.h: the figures of one piece of silicon that an estimate of time needs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/analysis/insn_work.h"

enum sl_figure {
#define SL_FIGURE(side, id, name, unit, least, most) SL_FIGURE_##id,
#include "host/analysis/silicon.inc"
#undef SL_FIGURE
    SL_FIGURE_COUNT
};

enum { SL_SILICON_MAX_LEVELS = 16 };

/* A figure and how well it is known: 'M' measured, 'V' the vendor's, 'F' fitted, 'I' inferred. */
struct sl_silicon_figure {
    double value;
    char confidence; /* 0: the figure is absent */
};

/* Bandwidth to data of a footprint: `bytes` is the largest that this level serves. */
struct sl_silicon_level {
    double bytes; /* infinite: memory itself */
    double gb_per_s;
    char confidence;
    bool waits; /* its time adds to that of the instructions, else it overlaps with them */
};

struct sl_silicon {
    char name[48], title[96];
    char sha256[65]; /* of the file */
    bool has_unit;   /* a unit that executes streaming code */
    struct sl_silicon_figure figures[SL_FIGURE_COUNT];
    struct sl_silicon_figure cycles[SL_WORK_COUNT];  /* of the unit, by instruction or register */
    struct sl_silicon_figure latency[SL_WORK_COUNT]; /* of sums into one accumulator, in cycles */
    struct sl_silicon_level core_levels[SL_SILICON_MAX_LEVELS];
    struct sl_silicon_level unit_levels[SL_SILICON_MAX_LEVELS];
    size_t core_level_count, unit_level_count; /* each with growing bytes */
};

struct sl_figure_description {
    const char *name, *unit;
    double least, most;
    bool of_unit;
};

/* Returns the name and range of the figure `id`, which is in range. */
const struct sl_figure_description *sl_figure_describe(int id);

/* True if a class has cycles (it is the unit's) or a latency (it sums into an accumulator). */
bool sl_work_has_cycles(int work);
bool sl_work_has_latency(int work);

/* Orders confidences: 0 for 'M', then 'V', 'F' and 'I'. */
int sl_confidence_rank(char confidence);
