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
    int finish_rc;                          /* 0, or why no files could be made of the streams */
    const char *finish_what;                /* the same in words; "": none */
    const char *verdict;
};

/* enum sl_job_cause, and one line to `out_detail` ("" when all is well). */
int sl_job_run_cause(const struct sl_job_run_end *end, char out_detail[SL_DETAIL_BYTES]);
