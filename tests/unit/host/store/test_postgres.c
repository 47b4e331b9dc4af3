/* tests/unit/host/store/test_postgres.c: what only a store on a server does. */
#include "host/store/postgres.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/records.h"
#include "host/store/adder.h"
#include "host/store/claim_table.h"
#include "host/store/database.h"
#include "host/store/pq.h"
#include "host/store/request.h"
#include "host/store/schema.h"
#include "host/store/statement.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

#define SERVER_TEST(name)                                                                          \
    static void name##_on_a_server(void **state);                                                  \
    STORE_ANY_TEST(name)                                                                           \
    {                                                                                              \
        if (!store_root)                                                                           \
            skip();                                                                                \
        name##_on_a_server(state);                                                                 \
    }                                                                                              \
    static void name##_on_a_server(__attribute__((unused)) void **state)

#define ADD_LABEL(id) "INSERT INTO job_groups (name, owner, created_ms) VALUES ('" id "', '', 0)"

TEST(urls_are_told_from_paths_and_named_without_their_password)
{
    char name[SL_PQ_NAME_BYTES];
    assert_true(sl_pq_is_url("postgresql://h/d"));
    assert_true(sl_pq_is_url("postgres://h/d"));
    assert_false(sl_pq_is_url("/state/store.sqlite"));
    sl_pq_name("postgresql://u:secret@host:5433/lab", name);
    assert_string_equal(name, "postgresql://host:5433/lab");
    sl_pq_name("postgresql://u:sec%ret@host/lab", name);
    assert_null(strstr(name, "ret"));
}

TEST(a_server_that_is_not_there_and_a_wrong_url_are_refused_with_words)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_postgres_open("postgresql://u:secret@/d?host=/nowhere", "/", &db, &diag),
                     -ENOTCONN);
    assert_non_null(strstr(diag.hint, "start the server"));
    assert_null(strstr(diag.what, "secret"));
    assert_int_equal(sl_postgres_open("postgresql://u:se%cret@h/d", "/", &db, &diag), -EINVAL);
    assert_null(strstr(diag.what, "se%cret"));
}

TEST(a_password_that_is_not_escaped_is_not_printed)
{
    static const char *const bad[] = {
        "postgresql://u:5x/Secret@127.0.0.1/db",
        "postgresql://u:55/Secret@127.0.0.1/db",
        "postgresql://u:p@Secret@127.0.0.1/db",
        "postgresql://u:p/Secret@127.0.0.1",
        "postgresql://u:5/Secret/db",
        "postgresql://u:Secret/db",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_diag diag = {0};
        struct sl_database *db = NULL;
        char name[SL_PQ_NAME_BYTES];
        sl_pq_name(bad[i], name);
        assert_null(strstr(name, "Secret"));
        assert_int_equal(sl_postgres_open(bad[i], "/", &db, &diag), -EINVAL);
        assert_null(strstr(diag.what, "Secret"));
        assert_null(strstr(diag.where, "Secret"));
        assert_non_null(strstr(diag.hint, "%40 and %2F"));
    }
}

static struct sl_database *open_database(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    if (sl_schema_open(store_path, store_root, &db, &diag) < 0)
        fail_msg("%s: %s", diag.what, diag.hint);
    return db;
}

/* Ends every other connection of this test. */
static void kill_others(void)
{
    struct sl_database *db = open_database();
    assert_int_equal(
        sl_database_exec(db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                             "pg_backend_pid() AND query LIKE '%marked%'"),
        0);
    sl_database_close(db);
}

SERVER_TEST(a_transaction_that_is_lost_before_its_commit_is_not_there)
{
    struct sl_database *db = open_database();
    bool in_doubt, committed = true;
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("marked")), 0);
    kill_others();
    assert_int_equal(sl_database_commit(db, true), -ENOTCONN);
    assert_int_equal(sl_database_state(db), SL_DATABASE_LOST);
    assert_int_equal(db->kind->begin(db), -ENOTCONN);
    assert_int_equal(db->kind->reconnect(db, &in_doubt, &committed), 0);
    assert_false(committed);
    assert_store_rows("SELECT count(*) FROM job_groups", "[[0]]");
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("later")), 0);
    assert_int_equal(sl_database_commit(db, true), 0);
    assert_store_rows("SELECT name FROM job_groups", "[[\"later\"]]");
    sl_database_close(db);
}

