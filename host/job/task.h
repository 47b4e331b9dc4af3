/* host/job/task.h: a question to a device's agent in place of a run: the words that ask it, and the
 * answer as <state>/tasks/<job>.json, which GET /jobs/{id}/result serves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/device/link_job.h"

struct sl_buf;
struct sl_count_log;
struct sl_diag;
struct sl_json;
struct sl_spec;

/* The words of the agent's verb, borrowed from the spec; none for a run. `counted`: instructions
 * take the place of time. How many. */
size_t sl_task_words(const struct sl_spec *spec, bool counted, const char *out[SL_LINK_MAX_TASK]);

const char *sl_task_name(int task); /* of enum sl_spec_task */

enum { SL_TASK_NAME_BYTES = 32, SL_TASK_MAX_BYTES = 32 << 20 };

/* The file of a job's answer in SL_TASK_FOLDER. */
void sl_task_file_name(uint64_t job, char out[SL_TASK_NAME_BYTES]);

/* Writes the streams in the run's directory as members of an open object; `log` (NULL: not counted)
 * has two marks for each answer. SL_E_FORMAT or SL_E_MISMATCH if the agent answers something else,
 * SL_E_LIMIT, -ENOMEM or a file's -errno. */
int sl_task_answer_put(const char *directory, bool done, const struct sl_count_log *log,
                       struct sl_json *json, struct sl_diag *diag);

/* Durable with the caller's group; blocks. 0 or -errno. */
int sl_task_file_write(const char *state_dir, uint64_t job, const struct sl_buf *text);
