/* host/cli/kernels_tune.h: `sme2lab kernels bench --tune`. */
#pragma once

#include <stddef.h>

struct sl_cli;
struct sl_task_device;
struct sl_diag;

/* Measures each family of kernels (with names in `only` just those; the others keep the default) as
 * streaming mode has it against the best without, on some shapes of models, and writes the device's
 * own table (host/spec/policy_file.h), which runs on it use. On an emulator it compares executed
 * instructions, and says so; its times, if they are asked for, are not kept. Prints what it found.
 */
int sl_kernels_tune(const struct sl_cli *cli, struct sl_task_device *device, unsigned svl_bits,
                    const char *const *only, size_t only_count, struct sl_diag *diag);
