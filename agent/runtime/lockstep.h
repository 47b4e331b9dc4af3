/* agent/runtime/lockstep.h: a method executed operator by operator, each with the kernels of
 * several variants on the same inputs: which of them computes something else, and first where? */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_diag;
struct sl_lockstep;
struct sl_method;
struct sl_variant;

/* The precision that an operator promises for equal inputs; it decides how results are compared. */
enum sl_lockstep_kind {
    SL_LOCKSTEP_FLOAT,   /* f32, f64: the largest difference, of the peak */
    SL_LOCKSTEP_HALF,    /* f16, bf16: the same */
    SL_LOCKSTEP_ROUNDED, /* floats of inputs that it rounds to 8 bits itself: of the rms */
    SL_LOCKSTEP_STEPS,   /* quantised to 8 bits: the largest difference, in steps */
    SL_LOCKSTEP_EXACT,   /* everything else: the largest difference */
    SL_LOCKSTEP_KINDS,
};

/* An operator that is farther from the reference than all of its kind before it: whatever the limit
 * of a kind is, the first operator beyond it is among these. */
struct sl_lockstep_row {
    char name[128];                 /* as the variant's trace calls it */
    const char *kernel, *reference; /* NULL: it runs none */
    int64_t node;                   /* of the delegate's graph; -1: not in a delegate */
    uint32_t chain, instruction;
    int kind;        /* enum sl_lockstep_kind */
    double distance; /* in the kind's measure */
    double max_abs;
};

enum { SL_LOCKSTEP_ROWS = 64, SL_LOCKSTEP_VARIANTS = 2 };

struct sl_lockstep_side {
    struct sl_variant *variant; /* of a method of its own */
    uint64_t compared;          /* operators */
    double farthest[SL_LOCKSTEP_KINDS];
    size_t row_count;
    struct sl_lockstep_row rows[SL_LOCKSTEP_ROWS];
};

/* Executes the reference once, untraced, and with it each side, whose values are the reference's
 * before every operator. The reference's inputs have been set and its method was reset; methods are
 * of the same model and name. Fills in all of a side but its variant. 0 or a code. */
int sl_lockstep_execute(struct sl_variant *reference, struct sl_lockstep_side *sides, size_t count,
                        struct sl_diag *diag);