SERVER_TEST(the_server_s_time_is_known_after_a_transaction_without_asking)
{
    struct sl_database *db = open_database();
    uint64_t told_ms = 0, later_ms = 0;
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("timed")), 0);
    assert_int_equal(sl_database_commit(db, false), 0);
    uint64_t now_ms = sl_clock_utc_ms(); /* the server's is this machine's too */
    assert_int_equal(db->kind->now_ms(db, false, &told_ms), 0);
    assert_true(told_ms + 1000 > now_ms && told_ms < now_ms + 1000);
    uv_sleep(1100); /* it is asked for anew */
    assert_int_equal(db->kind->now_ms(db, false, &later_ms), 0);
    assert_true(later_ms >= told_ms + 900 && later_ms <= sl_clock_utc_ms());
    sl_database_close(db);
}

enum { ROWS = 150 }; /* more than go together */

static const char *name_of_row(int row)
{
    static const char *const names[] = {"", "NULL", "a\"b", "c\\d", "{e,f}", " g ", "h\xff", "i'j"};
    return names[row % 8];
}

static void post_row(struct sl_database *db, struct sl_statement *statement, int row)
{
    sl_statement_init(
        statement, db,
        "INSERT INTO job_groups (name, owner, created_ms) VALUES (?, ?, ?) RETURNING id");
    sl_statement_bind_text(statement, name_of_row(row));
    sl_statement_bind_text(statement, "x");
    sl_statement_bind_i64(statement, row);
    sl_statement_post(statement);
}

SERVER_TEST(rows_that_are_sent_as_one_get_their_own_numbers_and_values)
{
    struct sl_database *db = open_database();
    static struct sl_statement statements[ROWS];
    uint64_t last = 0, number = 0;
    assert_int_equal(db->kind->begin(db), 0);
    for (int i = 0; i < ROWS; i++)
        post_row(db, &statements[i], i);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(sl_statement_write(&statements[i], SL_E_FORMAT, &number), 0);
        assert_true(number > last);
        last = number;
    }
    assert_int_equal(sl_database_commit(db, true), 0);
    assert_store_rows("SELECT count(*), count(DISTINCT id) FROM job_groups", "[[150,150]]");
    assert_store_rows("SELECT count(*) FROM job_groups a JOIN job_groups b ON b.id > a.id AND "
                      "b.created_ms <= a.created_ms",
                      "[[0]]");
    assert_store_rows("SELECT name FROM job_groups WHERE created_ms < 8 ORDER BY id",
                      "[[\"\"],[\"NULL\"],[\"a\\\"b\"],[\"c\\\\d\"],[\"{e,f}\"],[\" g "
                      "\"],[\"h?\"],[\"i'j\"]]");
    sl_database_close(db);
}

SERVER_TEST(one_row_that_may_not_be_fails_all_that_were_sent_with_it_and_nothing_stays)
{
    struct sl_database *db = open_database();
    struct sl_statement statements[3];
    uint64_t number = 0;
    sl_database_exec(db, "ALTER TABLE job_groups ADD CHECK (created_ms <> 1)");
    for (int round = 0; round < 2; round++) { /* the second time it is known to the server */
        assert_int_equal(db->kind->begin(db), 0);
        for (int i = 0; i < 3; i++)
            post_row(db, &statements[i], i);
        int failed = 0;
        for (int i = 0; i < 3; i++)
            failed += sl_statement_write(&statements[i], SL_E_FORMAT, &number) < 0;
        assert_true(failed >= 2);
        assert_int_equal(sl_database_state(db), SL_DATABASE_ABORTED);
        assert_int_equal(sl_database_exec(db, "ROLLBACK"), 0);
    }
    assert_store_rows("SELECT count(*) FROM job_groups", "[[0]]");
    sl_database_close(db);
}

/* A request that is not told the number of its row must not find it kept. */
SERVER_TEST(rows_whose_numbers_are_not_handed_out_do_not_stay)
{
    struct sl_database *db = open_database();
    struct sl_statement statements[3];
    uint64_t number = 0;
    int failed = 3, spoilt = 0;
    for (unsigned nth = 0; nth < 4 || failed > 0; nth++) {
        uint64_t before = db->kind->changes(db);
        assert_int_equal(db->kind->begin(db), 0);
        for (int i = 0; i < 3; i++)
            post_row(db, &statements[i], i);
        sl_mem_fail_nth(nth > 2 ? nth - 2 : 0); /* it is known to the server by then */
        failed = 0;
        for (int i = 0; i < 3; i++)
            failed += sl_statement_write(&statements[i], SL_E_FORMAT, &number) < 0;
        sl_mem_fail_nth(0);
        bool written = db->kind->changes(db) > before;
        int how = sl_database_state(db);
        spoilt += how == SL_DATABASE_ABORTED;
        assert_true(failed == 0 || !written || how == SL_DATABASE_ABORTED);
        assert_int_equal(sl_database_exec(db, "ROLLBACK"), 0);
    }
    assert_true(spoilt > 0);
    sl_database_close(db);
}

