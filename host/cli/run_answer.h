/* host/cli/run_answer.h: what `run --json` answers: an object for one experiment, an array of them
 * for several. Where one was run on both runtimes, the object is our runtime's, as without
 * ExecuTorch's, and has both in "runtimes", ExecuTorch's first; where
 * there is no result of ours, nothing else but the schema. */
#pragma once

#include <stddef.h>

#include "common/base/buf.h"

struct sl_diag;
struct sl_plan;

struct sl_cli_run_answer {
    const struct sl_plan *plan; /* borrowed */
    struct sl_buf results[2];   /* with commas between; [1]: ours, beside ExecuTorch's */
    struct sl_buf together;     /* an object of what both say together; may stay empty */
};

void sl_cli_run_answer_init(struct sl_cli_run_answer *answer, const struct sl_plan *plan);
void sl_cli_run_answer_fini(struct sl_cli_run_answer *answer);

/* Returns the buffer for the result of the experiment at `index`; valid until the next call. */
struct sl_buf *sl_cli_run_answer_next(struct sl_cli_run_answer *answer, size_t index);

/* Says of one of several experiments why it has no result. */
void sl_cli_run_answer_fail(struct sl_cli_run_answer *answer, size_t index, int code,
                            const struct sl_diag *diag);

/* Appends the answer to `out`; nothing where there is no result. 0, SL_E_LIMIT or -ENOMEM. */
int sl_cli_run_answer_put(const struct sl_cli_run_answer *answer, struct sl_buf *out);
