/* host/rundir/validation.h: is everything in a run directory there, and does every number of it
 * follow from the ETDumps? */
#pragma once

#include <stddef.h>

#include "common/base/buf.h"

struct sl_categories;
struct sl_diag;
struct sl_json;

enum { SL_VALIDATION_MAX_DIFFERENCES = 200 };

struct sl_validation_difference {
    char where[256]; /* a file, with a JSON pointer or a line */
    char what[256];
};

struct sl_validation {
    size_t files, numbers; /* looked at */
    size_t differences;    /* found; the first SL_VALIDATION_MAX_DIFFERENCES are kept */
    struct sl_validation_difference list[SL_VALIDATION_MAX_DIFFERENCES];
};

/* Checks one experiment of a directory (NULL: the only one), adding to `validation`. Returns 0
 * however much differs; a negative code with `diag` set where there is no run to check. */
int sl_validate(const char *path, const char *experiment, const struct sl_categories *categories,
                struct sl_validation *validation, struct sl_diag *diag);

/* The same for the kit's files of all experiments of the directory: each must be the bytes that
 * come out now. 0 or -ENOMEM. */
int sl_validate_kit(const char *path, const struct sl_categories *categories,
                    struct sl_validation *validation);
