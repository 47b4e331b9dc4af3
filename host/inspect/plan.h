/* host/inspect/plan.h: what an agent says it would run, put beside a program's nodes. */
#pragma once

#include "common/base/bytes.h"

struct sl_diag;
struct sl_inspect;

/* `plan` is what `sme2lab-agent plan` prints for the same program, `list` what its `kernels --list
 * --json` does. Fills `off`, `on` and `why` of every node. Returns 0, SL_E_FORMAT for text that is
 * not that, SL_E_MISMATCH for a plan of another program, SL_E_LIMIT or -ENOMEM. */
int sl_inspect_take_plan(struct sl_inspect *inspect, struct sl_bytes plan, struct sl_bytes list,
                         struct sl_diag *diag);
