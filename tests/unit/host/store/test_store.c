/* tests/unit/host/store/test_store.c */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/large_store.h"
#include "tests/support/store_place.h"
#include "tests/support/test.h"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    int answers, closed, rc;
    uint64_t id, next_cursor;
    size_t count;
    struct sl_job_record jobs[SL_STORE_PAGE_ROWS];
    struct sl_run_record runs[SL_STORE_PAGE_ROWS];
    struct sl_token_record tokens[8];
    struct sl_group_record group;
    char config[64];
};

static void on_done(void *user, int rc)
{
    struct bench *bench = user;
    bench->rc = rc;
    bench->answers++;
}

static void on_id(void *user, int rc, uint64_t id)
{
    struct bench *bench = user;
    bench->id = id;
    on_done(user, rc);
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config)
{
    struct bench *bench = user;
    if (rc == 0) {
        bench->jobs[0] = *job;
        snprintf(bench->config, sizeof(bench->config), "%s", config);
    }
    on_done(user, rc);
}

static void on_jobs(void *user, int rc, const struct sl_job_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct bench *bench = user;
    if (count > 0)
        memcpy(bench->jobs, rows, count * sizeof(*rows));
    bench->count = count;
    bench->next_cursor = next_cursor;
    on_done(user, rc);
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct bench *bench = user;
    if (count > 0)
        memcpy(bench->runs, rows, count * sizeof(*rows));
    bench->count = count;
    bench->next_cursor = next_cursor;
    on_done(user, rc);
}

static void on_tokens(void *user, int rc, const struct sl_token_record *rows, size_t count)
{
    struct bench *bench = user;
    assert_true(count <= 8);
    if (count > 0)
        memcpy(bench->tokens, rows, count * sizeof(*rows));
    bench->count = count;
    on_done(user, rc);
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed = 1;
}

static void wait_for(struct bench *bench, int answers)
{
    while (bench->answers < answers)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag), 0);
}

static void close_bench(struct bench *bench)
{
    sl_store_close(bench->store, on_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(bench->closed, 1);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static uint64_t add_job(struct bench *bench, int state, const char *key)
{
    struct sl_job_record job = {.state = state, .submitted_ms = 1000, .priority = -3};
    snprintf(job.selector, sizeof(job.selector), "phone-1");
    int before = bench->answers;
    assert_int_equal(
        sl_store_add_job(bench->store, &job, "{\"model\":\"m\"}", key, 0, on_id, bench), 0);
    assert_int_equal(bench->answers, before); /* never inside the call */
    wait_for(bench, before + 1);
    assert_in_range(bench->rc, 0, 1);
    return bench->id;
}

static int find_job(struct bench *bench, const char *key, const char *config)
{
    int before = bench->answers;
    assert_int_equal(sl_store_find_job(bench->store, config, key, on_id, bench), 0);
    wait_for(bench, before + 1);
    return bench->rc;
}

STORE_ANY_TEST(a_job_is_there_after_a_restart)
{
    struct bench bench;
    open_bench(&bench);
    uint64_t id = add_job(&bench, SL_JOB_QUEUED, NULL);
    close_bench(&bench);
    open_bench(&bench);
    assert_int_equal(sl_store_get_job(bench.store, id, on_job, &bench), 0);
    wait_for(&bench, 1);
    assert_int_equal(bench.rc, 0);
    assert_int_equal(bench.jobs[0].id, id);
    assert_int_equal(bench.jobs[0].priority, -3);
    assert_string_equal(bench.jobs[0].selector, "phone-1");
    assert_string_equal(bench.config, "{\"model\":\"m\"}");
    assert_int_equal(sl_store_get_job(bench.store, id + 100, on_job, &bench), 0);
    wait_for(&bench, 2);
    assert_int_equal(bench.rc, SL_E_NOT_FOUND);
    close_bench(&bench);
}

STORE_ANY_TEST(a_store_has_an_identity_that_no_other_has)
{
    struct bench first, again, other;
    struct sl_diag diag = {0};
    char had[SL_NAME_BYTES], beside[128];
    open_bench(&first);
    snprintf(had, sizeof(had), "%s", sl_store_identity(first.store));
    assert_int_equal(strlen(had), 32);
    close_bench(&first);
    open_bench(&again);
    assert_string_equal(sl_store_identity(again.store), had);
    close_bench(&again);
    memset(&other, 0, sizeof(other));
    snprintf(beside, sizeof(beside), "%s/beside.sqlite", store_folder);
    assert_int_equal(uv_loop_init(&other.loop), 0);
    assert_int_equal(sl_store_open(&other.loop, beside, NULL, &other.store, &diag), 0);
    assert_int_equal(strlen(sl_store_identity(other.store)), 32);
    assert_string_not_equal(sl_store_identity(other.store), had);
    close_bench(&other);
}

STORE_ANY_TEST(the_same_key_gives_the_same_job)
{
    struct bench bench;
    open_bench(&bench);
    uint64_t first = add_job(&bench, SL_JOB_QUEUED, "key-1");
    assert_int_equal(bench.rc, 0);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, "key-1"), first);
    assert_int_equal(bench.rc, 1);
    assert_int_equal(find_job(&bench, "key-1", "{\"model\":\"m\"}"), 0);
    assert_int_equal(bench.id, first);
    assert_int_equal(find_job(&bench, "key-1", "{\"model\":\"n\"}"), SL_E_MISMATCH);
    assert_int_equal(find_job(&bench, "key-0", "{\"model\":\"m\"}"), SL_E_NOT_FOUND);
    assert_int_not_equal(add_job(&bench, SL_JOB_QUEUED, "key-2"), first);
    close_bench(&bench);
}

