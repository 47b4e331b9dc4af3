/* tests/unit/host/store/test_adder.c */
#include "host/store/adder.h"

#include <errno.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

struct bench {
    uv_loop_t loop;
    uv_timer_t tick; /* what a timer brought about is seen, though nothing else comes */
    struct sl_database *db;
    struct sl_store_host host;
    struct sl_adder *adder;
    int added, failed, connected, took, more; /* to be added by on_added() */
    bool closed, lose;                        /* the connections, in on_added() */
    uint64_t last;
};

static struct sl_request *new_add(const char *key)
{
    struct sl_request *add = sl_calloc(1, sizeof(*add));
    assert_non_null(add);
    add->kind = SL_REQUEST_ADD_JOB;
    add->config = sl_strndup("{}", 2);
    add->key = key ? sl_strndup(key, strlen(key)) : NULL;
    return add;
}

/* All but that of bench->db. */
static void end_connections(struct bench *bench)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
             "AND application_name = '%s'",
             strrchr(store_folder, '-') + 1);
    assert_int_equal(sl_database_exec(bench->db, sql), 0);
}

static void on_added(void *user, struct sl_request *request)
{
    struct bench *bench = user;
    assert_int_equal(request->rc, 0);
    assert_true(request->id > 0);
    bench->last = request->id;
    bench->added++;
    sl_request_free(request);
    if (bench->lose)
        end_connections(bench);
    if (bench->more-- > 0)
        sl_adder_add(bench->adder, new_add(NULL));
}

static void on_failed(void *user, struct sl_request *request)
{
    struct bench *bench = user;
    assert_int_equal(request->rc, 0);
    assert_true(!request->again || request->key);
    bench->failed++;
    sl_request_free(request);
}

static void on_connected(void *user)
{
    ((struct bench *)user)->connected++;
}

static void on_took(void *user, uint64_t took_ns)
{
    assert_true(took_ns > 0);
    ((struct bench *)user)->took++;
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed = true;
}

static void on_tick(uv_timer_t *tick)
{
    (void)tick;
}

static void open_bench(struct bench *bench, const char *where)
{
    struct sl_diag diag = {0};
    *bench = (struct bench){.host = {.name = "h"}};
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(uv_timer_init(&bench->loop, &bench->tick), 0);
    assert_int_equal(uv_timer_start(&bench->tick, on_tick, 5, 5), 0);
    assert_int_equal(sl_schema_open(store_path, store_root, &bench->db, &diag), 0);
    const struct sl_adder_options options = {.where = where,
                                             .store = bench->db,
                                             .host = &bench->host,
                                             .added = on_added,
                                             .failed = on_failed,
                                             .connected = on_connected,
                                             .took = on_took,
                                             .user = bench};
    assert_int_equal(sl_adder_new(&bench->loop, &options, &bench->adder), 0);
    assert_false(sl_adder_is_there(bench->adder));
}

static void close_bench(struct bench *bench)
{
    sl_adder_close(bench->adder, on_closed, bench);
    uv_close((uv_handle_t *)&bench->tick, NULL);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_true(bench->closed);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    sl_database_close(bench->db);
}

static void run_until(struct bench *bench, const int *count, int wanted)
{
    while (*count < wanted)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

STORE_ANY_TEST(jobs_are_added_and_those_under_way_at_the_end_too)
{
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench, store_path);
    run_until(&bench, &bench.connected, SL_ADDER_LINES);
    bench.more = 1; /* within the call that gives one back */
    sl_adder_add(bench.adder, new_add(NULL));
    sl_adder_add(bench.adder, new_add("key"));
    run_until(&bench, &bench.added, 3);
    assert_true(bench.took >= 1);
    sl_adder_add(bench.adder, new_add(NULL));
    assert_int_equal(bench.added, 3); /* nothing within the call */
    uv_run(&bench.loop, UV_RUN_NOWAIT);
    close_bench(&bench); /* not before what was sent is added */
    assert_int_equal(bench.added, 4);
    assert_int_equal(bench.failed, 0);
    assert_store_rows("SELECT count(*), sum(CASE WHEN idempotency_key = 'key' THEN 1 ELSE 0 END), "
                      "min(written_ms) > 1000000 FROM jobs WHERE changed_by = 'h'",
                      "[[4,1,1]]");
}

