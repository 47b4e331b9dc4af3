/* host/store/findings.h: what a look at the state directory finds: a list that grows up to a limit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/store/answers.h"

struct sl_findings {
    struct sl_store_finding *rows; /* owned */
    size_t count, room;
    uint64_t more; /* that had no place */
};

/* 0 or -ENOMEM. */
int sl_findings_add(struct sl_findings *list, const struct sl_store_finding *finding);
void sl_findings_fini(struct sl_findings *list);
