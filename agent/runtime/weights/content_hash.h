/* agent/runtime/weights/content_hash.h: 128 bits that tell contents apart, at about 0.4
 * instructions a byte.
 *
 * Against accidents, not against malice: whoever may write to the files it is asked about decides
 * what a run computes anyway. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_content {
    uint64_t low, high;
};

static inline bool sl_content_equal(struct sl_content a, struct sl_content b)
{
    return a.low == b.low && a.high == b.high;
}

struct sl_content_hash {
    uint64_t lane[4];
    uint64_t bytes;
};

void sl_content_start(struct sl_content_hash *hash);
/* More bytes: a piece whose length is no multiple of 64 counts as filled up with zeros to one. */
void sl_content_add(struct sl_content_hash *hash, const void *bytes, size_t len);
struct sl_content sl_content_end(const struct sl_content_hash *hash);
/* Hashes one piece. */
struct sl_content sl_content_of(const void *bytes, size_t len);
