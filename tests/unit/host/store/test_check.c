/* tests/unit/host/store/test_check.c: rows that were lost, and what nobody needs any more. */
#include "host/store/check.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/store/blobs.h"
#include "host/store/database.h"
#include "host/store/findings.h"
#include "host/store/request.h"
#include "host/store/row_copy.h"
#include "host/store/schema.h"
#include "host/store/sqlite.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

#define DAY "runs/2026-11-23"
#define USED "1111111111111111111111111111111111111111111111111111111111111111"
#define UNUSED "2222222222222222222222222222222222222222222222222222222222222222"
#define FRESH "3333333333333333333333333333333333333333333333333333333333333333"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    int answers, rc;
    uint64_t id;
    size_t count;
    struct sl_store_finding found[16];
    struct sl_job_record job;
    struct sl_run_record run;
    char config[256];
};

static void answered(struct bench *bench, int rc)
{
    bench->rc = rc;
    bench->answers++;
}

static void on_done(void *user, int rc)
{
    answered(user, rc);
}

static void on_id(void *user, int rc, uint64_t id)
{
    ((struct bench *)user)->id = id;
    answered(user, rc);
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config)
{
    struct bench *bench = user;
    if (rc == 0) {
        bench->job = *job;
        snprintf(bench->config, sizeof(bench->config), "%s", config);
    }
    answered(bench, rc);
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct bench *bench = user;
    (void)next_cursor;
    bench->count = count;
    if (count > 0)
        bench->run = rows[0];
    answered(bench, rc);
}

static void on_findings(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                        uint64_t more)
{
    struct bench *bench = user;
    assert_true(count <= 16);
    assert_int_equal(more, 0);
    if (count > 0)
        memcpy(bench->found, rows, count * sizeof(*rows));
    bench->count = count;
    answered(bench, rc);
}

static void wait_for_answer(struct bench *bench, int rc)
{
    assert_int_equal(rc, 0);
    for (int before = bench->answers; bench->answers == before;)
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(bench->rc, 0);
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag), 0);
}

static void on_closed(void *user)
{
    ((struct bench *)user)->store = NULL;
}

