/* tests/unit/host/job/test_predecessors.c */
#include "host/job/predecessors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/job/queue.h"
#include "tests/support/test.h"

static void on_changed(void *user, const struct sl_job_record *job)
{
    *(struct sl_job_record *)user = *job;
}

static struct sl_job_record job_of(uint64_t id, uint64_t group, const char *after)
{
    struct sl_job_record job = {.id = id, .group_id = group, .submitted_ms = 1};
    snprintf(job.after_jobs, sizeof(job.after_jobs), "%s", after);
    return job;
}

static void add(struct sl_queue *queue, uint64_t id, uint64_t group, const char *after)
{
    struct sl_job_record job = job_of(id, group, after);
    assert_int_equal(sl_queue_add(queue, &job), 0);
}

static bool has(const struct sl_predecessors *all, uint64_t number)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->numbers[i] == number)
            return true;
    return false;
}

TEST(a_group_stands_for_its_jobs_that_came_before_and_for_what_the_store_knows)
{
    struct sl_job_record last, job = job_of(9, 6, "3,g5");
    struct sl_queue *queue = NULL;
    struct sl_predecessors all;
    assert_int_equal(sl_queue_new(on_changed, &last, &queue), 0);
    add(queue, 3, 0, "");
    add(queue, 4, 5, "");
    add(queue, 7, 5, "");
    add(queue, 8, 6, "");
    add(queue, 10, 5, "");
    assert_int_equal(sl_predecessors_find(queue, sl_queue_group, &job, &all), 0);
    assert_int_equal(all.count, 4);
    assert_true(has(&all, 3) && has(&all, 4) && has(&all, 7));
    assert_true(has(&all, sl_predecessors_rest(9, 1)));
    assert_int_equal(all.circle, 0);
    sl_free(all.numbers);
    job = job_of(9, 0, "12");
    assert_int_equal(sl_predecessors_find(queue, sl_queue_group, &job, &all), 0);
    assert_int_equal(all.circle, 12);
    sl_free(all.numbers);
    job = job_of(9, 0, "");
    assert_int_equal(sl_predecessors_find(queue, sl_queue_group, &job, &all), 0);
    assert_null(all.numbers);
    sl_queue_free(queue);
}

TEST(a_job_begins_when_the_group_has_ended_and_the_store_knows_of_no_other)
{
    struct sl_job_record last = {.id = 0};
    struct sl_queue *queue = NULL;
    assert_int_equal(sl_queue_new(on_changed, &last, &queue), 0);
    add(queue, 4, 5, "");
    add(queue, 6, 5, "");
    add(queue, 9, 5, "g5"); /* of its own group too: it waits for those before it */
    assert_true(sl_queue_waits(queue, 9, 4) && sl_queue_waits(queue, 9, 6));
    assert_true(sl_queue_waits(queue, 9, sl_predecessors_rest(9, 0)));
    last.id = 0;
    sl_queue_ended(queue, sl_predecessors_rest(9, 0), true);
    sl_queue_ended(queue, 4, true);
    sl_queue_tick(queue, 10);
    assert_true(last.id == 0 && sl_queue_waits(queue, 9, 6));
    sl_queue_ended(queue, 6, true);
    sl_queue_tick(queue, 10);
    assert_int_equal(last.id, 9);
    assert_int_equal(last.state, SL_JOB_QUEUED);
    add(queue, 11, 0, "g7");
    sl_queue_ended(queue, sl_predecessors_rest(11, 0), false);
    sl_queue_tick(queue, 10);
    assert_int_equal(last.id, 11);
    assert_int_equal(last.state, SL_JOB_CANCELLED);
    assert_int_equal(last.cause, SL_CAUSE_DEPENDENCY);
    assert_non_null(strstr(last.detail, "a group that it comes after"));
    sl_queue_free(queue);
}

TEST(finding_survives_each_failed_allocation)
{
    struct sl_job_record last, job = job_of(9, 0, "3,g5,g6");
    struct sl_queue *queue = NULL;
    int rc = -ENOMEM;
    assert_int_equal(sl_queue_new(on_changed, &last, &queue), 0);
    add(queue, 4, 5, "");
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_predecessors all;
        sl_mem_fail_nth(nth);
        rc = sl_predecessors_find(queue, sl_queue_group, &job, &all);
        assert_int_equal(all.numbers == NULL, rc != 0);
        sl_free(all.numbers);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
    sl_queue_free(queue);
}
