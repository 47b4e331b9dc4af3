/* host/analysis/divergence.h: which operator is the first to compute something else than the
 * portable kernels do from the same inputs. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The precision an operator promises, and the measure of its distance: agent/runtime/lockstep.h. */
enum sl_divergence_kind {
    SL_DIVERGENCE_FLOAT,
    SL_DIVERGENCE_HALF,
    SL_DIVERGENCE_ROUNDED,
    SL_DIVERGENCE_STEPS,
    SL_DIVERGENCE_EXACT,
    SL_DIVERGENCE_KINDS
};

extern const char *const sl_divergence_kinds[SL_DIVERGENCE_KINDS]; /* "float" ... */

struct sl_operator_distance {
    const char *name, *kernel, *reference; /* borrowed; a kernel NULL: it runs none */
    double chain, instruction, node;       /* places; node negative: not in a delegate */
    int kind;                              /* enum sl_divergence_kind */
    double distance, max_abs;              /* INFINITY where sizes or numbers make no difference */
};

/* One variant of a run. */
struct sl_divergence {
    bool known;      /* its operators were compared */
    double compared; /* so many of them */
    bool found;      /* one is beyond what it promises: */
    struct sl_operator_distance first;
};

/* The largest distance that an operator of this kind may have: of floats what outputs may, 1/256 in
 * the root mean square where it rounds its inputs to 8 bits, one step where it rounds its output;
 * everything else is equal. */
double sl_divergence_limit(int kind);

/* Takes the next row, in the order of execution, into a divergence that began as zeros. */
void sl_divergence_add(struct sl_divergence *divergence, const struct sl_operator_distance *row);

/* "Softmax (NC, F32) #2 (instruction 7, node 3): 0.12 of its peak; 0.0001 is promised". */
enum { SL_DIVERGENCE_TEXT_BYTES = 120 };
const char *sl_divergence_text(const struct sl_operator_distance *first,
                               char text[SL_DIVERGENCE_TEXT_BYTES]);
