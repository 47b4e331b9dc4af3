/* tests/unit/host/store/test_reading.c */
#include "host/store/reading.h"

#include <stdio.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/schema.h"
#include "tests/support/store_folder.h"

struct bench {
    struct sl_database *store;
    struct sl_reading *reading;
    uv_sem_t given_back;
    int answered, failed;
};

static void on_answered(void *user, struct sl_request *request)
{
    struct bench *bench = user;
    assert_int_equal(request->rc, 0);
    assert_int_equal(request->count, 1);
    sl_request_free(request);
    bench->answered++;
    uv_sem_post(&bench->given_back);
}

static void on_failed(void *user, struct sl_request *request)
{
    struct bench *bench = user;
    assert_int_equal(request->rc, 0); /* as before it was asked */
    assert_null(request->rows);
    sl_request_free(request);
    bench->failed++;
    uv_sem_post(&bench->given_back);
}

static void on_jobs(void *user, int rc, const struct sl_job_record *rows, size_t count,
                    uint64_t next_cursor)
{
    (void)user;
    (void)rc;
    (void)rows;
    (void)count;
    (void)next_cursor;
}

static void open_bench(struct bench *bench, const char *where)
{
    struct sl_diag diag = {0};
    *bench = (struct bench){.store = NULL};
    assert_int_equal(sl_schema_open(store_path, NULL, &bench->store, &diag), 0);
    assert_int_equal(sl_database_exec(bench->store, STORE_INSERT_JOB
                                      "VALUES (1,2,0,0,1,1,1,1,0,0,0,'','','','{}',NULL,'')"),
                     0);
    assert_int_equal(uv_sem_init(&bench->given_back, 0), 0);
    const struct sl_reading_options options = {.where = where,
                                               .store = bench->store,
                                               .answered = on_answered,
                                               .failed = on_failed,
                                               .user = bench};
    assert_int_equal(sl_reading_new(&options, &bench->reading), 0);
}

static void ask(struct bench *bench)
{
    struct sl_request *request = sl_calloc(1, sizeof(*request));
    assert_non_null(request);
    request->kind = SL_REQUEST_LIST_JOBS;
    request->jobs_filter = (struct sl_jobs_filter){.state = -1};
    request->jobs_done = on_jobs;
    sl_reading_ask(bench->reading, request);
}

static void close_bench(struct bench *bench)
{
    sl_reading_close(bench->reading);
    sl_database_close(bench->store);
    uv_sem_destroy(&bench->given_back);
}

STORE_TEST(each_question_is_answered_while_another_connection_writes)
{
    struct bench bench;
    open_bench(&bench, store_path);
    assert_int_equal(bench.store->kind->begin(bench.store), 0);
    for (int i = 0; i < 3; i++)
        ask(&bench);
    for (int i = 0; i < 3; i++)
        uv_sem_wait(&bench.given_back);
    assert_int_equal(sl_database_exec(bench.store, "COMMIT"), 0);
    close_bench(&bench);
    assert_int_equal(bench.answered, 3);
}

STORE_TEST(a_database_that_cannot_be_read_is_tried_again_once_a_second)
{
    struct bench bench;
    char where[512];
    snprintf(where, sizeof(where), "%s/other.sqlite", store_folder);
    open_bench(&bench, where);
    ask(&bench);
    uv_sem_wait(&bench.given_back);
    assert_int_equal(bench.failed, 1);
    assert_int_equal(symlink(store_path, where), 0);
    uint64_t began_ns = sl_clock_ns();
    while (bench.answered == 0) {
        uv_sleep(50);
        ask(&bench);
        uv_sem_wait(&bench.given_back);
    }
    assert_in_range(bench.failed, 2, 21); /* given back at once, and not tried */
    assert_true(sl_clock_ns() - began_ns < UINT64_C(10000000000));
    close_bench(&bench);
}

STORE_TEST(what_a_closed_one_has_not_begun_is_given_back)
{
    struct bench bench;
    open_bench(&bench, store_path);
    for (int i = 0; i < 50; i++)
        ask(&bench);
    sl_reading_stop(bench.reading);
    close_bench(&bench);
    assert_int_equal(bench.answered + bench.failed, 50);
}

TEST(none_is_stopped_and_closed_as_one_is)
{
    sl_reading_stop(NULL);
    sl_reading_close(NULL);
}
