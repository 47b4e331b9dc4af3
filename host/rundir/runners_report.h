/* host/rundir/runners_report.h: runners.json, by which the agent says how each process of the
 * external runners ended (agent/serve/runners.h). It comes from a device: nothing in it is believed
 * that was not looked at. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct cJSON;
struct sl_diag;

/* One process. Its files are named by its arm and by how many of that came before it. */
struct sl_runners_row {
    uint32_t arm;   /* of the configuration's experiments, from 0 on */
    uint32_t order; /* among the processes of all arms, from 0 on */
    uint32_t executions, signal, stderr_bytes;
    uint32_t exit_code;     /* 0 also of one that a signal ended */
    bool timed_out, etdump; /* it left one and did not fail */
    bool outputs;           /* it was asked for them */
    double wall_ns;
    const char *problem; /* why it was not started; NULL: it was. Borrowed from the document */
};

struct sl_runners_report {
    struct sl_runners_row *rows; /* owned */
    size_t count;
    struct cJSON *document; /* owned */
};

/* `arms`: how many experiments there are. End `out` with sl_runners_report_fini(). SL_E_FORMAT or
 * SL_E_LIMIT with `diag` set, -ENOMEM. */
int sl_runners_report_parse(struct sl_bytes text, size_t arms, struct sl_runners_report *out,
                            struct sl_diag *diag);
void sl_runners_report_fini(struct sl_runners_report *report);
