/* host/cli/kernels_measure.h: an agent asked for its kernels, and what it answers read
 * back: rows of stages, with counts where the device counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/cli/kernel_shapes.h"
#include "host/report/kernel_bench.h"

struct cJSON;
struct sl_buf;
struct sl_diag;
struct sl_task_answer;
struct sl_task_device;

enum { SL_KERNELS_MAX_ROWS = SL_KERNEL_MAX_SHAPES * 5 * 2 }; /* stages, engines */

/* Asks a task (enum sl_spec_task) that must succeed: else a code with the agent's last words. End
 * the answer's document with cJSON_Delete(). */
int sl_kernels_task(struct sl_task_device *device, int task, const char *const *arguments,
                    struct sl_task_answer *out, struct sl_diag *diag);

/* Measures with these arguments of the agent's verb `kernels` and appends a row for each stage to
 * `rows`, of which *count are there and SL_KERNELS_MAX_ROWS have room. */
int sl_kernels_measure(struct sl_task_device *device, const char *const *arguments,
                       struct sl_kernel_row *rows, size_t *count, struct sl_diag *diag);

/* Reads the rows that an agent printed, with their times. */
int sl_kernels_read_rows(const struct sl_buf *out, struct sl_kernel_row *rows, size_t *count,
                         struct sl_diag *diag);

/* The one JSON object that answers the task; end it with cJSON_Delete(). */
int sl_kernels_ask(struct sl_task_device *device, int task, struct cJSON **out,
                   struct sl_diag *diag);
