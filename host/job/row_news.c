/* host/job/row_news.c */
#include "host/job/row_news.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "host/records.h"

static bool runs(const struct sl_job_record *own)
{
    return own && own->state != SL_JOB_QUEUED;
}

/* A job that runs here with that attempt was taken away: the attempt has ended. */
static enum sl_row_news of_waiting(const struct sl_job_record *own, const struct sl_job_record *row)
{
    if (!own || own->attempts < row->attempts || (runs(own) && own->attempts == row->attempts))
        return SL_ROW_WAITS;
    return row->cancel_wanted && own->attempts == row->attempts ? SL_ROW_WANTS_CANCEL : SL_ROW_OLD;
}

/* The claim of a job of this host, or its end, is on its way. */
static enum sl_row_news of_running(const struct sl_job_record *own, const struct sl_job_record *row,
                                   const char *host)
{
    bool later_here = own && own->attempts > row->attempts;
    if (strcmp(row->host, host) != 0)
        return later_here ? SL_ROW_OLD : SL_ROW_ELSEWHERE;
    return runs(own) && !later_here && row->cancel_wanted && !own->cancel_wanted
               ? SL_ROW_WANTS_CANCEL
               : SL_ROW_OLD;
}

enum sl_row_news sl_row_news(const struct sl_job_record *own, const struct sl_job_record *row,
                             const char *host)
{
    switch (row->state) {
    case SL_JOB_QUEUED:
        return of_waiting(own, row);
    case SL_JOB_RUNNING:
        return of_running(own, row, host);
    default:
        return SL_ROW_HAS_ENDED;
    }
}
