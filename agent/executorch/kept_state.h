/* agent/executorch/kept_state.h: the state that a program keeps from one execution to the next. The
 * libraries do not say where it lies; our own reader of programs does. */
#pragma once

#include <stddef.h>

#include "common/base/bytes.h"

struct sl_executorch_span;
struct sl_kept_state;

/* Finds what method `name` of a program keeps in its planned buffers, which are borrowed and
 * outlive it, and remembers their bytes. A program that only the libraries can read keeps nothing.
 * Moves it to *out; end it with sl_kept_state_free(). 0 or -ENOMEM. */
int sl_kept_state_new(struct sl_bytes program, const char *name,
                      const struct sl_executorch_span *buffers, size_t count,
                      struct sl_kept_state **out);
/* Gives the buffers the bytes that were remembered. */
void sl_kept_state_restore(const struct sl_kept_state *state);
void sl_kept_state_free(struct sl_kept_state *state); /* NULL is a no-op */
