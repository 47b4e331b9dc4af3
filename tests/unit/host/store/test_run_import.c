/* tests/unit/host/store/test_run_import.c: a run that was copied from a store becomes another one.
 */
#include "host/store/run_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/store/row_copy.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/test.h"

#define RUN "runs/2026-11-23/000000.100-1"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    int answers, rc;
    uint64_t id;
    struct sl_job_record job;
    struct sl_run_record run;
};

static void on_done(void *user, int rc)
{
    struct bench *at = user;
    at->answers += 1;
    at->rc = rc;
}

static void on_id(void *user, int rc, uint64_t id)
{
    ((struct bench *)user)->id = id;
    on_done(user, rc);
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config)
{
    (void)config;
    if (rc == 0)
        ((struct bench *)user)->job = *job;
    on_done(user, rc);
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    (void)next_cursor;
    if (count > 0)
        ((struct bench *)user)->run = rows[0];
    on_done(user, count == 0 ? SL_E_NOT_FOUND : rc);
}

static int answer_of(struct bench *bench, int rc)
{
    assert_int_equal(rc, 0);
    for (int before = bench->answers; bench->answers == before;)
        uv_run(&bench->loop, UV_RUN_ONCE);
    return bench->rc;
}

static void shell(const char *format, const char *name)
{
    char command[512];
    snprintf(command, sizeof(command), format, store_folder, name);
    assert_int_equal(system(command), 0);
}

/* A store with the job 1, whose run 1 has its copy of the rows. */
static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    struct sl_job_record job = {.state = SL_JOB_QUEUED, .submitted_ms = 1795392000000};
    struct sl_run_record run = {.job = 1,
                                .started_ms = 1795392000100,
                                .ended_ms = 1795392000900,
                                .device_kind = 3,
                                .ratio = 1.0 / 3};
    *bench = (struct bench){.answers = 0};
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag), 0);
    assert_int_equal(
        answer_of(bench, sl_store_add_job(bench->store, &job, "{}", "its-key", 0, on_id, bench)),
        0);
    shell("mkdir -p %s/imports %1$s/%s/streams", RUN);
    snprintf(run.model, sizeof(run.model), "net");
    snprintf(run.device, sizeof(run.device), "phone");
    snprintf(run.series, sizeof(run.series), "ours");
    snprintf(run.directory, sizeof(run.directory), RUN);
    assert_int_equal(answer_of(bench, sl_store_add_run(bench->store, &run, on_id, bench)), 0);
    job.id = job.run = 1;
    job.state = SL_JOB_DONE;
    assert_int_equal(answer_of(bench, sl_store_update_job(bench->store, &job, on_done, bench)), 0);
}

static void on_closed(void *user)
{
    ((struct bench *)user)->store = NULL;
}

static void close_bench(struct bench *bench)
{
    sl_store_close(bench->store, on_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static int import(struct bench *bench, const char *staged, const char *key)
{
    return answer_of(bench, sl_store_import_run(bench->store, staged, key, "kim", on_id, bench));
}

/* The copy of a run of another store, which has the numbers of the run here. */
static void copy_of_another(void)
{
    shell("cp -r %s/%s %1$s/imports/a", RUN);
    shell("sed -i 's/\"phone\"/\"tablet\"/' %s/imports/a/%s", SL_ROW_COPY);
}

STORE_ANY_TEST(a_run_that_is_read_in_where_it_was_measured_is_no_second_one)
{
    struct bench bench;
    const struct sl_runs_filter filter = {.id = 2, .limit = 1};
    open_bench(&bench);
    shell("cp -r %s/%s %1$s/imports/a", RUN);
    assert_int_equal(import(&bench, "imports/a", "key-a"), 1);
    assert_int_equal(bench.id, 1);
    assert_int_equal(answer_of(&bench, sl_store_list_runs(bench.store, &filter, on_runs, &bench)),
                     SL_E_NOT_FOUND);
    close_bench(&bench);
}

STORE_ANY_TEST(a_copy_becomes_a_run_with_numbers_of_its_own)
{
    struct bench bench;
    char path[256];
    open_bench(&bench);
    copy_of_another();
    assert_int_equal(import(&bench, "imports/a", "key-a"), 0);
    assert_int_equal(bench.id, 2);
    const struct sl_runs_filter filter = {.id = 2, .limit = 1};
    assert_int_equal(answer_of(&bench, sl_store_list_runs(bench.store, &filter, on_runs, &bench)),
                     0);
    assert_string_equal(bench.run.directory, "runs/2026-11-23/000000.100-2");
    assert_string_equal(bench.run.model, "net");
    assert_true(bench.run.ratio == 1.0 / 3);
    assert_int_equal(answer_of(&bench, sl_store_get_job(bench.store, 2, on_job, &bench)), 0);
    assert_int_equal(bench.job.state, SL_JOB_DONE);
    assert_int_equal(bench.job.run, 2);
    assert_string_equal(bench.job.owner, "kim");
    assert_string_equal(bench.job.detail, "imported: run 1 of another store");
    snprintf(path, sizeof(path), "%s/imports/a", store_folder);
    assert_int_not_equal(access(path, F_OK), 0);
    /* The same files again: the run that they gave, and the directory stays. */
    shell("mkdir %s/imports/b", "");
    assert_int_equal(import(&bench, "imports/b", "key-a"), 1);
    assert_int_equal(bench.id, 2);
    close_bench(&bench);
}

STORE_ANY_TEST(a_copy_that_says_so_takes_no_series_over)
{
    struct bench bench;
    const struct sl_runs_filter filter = {.id = 1, .limit = 1};
    open_bench(&bench);
    copy_of_another();
    shell("sed -i 's/\"former_series\": *\"\"/\"former_series\":\"ours\"/;"
          "s/\"series\": *\"ours\"/\"series\":\"theirs\"/' %s/imports/a/streams/rows.json && "
          "grep -q '\"former_series\":\"ours\"' %1$s/imports/a/streams/rows.json",
          "");
    assert_int_equal(import(&bench, "imports/a", "key-a"), 0);
    assert_int_equal(answer_of(&bench, sl_store_list_runs(bench.store, &filter, on_runs, &bench)),
                     0);
    assert_string_equal(bench.run.series, "ours");
    close_bench(&bench);
}

STORE_ANY_TEST(what_has_no_rows_or_damaged_ones_is_refused)
{
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "[]",
        "{\"schema\":\"sme2lab.rows/1\",\"run\":{\"id\":1,\"started_ms\":5},\"job\":{\"id\":1}}",
        "{\"schema\":\"sme2lab.rows/1\",\"run\":{\"id\":1,\"started_ms\":-5},\"job\":{\"id\":1}}"};
    struct bench bench;
    char path[256];
    open_bench(&bench);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        shell("mkdir -p %s/imports/c/streams", "");
        snprintf(path, sizeof(path), "%s/imports/c/" SL_ROW_COPY, store_folder);
        assert_int_equal(sl_buf_write_file(path, texts[i], strlen(texts[i])), 0);
        assert_int_equal(import(&bench, "imports/c", "key-c"), SL_E_MISMATCH);
        unlink(path);
        assert_int_equal(import(&bench, "imports/c", "key-c"), SL_E_MISMATCH);
    }
    char why[SL_STORE_WHY_BYTES];
    assert_int_equal(sl_store_health(bench.store, why), 0);
    const struct sl_runs_filter filter = {.id = 2, .limit = 1};
    assert_int_equal(answer_of(&bench, sl_store_list_runs(bench.store, &filter, on_runs, &bench)),
                     SL_E_NOT_FOUND);
    close_bench(&bench);
}
