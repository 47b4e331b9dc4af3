/* host/cli/import_pairs.h: which experiments of an import are pairs, as import.json has them. */
#pragma once

#include <stddef.h>

struct sl_diag;
struct sl_json;

enum { SL_IMPORT_NAME_BYTES = 256 };

/* The experiments that are imported, one for each file; borrowed. */
struct sl_import_names {
    const char (*list)[SL_IMPORT_NAME_BYTES];
    size_t count;
};

/* BASE=CAND, by the names of two experiments or how these begin: the member "pair". 0, or a
 * negative code with `diag` set. */
int sl_import_pairs_put(struct sl_json *json, const char *pair,
                        const struct sl_import_names *experiments, struct sl_diag *diag);

/* The analysis.compare_pairs of a configuration of the kit: the member "pairs", each with its
 * threads and label. SL_E_NOT_FOUND where it has none. */
int sl_import_pairs_put_config(struct sl_json *json, const char *path,
                               const struct sl_import_names *experiments, struct sl_diag *diag);
