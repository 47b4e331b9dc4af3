/* tests/unit/host/store/test_label_table.c: labels and pins of runs, and which of them go in time.
 */
#include "host/store/label_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/row_copy.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

enum { DAY = 86400000 };

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    int answers, rc;
    char text[4096];
    uint64_t ids[SL_STORE_PAGE_ROWS], cursor;
    size_t count;
};

static void on_text(void *user, int rc, const char *json)
{
    struct bench *bench = user;
    bench->rc = rc;
    bench->answers++;
    snprintf(bench->text, sizeof(bench->text), "%s", json ? json : "");
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct bench *bench = user;
    bench->rc = rc;
    bench->answers++;
    bench->count = count;
    bench->cursor = next_cursor;
    for (size_t i = 0; i < count; i++)
        bench->ids[i] = rows[i].id;
}

static void on_closed(void *user)
{
    *(bool *)user = true;
}

/* Runs 1 to 4 of the series a, 5 of b, 6 of none, one a day from day 1 on; each of ann's jobs, and
 * the first has a label of its job. */
static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    char sql[1024];
    struct sl_database *db = NULL;
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    for (int i = 1; i <= 6; i++) {
        snprintf(sql, sizeof(sql),
                 STORE_INSERT_JOB
                 "VALUES (%d,2,0,0,1,0,0,0,0,%d,0,'','','','{\"labels\":{%s}}',NULL,'ann');"
                 "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, "
                 "model_sha256, device, verdict, ratio, series, directory) VALUES (%d,%d,%lld,0,4,"
                 "'toy','','phone','faster',2,'%s','%s');",
                 i, i, i == 1 ? "\"commit\":\"abc\"" : "", i, i, (long long)i * DAY,
                 i <= 4   ? "a"
                 : i == 5 ? "b"
                          : "",
                 i == 1 ? "runs/2026-11-23/101010.123-1" : "");
        assert_int_equal(sl_database_exec(db, sql), 0);
    }
    assert_int_equal(sl_database_exec(db, "INSERT INTO labels VALUES (1, 'commit', 'abc')"), 0);
    sl_database_close(db);
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag), 0);
}

static void close_bench(struct bench *bench)
{
    bool closed = false;
    sl_store_close(bench->store, on_closed, &closed);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static void wait_for_one(struct bench *bench, int before)
{
    while (bench->answers == before)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

static int label(struct bench *bench, uint64_t run, const char *wanted, const char *owner)
{
    int before = bench->answers;
    assert_int_equal(sl_store_label_run(bench->store, run, wanted, owner, on_text, bench), 0);
    wait_for_one(bench, before);
    return bench->rc;
}

static void execute(const char *sql)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(sl_database_exec(db, sql), 0);
    sl_database_close(db);
}

/* The ids of the runs that may go, with spaces. */
static const char *expired(struct bench *bench, struct sl_store_retention wish)
{
    static char text[64];
    int before = bench->answers, used = 0;
    assert_int_equal(sl_store_list_expired(bench->store, &wish, on_runs, bench), 0);
    wait_for_one(bench, before);
    assert_int_equal(bench->rc, 0);
    assert_int_equal(bench->cursor, 0);
    text[0] = '\0';
    for (size_t i = 0; i < bench->count; i++)
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%d", i ? " " : "",
                         (int)bench->ids[i]);
    return text;
}

STORE_ANY_TEST(labels_are_added_changed_and_removed_and_say_what_they_are)
{
    struct bench bench;
    open_bench(&bench);
    assert_int_equal(label(&bench, 1, NULL, NULL), 0);
    assert_string_equal(bench.text, "{\"run\":1,\"pinned\":false,\"labels\":{\"commit\":\"abc\"}}");
    assert_int_equal(
        label(&bench, 1,
              "{\"labels\":{\"a\\\"b\":\"x\\u000a\",\"commit\":\"def\"},\"pinned\":true}", "ann"),
        0);
    assert_string_equal(
        bench.text,
        "{\"run\":1,\"pinned\":true,\"labels\":{\"a\\\"b\":\"x\\u000a\",\"commit\":\"def\"}}");
    assert_int_equal(label(&bench, 1, "{\"labels\":{\"commit\":null,\"none\":null}}", "ann"), 0);
    assert_string_equal(bench.text,
                        "{\"run\":1,\"pinned\":true,\"labels\":{\"a\\\"b\":\"x\\u000a\"}}");
    assert_int_equal(label(&bench, 1, "{\"pinned\":false}", NULL), 0);
    assert_non_null(strstr(bench.text, "\"pinned\":false"));
    close_bench(&bench);
}

STORE_ANY_TEST(a_run_is_its_submitters_and_has_so_many_labels_at_most)
{
    struct bench bench;
    char many[4096];
    int used = snprintf(many, sizeof(many), "{\"pinned\":true,\"labels\":{\"commit\":null");
    open_bench(&bench);
    for (int i = 0; i < SL_STORE_MAX_LABELS; i++)
        used += snprintf(many + used, sizeof(many) - (size_t)used, ",\"k%d\":\"v\"", i);
    snprintf(many + used, sizeof(many) - (size_t)used, "}}");
    assert_int_equal(label(&bench, 1, "{\"pinned\":true}", "bob"), -EACCES);
    assert_int_equal(label(&bench, 77, "{\"pinned\":true}", NULL), SL_E_NOT_FOUND);
    assert_int_equal(label(&bench, 1, many, "ann"), 0);
    assert_int_equal(label(&bench, 1, "{\"labels\":{\"more\":\"v\"},\"pinned\":false}", "ann"),
                     SL_E_LIMIT);
    assert_int_equal(label(&bench, 1, NULL, "ann"), 0); /* all of it or nothing */
    assert_non_null(strstr(bench.text, "\"pinned\":true"));
    assert_null(strstr(bench.text, "more"));
    close_bench(&bench);
}

