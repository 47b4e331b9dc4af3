/* host/job/run_cause.h: whose failure the end of a run is, and its words. Pure. */
#pragma once

#include <stdbool.h>

#include "host/records.h"

struct sl_link_result;

struct sl_job_run_end {
    const struct sl_link_result *result;    /* of the measured run */
    const struct sl_link_result *reference; /* of the portable kernels'; NULL: they did not end */
    bool cancelled;                         /* it was asked for */
    bool asks;                              /* a task, which leaves no run */
    bool collected;                         /* it ran earlier: no other attempt can have it */
    int finish_rc;                          /* of what is made of the streams; of a run that ended
                                             * badly it says that its files could not be written, */
    const char *finish_what;                /* and its words; "" for none */
    const char *verdict;
};

/* enum sl_job_cause, and one line to `out_detail` ("" when all is well). */
int sl_job_run_cause(const struct sl_job_run_end *end, char out_detail[SL_DETAIL_BYTES]);
