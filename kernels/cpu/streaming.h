/* kernels/cpu/streaming.h: the one way of a kernel into streaming mode and back, for files compiled
 * for SME2. */
#pragma once

#include <arm_sme.h>

/* Bodies see their arguments through one pointer. */
typedef void (*sl_streaming_fn)(const void *args) __arm_streaming;
typedef void (*sl_streaming_za_fn)(const void *args) __arm_streaming __arm_inout("za");

/* Calls `body` as __arm_locally_streaming (and __arm_new("za")) would: d8-d15 are kept, for _za a
 * caller's dormant ZA is saved, ZA starts as zeros, and both are off afterwards. This is assembly,
 * because clang 19 overwrites the link register of such functions when they call nothing, and needs
 * 60 instructions more for the rest. */
void sl_streaming_run(sl_streaming_fn body, const void *args);
void sl_streaming_run_za(sl_streaming_za_fn body, const void *args);