static void close_bench(struct bench *bench)
{
    sl_store_close(bench->store, on_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_null(bench->store);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static void path_of(const char *name, char out[256])
{
    snprintf(out, 256, "%s/%s", store_folder, name);
}

static void make_folder(const char *name)
{
    char command[512];
    snprintf(command, sizeof(command), "mkdir -p %s/%s", store_folder, name);
    assert_int_equal(system(command), 0);
}

static void make_file(const char *name, const char *text)
{
    char path[256];
    path_of(name, path);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

static bool is_there(const char *name)
{
    char path[256];
    path_of(name, path);
    return access(path, F_OK) == 0;
}

/* As if nobody had touched it since 1970. */
static void make_old(const char *name)
{
    static const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[256];
    path_of(name, path);
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static uint64_t group; /* that jobs join; 0: none */

static uint64_t add_job(struct bench *bench, const char *config, const char *key)
{
    struct sl_job_record job = {.state = SL_JOB_QUEUED,
                                .submitted_ms = 1795392000000,
                                .priority = 7,
                                .attempts = 1,
                                .group_id = group};
    snprintf(job.selector, sizeof(job.selector), "phone");
    snprintf(job.owner, sizeof(job.owner), "ci");
    wait_for_answer(bench, sl_store_add_job(bench->store, &job, config, key, 0, on_id, bench));
    return bench->id;
}

/* A job that ran, ended and left its run in `directory`; the run's number. */
static uint64_t add_run(struct bench *bench, const char *directory, const char *config,
                        const char *key)
{
    char streams[128];
    uint64_t job = add_job(bench, config, key);
    struct sl_run_record run = {.job = job,
                                .started_ms = 1795392000100,
                                .ended_ms = 1795392000900,
                                .device_kind = 3,
                                .ratio = 1.0 / 3,
                                .baseline = 10,
                                .candidate = 30,
                                .exit_code = 1,
                                .runtime = "own"};
    snprintf(run.model, sizeof(run.model), "a \"model\"\n");
    snprintf(run.device, sizeof(run.device), "phone");
    snprintf(run.verdict, sizeof(run.verdict), "wrong");
    snprintf(run.series, sizeof(run.series), "0123456789abcdef");
    snprintf(run.directory, sizeof(run.directory), "%s", directory);
    snprintf(streams, sizeof(streams), "%s/streams", directory);
    make_folder(streams);
    wait_for_answer(bench, sl_store_add_run(bench->store, &run, on_id, bench));
    struct sl_job_record ended = {.id = job,
                                  .state = SL_JOB_FAILED,
                                  .cause = SL_CAUSE_RESULT,
                                  .priority = 7,
                                  .attempts = 2,
                                  .submitted_ms = 1795392000000,
                                  .started_ms = 1795392000050,
                                  .ended_ms = 1795392000950,
                                  .run = bench->id,
                                  .group_id = group};
    uint64_t id = bench->id;
    snprintf(ended.selector, sizeof(ended.selector), "phone");
    snprintf(ended.owner, sizeof(ended.owner), "ci");
    snprintf(ended.detail, sizeof(ended.detail), "the outputs differ");
    wait_for_answer(bench, sl_store_update_job(bench->store, &ended, on_done, bench));
    return id;
}

static void move(const char *to, const char *from)
{
    char a[256], b[256];
    path_of(from, a);
    path_of(to, b);
    assert_int_equal(rename(a, b), 0);
}

static void lose_database(bool numbers_too)
{
    char path[256];
    static const char *const names[] = {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm",
                                        "store.sqlite-numbers"};
    for (size_t i = 0; i < (numbers_too ? 4u : 3u); i++) {
        path_of(names[i], path);
        unlink(path);
    }
}

/* As a damaged page does. */
static void lose_jobs(struct bench *bench)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    close_bench(bench);
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(sl_database_exec(db, "DELETE FROM jobs"), 0);
    sl_database_close(db);
    open_bench(bench);
}

static void check(struct bench *bench, bool mend, uint64_t free_before_ms)
{
    const struct sl_store_check wish = {.mend = mend, .free_before_ms = free_before_ms};
    wait_for_answer(bench, sl_store_check(bench->store, &wish, on_findings, bench));
}

STORE_FILE_TEST(rows_of_a_lost_database_are_made_again_from_the_directories)
{
    struct bench bench;
    struct sl_group_record zoo = {.name = "zoo", .owner = "ci", .created_ms = 7};
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_add_group(bench.store, &zoo, on_id, &bench));
    group = bench.id;
    uint64_t run = add_run(&bench, DAY "/101010.123-1", "{\"model\":\"" USED "\"}", "key");
    wait_for_answer(&bench, sl_store_list_runs(bench.store, &(struct sl_runs_filter){.id = run},
                                               on_runs, &bench));
    struct sl_run_record before = bench.run;
    wait_for_answer(&bench, sl_store_get_job(bench.store, 1, on_job, &bench));
    struct sl_job_record job_before = bench.job;
    assert_int_equal(job_before.group_id, group);
    close_bench(&bench);
    lose_database(false);
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_list_runs(bench.store, &(struct sl_runs_filter){.limit = 9},
                                               on_runs, &bench));
    assert_int_equal(bench.count, 1);
    assert_memory_equal(&bench.run, &before, sizeof(before));
    wait_for_answer(&bench, sl_store_get_job(bench.store, 1, on_job, &bench));
    job_before.written_ms = 0; /* the row is new */
    assert_memory_equal(&bench.job, &job_before, sizeof(job_before));
    assert_string_equal(bench.config, "{\"model\":\"" USED "\"}");
    wait_for_answer(&bench, sl_store_find_job(bench.store, bench.config, "key", on_id, &bench));
    assert_int_equal(bench.id, 1);
    close_bench(&bench);
    assert_store_rows("SELECT * FROM job_groups", "[[1,\"zoo\",\"ci\",7]]");
    group = 0;
}

STORE_FILE_TEST(a_job_does_not_join_anothers_group_that_has_the_number_now)
{
    struct bench bench;
    struct sl_group_record zoo = {.name = "zoo", .owner = "ci"}, other = {.owner = "eve"};
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_add_group(bench.store, &zoo, on_id, &bench));
    group = bench.id;
    add_run(&bench, DAY "/101010.123-1", "{}", "key");
    group = 0;
    make_folder("aside");
    move("aside/runs", "runs");
    close_bench(&bench);
    lose_database(true);
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_add_group(bench.store, &other, on_id, &bench));
    assert_int_equal(bench.id, 1);
    move("runs", "aside/runs");
    check(&bench, true, 0);
    close_bench(&bench);
    assert_store_rows("SELECT j.group_id, g.owner FROM jobs j, job_groups g", "[[0,\"eve\"]]");
}

