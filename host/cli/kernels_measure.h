/* host/cli/kernels_measure.h: the agent's verb `kernels` run on a device, and what it prints read
 * back: rows of stages, with counts where the device counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/cli/kernel_shapes.h"
#include "host/report/kernel_bench.h"

struct cJSON;
struct sl_buf;
struct sl_child_result;
struct sl_count_log;
struct sl_device;
struct sl_diag;

enum { SL_KERNELS_MAX_ROWS = SL_KERNEL_MAX_SHAPES * 5 * 2 }; /* stages, engines */

/* Runs the agent to its end; `log` (NULL: not counted) gets all counts. 0 with the result, to end
 * with sl_child_fini(), or a negative code with the agent's last words. */
int sl_kernels_run_agent(const struct sl_device *device, const char *const *args,
                         struct sl_count_log *log, struct sl_child_result *out,
                         struct sl_diag *diag);

/* Runs `kernels --bench` with these arguments and appends a row for each stage to `rows`, of which
 * *count are there and SL_KERNELS_MAX_ROWS have room. */
int sl_kernels_measure(const struct sl_device *device, const char *const *args,
                       struct sl_kernel_row *rows, size_t *count, struct sl_diag *diag);

/* Reads the rows that the agent printed; `counted`: without their times. */
int sl_kernels_read_rows(const struct sl_buf *out, bool counted, struct sl_kernel_row *rows,
                         size_t *count, struct sl_diag *diag);

/* The one JSON object that these arguments print; end it with cJSON_Delete(). */
int sl_kernels_ask(const struct sl_device *device, const char *const *args, struct cJSON **out,
                   struct sl_diag *diag);

/* A text that fits, a whole number up to 9e15: false where the object has none under the key. */
bool sl_kernels_take_text(const struct cJSON *object, const char *key, char *out, size_t size);
bool sl_kernels_take_count(const struct cJSON *object, const char *key, uint64_t *out);
