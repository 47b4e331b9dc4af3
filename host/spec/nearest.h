/* host/spec/nearest.h: the known word that an unknown one was probably meant to be. */
#pragma once

#include <stddef.h>

enum { SL_NEAREST_MAX_LENGTH = 64 }; /* longer words are compared by their first bytes */

/* The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours; upper
 * and lower case are the same), or NULL when none is nearer than half the word's own length plus
 * one. The first of equals wins. */
const char *sl_nearest(const char *word, const char *const *candidates, size_t count);