STORE_FILE_TEST(a_copy_of_a_version_without_owners_makes_its_job_too)
{
    struct bench bench;
    char command[512];
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    close_bench(&bench);
    snprintf(command, sizeof(command),
             "sed -i 's/,\"owner\":\"[^\"]*\"//' %s/" DAY "/101010.123-1/" SL_ROW_COPY,
             store_folder);
    assert_int_equal(system(command), 0);
    lose_database(false);
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_get_job(bench.store, 1, on_job, &bench));
    assert_int_equal(bench.job.state, SL_JOB_FAILED);
    assert_string_equal(bench.job.owner, "");
    close_bench(&bench);
}

STORE_FILE_TEST(a_copy_of_a_version_without_runtimes_has_that_of_its_job)
{
    struct bench bench;
    char command[512];
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{\"model\":\"m\",\"runtime\":\"executorch\"}", NULL);
    close_bench(&bench);
    snprintf(command, sizeof(command),
             "sed -i 's/,\"runtime\":\"[^\"]*\"//' %s/" DAY "/101010.123-1/" SL_ROW_COPY,
             store_folder);
    assert_int_equal(system(command), 0);
    lose_database(false);
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_get_job(bench.store, 1, on_job, &bench)); /* behind the rows */
    close_bench(&bench);
    assert_store_rows("SELECT runtime FROM runs", "[[\"executorch\"]]");
}

STORE_FILE_TEST(numbers_that_only_directories_tell_are_not_given_out_again)
{
    struct bench bench;
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    close_bench(&bench);
    make_folder(DAY "/111111.000-41/streams"); /* an attempt that made no run */
    lose_database(true);
    open_bench(&bench);
    assert_int_equal(add_job(&bench, "{}", NULL), 42);
    assert_int_equal(add_run(&bench, DAY "/121212.123-43", "{}", NULL), 2);
    close_bench(&bench);
}

STORE_FILE_TEST(a_job_whose_end_was_lost_is_not_run_again)
{
    struct bench bench;
    char older[256], path[256], command[600];
    open_bench(&bench);
    close_bench(&bench);
    open_bench(&bench);
    add_job(&bench, "{}", NULL);
    close_bench(&bench);
    path_of("store.sqlite", path);
    path_of("older", older);
    snprintf(command, sizeof(command), "cp %s %s", path, older);
    assert_int_equal(system(command), 0);
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-2", "{}", NULL);
    struct sl_run_record run = {.job = 1, .ended_ms = 5};
    snprintf(run.directory, sizeof(run.directory), DAY "/101010.124-1");
    make_folder(DAY "/101010.124-1/streams");
    wait_for_answer(&bench, sl_store_add_run(bench.store, &run, on_id, &bench));
    close_bench(&bench); /* killed before the job's end was stored */
    lose_database(false);
    assert_int_equal(rename(older, path), 0);
    open_bench(&bench);
    wait_for_answer(&bench, sl_store_get_job(bench.store, 1, on_job, &bench));
    assert_int_equal(bench.job.state, SL_JOB_DONE);
    assert_int_equal(bench.job.run, 2);
    assert_int_equal(bench.job.ended_ms, 5);
    wait_for_answer(&bench, sl_store_get_job(bench.store, 2, on_job, &bench));
    assert_int_equal(bench.job.state, SL_JOB_FAILED);
    close_bench(&bench);
}

