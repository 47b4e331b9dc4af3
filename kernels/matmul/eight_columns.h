/* kernels/matmul/eight_columns.h: int8 weights of eight columns into a panel of the NEON engines,
 * many at a time. Internal to them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Whole sixteens of k of eight columns, each k consecutive weights and `stride` from the next
 * one's: `depth` k of every column, then the next. Adds to the columns' sums. Returns how many k
 * that were. */
typedef size_t (*sl_eight_columns_fn)(const int8_t *weights, size_t stride, size_t k, int8_t *out,
                                      int32_t sums[8]);

#if defined(__aarch64__)
size_t sl_pack_eight_columns_by_4(const int8_t *weights, size_t stride, size_t k, int8_t *out,
                                  int32_t sums[8]);
size_t sl_pack_eight_columns_by_8(const int8_t *weights, size_t stride, size_t k, int8_t *out,
                                  int32_t sums[8]);
#endif
