/* host/spec/nearest.c */
#include "host/spec/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LETTERS_A_SLIP = 5, LEAST_BEGINNING = 3 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

static int same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance, three rows at a time. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][SL_NEAREST_MAX_LENGTH + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t replace = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = least(last[j] + 1, row[j - 1] + 1, replace);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1, row[j]);
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_len];
}

/* A beginning that says enough counts as one slip. */
static int begins(const char *word, size_t length, const char *candidate)
{
    size_t same_letters = 0;
    while (same_letters < length && same(word[same_letters], candidate[same_letters]))
        same_letters++;
    return length >= LEAST_BEGINNING && same_letters == length;
}

const char *sl_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t dashes = strspn(word, "-"); /* of options: they tell nothing */
    size_t length = strnlen(word + dashes, SL_NEAREST_MAX_LENGTH);
    size_t best = length / LETTERS_A_SLIP + 2; /* one slip, and one more for so many letters */
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *candidate = candidates[i] + strspn(candidates[i], "-");
        size_t other = strnlen(candidate, SL_NEAREST_MAX_LENGTH);
        size_t steps = distance(word + dashes, length, candidate, other);
        if (steps > 1 && begins(word + dashes, length, candidate))
            steps = 1;
        if (steps < best) {
            best = steps;
            found = candidates[i];
        }
    }
    return found;
}