/* take_posted() as a loop calls it. */
static int await_posted(struct sl_database *db)
{
    bool unsent;
    int rc;
    while ((rc = db->kind->take_posted(db)) == 0) {
        struct pollfd polled = {.fd = db->kind->socket(db, &unsent)};
        polled.events = unsent ? POLLIN | POLLOUT : POLLIN;
        assert_int_equal(poll(&polled, 1, 10000), 1);
    }
    return rc;
}

SERVER_TEST(posted_rows_are_there_with_their_commit_or_none_is)
{
    struct sl_database *db = open_database();
    struct sl_statement statements[3];
    uint64_t number = 0, told_ms = 0;
    static const char add_trigger[] =
        "CREATE CONSTRAINT TRIGGER last AFTER INSERT ON job_groups DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION refuse()";
    static const char *const limits[] = {
        "SELECT 1", "ALTER TABLE job_groups ADD CHECK (created_ms <> 1) NOT VALID",
        "ALTER TABLE job_groups DROP CONSTRAINT job_groups_created_ms_check",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END'",
        add_trigger};
    static const int expected[] = {1, -ECANCELED, 1, 1, -ECANCELED}; /* the last at the commit */
    for (int round = 0; round < 5; round++) {
        assert_int_equal(sl_database_exec(db, limits[round]), 0);
        db->kind->begin_posted(db, &told_ms);
        assert_true(round == 0 || told_ms != 0);
        for (int i = 0; i < 3; i++)
            post_row(db, &statements[i], i);
        db->kind->send_posted(db, true);
        assert_int_equal(await_posted(db), expected[round]);
        assert_int_equal(sl_database_state(db), SL_DATABASE_FINE);
        for (int i = 0; i < 3; i++) {
            int rc = sl_statement_write(&statements[i], SL_E_FORMAT, &number);
            assert_true(expected[round] < 0 || rc == 0);
        }
        assert_int_equal(db->kind->now_ms(db, false, &told_ms), 0);
    }
    assert_int_equal(db->kind->take_posted(db), 0); /* nothing was sent */
    assert_store_rows("SELECT count(*), count(DISTINCT id) FROM job_groups", "[[9,9]]");
    sl_database_close(db);
}

SERVER_TEST(posted_rows_of_a_lost_connection_are_answered_so)
{
    struct sl_database *db = open_database();
    struct sl_statement statements[3];
    uint64_t number = 0, now_ms = 1;
    bool unsent;
    assert_int_equal(sl_database_exec(db, ADD_LABEL("marked")), 0);
    db->kind->begin_posted(db, &now_ms);
    for (int i = 0; i < 3; i++)
        post_row(db, &statements[i], i);
    kill_others();
    db->kind->send_posted(db, true);
    assert_int_equal(await_posted(db), -ENOTCONN);
    assert_true(db->kind->socket(db, &unsent) < 0);
    assert_int_equal(db->kind->take_posted(db), -ENOTCONN);
    for (int i = 0; i < 3; i++)
        assert_true(sl_statement_write(&statements[i], SL_E_FORMAT, &number) < 0);
    sl_database_close(db);
}

SERVER_TEST(a_statement_that_cannot_be_planned_fails_alone_and_may_be_planned_later)
{
    struct sl_database *db = open_database();
    struct sl_statement statement;
    for (int round = 0; round < 2; round++) {
        sl_statement_init(&statement, db, "SELECT a FROM not_yet WHERE a = ?");
        sl_statement_bind_i64(&statement, 1);
        assert_int_equal(sl_statement_step(&statement), round == 0 ? -EIO : 0);
        sl_statement_fini(&statement);
        assert_int_equal(sl_database_state(db), SL_DATABASE_FINE);
        if (round == 0)
            assert_non_null(strstr(db->kind->message(db), "not_yet"));
        assert_int_equal(sl_database_exec(db, "CREATE TABLE IF NOT EXISTS not_yet (a BIGINT)"), 0);
    }
    sl_database_close(db);
}