STORE_ANY_TEST(updates_and_lists_page_through_what_is_open)
{
    struct bench bench;
    struct sl_jobs_filter filter = {.state = -1, .limit = 2};
    uint64_t ids[5];
    open_bench(&bench);
    for (int i = 0; i < 5; i++)
        ids[i] = add_job(&bench, SL_JOB_QUEUED, NULL);
    struct sl_job_record done = {.id = ids[1], .state = SL_JOB_DONE, .run = 7};
    assert_int_equal(sl_store_update_job(bench.store, &done, on_done, &bench), 0);
    wait_for(&bench, 6);
    assert_int_equal(bench.rc, 0);
    uint64_t seen[8];
    size_t count = 0;
    do {
        assert_int_equal(sl_store_list_jobs(bench.store, &filter, on_jobs, &bench), 0);
        wait_for(&bench, bench.answers + 1);
        for (size_t i = 0; i < bench.count; i++)
            seen[count++] = bench.jobs[i].id;
        filter.cursor = bench.next_cursor;
    } while (bench.next_cursor != 0);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(seen[i], ids[4 - i]); /* newest first, none twice, none left out */
    struct sl_jobs_filter open_only = {.open_only = true, .state = -1};
    assert_int_equal(sl_store_list_jobs(bench.store, &open_only, on_jobs, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_int_equal(bench.count, 4);
    assert_int_equal(bench.jobs[0].id, ids[0]);
    struct sl_job_record unknown = {.id = 999999};
    assert_int_equal(sl_store_update_job(bench.store, &unknown, on_done, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_int_equal(bench.rc, SL_E_NOT_FOUND);
    close_bench(&bench);
}

STORE_ANY_TEST(runs_are_found_by_every_filter)
{
    static const struct {
        struct sl_runs_filter filter;
        size_t found;
    } cases[] = {
        {{0}, 4},
        {{.model = "toy"}, 2},
        {{.device = "b"}, 2},
        {{.job = 2}, 1},
        {{.since_ms = 30}, 2},
        {{.model = "toy", .device = "b"}, 1},
        {{.id = 3}, 1},
        {{.model = "none"}, 0},
        {{.series = "s"}, 2},
        {{.newest_of_series = true}, 2},
        {{.newest_of_series = true, .cursor = 3}, 0},
    };
    struct bench bench;
    open_bench(&bench);
    for (uint64_t i = 0; i < 4; i++) {
        struct sl_run_record run = {.job = i + 1, .started_ms = 10 * (i + 1), .ratio = 2.5};
        snprintf(run.model, sizeof(run.model), "%s", i < 2 ? "toy" : "big");
        snprintf(run.device, sizeof(run.device), "%s", i % 2 ? "b" : "a");
        snprintf(run.series, sizeof(run.series), "%s", i == 0 ? "" : i < 3 ? "s" : "t");
        assert_int_equal(sl_store_add_run(bench.store, &run, on_id, &bench), 0);
    }
    wait_for(&bench, 4);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(sl_store_list_runs(bench.store, &cases[i].filter, on_runs, &bench), 0);
        wait_for(&bench, bench.answers + 1);
        assert_int_equal(bench.rc, 0);
        assert_int_equal(bench.count, cases[i].found);
    }
    assert_int_equal(sl_store_list_runs(bench.store, &cases[0].filter, on_runs, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_true(bench.runs[0].ratio > 2.4 && bench.runs[0].ratio < 2.6);
    close_bench(&bench);
}

STORE_ANY_TEST(a_series_is_found_by_its_former_name_and_its_newest_run_by_time)
{
    const struct sl_runs_filter former = {.series = "n"}, newest = {.newest_of_series = true};
    static const uint64_t began[3] = {30, 20, 10};
    struct bench bench;
    open_bench(&bench);
    for (uint64_t i = 0; i < 3; i++) {
        struct sl_run_record run = {.job = i + 1, .started_ms = began[i]};
        snprintf(run.series, sizeof(run.series), "%s", i < 2 ? "n" : "p");
        snprintf(run.former_series, sizeof(run.former_series), "%s", i < 2 ? "" : "n");
        assert_int_equal(sl_store_add_run(bench.store, &run, on_id, &bench), 0);
    }
    wait_for(&bench, 3);
    assert_int_equal(sl_store_list_runs(bench.store, &former, on_runs, &bench), 0);
    wait_for(&bench, 4);
    assert_int_equal(bench.count, 3);
    assert_int_equal(sl_store_list_runs(bench.store, &newest, on_runs, &bench), 0);
    wait_for(&bench, 5);
    assert_int_equal(bench.count, 1);
    assert_int_equal(bench.runs[0].started_ms, 30);
    close_bench(&bench);
}

STORE_ANY_TEST(tokens_come_and_go)
{
    struct bench bench;
    struct sl_token_record token = {.role = SL_TOKEN_SUBMIT, .name = "ci", .sha256 = "abc"};
    open_bench(&bench);
    assert_int_equal(sl_store_add_token(bench.store, &token, on_id, &bench), 0);
    wait_for(&bench, 1);
    uint64_t id = bench.id;
    assert_int_equal(sl_store_add_token(bench.store, &token, on_id, &bench), 0); /* the same hash */
    wait_for(&bench, 2);
    assert_true(bench.rc < 0);
    assert_int_equal(sl_store_list_tokens(bench.store, on_tokens, &bench), 0);
    wait_for(&bench, 3);
    assert_int_equal(bench.count, 1);
    assert_string_equal(bench.tokens[0].name, "ci");
    assert_int_equal(sl_store_remove_token(bench.store, id, on_done, &bench), 0);
    wait_for(&bench, 4);
    assert_int_equal(bench.rc, 0);
    assert_int_equal(sl_store_remove_token(bench.store, id, on_done, &bench), 0);
    wait_for(&bench, 5);
    assert_int_equal(bench.rc, SL_E_NOT_FOUND);
    close_bench(&bench);
}

STORE_ANY_TEST(a_full_queue_refuses_and_closing_answers_everything)
{
    struct bench bench;
    struct sl_job_record job = {0};
    int taken = 0, rc = 0;
    open_bench(&bench);
    while (rc == 0 && taken <= SL_STORE_MAX_QUEUED) {
        rc = sl_store_add_job(bench.store, &job, "{}", NULL, 0, on_id, &bench);
        taken += rc == 0;
    }
    assert_int_equal(rc, SL_E_FULL);
    assert_int_equal(taken, SL_STORE_MAX_QUEUED);
    close_bench(&bench);
    assert_int_equal(bench.answers, taken);
}

STORE_FILE_TEST(a_newer_schema_and_a_foreign_file_are_refused_with_words)
{
    uv_loop_t loop;
    struct sl_store *store = NULL;
    struct sl_diag diag = {0};
    char command[256];
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_buf_write_file(
                         store_path, "this is no database, whatever its name says, not at all", 55),
                     0);
    assert_int_equal(sl_store_open(&loop, store_path, store_root, &store, &diag), SL_E_FORMAT);
    assert_true(diag.what[0] && diag.hint[0]);
    unlink(store_path);
    struct bench bench;
    open_bench(&bench);
    close_bench(&bench);
    /* user_version stands at offset 60 of the file, big-endian */
    snprintf(command, sizeof(command),
             "printf '\\000\\000\\003\\347' | dd of=%s bs=1 seek=60 conv=notrunc 2>/dev/null",
             store_path);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_store_open(&loop, store_path, store_root, &store, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "999"));
    assert_int_equal(uv_loop_close(&loop), 0);
}

STORE_FILE_TEST(a_store_is_its_users_alone)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    struct bench bench;
    open_bench(&bench);
    close_bench(&bench);
    assert_int_equal(chmod(store_path, 0644), 0); /* as an earlier version left it */
    open_bench(&bench);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char path[320];
        struct stat info;
        snprintf(path, sizeof(path), "%s%s", store_path, endings[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    close_bench(&bench);
}

/* Puts the database of an earlier moment in its place, as a restore by the host does. */
static void put_back(const char *kept)
{
    char command[320];
    snprintf(command, sizeof(command), "rm -f %s-wal %s-shm && cp %s %s", store_path, store_path,
             kept, store_path);
    assert_int_equal(system(command), 0);
}

STORE_FILE_TEST(numbers_of_rows_that_were_lost_are_not_given_out_again)
{
    struct bench bench;
    struct sl_run_record run = {.job = 1, .model = "m"};
    char kept[128], command[320];
    open_bench(&bench);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, NULL), 1);
    close_bench(&bench);
    snprintf(kept, sizeof(kept), "%s.kept", store_path);
    snprintf(command, sizeof(command), "cp %s %s", store_path, kept);
    assert_int_equal(system(command), 0);
    open_bench(&bench);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, NULL), 2);
    assert_int_equal(sl_store_add_run(bench.store, &run, on_id, &bench), 0);
    wait_for(&bench, 2);
    assert_int_equal(bench.id, 1);
    close_bench(&bench);
    put_back(kept);
    open_bench(&bench);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, NULL), 3);
    assert_int_equal(sl_store_add_run(bench.store, &run, on_id, &bench), 0);
    wait_for(&bench, 2);
    assert_int_equal(bench.id, 2);
    close_bench(&bench);
    assert_int_equal(unlink(store_path), 0); /* somebody moved it away, as the hint says */
    open_bench(&bench);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, NULL), 4);
    close_bench(&bench);
}

