/* host/analysis/sustained.h: one long run in pieces: what is left of the first speed at the end.
 * Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_attribution;

/* Ten pieces, or fewer of so many runs each where there are not enough. */
enum { SL_SUSTAINED_PIECES = 10, SL_SUSTAINED_PIECE_RUNS = 5, SL_SUSTAINED_MIN_RUNS = 20 };

/* As many measured runs as any other piece, give or take one. */
struct sl_sustained_piece {
    double seconds;    /* from the first measured run's begin to the middle run's; NAN: no clock */
    double medians[2]; /* end to end: baseline, candidate */
};

struct sl_sustained {
    size_t count; /* of pieces; 0 where either side has fewer than SL_SUSTAINED_MIN_RUNS */
    struct sl_sustained_piece pieces[SL_SUSTAINED_PIECES];
    double kept[2]; /* first median over last: 0.9 is a tenth slower in the end; NAN without */
};

/* The two sides were recorded together, so that their pieces are about the same moments. 0 or
 * -ENOMEM. */
int sl_sustained_make(const struct sl_attribution *baseline, const struct sl_attribution *candidate,
                      struct sl_sustained *out);
