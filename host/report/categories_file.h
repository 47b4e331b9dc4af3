/* host/report/categories_file.h: reads the rules of configs/categories.json, or another file of
 * that form. */
#pragma once

#include <stddef.h>

#include "common/base/bytes.h"
#include "common/base/digest.h"
#include "host/analysis/category.h"

struct sl_diag;

enum {
    SL_CATEGORIES_MAX_BYTES = 256 * 1024,
    SL_CATEGORIES_MAX_DEPTH = 8,
    SL_CATEGORIES_PART_BYTES = 48
};

/* Rules with where they came from. */
struct sl_categories {
    struct sl_rules rules; /* its arrays are owned by this */
    char file[256];        /* as named by the user; "categories.json" for the built-in ones */
    char sha256[SL_SHA256_HEX_SIZE];
    struct sl_categories_pool *pool;
};

/* Parses {"version","fallback","framework":[...],"rules":[{"category","words":[...],"part"}]},
 * where "part" may be missing. Unknown and missing keys, unknown categories and phrases without a
 * word are errors that name their JSON pointer. Returns 0, SL_E_FORMAT, SL_E_LIMIT or -ENOMEM. End
 * with sl_categories_fini(). */
int sl_categories_parse(struct sl_bytes json, const char *file, struct sl_categories *out,
                        struct sl_diag *diag);
/* Reads the file first: also its -errno. `path` NULL: the rules built into the program. */
int sl_categories_load(const char *path, struct sl_categories *out, struct sl_diag *diag);
void sl_categories_fini(struct sl_categories *categories);
