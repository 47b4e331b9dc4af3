/* tests/unit/host/store/test_batch.c */
#include "host/store/batch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/audit_table.h"
#include "host/store/job_table.h"
#include "host/store/request.h"
#include "host/store/schema.h"
#include "host/store/statement.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

enum { COUNT = 6 };

struct bench {
    struct sl_database *db;
    struct sl_batch_place place;
    struct sl_request *requests[COUNT]; /* in a row */
    struct sl_store_host host;
    char why[64];
    unsigned pauses;
};

static bool give_up(void *user, unsigned ms)
{
    (void)ms;
    ((struct bench *)user)->pauses++;
    return false;
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(sl_schema_open(store_path, store_root, &bench->db, &diag), 0);
    bench->place = (struct sl_batch_place){.db = bench->db,
                                           .host = &bench->host,
                                           .pause = give_up,
                                           .user = bench,
                                           .why = bench->why,
                                           .why_bytes = sizeof(bench->why)};
    for (int i = COUNT; i-- > 0;) {
        bench->requests[i] = sl_calloc(1, sizeof(*bench->requests[i]));
        assert_non_null(bench->requests[i]);
        bench->requests[i]->next = i + 1 < COUNT ? bench->requests[i + 1] : NULL;
        bench->requests[i]->kind = SL_REQUEST_NOTE_AUDIT;
    }
}

static void make_job(struct sl_request *request, const char *key, const char *config)
{
    request->kind = SL_REQUEST_ADD_JOB;
    request->config = sl_strndup(config, strlen(config));
    request->key = key ? sl_strndup(key, strlen(key)) : NULL;
}

static void close_bench(struct bench *bench)
{
    for (int i = 0; i < COUNT; i++)
        sl_request_free(bench->requests[i]);
    sl_database_close(bench->db);
}

static int count_notes(struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT count(*) FROM audit");
    assert_int_equal(sl_statement_step(&statement), 1);
    int count = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return count;
}

STORE_ANY_TEST(requests_of_one_key_make_one_job_also_in_one_batch)
{
    struct bench bench;
    for (int round = 0; round < 2; round++) { /* the second time the server knows the statements */
        open_bench(&bench);
        make_job(bench.requests[0], "key", "{}");
        make_job(bench.requests[1], NULL, "{}");
        make_job(bench.requests[2], "key", "{}");
        make_job(bench.requests[3], "key", "{\"other\":1}");
        assert_int_equal(sl_batch_execute(&bench.place, bench.requests[0]), 0);
        assert_int_equal(bench.requests[0]->rc, round);
        assert_int_equal(bench.requests[1]->rc, 0);
        assert_int_equal(bench.requests[2]->rc, 1);
        assert_int_equal(bench.requests[2]->id, bench.requests[0]->id);
        assert_int_equal(bench.requests[3]->rc, SL_E_MISMATCH);
        assert_int_equal(count_notes(bench.db), 2 * (round + 1));
        close_bench(&bench);
    }
    assert_store_rows("SELECT count(*) FROM jobs", "[[3]]");
}

STORE_ANY_TEST(what_fails_fails_alone)
{
    struct bench bench;
    open_bench(&bench);
    for (int i = 0; i < 2; i++) { /* of one hash */
        bench.requests[i]->kind = SL_REQUEST_ADD_TOKEN;
        memset(bench.requests[i]->token.sha256, 'a', 64);
    }
    make_job(bench.requests[2], NULL, "{}");
    assert_int_equal(sl_batch_execute(&bench.place, bench.requests[0]), 0);
    assert_int_equal(bench.requests[0]->rc, 0);
    assert_int_equal(bench.requests[1]->rc, -EEXIST);
    assert_int_equal(bench.requests[2]->rc, 0);
    assert_int_equal(count_notes(bench.db), 3);
    close_bench(&bench);
    assert_store_rows("SELECT count(*) FROM jobs", "[[1]]");
}

STORE_ANY_TEST(a_lost_server_is_looked_for_and_what_was_not_there_is_carried_out_again)
{
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench);
    make_job(bench.requests[0], NULL, "{}");
    assert_int_equal(sl_database_exec(bench.db, "SELECT pg_terminate_backend(pg_backend_pid())"),
                     -ENOTCONN);
    assert_int_equal(sl_batch_execute(&bench.place, bench.requests[0]), 0);
    assert_true(bench.place.reconnected);
    assert_int_equal(bench.requests[0]->rc, 0);
    close_bench(&bench);
    assert_store_rows("SELECT count(*) FROM jobs", "[[1]]");
}

/* The answer to the commit was lost: the same requests come once more. */
STORE_ANY_TEST(a_job_that_was_added_without_an_answer_is_not_added_twice)
{
    struct bench bench;
    uint64_t ids[2];
    if (!store_root)
        skip();
    open_bench(&bench);
    make_job(bench.requests[0], "\x01own", "{}");
    bench.requests[0]->own_key = bench.requests[0]->again = true;
    make_job(bench.requests[1], "key", "{}");
    bench.requests[1]->next = NULL;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(sl_batch_execute(&bench.place, bench.requests[0]), 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(bench.requests[i]->rc, i * round); /* a client's key came before */
            assert_true(round == 0 || bench.requests[i]->id == ids[i]);
            ids[i] = bench.requests[i]->id;
            sl_request_reset(bench.requests[i]);
        }
    }
    assert_true(ids[0] != 0 && ids[1] > ids[0]);
    bench.requests[1]->next = bench.requests[2];
    close_bench(&bench);
    assert_store_rows("SELECT count(*) FROM jobs", "[[2]]");
}