SERVER_TEST(rows_that_wait_to_be_sent_are_lost_with_the_connection)
{
    struct sl_database *db = open_database();
    struct sl_statement statements[5];
    uint64_t number = 0;
    bool in_doubt, committed = true;
    assert_int_equal(db->kind->begin(db), 0);
    post_row(db, &statements[0], 0); /* known from here on */
    assert_int_equal(sl_statement_write(&statements[0], SL_E_FORMAT, &number), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("marked")), 0);
    for (int i = 1; i < 4; i++)
        post_row(db, &statements[i], i);
    kill_others();
    post_row(db, &statements[4], 4);
    for (int i = 1; i < 5; i++)
        assert_int_equal(sl_statement_write(&statements[i], SL_E_FORMAT, &number), -ENOTCONN);
    assert_int_equal(sl_database_state(db), SL_DATABASE_LOST);
    assert_int_equal(db->kind->reconnect(db, &in_doubt, &committed), 0);
    assert_false(committed);
    assert_store_rows("SELECT count(*) FROM job_groups", "[[0]]");
    sl_database_close(db);
}

SERVER_TEST(a_statement_that_fails_ends_its_part_alone)
{
    struct sl_database *db = open_database();
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_part_begin(db), 0);
    assert_int_equal(sl_database_exec(db, "INSERT INTO job_groups (name) VALUES ('x')"), -EEXIST);
    assert_int_equal(sl_database_state(db), SL_DATABASE_ABORTED);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("no")), -ECANCELED);
    assert_int_equal(sl_database_part_end(db, -EEXIST), -EEXIST);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("yes")), 0);
    assert_int_equal(sl_database_commit(db, false), 0);
    assert_store_rows("SELECT name FROM job_groups", "[[\"yes\"]]");
    sl_database_close(db);
}

SERVER_TEST(a_newer_schema_and_a_foreign_database_are_refused_with_words)
{
    struct sl_diag diag = {0};
    struct sl_database *db = open_database();
    assert_int_equal(sl_database_exec(db, "UPDATE store_version SET number = 999"), 0);
    struct sl_database *other = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &other, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "newer"));
    assert_int_equal(sl_database_exec(db, "DROP TABLE store_version"), 0); /* tables of another */
    diag = (struct sl_diag){0};
    assert_true(sl_schema_open(store_path, store_root, &other, &diag) < 0);
    assert_non_null(strstr(diag.what, "exists"));
    assert_non_null(strstr(diag.hint, "of its own"));
    sl_database_close(db);
}

SERVER_TEST(values_of_every_kind_come_back_and_bad_text_is_cleaned)
{
    struct sl_database *db = open_database();
    struct sl_statement statement;
    struct sl_value value;
    char text[64];
    sl_statement_init(&statement, db, "SELECT ?1, ?2, ?3, ?4 = 7, CAST(? AS TEXT)");
    sl_statement_bind_i64(&statement, INT64_MIN);
    sl_statement_bind_value(&statement, &(struct sl_value){.kind = SL_VALUE_REAL, .real = 0.1});
    sl_statement_bind_text(&statement, "a'\"\xff\xc3\xa4");
    sl_statement_bind_u64(&statement, 7);
    sl_statement_bind_text(&statement, NULL);
    assert_int_equal(sl_statement_step(&statement), 1);
    sl_statement_value(&statement, 0, &value);
    assert_true(value.kind == SL_VALUE_INTEGER && value.integer == INT64_MIN);
    sl_statement_value(&statement, 1, &value);
    assert_true(value.kind == SL_VALUE_REAL && value.real == 0.1);
    sl_statement_text(&statement, 2, text, sizeof(text));
    assert_string_equal(text, "a'\"?\xc3\xa4");
    assert_int_equal(sl_statement_int(&statement, 3), 1);
    sl_statement_value(&statement, 4, &value);
    assert_int_equal(value.kind, SL_VALUE_NULL);
    assert_int_equal(sl_statement_step(&statement), 0);
    sl_statement_fini(&statement);
    sl_statement_init(&statement, db, "SELECT 1 / 0");
    assert_int_equal(sl_statement_step(&statement), -EEXIST);
    assert_non_null(strstr(db->kind->message(db), "division"));
    sl_statement_fini(&statement);
    sl_database_close(db);
}