STORE_ANY_TEST(labels_and_pins_come_back_from_the_runs_directory)
{
    static const char directory[] = "runs/2026-11-23/101010.123-1";
    struct bench bench;
    struct sl_diag diag = {0};
    char path[512], command[1024];
    struct sl_database *db = NULL;
    uint64_t run = 0;
    for (int depth = 1; depth <= 4; depth++) {
        static const char *const parts[] = {"runs", "runs/2026-11-23", NULL, NULL};
        snprintf(path, sizeof(path), "%s/%s%s", store_folder,
                 depth <= 2 ? parts[depth - 1] : directory, depth == 4 ? "/streams" : "");
        assert_int_equal(mkdir(path, 0700), 0);
    }
    open_bench(&bench);
    snprintf(path, sizeof(path), "%s/%s/" SL_ROW_COPY, store_folder, directory);
    assert_int_equal(label(&bench, 1, NULL, NULL), 0);
    assert_int_equal(access(path, F_OK), -1); /* a question writes nothing */
    assert_int_equal(label(&bench, 1, "{\"labels\":{\"release\":\"1\"},\"pinned\":true}", NULL), 0);
    close_bench(&bench);
    snprintf(command, sizeof(command),
             "sed -i 's/\"release\":\"1\"/&,\"long\":\"%0256d\",\"\":\"x\"/' %s", 0, path);
    assert_int_equal(system(command), 0); /* another lab's copy may say anything */
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(sl_database_exec(db, "DELETE FROM runs; DELETE FROM jobs"), 0);
    assert_store_rows("SELECT * FROM labels", "[]");
    assert_int_equal(sl_row_copy_restore(db, directory, 1, &run), 1);
    assert_store_rows("SELECT key, value, pinned FROM labels JOIN runs ON id = run ORDER BY key",
                      "[[\"commit\",\"abc\",1],[\"release\",\"1\",1]]");
    sl_database_close(db);
}

STORE_ANY_TEST(the_newest_of_a_series_began_last_whatever_its_id)
{
    struct bench bench;
    struct sl_store_retention old = {.before_ms = 9 * (uint64_t)DAY, .newest = 1};
    struct sl_store_retention some = {.per_series = 2};
    open_bench(&bench);
    execute("UPDATE runs SET started_ms = started_ms / 10 WHERE id IN (3, 4)"); /* imported late */
    assert_string_equal(expired(&bench, old), "1 3 4");
    assert_string_equal(expired(&bench, some), "3 4");
    execute("UPDATE runs SET started_ms = 7 WHERE series = 'a'"); /* then the id tells */
    assert_string_equal(expired(&bench, old), "1 2 3");
    close_bench(&bench);
}

STORE_ANY_TEST(runs_of_another_host_of_a_server_do_not_go_here)
{
    const struct sl_store_host here = {.name = "here", .lease_ms = 1000};
    const struct sl_store_retention old = {.before_ms = 9 * (uint64_t)DAY};
    struct bench bench;
    open_bench(&bench);
    sl_store_be_host(bench.store, &here);
    execute("UPDATE runs SET host = 'there' WHERE id > 3");
    execute("UPDATE runs SET host = 'here' WHERE id = 2");
    assert_string_equal(expired(&bench, old),
                        sl_store_is_shared(bench.store) ? "1 2 3" : "1 2 3 4 5 6");
    close_bench(&bench);
}

STORE_ANY_TEST(runs_go_by_age_and_number_but_for_those_that_are_kept)
{
    struct bench bench;
    struct sl_store_retention none = {.newest = 1}, old = {.before_ms = 9 * (uint64_t)DAY};
    struct sl_store_retention some = {.per_series = 2};
    open_bench(&bench);
    assert_string_equal(expired(&bench, none), "");
    assert_string_equal(expired(&bench, old), "1 2 3 4 5 6");
    old.newest = 1;
    assert_string_equal(expired(&bench, old), "1 2 3");
    old.before_ms = 3 * (uint64_t)DAY;
    assert_string_equal(expired(&bench, old), "1 2");
    assert_string_equal(expired(&bench, some), "1 2");
    old.label_count = 2;
    snprintf(old.labels[0], sizeof(old.labels[0]), "commit=other");
    snprintf(old.labels[1], sizeof(old.labels[1]), "release");
    assert_string_equal(expired(&bench, old), "1 2");
    assert_int_equal(label(&bench, 2, "{\"labels\":{\"release\":\"7\"}}", NULL), 0);
    assert_string_equal(expired(&bench, old), "1");
    snprintf(old.labels[0], sizeof(old.labels[0]), "commit=abc");
    assert_string_equal(expired(&bench, old), "");
    assert_int_equal(label(&bench, 1, "{\"pinned\":true}", NULL), 0);
    assert_string_equal(expired(&bench, some), "2");
    close_bench(&bench);
}