/* Commits as soon as another connection waits for it. */
static void commit_when_awaited(void *user)
{
    struct sl_database *db = user;
    for (bool awaited = false; !awaited; uv_sleep(5)) {
        struct sl_statement statement;
        sl_statement_init(&statement, db,
                          "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = "
                          "ANY(pg_blocking_pids(pid))");
        awaited = sl_statement_step(&statement) != 0;
        sl_statement_fini(&statement);
    }
    sl_database_exec(db, "COMMIT");
}

/* The import has each request of its batch carried out in a part of its own. */
STORE_ANY_TEST(a_job_whose_key_is_committed_while_it_is_added_is_found)
{
    struct sl_diag diag = {0};
    struct sl_database *other = NULL;
    struct bench bench;
    uv_thread_t thread;
    if (!store_root)
        skip();
    open_bench(&bench);
    char key[] = "key", config[] = "{}";
    struct sl_request first = {.host = &bench.host, .key = key, .config = config};
    struct sl_request *import = bench.requests[0], *add = bench.requests[1];
    make_job(import, "0-0", "imports/none");
    import->kind = SL_REQUEST_IMPORT_RUN;
    make_job(add, key, config);
    assert_int_equal(sl_schema_open(store_path, store_root, &other, &diag), 0);
    assert_int_equal(other->kind->begin(other), 0);
    sl_job_table_add(&first, other);
    assert_int_equal(first.rc, 0);
    assert_int_equal(uv_thread_create(&thread, commit_when_awaited, other), 0);
    assert_int_equal(sl_batch_execute(&bench.place, import), 0);
    uv_thread_join(&thread);
    assert_true(import->rc < 0);
    assert_int_equal(add->rc, 1);
    assert_int_equal(add->id, first.id);
    sl_database_close(other);
    close_bench(&bench);
    assert_store_rows("SELECT count(*) FROM jobs", "[[1]]");
}

STORE_ANY_TEST(more_jobs_than_go_together_are_all_added_once)
{
    enum { MANY = SL_STATEMENTS_TOGETHER + 9 };
    struct sl_request *requests[MANY], *first = NULL;
    struct bench bench;
    if (!store_root)
        skip();
    open_bench(&bench);
    for (int i = MANY; i-- > 0; first = requests[i]) {
        requests[i] = sl_calloc(1, sizeof(*requests[i]));
        assert_non_null(requests[i]);
        make_job(requests[i], NULL, "{}");
        requests[i]->next = first;
    }
    assert_int_equal(sl_batch_execute(&bench.place, first), 0);
    requests[SL_STATEMENTS_TOGETHER - 1]->next = NULL; /* and as many as just do */
    for (int i = 0; i < SL_STATEMENTS_TOGETHER; i++)
        sl_request_reset(requests[i]);
    assert_int_equal(sl_batch_execute(&bench.place, first), 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(requests[i]->rc, 0);
        sl_request_free(requests[i]);
    }
    close_bench(&bench);
    char rows[32];
    snprintf(rows, sizeof(rows), "[[%d,%d]]", MANY + SL_STATEMENTS_TOGETHER,
             MANY + SL_STATEMENTS_TOGETHER);
    assert_store_rows("SELECT count(*), count(DISTINCT id) FROM jobs", rows);
}

/* Sets the server's clock on by a minute and not this machine's, which a pause of a virtual machine
 * does. */
static void let_server_go_on(struct sl_database *db)
{
    static const char *const steps[] = {
        "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
        "'SELECT pg_catalog.clock_timestamp() + interval ''60 s'''",
        "SELECT set_config('search_path', format('%I, pg_catalog', current_schema()), false)",
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        assert_int_equal(sl_database_exec(db, steps[i]), 0);
}

STORE_ANY_TEST(leases_go_by_the_server_s_time_now_and_not_by_what_it_told_before)
{
    static const int kinds[] = {SL_REQUEST_CLAIM_JOB, SL_REQUEST_UPDATE_JOB, SL_REQUEST_BEAT};
    if (!store_root)
        skip();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct bench bench;
        open_bench(&bench);
        struct sl_request *adds = bench.requests[0], *asks = bench.requests[1];
        bench.host = (struct sl_store_host){.name = "h", .lease_ms = 30000};
        make_job(adds, NULL, "{}");
        adds->next = NULL;
        assert_int_equal(sl_batch_execute(&bench.place, adds), 0);
        let_server_go_on(bench.db);
        asks->kind = kinds[i];
        asks->next = NULL;
        asks->job =
            (struct sl_job_record){.id = adds->id, .device = "a", .host = "h", .attempts = 1};
        uint64_t now_ms = sl_clock_utc_ms();
        assert_int_equal(sl_batch_execute(&bench.place, asks), 0);
        assert_int_equal(asks->rc, 0);
        assert_true(asks->now_ms + 1000 >= now_ms + 60000);
        if (kinds[i] == SL_REQUEST_CLAIM_JOB)
            assert_true(asks->job.lease_until_ms + 1000 >= now_ms + 90000);
        assert_int_equal(sl_database_exec(bench.db, "DROP FUNCTION clock_timestamp()"), 0);
        close_bench(&bench);
    }
}
