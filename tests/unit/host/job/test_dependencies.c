/* tests/unit/host/job/test_dependencies.c */
#include "host/job/dependencies.h"

#include <stdbool.h>
#include <stdio.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/job/queue.h"
#include "host/job/saver.h"
#include "host/job/unsaved.h"
#include "host/records.h"
#include "host/store/store.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

static struct sl_job_record ended; /* as the queue told it last */
static int answers;

static void on_changed(void *user, const struct sl_job_record *job)
{
    (void)user;
    ended = *job;
}

static void on_answer(void *user)
{
    (void)user;
    answers++;
}

static void on_saved(void *user)
{
    (void)user;
}

static void on_added(void *user, int rc, uint64_t job)
{
    assert_int_equal(rc, 0);
    *(uint64_t *)user = job;
}

static void on_store_closed(void *user)
{
    *(bool *)user = true;
}

static uint64_t stored(uv_loop_t *loop, struct sl_store *store, int state)
{
    uint64_t job = 0;
    const struct sl_job_record record = {.state = state, .submitted_ms = 1};
    assert_int_equal(sl_store_add_job(store, &record, "{}", NULL, 0, on_added, &job), 0);
    while (job == 0)
        uv_run(loop, UV_RUN_ONCE);
    return job;
}

/* Returns the cause that a job which comes after `first` ends with, SL_CAUSE_NONE once it waits for
 * a device only, -1 while it waits. With `fails` that allocation fails first. */
static int cause_after(uv_loop_t *loop, struct sl_job_saver *saver, uint64_t first, unsigned fails)
{
    struct sl_queue *queue = NULL;
    struct sl_dependencies dependencies;
    struct sl_job_record job = {.id = 1000, .submitted_ms = 1};
    assert_int_equal(sl_queue_new(on_changed, NULL, &queue), 0);
    sl_dependencies_init(&dependencies, loop, queue, saver, on_answer, NULL);
    snprintf(job.after_jobs, sizeof(job.after_jobs), "%u", (unsigned)first);
    assert_int_equal(sl_queue_add(queue, &job), 0);
    answers = 0;
    sl_mem_fail_nth(fails);
    sl_dependencies_ask(&dependencies, &job);
    sl_mem_fail_nth(0);
    assert_int_equal(dependencies.pending, fails == 0);
    while (answers == 0)
        uv_run(loop, UV_RUN_ONCE);
    assert_int_equal(dependencies.pending, 0);
    sl_queue_tick(queue, 10);
    int cause = sl_queue_oldest_ms(queue) != 0 ? SL_CAUSE_NONE /* it waits for a device only */
                : sl_queue_find(queue, job.id) ? -1
                                               : ended.cause;
    sl_queue_free(queue);
    sl_dependencies_close(&dependencies);
    while (sl_dependencies_busy(&dependencies))
        uv_run(loop, UV_RUN_ONCE);
    return cause;
}

STORE_TEST(a_job_that_had_ended_before_is_known_by_the_store_or_by_what_it_lacks)
{
    uv_loop_t loop;
    struct sl_store *store = NULL;
    struct sl_job_saver saver;
    struct sl_diag diag = {0};
    bool closed = false;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_store_open(&loop, store_path, NULL, &store, &diag), 0);
    sl_job_saver_init(&saver, &loop, store, &(struct sl_job_saver_events){NULL, on_saved}, NULL);
    uint64_t done = stored(&loop, store, SL_JOB_DONE), failed = stored(&loop, store, SL_JOB_FAILED),
             open = stored(&loop, store, SL_JOB_RUNNING);
    assert_int_equal(cause_after(&loop, &saver, done, 0), SL_CAUSE_NONE);
    assert_int_equal(cause_after(&loop, &saver, failed, 0), SL_CAUSE_DEPENDENCY);
    assert_int_equal(cause_after(&loop, &saver, 999, 0), SL_CAUSE_DEPENDENCY);
    assert_int_equal(cause_after(&loop, &saver, open, 0), -1);
    assert_int_equal(cause_after(&loop, &saver, done, 2), SL_CAUSE_NONE); /* it is asked again */
    const struct sl_store_ending ended_since = {.job = {.id = open, .state = SL_JOB_DONE}};
    assert_int_equal(sl_unsaved_put(&saver.unsaved, &ended_since, 1), 0);
    assert_int_equal(cause_after(&loop, &saver, open, 0), SL_CAUSE_NONE);
    sl_unsaved_saved(&saver.unsaved, open, 1);
    sl_job_saver_close(&saver);
    sl_store_close(store, on_store_closed, &closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(&loop), 0);
}
