/* host/report/brief_rows.c */
#include "host/report/brief_rows.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 4 };
static const double small_share = 0.05;

/* The smallest of those that have a row; `count` where none has. */
static size_t smallest_of(const double *shares, size_t count, const bool *alone)
{
    size_t least = count;
    for (size_t i = 0; i < count; i++)
        if (alone[i] && (least == count || shares[i] < shares[least]))
            least = i;
    return least;
}

void sl_brief_rows(const double *shares, size_t count, bool *out_alone)
{
    size_t present = 0, rows = 0;
    for (size_t i = 0; i < count; i++) {
        out_alone[i] = shares[i] >= small_share;
        present += shares[i] > 0;
        rows += out_alone[i];
    }
    while (rows + (present > rows) > SL_BRIEF_ROWS) {
        out_alone[smallest_of(shares, count, out_alone)] = false;
        rows--;
    }
    for (size_t i = 0; i < count && present - rows == 1; i++)
        out_alone[i] = shares[i] > 0;
}

void sl_brief_rows_name(char names[SL_BRIEF_NAMES_BYTES], size_t before, const char *name)
{
    size_t used = strlen(names);
    if (before < NAMED)
        snprintf(names + used, SL_BRIEF_NAMES_BYTES - used, "%s%.24s", used ? ", " : "", name);
    else
        snprintf(names, SL_BRIEF_NAMES_BYTES, "%zu other categories", before + 1);
}
