/* agent/executorch/kept_state.h: where a program keeps state from one execution to the next. The
 * libraries do not say; our own reader of programs does. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Bytes of a planned buffer. */
struct sl_kept_place {
    size_t buffer, offset, bytes;
};

/* The places of method `name` of the program in `path`, bundled or not, in planned buffers of these
 * sizes. A program that only the libraries can read has none here. Returns 0 or -ENOMEM;
 * *out_places is owned by the caller, sl_free(). */
int sl_kept_state_find(const char *path, const char *name, const size_t *sizes, size_t count,
                       struct sl_kept_place **out_places, size_t *out_count);