SERVER_TEST(long_lists_come_in_parts)
{
    struct sl_database *db = open_database();
    struct sl_statement statement;
    uint64_t rows = 0, sum = 0;
    assert_int_equal(db->kind->begin(db), 0);
    sl_statement_init_many(&statement, db, "SELECT n FROM generate_series(1, 2500) AS n");
    while (sl_statement_step(&statement) == 1) {
        sum += sl_statement_u64(&statement, 0);
        rows++;
    }
    sl_statement_fini(&statement);
    assert_int_equal(sl_database_commit(db, false), 0);
    assert_int_equal(rows, 2500);
    assert_int_equal(sum, 2500 * 2501 / 2);
    sl_database_close(db);
}

/* --- a server that hangs --- */

/* The process that serves `db`. */
static pid_t server_of(struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT pg_backend_pid()");
    assert_int_equal(sl_statement_step(&statement), 1);
    pid_t pid = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return pid;
}

/* With a limit of its user's: what this program waits for follows it. */
static struct sl_database *open_hasty(void)
{
    size_t len = strlen(store_path);
    snprintf(store_path + len, sizeof(store_path) - len, "%%20-cstatement_timeout%%3D100");
    struct sl_database *db = open_database();
    store_path[len] = '\0';
    return db;
}

static void await_end(pid_t pid)
{
    for (int i = 0; i < 500 && kill(pid, 0) == 0; i++)
        uv_sleep(10);
    assert_int_equal(kill(pid, 0), -1);
}

SERVER_TEST(a_server_that_hangs_is_given_up_in_time)
{
    struct sl_database *db = open_hasty();
    struct sl_statement statement;
    pid_t pid = server_of(db);
    bool in_doubt, committed;
    for (int i = 0; i < 2; i++) { /* at its step, and sent before it */
        assert_int_equal(kill(pid, SIGSTOP), 0);
        uint64_t began_ns = sl_clock_ns();
        if (i == 0)
            assert_int_equal(sl_database_exec(db, "SELECT 1"), -ENOTCONN);
        else
            assert_int_equal(db->kind->begin(db), 0);
        assert_int_equal(sl_database_state(db), SL_DATABASE_LOST);
        assert_true(sl_clock_ns() - began_ns < UINT64_C(5000000000));
        assert_non_null(strstr(db->kind->message(db), "does not answer"));
        assert_int_equal(kill(pid, SIGCONT), 0);
        assert_int_equal(db->kind->reconnect(db, &in_doubt, &committed), 0);
        pid = server_of(db);
    }
    sl_statement_init(&statement, db, "SELECT pg_sleep(20)");
    assert_int_equal(sl_statement_step(&statement), -EAGAIN); /* the server's own limit */
    assert_int_equal(sl_database_state(db), SL_DATABASE_FINE);
    sl_statement_fini(&statement);
    sl_database_close(db);
}

SERVER_TEST(a_connection_that_cannot_listen_is_lost_and_the_next_one_listens)
{
    struct sl_database *db = open_hasty(), *other = open_database();
    char sql[200];
    bool in_doubt, committed, news = false;
    assert_int_equal(db->kind->listen(db), 0);
    snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d)", (int)server_of(db));
    assert_int_equal(sl_database_exec(other, sql), 0);
    snprintf(sql, sizeof(sql), "SELECT pg_advisory_lock(hashtextextended('sme2lab_%s', 0))",
             db->identity);
    assert_int_equal(sl_database_exec(other, sql), 0);
    assert_true(db->kind->reconnect(db, &in_doubt, &committed) < 0);
    assert_int_equal(sl_database_state(db), SL_DATABASE_LOST);
    assert_int_equal(sl_database_exec(other, "SELECT pg_advisory_unlock_all()"), 0);
    assert_int_equal(db->kind->reconnect(db, &in_doubt, &committed), 0);
    snprintf(sql, sizeof(sql), "NOTIFY sme2lab_%s, 'another'", db->identity);
    assert_int_equal(sl_database_exec(other, sql), 0);
    assert_int_equal(db->kind->wait(db, -1, 10000, &news), 0);
    assert_true(news);
    sl_database_close(other);
    sl_database_close(db);
}