STORE_ANY_TEST(a_damaged_copy_is_found_and_makes_no_row)
{
    static const char *const copies[] = {
        "",
        "{",
        "[]",
        "\"x\"",
        "{\"schema\":\"sme2lab.rows/1\"}",
        "{\"schema\":\"sme2lab.rows/1\",\"run\":{\"id\":9223372036854775807},\"job\":{\"id\":1}}"};
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        struct bench bench;
        make_folder(DAY "/101010.123-9/streams");
        make_file(DAY "/101010.123-9/" SL_ROW_COPY, copies[i]);
        open_bench(&bench);
        check(&bench, true, 0);
        assert_int_equal(bench.count, 1);
        assert_int_equal(bench.found[0].kind, SL_FOUND_LOST_ROW);
        assert_false(bench.found[0].mended);
        assert_string_equal(bench.found[0].name, DAY "/101010.123-9");
        close_bench(&bench);
        assert_true(is_there(DAY "/101010.123-9"));
    }
}

STORE_ANY_TEST(a_number_that_another_run_has_is_not_taken_from_it)
{
    struct bench bench;
    char command[512];
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    snprintf(command, sizeof(command), "cp -r %s/" DAY "/101010.123-1 %s/" DAY "/101010.999-1",
             store_folder, store_folder);
    assert_int_equal(system(command), 0);
    check(&bench, true, 0);
    assert_int_equal(bench.count, 1);
    assert_true(bench.found[0].mended);
    assert_int_equal(bench.found[0].run, 2);
    check(&bench, false, 0);
    assert_int_equal(bench.count, 0);
    close_bench(&bench);
}

STORE_ANY_TEST(a_copy_of_another_job_makes_no_row)
{
    struct bench bench;
    char command[512];
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    snprintf(command, sizeof(command), "cp -r %s/" DAY "/101010.123-1 %s/" DAY "/101010.123-7",
             store_folder, store_folder);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 2; i++) {
        check(&bench, true, 0);
        assert_int_equal(bench.count, 1);
        assert_string_equal(bench.found[0].name, DAY "/101010.123-7");
        assert_false(bench.found[0].mended);
    }
    close_bench(&bench);
}

/* One row is lost: no copy of it makes it again, and nothing frees its directory. */
static void check_lost_for_good(const char *directory)
{
    struct bench bench;
    open_bench(&bench);
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.found[0].kind, SL_FOUND_LOST_ROW);
    assert_int_equal(bench.found[0].job, 9);
    assert_false(bench.found[0].mended);
    assert_string_equal(bench.found[0].name, directory);
    close_bench(&bench);
    assert_true(is_there(directory));
}

STORE_ANY_TEST(a_finished_run_without_a_copy_of_its_row_is_never_freed)
{
    static const char *const ends[] = {"manifest.json", "manifest_of-two.json", "import.json"};
    make_folder(DAY "/101010.123-9/streams");
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char name[64], path[256];
        snprintf(name, sizeof(name), DAY "/101010.123-9/%s", ends[i]);
        make_file(name, "{}");
        check_lost_for_good(DAY "/101010.123-9");
        path_of(name, path);
        assert_int_equal(unlink(path), 0);
    }
}

