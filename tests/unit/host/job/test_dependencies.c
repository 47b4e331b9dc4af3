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

static uint64_t stored_in(uv_loop_t *loop, struct sl_store *store, int state, uint64_t group)
{
    uint64_t job = 0;
    const struct sl_job_record record = {.state = state, .submitted_ms = 1, .group_id = group};
    assert_int_equal(sl_store_add_job(store, &record, "{}", NULL, 0, on_added, &job), 0);
    while (job == 0)
        uv_run(loop, UV_RUN_ONCE);
    return job;
}

static uint64_t stored(uv_loop_t *loop, struct sl_store *store, int state)
{
    return stored_in(loop, store, state, 0);
}

static uint64_t stored_group(uv_loop_t *loop, struct sl_store *store)
{
    uint64_t group = 0;
    const struct sl_group_record record = {.name = "g", .created_ms = 1};
    assert_int_equal(sl_store_add_group(store, &record, on_added, &group), 0);
    while (group == 0)
        uv_run(loop, UV_RUN_ONCE);
    return group;
}

/* Returns the cause that a job which comes after `after` ends with, SL_CAUSE_NONE once it waits for
 * a device only, -1 while it waits. With `fails` that allocation fails first. */
static int cause_after_text(uv_loop_t *loop, struct sl_job_saver *saver, const char *after,
                            unsigned fails)
{
    struct sl_queue *queue = NULL;
    struct sl_dependencies dependencies;
    struct sl_job_record job = {.id = 1000, .submitted_ms = 1};
    assert_int_equal(sl_queue_new(on_changed, NULL, &queue), 0);
    sl_dependencies_init(&dependencies, loop, queue, saver, on_answer, NULL);
    snprintf(job.after_jobs, sizeof(job.after_jobs), "%s", after);
    assert_int_equal(sl_queue_add(queue, &job), 0);
    answers = 0;
    sl_mem_fail_nth(fails);
    sl_dependencies_ask(&dependencies, &job);
    sl_mem_fail_nth(0);
    assert_int_equal(dependencies.pending, fails == 0);
    while (answers == 0 || dependencies.pending > 0)
        uv_run(loop, UV_RUN_ONCE);
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

static int cause_after(uv_loop_t *loop, struct sl_job_saver *saver, uint64_t first, unsigned fails)
{
    char text[32];
    snprintf(text, sizeof(text), "%u", (unsigned)first);
    return cause_after_text(loop, saver, text, fails);
}

static int cause_after_group(uv_loop_t *loop, struct sl_job_saver *saver, uint64_t group)
{
    char text[32];
    snprintf(text, sizeof(text), "g%u", (unsigned)group);
    return cause_after_text(loop, saver, text, 0);
}

static struct sl_store *begin(uv_loop_t *loop, struct sl_job_saver *saver)
{
    struct sl_store *store = NULL;
    struct sl_diag diag = {0};
    assert_int_equal(uv_loop_init(loop), 0);
    assert_int_equal(sl_store_open(loop, store_path, NULL, &store, &diag), 0);
    sl_job_saver_init(saver, loop, store, &(struct sl_job_saver_events){NULL, on_saved}, NULL);
    return store;
}

static void end(uv_loop_t *loop, struct sl_job_saver *saver, struct sl_store *store)
{
    bool closed = false;
    sl_job_saver_close(saver);
    sl_store_close(store, on_store_closed, &closed);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(loop), 0);
}

STORE_TEST(of_a_group_the_store_knows_how_all_its_jobs_ended)
{
    uv_loop_t loop;
    struct sl_job_saver saver;
    struct sl_store *store = begin(&loop, &saver);
    uint64_t well = stored_group(&loop, store), badly = stored_group(&loop, store),
             empty = stored_group(&loop, store), open = stored_group(&loop, store);
    for (int i = 0; i < 3; i++)
        stored_in(&loop, store, SL_JOB_DONE, well);
    stored_in(&loop, store, SL_JOB_DONE, badly);
    stored_in(&loop, store, SL_JOB_CANCELLED, badly);
    uint64_t runs = stored_in(&loop, store, SL_JOB_RUNNING, open);
    assert_int_equal(cause_after_group(&loop, &saver, well), SL_CAUSE_NONE);
    assert_int_equal(cause_after_group(&loop, &saver, badly), SL_CAUSE_DEPENDENCY);
    assert_int_equal(cause_after_group(&loop, &saver, empty), SL_CAUSE_DEPENDENCY);
    assert_int_equal(cause_after_group(&loop, &saver, 99), SL_CAUSE_DEPENDENCY);
    assert_int_equal(cause_after_group(&loop, &saver, open), -1);
    struct sl_store_ending since = {.job = {.id = runs, .state = SL_JOB_DONE}};
    assert_int_equal(sl_unsaved_put(&saver.unsaved, &since, 1), 0);
    assert_int_equal(cause_after_group(&loop, &saver, open), SL_CAUSE_NONE);
    since.job.state = SL_JOB_FAILED;
    assert_int_equal(sl_unsaved_put(&saver.unsaved, &since, 2), 0);
    assert_int_equal(cause_after_group(&loop, &saver, open), SL_CAUSE_DEPENDENCY);
    sl_unsaved_saved(&saver.unsaved, runs, 2);
    end(&loop, &saver, store);
}

STORE_TEST(a_job_that_had_ended_before_is_known_by_the_store_or_by_what_it_lacks)
{
    uv_loop_t loop;
    struct sl_job_saver saver;
    struct sl_store *store = begin(&loop, &saver);
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
    end(&loop, &saver, store);
}