STORE_ANY_TEST(more_jobs_than_go_together_are_all_added_once)
{
    enum { MANY = 150 };
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench, store_path);
    run_until(&bench, &bench.connected, SL_ADDER_LINES);
    for (int i = 0; i < MANY; i++)
        sl_adder_add(bench.adder, new_add(NULL));
    run_until(&bench, &bench.added, MANY);
    close_bench(&bench);
    assert_true(bench.took < MANY / 2);
    assert_store_rows("SELECT count(*), count(DISTINCT idempotency_key) FROM jobs", "[[150,150]]");
}

STORE_ANY_TEST(a_key_that_came_before_comes_back_with_all_that_went_with_it)
{
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench, store_path);
    run_until(&bench, &bench.connected, SL_ADDER_LINES);
    sl_adder_add(bench.adder, new_add("key"));
    run_until(&bench, &bench.added, 1);
    sl_adder_add(bench.adder, new_add("key"));
    run_until(&bench, &bench.failed, 1);
    sl_adder_add(bench.adder, new_add("other")); /* the connection is as good as before */
    run_until(&bench, &bench.added, 2);
    close_bench(&bench);
    assert_int_equal(bench.connected, SL_ADDER_LINES);
    assert_store_rows("SELECT count(*) FROM jobs", "[[2]]");
}

STORE_ANY_TEST(a_lost_connection_gives_its_jobs_back_and_is_made_anew)
{
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench, store_path);
    run_until(&bench, &bench.connected, SL_ADDER_LINES);
    end_connections(&bench);
    for (int i = 0; i < 3 && sl_adder_is_there(bench.adder); i++)
        sl_adder_add(bench.adder, new_add(NULL));
    run_until(&bench, &bench.connected, 2 * SL_ADDER_LINES);
    int failed = bench.failed;
    bench.lose = true;
    sl_adder_add(bench.adder, new_add(NULL));
    run_until(&bench, &bench.connected, 3 * SL_ADDER_LINES);
    bench.lose = false;
    sl_adder_add(bench.adder, new_add(NULL));
    run_until(&bench, &bench.added, 2);
    close_bench(&bench);
    assert_int_equal(bench.failed, failed);
    assert_store_rows("SELECT count(*) FROM jobs", "[[2]]");
}

/* None of these is answered, nor sent, before the loop turns. */
STORE_ANY_TEST(nothing_is_given_back_within_the_call)
{
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench, store_path);
    run_until(&bench, &bench.connected, SL_ADDER_LINES);
    for (int i = 0; i < 20; i++) {
        int added = bench.added;
        sl_adder_add(bench.adder, new_add(NULL));
        uv_sleep(2);
        assert_int_equal(bench.added, added);
        if (i == 10)
            end_connections(&bench);
        added = bench.added + bench.failed;
        sl_adder_add(bench.adder, new_add(NULL));
        assert_int_equal(bench.added + bench.failed, added);
        while (!sl_adder_is_there(bench.adder) || bench.added + bench.failed < 2 * (i + 1))
            uv_run(&bench.loop, UV_RUN_ONCE);
    }
    close_bench(&bench);
    assert_int_equal(bench.added + bench.failed, 40);
}

STORE_ANY_TEST(an_adder_without_a_server_is_not_there_and_ends)
{
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench, "postgresql:///d?host=/nowhere");
    for (int i = 0; i < 10; i++) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
        assert_false(sl_adder_is_there(bench.adder));
        uv_sleep(10);
    }
    close_bench(&bench);
    assert_int_equal(bench.connected, 0);
}