STORE_ANY_TEST(an_attempt_whose_row_was_not_stored_is_not_lost_once_another_made_the_run)
{
    struct bench bench;
    char path[256], moved[256];
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    make_folder(DAY "/101009.000-1");
    make_file(DAY "/101009.000-1/manifest.json", "{}");
    make_old(DAY "/101009.000-1");
    check(&bench, true, 0);
    assert_int_equal(bench.count, 0);
    path_of(DAY "/101010.123-1", path);
    path_of("moved", moved);
    assert_int_equal(rename(path, moved), 0); /* now it is all that there is of the job */
    check(&bench, true, 2000 * 1000);
    assert_int_equal(bench.count, 2);
    assert_int_equal(bench.found[0].kind, SL_FOUND_LOST_ROW);
    assert_true(is_there(DAY "/101009.000-1"));
    assert_int_equal(rename(moved, path), 0);
    check(&bench, true, 2000 * 1000);
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.found[0].kind, SL_FOUND_DEAD_ATTEMPT);
    assert_false(is_there(DAY "/101009.000-1"));
    close_bench(&bench);
}

STORE_ANY_TEST(a_place_that_cannot_be_looked_at_counts_as_a_copy)
{
    make_folder(DAY "/101010.123-9");
    make_file(DAY "/101010.123-9/streams", "no folder");
    check_lost_for_good(DAY "/101010.123-9");
}

STORE_ANY_TEST(a_copy_that_cannot_be_read_keeps_no_store_from_opening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    make_folder(DAY "/101010.123-9/streams");
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/" DAY "/101010.123-9/" SL_ROW_COPY,
             store_folder);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    check_lost_for_good(DAY "/101010.123-9");
}

static int count_step(void *user)
{
    ++*(uint64_t *)user;
    return 0;
}

STORE_FILE_TEST(asking_for_the_attempts_of_a_job_does_not_read_all_runs)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    uint64_t steps = 0;
    make_folder(DAY "/101009.000-7/streams");
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    static const char rows[] =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT "
        "INTO runs (job, started_ms, ended_ms, device_kind, model, model_sha256, device, verdict, "
        "ratio, directory) SELECT i, 0, 0, 0, '', '', '', '', 0, 'runs/2026-11-23/101010.000-' || "
        "i FROM n;" STORE_INSERT_JOB
        "VALUES (7,2,0,0,0,1795392000000,0,1795392000000,0,7,0,'','','','{}',"
        "NULL,'')";
    assert_int_equal(sl_database_exec(db, rows), 0);
    sqlite3_progress_handler(sl_sqlite_handle(db), 1, count_step, &steps);
    struct sl_request *request = calloc(1, sizeof(*request));
    assert_non_null(request);
    request->kind = SL_REQUEST_LIST_ATTEMPTS;
    request->id = 7;
    sl_check_list_left(request, db);
    assert_int_equal(request->rc, 0);
    assert_int_equal(request->count, 1);
    sl_findings_fini(&(struct sl_findings){.rows = request->rows});
    free(request);
    sl_database_close(db);
    assert_in_range(steps, 1, 1000);
}

STORE_ANY_TEST(a_row_without_files_is_told_and_stays)
{
    struct bench bench;
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    char command[256];
    snprintf(command, sizeof(command), "rm -r %s/runs/*-*", store_folder);
    assert_int_equal(system(command), 0);
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.found[0].kind, SL_FOUND_LOST_FILES);
    assert_int_equal(bench.found[0].run, 1);
    assert_false(bench.found[0].mended);
    close_bench(&bench);
}

