/* host/job/row_news.h: what a job's row in the store, which any host may have written, means to the
 * queue of this one. The row may be older than what is known here. Pure. */
#pragma once

struct sl_job_record;

enum sl_row_news {
    SL_ROW_OLD = 0,      /* nothing new */
    SL_ROW_WAITS,        /* it waits, and the queue has not got it so: it may even run here */
    SL_ROW_ELSEWHERE,    /* another host has it, whatever the queue says */
    SL_ROW_WANTS_CANCEL, /* somebody at another host wants it cancelled */
    SL_ROW_HAS_ENDED,    /* for good, whatever the queue says */
};

/* `own`: the job in the queue, NULL: it is not there. `host`: this one. */
enum sl_row_news sl_row_news(const struct sl_job_record *own, const struct sl_job_record *row,
                             const char *host);