/* The old connection's server reads it when the new one has asked for it already. */
SERVER_TEST(a_commit_that_comes_late_does_not_take_place)
{
    struct sl_database *db = open_hasty();
    bool in_doubt, committed = true;
    for (int i = 0; i < 2; i++) {
        pid_t pid = server_of(db);
        assert_int_equal(db->kind->begin(db), 0);
        assert_int_equal(sl_database_exec(db, ADD_LABEL("late")), 0);
        assert_int_equal(kill(pid, SIGSTOP), 0);
        assert_int_equal(sl_database_commit(db, true), -ENOTCONN);
        int rc = db->kind->reconnect(db, &in_doubt, &committed);
        assert_int_equal(kill(pid, SIGCONT), 0);
        await_end(pid);
        assert_int_equal(rc, 0);
        assert_false(committed);
        assert_store_rows("SELECT count(*) FROM job_groups WHERE name = 'late'", "[[0]]");
    }
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("again")), 0);
    assert_int_equal(sl_database_commit(db, true), 0);
    assert_store_rows("SELECT name FROM job_groups", "[[\"again\"]]");
    sl_database_close(db);
}

/* Its row is made anew with the next connection. */
SERVER_TEST(a_writer_whose_row_is_gone_writes_again)
{
    struct sl_database *db = open_database(), *other = open_database();
    bool in_doubt = true, committed = true;
    assert_int_equal(sl_database_exec(other, "UPDATE writers SET wrote_ms = 1"), 0);
    sl_database_close(other);
    other = open_database(); /* removes rows of long ago */
    assert_store_rows("SELECT count(*) FROM writers WHERE wrote_ms < 2", "[[0]]");
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("a")), 0);
    assert_int_equal(sl_database_commit(db, false), -ENOTCONN);
    assert_int_equal(db->kind->reconnect(db, &in_doubt, &committed), 0);
    assert_false(in_doubt);
    assert_false(committed);
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, ADD_LABEL("a")), 0);
    assert_int_equal(sl_database_commit(db, false), 0);
    assert_store_rows("SELECT name FROM job_groups", "[[\"a\"]]");
    sl_database_close(other);
    sl_database_close(db);
}

/* --- the store on it --- */

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    int answers, rc, news;
    uint64_t id;
    size_t count;
};

static void on_id(void *user, int rc, uint64_t id)
{
    struct bench *bench = user;
    bench->rc = rc;
    bench->id = id;
    bench->answers++;
}

static void on_findings(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                        uint64_t more)
{
    struct bench *bench = user;
    (void)rows;
    (void)more;
    bench->count = count;
    on_id(user, rc, 0);
}

static void on_news(void *user)
{
    ((struct bench *)user)->news++;
}

static void on_closed(void *user)
{
    (void)user;
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag), 0);
    sl_store_watch(bench->store, on_news, bench);
}