STORE_ANY_TEST(files_of_another_hosts_run_are_not_missed_and_those_here_are_taken)
{
    const struct sl_store_host here = {.name = "here", .lease_ms = 1000};
    struct sl_database *db = NULL;
    struct sl_diag diag = {0};
    struct bench bench;
    char command[256];
    open_bench(&bench);
    sl_store_be_host(bench.store, &here);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    add_run(&bench, DAY "/101010.123-2", "{}", NULL);
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(sl_database_exec(db, "UPDATE runs SET host = 'there'"), 0);
    sl_database_close(db);
    snprintf(command, sizeof(command), "rm -r %s/" DAY "/*-1", store_folder);
    assert_int_equal(system(command), 0);
    bool shared = sl_store_is_shared(bench.store);
    check(&bench, false, UINT64_MAX);
    assert_int_equal(bench.count, shared ? 0 : 1);
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, shared ? 0 : 1);
    close_bench(&bench);
    assert_store_rows("SELECT id, host FROM runs ORDER BY id",
                      shared ? "[[1,\"there\"],[2,\"here\"]]" : "[[1,\"there\"],[2,\"there\"]]");
}

STORE_ANY_TEST(dead_attempts_are_listed_with_their_job_and_go_when_they_are_old)
{
    struct bench bench;
    open_bench(&bench);
    uint64_t open = add_job(&bench, "{}", NULL);
    assert_int_equal(open, 1);
    add_run(&bench, DAY "/101010.123-2", "{}", NULL);
    make_folder(DAY "/101009.000-2/streams");
    make_file(DAY "/101009.000-2/config.json", "{}");
    make_folder(DAY "/101011.000-1/streams"); /* of a job that is open */
    wait_for_answer(&bench, sl_store_list_left(bench.store, 2, on_findings, &bench));
    assert_int_equal(bench.count, 1);
    assert_string_equal(bench.found[0].name, DAY "/101009.000-2");
    assert_int_equal(bench.found[0].bytes, 2);
    wait_for_answer(&bench, sl_store_list_left(bench.store, 1, on_findings, &bench));
    assert_int_equal(bench.count, 1);
    check(&bench, true, 2000 * 1000); /* it is newer */
    assert_int_equal(bench.count, 0);
    make_old(DAY "/101009.000-2");
    check(&bench, false, 2000 * 1000);
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.found[0].kind, SL_FOUND_DEAD_ATTEMPT);
    assert_true(is_there(DAY "/101009.000-2"));
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 1);
    assert_true(bench.found[0].mended);
    assert_false(is_there(DAY "/101009.000-2"));
    assert_true(is_there(DAY "/101010.123-2") && is_there(DAY "/101011.000-1"));
    close_bench(&bench);
}

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

static const struct sl_store_finding *finding_of(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->count; i++) {
        if (strcmp(bench->found[i].name, name) == 0)
            return &bench->found[i];
    }
    return NULL;
}

STORE_ANY_TEST(what_lies_among_the_runs_and_is_none_is_told_last_and_stays)
{
    static const char *const files[] = {
        "runs/notes.txt",      "runs/2026-11-24", /* a day would be a folder */
        DAY "/2026-11-23.log", DAY "/a\x1b[2J\n\xff",
        DAY "/" SIXTY "1234",  "runs/" SIXTY SIXTY SIXTY};
    static const char *const own[] = {"runs/removed", "runs/lost+found",
                                      "runs/.sme2lab.0123456789abcdef"};
    static const char *const folders[] = {"runs/2026-11-2", "runs/1234567890", DAY "/101010.123-0",
                                          DAY "/101010.123-9.old"};
    enum { FILES = 6, FOLDERS = 4, SHORT = 5 };
    struct bench bench;
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL);
    make_folder(DAY "/101009.000-1/streams"); /* an attempt, told before them */
    for (size_t i = 0; i < FOLDERS; i++)
        make_folder(folders[i]);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        make_folder(own[i]);
    for (size_t i = 0; i < FILES; i++)
        make_file(files[i], "four");
    for (int mend = 0; mend < 2; mend++) {
        check(&bench, mend == 1, mend ? 0 : UINT64_MAX);
        assert_int_equal(bench.count, FILES + FOLDERS + !mend);
        assert_int_equal(bench.found[0].kind, mend ? SL_FOUND_STRAY : SL_FOUND_DEAD_ATTEMPT);
        for (size_t i = 0; i < SHORT + FOLDERS; i++) {
            const char *name = i < SHORT ? files[i] : folders[i - SHORT];
            const struct sl_store_finding *found = finding_of(&bench, name);
            assert_non_null(found);
            assert_int_equal(found->kind, SL_FOUND_STRAY);
            assert_int_equal(found->bytes, i < SHORT ? 4 : 0);
            assert_false(found->mended);
            assert_true(is_there(name));
        }
        assert_non_null(finding_of(&bench, "runs/" SIXTY TEN "01..."));
    }
    wait_for_answer(&bench, sl_store_list_left(bench.store, 1, on_findings, &bench));
    assert_int_equal(bench.count, 1);
    close_bench(&bench);
}

