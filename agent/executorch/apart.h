/* agent/executorch/apart.h: a second process of this program, which answers what the first asks.
 *
 * While it answers, the first is stopped in the middle of one send(): a question is longer than the
 * socket holds, and its rest is read when the answer is done. The counted clock, which sees both
 * processes in one log, so never sees two at a time. */
#pragma once

#include "common/base/buf.h"
#include "common/base/bytes.h"

/* The first four bytes of a question. */
enum sl_apart_kind { SL_APART_IMAGE, SL_APART_LOAD, SL_APART_EXECUTE };
enum { SL_APART_SHARED_BYTES = 256 };

/* In the second process: fills `reply`. What it returns is what the asker gets. */
typedef int (*sl_apart_fn)(struct sl_bytes question, struct sl_buf *reply);

/* Forks the process, first of all in main(), before any thread. Without one, asking fails. */
void sl_apart_start(sl_apart_fn answer);

/* Appends to `reply`. SL_E_STATE: there is no such process; SL_E_CRASHED: it ended by a signal just
 * now, the number in *out_signal. */
int sl_apart_ask(const struct sl_buf *question, struct sl_buf *reply, int *out_signal);

/* Memory that both processes have, all 0 at first; NULL where there is none. */
char *sl_apart_shared(void);

/* Ends it. Idempotent. */
void sl_apart_stop(void);