STORE_FILE_TEST(a_file_of_numbers_that_is_cut_is_written_anew)
{
    struct bench bench;
    char name[128];
    snprintf(name, sizeof(name), "%s-numbers", store_path);
    open_bench(&bench);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, NULL), 1);
    close_bench(&bench);
    assert_int_equal(truncate(name, 20), 0);
    open_bench(&bench);
    assert_int_equal(add_job(&bench, SL_JOB_QUEUED, NULL), 2);
    close_bench(&bench);
}

STORE_FILE_TEST(a_damaged_page_is_found_at_the_start)
{
    struct bench bench;
    struct sl_store *store = NULL;
    struct sl_diag diag = {0};
    char command[256];
    open_bench(&bench);
    for (int i = 0; i < 200; i++)
        add_job(&bench, SL_JOB_DONE, NULL);
    close_bench(&bench);
    snprintf(command, sizeof(command),
             "dd if=/dev/urandom of=%s bs=4096 seek=9 count=2 conv=notrunc 2>/dev/null",
             store_path);
    assert_int_equal(system(command), 0);
    assert_int_equal(uv_loop_init(&bench.loop), 0);
    assert_int_equal(sl_store_open(&bench.loop, store_path, store_root, &store, &diag),
                     SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "damaged"));
    assert_int_equal(uv_loop_close(&bench.loop), 0);
}

