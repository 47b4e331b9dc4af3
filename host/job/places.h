/* host/job/places.h: a set of devices by their places in the queue, a bit each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_PLACES_MAX = 1000, SL_PLACES_WORDS = (SL_PLACES_MAX + 63) / 64 };

/* All zero: none. */
struct sl_places {
    uint64_t bits[SL_PLACES_WORDS];
};

static inline void sl_places_set(struct sl_places *places, size_t at, bool is)
{
    uint64_t bit = UINT64_C(1) << (at % 64);
    places->bits[at / 64] = is ? places->bits[at / 64] | bit : places->bits[at / 64] & ~bit;
}

static inline bool sl_places_has(const struct sl_places *places, size_t at)
{
    return (places->bits[at / 64] >> (at % 64) & 1) != 0;
}

/* Returns the places that are in both. */
static inline struct sl_places sl_places_both(const struct sl_places *a, const struct sl_places *b)
{
    struct sl_places both;
    for (size_t word = 0; word < SL_PLACES_WORDS; word++)
        both.bits[word] = a->bits[word] & b->bits[word];
    return both;
}

/* The first from `*at` on: *at is its place. False: there is none. */
static inline bool sl_places_next(const struct sl_places *places, size_t *at)
{
    for (size_t word = *at / 64, skip = *at % 64; word < SL_PLACES_WORDS; word++, skip = 0) {
        uint64_t left = places->bits[word] >> skip;
        if (left) {
            *at = 64 * word + skip + (size_t)__builtin_ctzll(left);
            return true;
        }
    }
    return false;
}
