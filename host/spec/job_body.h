/* host/spec/job_body.h: the body of POST /jobs: one run or one question to an agent, its files
 * named by SHA-256.
 *
 * {"model": "<sha256>", "data": "<sha256>", "inputs": ["<sha256>", …], "device": "counted-512",
 * "runs": 2, …, "shown": {"command": "sme2lab run toy.pte", "model": "models/toy.pte", …}}: the
 * keys are spec.inc's. Only `model` is needed, and not by each `task`. `shown` is what the run's
 * files say in place of the daemon's own paths: how the sender calls its files, and where it will
 * put the run's. The task runners has besides, for the
 * runners themselves, {"configuration": {…}, "files": {"<path in it>": "<sha256>", …}}. What a
 * device kept of an earlier job is collected by that job's body with {"kept": {"id": "<its number
 * there>", "started_ms": …}}, which the daemon writes and takes of nobody. */
#pragma once

#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/run_id.h"

struct sl_buf;
struct sl_diag;
struct sl_spec;

/* On success end `out` with sl_spec_fini(). SL_E_FORMAT with JSON pointer and fix, SL_E_LIMIT or
 * -ENOMEM; then *out is of no use. */
int sl_job_body_read(struct sl_bytes text, struct sl_spec *out, struct sl_diag *diag);

/* Appends the body of a spec whose files have their digests. 0, SL_E_LIMIT or -ENOMEM. */
int sl_job_body_put(const struct sl_spec *spec, struct sl_buf *out);

/* Appends the body that collects, on that device, the result `id` of a job whose body is `text`.
 * SL_E_FORMAT with words for a text that is none, SL_E_LIMIT or -ENOMEM. */
int sl_job_body_collect(struct sl_bytes text, const char *device, struct sl_run_id id,
                        uint64_t started_ms, struct sl_buf *out, struct sl_diag *diag);