static int health_of(struct bench *bench, char why[SL_STORE_WHY_BYTES])
{
    int rc = 0;
    for (int ms = 0; ms < 30000 && (rc = sl_store_health(bench->store, why)) == 0; ms++)
        uv_sleep(1);
    return rc;
}

STORE_FILE_TEST(a_damaged_page_of_a_large_file_is_found_beside_the_requests)
{
    char why[SL_STORE_WHY_BYTES];
    struct bench bench;
    open_bench(&bench);
    close_bench(&bench);
    make_store_large(store_path);
    damage_large_store(store_path);
    open_bench(&bench);
    assert_true(add_job(&bench, SL_JOB_QUEUED, NULL) > 0);
    assert_int_equal(health_of(&bench, why), SL_E_FORMAT);
    assert_non_null(strstr(why, "the store is damaged"));
    assert_true(add_job(&bench, SL_JOB_QUEUED, NULL) > 0); /* what is whole goes on */
    assert_int_equal(sl_store_health(bench.store, why), SL_E_FORMAT);
    close_bench(&bench);
}

/* In a process of its own, because root may write everything. */
STORE_FILE_TEST(a_store_that_can_be_read_only_is_refused_at_the_start)
{
    struct bench bench;
    struct sl_store *store = NULL;
    struct sl_diag diag = {0};
    int status = 0;
    open_bench(&bench);
    close_bench(&bench);
    assert_int_equal(chmod(store_path, 0444), 0);
    assert_int_equal(chmod(store_folder, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) < 0)
            _exit(2);
        uv_loop_init(&bench.loop);
        int rc = sl_store_open(&bench.loop, store_path, store_root, &store, &diag);
        _exit(rc < 0 && diag.what[0] ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(store_folder, 0755), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

STORE_FILE_TEST(failing_writes_are_told_until_they_work_again)
{
    struct bench bench;
    struct sl_job_record job = {.state = SL_JOB_QUEUED};
    struct rlimit before, none;
    char why[SL_STORE_WHY_BYTES];
    open_bench(&bench);
    add_job(&bench, SL_JOB_QUEUED, NULL);
    assert_int_equal(sl_store_health(bench.store, why), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 512;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond it is an error */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int answers = bench.answers;
    assert_int_equal(sl_store_add_job(bench.store, &job, "{}", NULL, 0, on_id, &bench), 0);
    wait_for(&bench, answers + 1);
    assert_true(bench.rc < 0);
    assert_true(sl_store_health(bench.store, why) < 0);
    assert_true(why[0]);
    for (int able = 0; able < 2; able++) { /* reading goes on; it tells when writing does */
        if (able)
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(sl_store_list_tokens(bench.store, on_tokens, &bench), 0);
        wait_for(&bench, answers + 2 + able);
        assert_int_equal(bench.rc, 0);
        assert_int_equal(sl_store_health(bench.store, why) == 0, able);
    }
    add_job(&bench, SL_JOB_QUEUED, NULL);
    assert_int_equal(sl_store_health(bench.store, why), 0);
    close_bench(&bench);
}

STORE_ANY_TEST(an_owner_has_as_many_open_jobs_as_it_may)
{
    struct bench bench;
    struct sl_job_record job = {.state = SL_JOB_QUEUED, .owner = "ci"};
    static const int expected[] = {0, 0, SL_E_LIMIT};
    open_bench(&bench);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            sl_store_add_job(bench.store, &job, "{}", i == 0 ? "key" : NULL, 2, on_id, &bench), 0);
        wait_for(&bench, bench.answers + 1);
        assert_int_equal(bench.rc, expected[i]);
    }
    assert_int_equal(sl_store_add_job(bench.store, &job, "{}", "key", 2, on_id, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_int_equal(bench.rc, 1); /* it came before: not one more */
    snprintf(job.owner, sizeof(job.owner), "other");
    assert_int_equal(sl_store_add_job(bench.store, &job, "{}", NULL, 2, on_id, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_int_equal(bench.rc, 0);
    struct sl_job_record done = {.id = 1, .state = SL_JOB_DONE, .owner = "ci"};
    assert_int_equal(sl_store_update_job(bench.store, &done, on_done, &bench), 0);
    snprintf(job.owner, sizeof(job.owner), "ci");
    assert_int_equal(sl_store_add_job(bench.store, &job, "{}", NULL, 2, on_id, &bench), 0);
    wait_for(&bench, bench.answers + 2);
    assert_int_equal(bench.rc, 0);
    close_bench(&bench);
}

STORE_TEST(a_list_waits_for_no_write)
{
    struct bench bench;
    struct sl_database *other = NULL;
    struct sl_diag diag = {0};
    const struct sl_jobs_filter all = {.state = -1};
    open_bench(&bench);
    uint64_t job = add_job(&bench, SL_JOB_QUEUED, NULL);
    assert_int_equal(sl_schema_open(store_path, store_root, &other, &diag), 0);
    assert_int_equal(other->kind->begin(other), 0);
    if (other->shared)
        assert_int_equal(sl_database_exec(other, "LOCK TABLE jobs IN EXCLUSIVE MODE"), 0);
    struct sl_job_record failed = {.id = job, .state = SL_JOB_FAILED};
    int before = bench.answers;
    assert_int_equal(sl_store_update_job(bench.store, &failed, on_done, &bench), 0);
    assert_int_equal(sl_store_list_jobs(bench.store, &all, on_jobs, &bench), 0);
    wait_for(&bench, before + 1);
    assert_int_equal(bench.count, 1); /* the list alone: the change waits */
    assert_int_equal(bench.jobs[0].state, SL_JOB_QUEUED);
    assert_int_equal(bench.answers, before + 1);
    assert_int_equal(sl_database_exec(other, "COMMIT"), 0);
    wait_for(&bench, before + 2);
    assert_int_equal(sl_store_list_jobs(bench.store, &all, on_jobs, &bench), 0);
    wait_for(&bench, before + 3);
    assert_int_equal(bench.jobs[0].state, SL_JOB_FAILED);
    sl_database_close(other);
    close_bench(&bench);
}

static void on_groups(void *user, int rc, const struct sl_group_record *rows, size_t count,
                      uint64_t next_cursor)
{
    struct bench *bench = user;
    if (count > 0)
        bench->group = rows[0];
    bench->count = count;
    bench->next_cursor = next_cursor;
    on_done(user, rc);
}

STORE_ANY_TEST(a_group_counts_its_jobs_and_takes_its_owners_alone)
{
    struct bench bench;
    struct sl_group_record group = {.name = "zoo", .owner = "ci", .created_ms = 5};
    struct sl_job_record job = {.state = SL_JOB_QUEUED, .owner = "ci"};
    const struct sl_groups_filter newest = {.limit = 1};
    const struct sl_groups_filter older = {.cursor = 2, .limit = 1};
    open_bench(&bench);
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(sl_store_add_group(bench.store, &group, on_id, &bench), 0);
        wait_for(&bench, i);
        assert_int_equal(bench.id, i);
    }
    static const struct {
        uint64_t group;
        const char *owner;
        int rc;
    } adds[] = {
        {2, "ci", 0}, {2, "ci", 0}, {2, "other", -EACCES}, {9, "ci", SL_E_NOT_FOUND}, {0, "ci", 0}};
    for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
        job.group_id = adds[i].group;
        snprintf(job.owner, sizeof(job.owner), "%s", adds[i].owner);
        assert_int_equal(sl_store_add_job(bench.store, &job, "{}", NULL, 0, on_id, &bench), 0);
        wait_for(&bench, bench.answers + 1);
        assert_int_equal(bench.rc, adds[i].rc);
    }
    struct sl_job_record done = {.id = 1, .state = SL_JOB_FAILED, .owner = "ci", .group_id = 2};
    assert_int_equal(sl_store_update_job(bench.store, &done, on_done, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_int_equal(sl_store_list_groups(bench.store, &newest, on_groups, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_string_equal(bench.group.name, "zoo");
    assert_int_equal(bench.group.id, 2);
    assert_int_equal(bench.group.queued, 1);
    assert_int_equal(bench.group.failed, 1);
    assert_int_equal(bench.next_cursor, 2);
    assert_int_equal(sl_store_list_groups(bench.store, &older, on_groups, &bench), 0);
    wait_for(&bench, bench.answers + 1);
    assert_int_equal(bench.group.id, 1);
    assert_int_equal(bench.group.queued, 0);
    for (int wanted = -1; wanted <= SL_JOB_FAILED; wanted++) {
        const struct sl_jobs_filter of_group = {.state = wanted, .group = 2};
        assert_int_equal(sl_store_list_jobs(bench.store, &of_group, on_jobs, &bench), 0);
        wait_for(&bench, bench.answers + 1);
        assert_int_equal(bench.count, wanted < 0 ? 2 : wanted == 0 || wanted == SL_JOB_FAILED);
    }
    close_bench(&bench);
}

STORE_FILE_TEST(who_did_what_is_kept_up_to_a_number)
{
    struct bench bench;
    struct sl_audit_record record = {
        .at_ms = 7, .status = 201, .who = "ci", .method = "POST", .path = "/api/v1/jobs"};
    sqlite3 *db = NULL;
    open_bench(&bench);
    assert_int_equal(sl_store_note_audit(bench.store, &record, on_done, &bench), 0);
    wait_for(&bench, 1);
    assert_int_equal(bench.rc, 0);
    close_bench(&bench);
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE sqlite_sequence SET seq = 200000 WHERE name = 'audit'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    open_bench(&bench);
    record.status = 403;
    assert_int_equal(sl_store_note_audit(bench.store, &record, on_done, &bench), 0);
    wait_for(&bench, 1);
    close_bench(&bench);
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT id, who, status FROM audit", -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(row, 0), 200001);
    assert_string_equal((const char *)sqlite3_column_text(row, 1), "ci");
    assert_int_equal(sqlite3_column_int(row, 2), 403);
    assert_int_equal(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    sqlite3_close(db);
}
