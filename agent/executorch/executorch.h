/* agent/executorch/executorch.h: ExecuTorch's classes as plain functions and structs. The agent's
 * only C++ lies behind this header, in executorch.cpp, and nothing else does.
 *
 * Functions that return int give 0 or SL_ET() of the libraries' own error
 * (agent/runtime/runtime.h), and write their outputs only with 0. One thread. Source of the calls:
 * the headers in the ExecuTorch 1.5 wheel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_data;
struct sl_runtime_events;
struct sl_executorch_plan;
struct sl_executorch_program;
struct sl_tensor_view;

/* The libraries' log lines go here: the last one that the verb `run` gave. */
extern struct sl_runtime_log sl_executorch_log;

/* "1.5.1 (3b606839)": the wheel that this was built with. */
const char *sl_executorch_version(void);
/* Before everything else. Idempotent. */
void sl_executorch_start(void);
/* Lets delegates use the libraries' pool of threads, or the calling thread alone. */
void sl_executorch_use_pool(bool use);

/* Opens the file of a program or, where `bytes` has any, a program from them: borrowed, they
 * outlive it. Moves it to *out; end it with sl_executorch_program_free(). */
int sl_executorch_program_open(const char *path, struct sl_bytes bytes,
                               struct sl_executorch_program **out);
void sl_executorch_program_free(struct sl_executorch_program *program); /* NULL is a no-op */

/* External data is what runtime.h has of it, sl_data_open() and its kin; this is its file. */
const char *sl_executorch_data_path(const struct sl_data *data);

/* A method as its program has it. */
struct sl_executorch_method {
    const char *name; /* the program's */
    size_t inputs, outputs, buffers;
};

/* `name` NULL or "": the first one. */
int sl_executorch_method_find(const struct sl_executorch_program *program, const char *name,
                              struct sl_executorch_method *out);
/* An input's kind, type and upper bounds; what they point to is the program's. It has no data. */
int sl_executorch_method_input(const struct sl_executorch_program *program, const char *name,
                               size_t i, struct sl_tensor_view *out);
/* Bytes of a planned buffer; 0 where the program does not say. */
size_t sl_executorch_planned_bytes(const struct sl_executorch_program *program, const char *name,
                                   size_t buffer);

/* A span of memory that can be written. */
struct sl_executorch_span {
    uint8_t *data;
    size_t size;
};

/* A method, loaded to be executed in planned buffers of the caller's. All are borrowed and outlive
 * it; `data` may be NULL. Loading and executing it tells `events` what happens. Moves it to *out;
 * end it with sl_executorch_plan_free(). */
int sl_executorch_plan_new(const struct sl_executorch_program *program, const char *name,
                           const struct sl_executorch_span *buffers, size_t count,
                           const struct sl_data *data, struct sl_runtime_events *events,
                           struct sl_executorch_plan **out);
void sl_executorch_plan_free(struct sl_executorch_plan *plan); /* NULL is a no-op */

/* Before each execution, which may use the memory of inputs for other values. What `input` points
 * to is borrowed until the execution is over. A value that is neither a tensor nor a number or a
 * truth stays as the program has it. */
int sl_executorch_plan_set_input(struct sl_executorch_plan *plan, size_t i,
                                 const struct sl_tensor_view *input);
int sl_executorch_plan_execute(struct sl_executorch_plan *plan);
/* Reads an output as it is now; the plan owns what the view points to. */
void sl_executorch_plan_output(const struct sl_executorch_plan *plan, size_t i,
                               struct sl_tensor_view *out);
