/* host/cli/roofline.h: what a device reaches at most, from loops that were timed on it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_json;

/* A loop as the agent ran it; numbers of a turn but for the last three. */
struct sl_peak_row {
    char peak[64], what[64], kind[16];
    uint64_t insns, work, operations, bytes;
    uint64_t turns, workers, ns;
};

/* Returns how much of its work the loop did a second, all workers together. `ns` is not 0. */
double sl_roofline_per_second(const struct sl_peak_row *row);

/* Puts the timed rows as the member "roofline" of the open object. */
void sl_roofline_put(const struct sl_peak_row *rows, size_t count, struct sl_json *json);
