/* common/base/histogram.c */
#include "common/base/histogram.h"

static const struct {
    uint64_t ns;
    const char *seconds;
} bounds[SL_HISTOGRAM_BOUNDS + 1] = {
    {500000, "0.0005"},  {1000000, "0.001"},    {2500000, "0.0025"}, {5000000, "0.005"},
    {10000000, "0.01"},  {25000000, "0.025"},   {50000000, "0.05"},  {100000000, "0.1"},
    {250000000, "0.25"}, {500000000, "0.5"},    {1000000000, "1.0"}, {2500000000, "2.5"},
    {5000000000, "5.0"}, {10000000000, "10.0"}, {UINT64_MAX, "+Inf"}};

void sl_histogram_add(struct sl_histogram *histogram, uint64_t ns)
{
    size_t place = 0;
    while (ns > bounds[place].ns)
        place++;
    histogram->counts[place]++;
    histogram->sum_seconds += (double)ns / 1e9;
}

const char *sl_histogram_bound(size_t place)
{
    return bounds[place].seconds;
}
