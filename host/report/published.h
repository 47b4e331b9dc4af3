/* host/report/published.h: published timings of products on named silicon
 * (configs/silicon/published), to stand beside estimates of the same shape. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SL_PUBLISHED_CODE_BYTES = 24 };

struct sl_published {
    double ns;
    char code[SL_PUBLISHED_CODE_BYTES]; /* whose */
};

/* The search key; the texts are borrowed. */
struct sl_published_wish {
    const char *profile, *type, *engine; /* "apple-m4", "f32", "sme2" or "neon" */
    uint64_t m, n, k;
};

/* The fastest that was published of the shape; false: none was. */
bool sl_published_find(const struct sl_published_wish *wish, struct sl_published *out);
