/* tests/unit/host/job/test_row_news.c: rows of the store, newer and older than what is known here.
 */
#include "host/job/row_news.h"

#include <stdio.h>

#include "host/records.h"
#include "tests/support/test.h"

static struct sl_job_record job(int state, uint32_t attempts, const char *host)
{
    struct sl_job_record made = {.id = 7, .state = state, .attempts = attempts};
    snprintf(made.host, sizeof(made.host), "%s", host);
    return made;
}

static int news(const struct sl_job_record *own, int state, uint32_t attempts, const char *host)
{
    struct sl_job_record row = job(state, attempts, host);
    return (int)sl_row_news(own, &row, "here");
}

TEST(a_job_that_is_not_known_comes_in_is_elsewhere_or_has_ended)
{
    assert_int_equal(news(NULL, SL_JOB_QUEUED, 0, ""), SL_ROW_WAITS);
    assert_int_equal(news(NULL, SL_JOB_RUNNING, 1, "there"), SL_ROW_ELSEWHERE);
    assert_int_equal(news(NULL, SL_JOB_RUNNING, 1, "here"), SL_ROW_OLD); /* its end is on its way */
    assert_int_equal(news(NULL, SL_JOB_DONE, 1, "there"), SL_ROW_HAS_ENDED);
}

TEST(a_job_that_waits_here_goes_with_who_took_it)
{
    const struct sl_job_record own = job(SL_JOB_QUEUED, 1, "there");
    assert_int_equal(news(&own, SL_JOB_QUEUED, 1, "there"), SL_ROW_OLD);
    assert_int_equal(news(&own, SL_JOB_QUEUED, 2, "there"), SL_ROW_WAITS); /* and failed there */
    assert_int_equal(news(&own, SL_JOB_QUEUED, 0, ""), SL_ROW_OLD);
    assert_int_equal(news(&own, SL_JOB_RUNNING, 2, "there"), SL_ROW_ELSEWHERE);
    assert_int_equal(news(&own, SL_JOB_RUNNING, 0, "there"), SL_ROW_OLD);
    assert_int_equal(news(&own, SL_JOB_CANCELLED, 1, ""), SL_ROW_HAS_ENDED);
}

TEST(a_job_that_runs_here_stops_when_another_has_it_or_it_waits_again)
{
    const struct sl_job_record own = job(SL_JOB_RUNNING, 2, "here"),
                               detached = job(SL_JOB_DETACHED, 2, "here");
    assert_int_equal(news(&own, SL_JOB_QUEUED, 1, "here"), SL_ROW_OLD); /* before it began */
    assert_int_equal(news(&own, SL_JOB_QUEUED, 2, "here"), SL_ROW_WAITS);
    assert_int_equal(news(&detached, SL_JOB_QUEUED, 2, "here"), SL_ROW_WAITS);
    assert_int_equal(news(&own, SL_JOB_RUNNING, 2, "here"), SL_ROW_OLD);
    assert_int_equal(news(&own, SL_JOB_RUNNING, 3, "there"), SL_ROW_ELSEWHERE);
    assert_int_equal(news(&own, SL_JOB_RUNNING, 1, "there"), SL_ROW_OLD);
    assert_int_equal(news(&own, SL_JOB_FAILED, 3, "there"), SL_ROW_HAS_ENDED);
}

TEST(a_wish_to_cancel_is_heard_once_by_who_has_the_job)
{
    struct sl_job_record own = job(SL_JOB_RUNNING, 1, "here"), row = own;
    row.cancel_wanted = true;
    assert_int_equal(sl_row_news(&own, &row, "here"), SL_ROW_WANTS_CANCEL);
    own.cancel_wanted = true;
    assert_int_equal(sl_row_news(&own, &row, "here"), SL_ROW_OLD);
    row.state = own.state = SL_JOB_QUEUED;
    own.cancel_wanted = false;
    assert_int_equal(sl_row_news(&own, &row, "here"), SL_ROW_WANTS_CANCEL);
    assert_int_equal(sl_row_news(NULL, &row, "here"), SL_ROW_WAITS);
}
