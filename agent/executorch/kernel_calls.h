/* agent/executorch/kernel_calls.h: which of KleidiAI's kernels the delegate's operators call.
 *
 * The delegate calls them through its procedure linkage table, by exported name. While they are
 * watched, each slot of that table leads over a few lines that count the call: some 8 instructions,
 * which is why a warm-up is watched and nothing that is measured. XNNPACK's own kernels are called
 * by pointers and have no names. sl_kernel_calls_open() also tells the log's reader where the
 * exported functions with "pack" in their names lie. Source: ELF for the Arm 64-bit Architecture,
 * dynamic linking. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Finds the slots of kernels in a library, a handle of dlopen(); how many there are. Those of a
 * library that was opened before are forgotten. */
size_t sl_kernel_calls_open(void *delegate);

/* From now on calls are counted, or not any more. 0, or -errno when the table cannot be written. */
int sl_kernel_calls_watch(bool on);

/* The kernel that was called since the last time this was asked, static while the library is open:
 * the product's where operands were packed too. NULL: none, or they are not watched. */
const char *sl_kernel_calls_take(void);
