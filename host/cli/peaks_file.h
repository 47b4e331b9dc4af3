/* host/cli/peaks_file.h: the roofline that `kernels bench --peaks` kept for a device, read back. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"

struct sl_reach_roof;
struct sl_task_device;

/* The highest rates of one worker in the text of such a file; false: it is none. */
bool sl_peaks_file_parse(struct sl_bytes text, struct sl_reach_roof *out);

/* Looks for the device's file in the state directory. False where there is none (an emulator never
 * has one, NULL is a device out of reach); `words` says which or why. */
bool sl_peaks_file_find(struct sl_task_device *device, struct sl_reach_roof *out, char *words,
                        size_t size);
