/* tests/unit/host/job/test_finisher.c */
#include "host/job/finisher.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <uv.h>

#include "common/base/mem.h"
#include "tests/support/test.h"

enum { TASKS = 4 * SL_FINISHER_THREADS };

struct bench {
    uv_loop_t loop;
    struct sl_finisher *finisher;
    uv_thread_t loops;
    uv_sem_t gate; /* tasks that are held wait for it */
    struct task {
        struct sl_finisher_task it;
        struct bench *bench;
        atomic_bool worked;
        bool held, done;
    } tasks[TASKS];
    int done, closed;
};

static void on_closed(void *user)
{
    ((struct bench *)user)->closed++;
}

static void open_bench(struct bench *bench)
{
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(uv_sem_init(&bench->gate, 0), 0);
    assert_int_equal(sl_finisher_new(&bench->loop, &bench->finisher), 0);
    bench->loops = uv_thread_self();
}

static void close_bench(struct bench *bench)
{
    sl_finisher_close(bench->finisher, on_closed, bench);
    assert_int_equal(bench->closed, 0); /* not within the call */
    assert_int_equal(uv_run(&bench->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(bench->closed, 1);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    uv_sem_destroy(&bench->gate);
}

static void work(void *user)
{
    struct task *task = user;
    uv_thread_t own = uv_thread_self();
    if (task->held)
        uv_sem_wait(&task->bench->gate);
    task->worked = !uv_thread_equal(&own, &task->bench->loops);
}

static void on_done(void *user)
{
    struct task *task = user;
    uv_thread_t own = uv_thread_self();
    task->done = task->worked && uv_thread_equal(&own, &task->bench->loops);
    task->bench->done++;
}

static void add(struct bench *bench, int i, bool held)
{
    struct task *task = &bench->tasks[i];
    task->it = (struct sl_finisher_task){.work = work, .done = on_done, .user = task};
    task->bench = bench;
    task->held = held;
    sl_finisher_add(bench->finisher, &task->it);
}

static void run_until_done(struct bench *bench, int count)
{
    while (bench->done < count)
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(bench->done, count);
}

TEST(each_task_is_worked_on_beside_the_loop_and_told_on_it)
{
    struct bench bench;
    open_bench(&bench);
    for (int i = 0; i < TASKS; i++)
        add(&bench, i, false);
    run_until_done(&bench, TASKS);
    for (int i = 0; i < TASKS; i++)
        assert_true(bench.tasks[i].done);
    close_bench(&bench);
}

static void do_nothing(uv_work_t *request)
{
    (void)request;
}

static void after_nothing(uv_work_t *request, int status)
{
    (void)status;
    *(bool *)request->data = true;
}

TEST(the_pool_of_the_loop_goes_on_while_all_threads_are_at_work)
{
    struct bench bench;
    bool pool_went_on = false;
    uv_work_t request = {.data = &pool_went_on};
    open_bench(&bench);
    for (int i = 0; i < TASKS; i++)
        add(&bench, i, true);
    assert_int_equal(uv_queue_work(&bench.loop, &request, do_nothing, after_nothing), 0);
    while (!pool_went_on)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(bench.done, 0);
    for (int i = 0; i < TASKS; i++)
        uv_sem_post(&bench.gate);
    run_until_done(&bench, TASKS);
    close_bench(&bench);
}

TEST(new_survives_a_failed_allocation)
{
    struct sl_finisher *finisher = NULL;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_finisher_new(&loop, &finisher), -ENOMEM);
    assert_null(finisher);
    assert_int_equal(uv_loop_close(&loop), 0);
}
