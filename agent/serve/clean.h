/* agent/serve/clean.h: removes from the working directory what no job needs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_cleaned {
    uint64_t files;
    uint64_t bytes; /* that the device has more: removing one of two names of a file frees none */
};

typedef bool (*sl_clean_needs_fn)(const void *user, const char *name);

/* Removes from the folder of that name what is not needed (NULL: nothing is), with all that is
 * below it, and adds it to `out`. No link is followed; what cannot be removed stays. */
void sl_clean_folder(const char *workdir, const char *folder, sl_clean_needs_fn needs,
                     const void *user, struct sl_cleaned *out);
