/* tests/support/guarded.h: memory whose end, or beginning, is the end of the readable world.
 *
 * A block's last byte lies just before an unreadable page, or its first one just behind one (two
 * blocks of five, in an order that repeats from run to run), so a kernel that reads or writes
 * beyond an operand faults. What lies at the other side, to the page there, is filled and checked.
 */
#pragma once

#include <stddef.h>

/* Zeroed memory of `bytes`, aligned to `align` (a power of two up to 4096): up to align - 1
 * bytes lie between its end and the guard there, and are checked too. End it with
 * sl_guarded_free(). */
void *sl_guarded_new(size_t bytes, size_t align);

/* Fails the test when bytes around the block were written. NULL is a no-op. */
void sl_guarded_free(void *block);
