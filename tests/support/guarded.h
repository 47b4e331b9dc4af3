/* tests/support/guarded.h: memory whose end is the end of the readable world.
 *
 * A block's last byte lies just before an unreadable page, so a kernel that reads or writes past
 * an operand faults. What lies before it, to the page before, is filled and checked. */
#pragma once

#include <stddef.h>

/* Zeroed memory of `bytes`, aligned to `align` (a power of two up to 4096): then up to align - 1
 * bytes lie between its end and the guard, and are checked too. End it with sl_guarded_free(). */
void *sl_guarded_new(size_t bytes, size_t align);

/* Fails the test when bytes around the block were written. NULL is a no-op. */
void sl_guarded_free(void *block);
