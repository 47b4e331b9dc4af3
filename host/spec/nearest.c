/* host/spec/nearest.c */
#include "host/spec/nearest.h"

#include <ctype.h>
#include <string.h>

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

const char *sl_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strnlen(word, SL_NEAREST_MAX_LENGTH);
    size_t best = length / 2 + 2;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strnlen(candidates[i], SL_NEAREST_MAX_LENGTH);
        size_t steps = distance(word, length, candidates[i], other);
        if (steps < best) {
            best = steps;
            found = candidates[i];
        }
    }
    return found;
}