STORE_ANY_TEST(answers_of_tasks_go_when_they_are_old_and_their_job_is_over)
{
    static const char *const kept[] = {"tasks/2.json", "tasks/x.json",          "tasks/4.jsonx",
                                       "tasks/.json",  "tasks/1.json.5-0.tmpx", "tasks/1.jsontmp"};
    static const char *const freed[] = {"tasks/1.json", "tasks/1.json.4194304-4294967295.tmp",
                                        "tasks/1.json.tmp", "tasks/99.json"};
    struct bench bench;
    open_bench(&bench);
    add_run(&bench, DAY "/101010.123-1", "{}", NULL); /* which ends job 1 */
    assert_int_equal(add_job(&bench, "{}", NULL), 2); /* this one is open */
    make_folder("tasks");
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        make_file(kept[i], "{}");
        make_old(kept[i]);
    }
    make_file("tasks/3.json", "{}"); /* a new one */
    for (size_t i = 0; i < sizeof(freed) / sizeof(freed[0]); i++) {
        make_file(freed[i], "{}");
        make_old(freed[i]);
    }
    check(&bench, true, 0);
    assert_int_equal(bench.count, 0);
    check(&bench, true, 2000 * 1000);
    assert_int_equal(bench.count, sizeof(freed) / sizeof(freed[0]));
    for (size_t i = 0; i < bench.count; i++) {
        assert_int_equal(bench.found[i].kind, SL_FOUND_TASK_ANSWER);
        assert_int_equal(bench.found[i].bytes, 2);
        assert_true(bench.found[i].mended);
        assert_false(is_there(freed[i]));
    }
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        assert_true(is_there(kept[i]));
    assert_true(is_there("tasks/3.json"));
    close_bench(&bench);
}

STORE_ANY_TEST(blobs_go_that_no_open_job_and_no_run_names)
{
    struct bench bench;
    open_bench(&bench);
    make_folder("blobs");
    make_file("blobs/" USED, "used");
    make_file("blobs/" UNUSED, "unused");
    make_file("blobs/" FRESH, "fresh");
    make_file("blobs/" UNUSED ".part", "part");
    add_job(&bench, "{\"model\":\"" USED "\",\"command\":\"run " UNUSED "0\"}", NULL);
    make_old("blobs/" USED);
    make_old("blobs/" UNUSED);
    check(&bench, true, 0);
    assert_int_equal(bench.count, 0);
    check(&bench, true, sl_clock_utc_ms() + 1000000); /* yet the last hour's stay */
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.found[0].kind, SL_FOUND_UNUSED_BLOB);
    assert_string_equal(bench.found[0].name, UNUSED);
    assert_int_equal(bench.found[0].bytes, 6);
    assert_true(bench.found[0].mended);
    assert_false(is_there("blobs/" UNUSED));
    assert_true(is_there("blobs/" USED) && is_there("blobs/" FRESH) &&
                is_there("blobs/" UNUSED ".part"));
    close_bench(&bench);
}

/* A submit comes between the look at the blobs' ages and the removal: it touches what it names, and
 * its job is not there yet. */
