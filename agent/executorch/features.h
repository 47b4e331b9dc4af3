/* agent/executorch/features.h: which CPU features ExecuTorch's libraries see.
 *
 * Its cpuinfo asks getauxval() once, so the program's own getauxval() hides what a variant must not
 * use. A second variant of the same process needs another answer: cpuinfo's result (`cpuinfo_isa`)
 * is written over with one that the process beside this one made (apart.h), and XNNPACK is told to
 * read it again (`xnn_init_generation`). Source: the exported symbols of the ExecuTorch 1.5 wheels.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"

struct sl_diag;

enum { SL_FEATURES_APART = 1 };

/* Loads the delegate's library, or switches it, so that plans made from now on use only what `isa`
 * (kernels/cpu/isa.h) allows. Returns 0; SL_FEATURES_APART where these libraries cannot go there
 * from the variants before it, and another process can: to one without SME from one with it, or
 * where the two symbols are not exported; SL_E_UNSUPPORTED (no NEON), SL_E_NOT_FOUND (the library)
 * or SL_E_STATE (the other process is gone) with words. */
int sl_features_use(uint32_t isa, struct sl_diag *diag);

/* Why sl_features_use() gave SL_FEATURES_APART the last time: static words, the missing symbol's
 * name among them. */
const char *sl_features_why_apart(void);

/* In the process beside: appends cpuinfo's result for what the question hides. */
int sl_features_image(struct sl_bytes question, struct sl_buf *reply);

/* The handle that dlopen() gave for the delegate's library; NULL before sl_features_use(). */
void *sl_features_delegate(void);

/* Is that an address of the program itself, and not of a library? */
bool sl_features_is_own(uintptr_t caller);
