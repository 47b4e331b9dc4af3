/* host/report/estimate_out.h: what `sme2lab estimate` answers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/analysis/estimate.h"

struct sl_buf;
struct sl_json;
struct sl_silicon;

enum { SL_ESTIMATE_MAX_PROFILES = 16 };

struct sl_estimate_answer {
    const char *file, *from, *to; /* addresses as the user wrote them; NULL: the whole log */
    uint64_t passes;
    const struct sl_silicon *profiles; /* `count` of them */
    struct sl_estimate estimates[SL_ESTIMATE_MAX_PROFILES];
    size_t count;
};

/* Each returns 0, SL_E_LIMIT or -ENOMEM. */
int sl_estimate_text(struct sl_buf *out, const struct sl_estimate_answer *answer);
int sl_estimate_json(struct sl_buf *out, const struct sl_estimate_answer *answer);

/* The members "profile", "profile_sha256", "low_ns", "mid_ns", "high_ns", "bound", "bound_share"
 * and "confidence" of an open object. */
void sl_estimate_members(struct sl_json *json, const struct sl_silicon *profile,
                         const struct sl_estimate *estimate);

/* "12.3 us". */
void sl_estimate_words(double ns, char *out, size_t size);