static int touch_when_jobs_are_read(unsigned event, void *user, void *statement, void *sql)
{
    uint64_t size;
    (void)event;
    (void)statement;
    if (strstr(sql, "SELECT config FROM jobs"))
        assert_int_equal(sl_blobs_touch(user, USED, &size), 0);
    return 0;
}

STORE_FILE_TEST(a_blob_that_a_submit_asks_for_meanwhile_stays)
{
    struct sl_diag diag = {0};
    struct sl_blobs blobs;
    struct sl_findings found = {.rows = NULL};
    const struct sl_store_check wish = {.mend = true, .free_before_ms = UINT64_MAX};
    struct sl_database *db = NULL;
    uint64_t highest;
    assert_int_equal(sl_blobs_init(&blobs, store_folder, &diag), 0);
    make_file("blobs/" USED, "used");
    make_file("blobs/" UNUSED, "unused");
    make_old("blobs/" USED);
    make_old("blobs/" UNUSED);
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    sqlite3_trace_v2(sl_sqlite_handle(db), SQLITE_TRACE_STMT, touch_when_jobs_are_read, &blobs);
    assert_int_equal(sl_check_state(db, NULL, &wish, &found, &highest), 0);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.rows[0].name, UNUSED);
    assert_true(is_there("blobs/" USED));
    assert_false(is_there("blobs/" UNUSED));
    sl_findings_fini(&found);
    sl_database_close(db);
}

STORE_ANY_TEST(a_blob_of_a_run_whose_row_is_lost_stays)
{
    struct bench bench;
    open_bench(&bench);
    make_folder("blobs");
    make_file("blobs/" USED, "used");
    make_old("blobs/" USED);
    make_folder(DAY "/101010.123-9");
    make_file(DAY "/101010.123-9/config.json", "{\"model\":\"" USED "\"}");
    make_file(DAY "/101010.123-9/manifest.json", "{}");
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.found[0].kind, SL_FOUND_LOST_ROW);
    assert_true(is_there("blobs/" USED));
    close_bench(&bench);
}

STORE_ANY_TEST(a_blob_of_a_stored_run_whose_jobs_row_is_lost_stays)
{
    struct bench bench;
    open_bench(&bench);
    make_folder("blobs");
    make_file("blobs/" USED, "used");
    make_file("blobs/" UNUSED, "unused");
    make_old("blobs/" USED);
    make_old("blobs/" UNUSED);
    add_run(&bench, DAY "/101010.123-1", "{\"model\":\"" USED "\"}", NULL);
    lose_jobs(&bench);
    make_folder(DAY "/101010.123-1/config.json"); /* which nobody can read */
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 0);
    assert_true(is_there("blobs/" UNUSED));
    char path[256];
    path_of(DAY "/101010.123-1/config.json", path);
    assert_int_equal(rmdir(path), 0);
    make_file(DAY "/101010.123-1/config.json", "{\"model\":\"" USED "\"}");
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 1);
    assert_string_equal(bench.found[0].name, UNUSED);
    assert_true(is_there("blobs/" USED));
    close_bench(&bench);
}

STORE_ANY_TEST(a_blob_of_a_removed_run_goes_after_it)
{
    struct bench bench;
    open_bench(&bench);
    make_folder("blobs");
    make_file("blobs/" USED, "used");
    make_old("blobs/" USED);
    uint64_t run = add_run(&bench, DAY "/101010.123-1", "{\"model\":\"" USED "\"}", NULL);
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 0);
    char command[256];
    snprintf(command, sizeof(command), "rm -r %s/runs/*-*", store_folder);
    assert_int_equal(system(command), 0);
    wait_for_answer(&bench, sl_store_remove_run(bench.store, run, NULL, on_done, &bench));
    check(&bench, true, UINT64_MAX);
    assert_int_equal(bench.count, 1);
    assert_false(is_there("blobs/" USED));
    close_bench(&bench);
}
