/* agent/executorch/features.h: which CPU features ExecuTorch's libraries see.
 *
 * Its cpuinfo asks getauxval() once, so the program's own getauxval() hides what a variant must not
 * use. A second variant of the same process needs another answer: cpuinfo's result (`cpuinfo_isa`)
 * is written over with one that a child process made, and XNNPACK is told to read it again
 * (`xnn_init_generation`). Source: the exported symbols of the ExecuTorch 1.5 wheels. */
#pragma once

#include <stdint.h>

struct sl_diag;

/* Forks the child that answers for later variants. First of all in main(), before any thread. */
void sl_features_start(void);

/* Loads the delegate's library, or switches it, so that plans made from now on use only what `isa`
 * (kernels/cpu/isa.h) allows. Without SME first: its libraries cannot go back. Returns 0,
 * SL_E_UNSUPPORTED (no NEON, an order that cannot be, symbols that are not there), SL_E_NOT_FOUND
 * (the library) or SL_E_STATE (the child is gone) with words. */
int sl_features_use(uint32_t isa, struct sl_diag *diag);

/* The handle that dlopen() gave for the delegate's library; NULL before sl_features_use(). */
void *sl_features_delegate(void);