static void close_bench(struct bench *bench)
{
    sl_store_close(bench->store, on_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static int add_job(struct bench *bench, const char *config)
{
    const struct sl_job_record job = {.submitted_ms = 1};
    int before = bench->answers;
    assert_int_equal(sl_store_add_job(bench->store, &job, config, NULL, 0, on_id, bench), 0);
    while (bench->answers == before)
        uv_run(&bench->loop, UV_RUN_ONCE);
    return bench->rc;
}

/* Until all of the store's connections are there, of which each is news. */
static void await_adders(struct bench *bench)
{
    while (bench->news < SL_ADDER_LINES)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

SERVER_TEST(other_connections_hear_of_jobs_and_the_writer_does_not)
{
    struct bench one, two;
    open_bench(&one);
    open_bench(&two);
    await_adders(&one);
    await_adders(&two);
    assert_int_equal(sl_store_list_left(two.store, 1, on_findings, &two), 0);
    while (two.answers == 0) /* its thread listens before it answers */
        uv_run(&two.loop, UV_RUN_ONCE);
    one.news = two.news = 0;
    assert_int_equal(add_job(&one, "{}"), 0);
    while (two.news == 0)
        uv_run(&two.loop, UV_RUN_ONCE);
    assert_int_equal(two.news, 1);
    assert_int_equal(add_job(&one, "{}"), 0); /* it would have heard of itself by now */
    assert_int_equal(one.news, 0);
    close_bench(&one);
    close_bench(&two);
}

/* Ends the connections of those who wrote here; other tests have tables of their own. */
static void kill_writers(void)
{
    struct sl_database *db = open_database();
    char sql[256];
    snprintf(sql, sizeof(sql),
             "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
             "AND application_name = '%s'",
             strrchr(store_folder, '-') + 1);
    assert_int_equal(sl_database_exec(db, sql), 0);
    sl_database_close(db);
}

SERVER_TEST(a_connection_that_is_lost_is_made_anew_and_nothing_is_doubled)
{
    struct bench bench;
    open_bench(&bench);
    for (int i = 0; i < 3; i++) {
        kill_writers();
        assert_int_equal(add_job(&bench, "{}"), 0);
    }
    close_bench(&bench);
    assert_store_rows("SELECT count(*) FROM jobs", "[[3]]");
}

/* Adds the next job as soon as the last one is answered, as a client does. */
static void on_added_add(void *user, int rc, uint64_t id)
{
    const struct sl_job_record job = {.submitted_ms = 1};
    struct bench *bench = user;
    assert_int_equal(rc, 0);
    on_id(user, rc, id);
    if (bench->count > 0) {
        bench->count--;
        assert_int_equal(sl_store_add_job(bench->store, &job, "{}", NULL, 0, on_added_add, bench),
                         0);
    }
}

/* Adds so many jobs for some clients, and ends every connection in between if it is to. */
static void add_jobs(struct bench *bench, int jobs, bool lose)
{
    enum { CLIENTS = 16 };
    int before = bench->answers;
    bench->count = (size_t)jobs;
    for (int i = 0; i < CLIENTS; i++) {
        bench->answers--;
        on_added_add(bench, 0, 0);
    }
    while (bench->answers < before + jobs) {
        uv_run(&bench->loop, UV_RUN_ONCE);
        if (lose && bench->answers >= before + jobs / 2) {
            kill_writers();
            lose = false;
        }
    }
}

/* The connections that added jobs without BEGIN, and are still there. */
static int count_adders(void)
{
    struct sl_database *db = open_database();
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%xact_lock%' AND "
                      "pid <> pg_backend_pid() AND application_name = ?");
    sl_statement_bind_text(&statement, strrchr(store_folder, '-') + 1);
    assert_int_equal(sl_statement_step(&statement), 1);
    int count = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    sl_database_close(db);
    return count;
}

SERVER_TEST(the_connections_of_a_store_add_each_job_once_and_are_no_news_to_one_another)
{
    enum { JOBS = 500 };
    struct bench bench;
    char rows[32];
    open_bench(&bench);
    await_adders(&bench);
    bench.news = 0;
    add_jobs(&bench, JOBS, false);
    assert_int_equal(count_adders(), SL_ADDER_LINES);
    assert_int_equal(bench.news, 0);
    for (int i = 0; i < 4; i++)
        add_jobs(&bench, JOBS, true);
    close_bench(&bench);
    snprintf(rows, sizeof(rows), "[[%d,%d]]", bench.answers, bench.answers);
    assert_store_rows("SELECT count(*), count(DISTINCT id) FROM jobs", rows);
}

SERVER_TEST(a_key_that_came_before_is_found_by_the_store_s_own_connection)
{
    const struct sl_job_record job = {.submitted_ms = 1};
    struct bench bench;
    open_bench(&bench);
    await_adders(&bench);
    uint64_t first = 0;
    for (int i = 0; i < 3; i++) {
        int before = bench.answers;
        const char *config = i < 2 ? "{}" : "{\"a\":1}";
        assert_int_equal(sl_store_add_job(bench.store, &job, config, "key", 0, on_id, &bench), 0);
        while (bench.answers == before)
            uv_run(&bench.loop, UV_RUN_ONCE);
        first = i == 0 ? bench.id : first;
        assert_int_equal(bench.rc, i < 2 ? i : SL_E_MISMATCH);
        assert_true(i != 1 || bench.id == first);
    }
    close_bench(&bench);
    assert_store_rows("SELECT count(*) FROM jobs", "[[1]]");
}

SERVER_TEST(a_name_that_another_daemon_has_is_refused_until_that_has_ended)
{
    const struct sl_store_host hosts[2] = {{.name = "here", .lease_ms = 60000, .started_ms = 1},
                                           {.name = "here", .lease_ms = 60000, .started_ms = 2}};
    struct sl_request beat;
    struct sl_database *dbs[2] = {open_database(), open_database()};
    static const int rcs[] = {0, -EADDRINUSE, 0};
    for (int i = 0; i < 3; i++) {
        beat = (struct sl_request){.host = &hosts[i % 2], .now_ms = 100000 + (uint64_t)i};
        sl_claim_table_beat(&beat, dbs[i % 2]);
        assert_int_equal(beat.rc, rcs[i]);
        sl_free(beat.rows);
    }
    sl_database_close(dbs[0]);
    for (int tries = 0; tries < 100; tries++) { /* until the server has seen it */
        beat = (struct sl_request){.host = &hosts[1], .now_ms = 100003};
        sl_claim_table_beat(&beat, dbs[1]);
        sl_free(beat.rows);
        if (beat.rc == 0)
            break;
        uv_sleep(50);
    }
    assert_int_equal(beat.rc, 0);
    sl_database_close(dbs[1]);
}

struct writing {
    struct sl_database *db;
    struct sl_request request;
};

static void write_back(void *user)
{
    struct writing *writing = user;
    if (writing->db->kind->begin(writing->db) == 0)
        sl_claim_table_update(&writing->request, writing->db);
    sl_database_exec(writing->db, "COMMIT");
}

SERVER_TEST(a_wish_that_comes_as_its_job_goes_back_is_not_lost)
{
    static const struct sl_store_host here = {.name = "here", .lease_ms = 60000},
                                      there = {.name = "there", .lease_ms = 60000};
    struct bench bench;
    struct sl_database *db = open_database();
    struct sl_request wish = {.host = &there, .now_ms = 2, .jobs_filter = {.cursor = 1}};
    struct writing writing = {.request = {.host = &here, .now_ms = 1}};
    uv_thread_t thread;
    open_bench(&bench);
    assert_int_equal(add_job(&bench, "{}"), 0);
    assert_int_equal(sl_database_exec(db, "UPDATE jobs SET state = 1, attempts = 1, host = 'here'"),
                     0);
    writing.db = open_database();
    writing.request.job = (struct sl_job_record){.id = 1, .attempts = 1, .state = SL_JOB_QUEUED};
    assert_int_equal(db->kind->begin(db), 0);
    sl_claim_table_want_cancel(&wish, db);
    assert_int_equal(wish.rc, 0);
    assert_int_equal(uv_thread_create(&thread, write_back, &writing), 0);
    uv_sleep(300); /* it waits for the row */
    assert_int_equal(sl_database_exec(db, "COMMIT"), 0);
    uv_thread_join(&thread);
    assert_int_equal(writing.request.rc, 0);
    sl_database_close(writing.db);
    sl_database_close(db);
    close_bench(&bench);
    assert_store_rows("SELECT state, cancel_wanted FROM jobs", "[[0,1]]");
}

/* The run's row goes: its directory has a copy, which belongs to this database or to another. */
static void lose_run(void)
{
    struct sl_database *db = open_database();
    assert_int_equal(sl_database_exec(db, "DELETE FROM runs"), 0);
    sl_database_close(db);
}

static void check_run(struct bench *bench, uint64_t rows)
{
    const struct sl_store_check wish = {.mend = true};
    char wanted[32];
    int before = bench->answers;
    assert_int_equal(sl_store_check(bench->store, &wish, on_findings, bench), 0);
    while (bench->answers == before)
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(bench->rc, 0);
    snprintf(wanted, sizeof(wanted), "[[%d]]", (int)rows);
    assert_store_rows("SELECT count(*) FROM runs", wanted);
}

SERVER_TEST(rows_come_back_from_directories_of_this_database_alone)
{
    struct bench bench;
    struct sl_run_record run = {.job = 1, .directory = "runs/2026-11-23/101010.000-1"};
    char command[400];
    snprintf(command, sizeof(command),
             "mkdir -p %1$s/%2$s/streams && touch %1$s/%2$s/manifest.json", store_folder,
             run.directory);
    assert_int_equal(system(command), 0);
    open_bench(&bench);
    assert_int_equal(add_job(&bench, "{}"), 0);
    int before = bench.answers;
    assert_int_equal(sl_store_add_run(bench.store, &run, on_id, &bench), 0);
    while (bench.answers == before)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(bench.rc, 0);
    lose_run();
    check_run(&bench, 1);
    lose_run();
    snprintf(command, sizeof(command), "sed -i 's/\"store\":\"/&x/' %s/%s/streams/rows.json",
             store_folder, run.directory);
    assert_int_equal(system(command), 0);
    check_run(&bench, 0);
    assert_int_equal(bench.count, 1); /* it is told of, and stays */
    close_bench(&bench);
}
