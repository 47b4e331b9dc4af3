/* tests/unit/host/store/test_figures.c: rows made of what stands in a run's directory. */
#include "host/store/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/row_copy.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"

#define DAY "runs/2026-11-23"
#define DIRECTORY DAY "/101010.123-1"

/* Runs of 10, 30 and 20, the first of them a warm-up: the median is 25. */
#define RUN(warmup, cold, gemm)                                                                    \
    "{\"warmup\":" warmup ",\"cold\":" cold ",\"categories_ns\":{\"GEMM\":" gemm ",\"CONV\":1}}"
#define FIGURES(of) "{\"n\":2,\"median_ns\":" of ",\"mean_ns\":7,\"min_ns\":5,\"max_ns\":9}"
#define OPERATOR(name, median)                                                                     \
    "{\"name\":" name                                                                              \
    ",\"category\":\"GEMM\",\"kernel\":\"k\",\"instances\":3,\"self\":" FIGURES(median) "}"
#define ANALYSIS(operators)                                                                        \
    "{\"time_unit\":\"ns\",\"latency\":" FIGURES("70") ",\"runs\":[" RUN(                          \
        "true", "false",                                                                           \
        "10") "," RUN("false", "false",                                                            \
                      "30") "," RUN("false", "false",                                              \
                                    "20") "," RUN("false", "true",                                 \
                                                  "90") "],\"operators\":[" operators "]}"
#define CHANGE(name)                                                                               \
    "{\"name\":" name ",\"category\":\"GEMM\",\"baseline_ns\":10,\"candidate_ns\":4,"              \
    "\"delta_ns\":-6,\"interval_ns\":[-7,-5],\"p_value\":0.01}"
#define SUMMARY(operators)                                                                         \
    "{\"comparison\":{\"end_to_end\":" CHANGE("null") ",\"categories\":[" CHANGE(                  \
        "\"GEMM\"") "],\"operators\":[" CHANGE("\"FC\"") "]},\"analyses\":[" ANALYSIS(operators) "," ANALYSIS(operators) "]}"

static const char good[] = SUMMARY(OPERATOR("\"FC\"", "6") "," OPERATOR("\"Pool\"", "2"));
static const char manifest[] =
    "{\"device\":{\"cpu\":\"max\",\"probe\":{\"fingerprint\":\"f1\",\"isa\":[\"neon\",\"sme2\"],"
    "\"svl_bytes\":64,\"memory\":{\"total_bytes\":4096}}}}";

static void make_file(const char *directory, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "mkdir -p %s/%s/streams", store_folder, directory);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof(path), "%s/%s/%s", store_folder, directory, name);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

/* A store with a job of two labels and its run. */
static struct sl_database *make_run(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(
        sl_database_exec(db, STORE_INSERT_JOB
                         "VALUES (1,2,0,0,1,0,0,0,0,1,0,'','','','{\"labels\":"
                         "{\"commit\":\"abc\",\"branch\":\"main\",\"n\":1}}',NULL,'');"
                         "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, "
                         "model_sha256, device, verdict, ratio, directory) VALUES "
                         "(1,1,5000,6000,4,'toy','','phone','faster',2,'" DIRECTORY "')"),
        0);
    return db;
}

/* In a transaction, as its callers do. */
static int fill(struct sl_database *db, uint64_t run)
{
    assert_int_equal(db->kind->begin(db), 0);
    int rc = sl_figures_fill(db, run);
    assert_int_equal(sl_database_commit(db, false), 0);
    return rc;
}

STORE_ANY_TEST(rows_are_those_of_the_files)
{
    struct sl_database *db = make_run();
    make_file(DIRECTORY, "manifest.json", manifest);
    make_file(DIRECTORY, SL_FIGURES_FILE, good);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(fill(db, 1), 0);
        assert_store_rows("SELECT variant, unit, n, median, mean, min, max, stddev FROM variants",
                          "[[\"off\",\"ns\",2,70,7,5,9,null],[\"on\",\"ns\",2,70,7,5,9,null]]");
        assert_store_rows("SELECT category, n, median FROM categories WHERE variant = 'on'",
                          "[[\"CONV\",2,1],[\"GEMM\",2,25]]");
        assert_store_rows("SELECT position, name, kernel, origin, instances, n, median FROM "
                          "operators WHERE variant = 'off'",
                          "[[0,\"FC\",\"k\",null,3,2,6],[1,\"Pool\",\"k\",null,3,2,2]]");
        assert_store_rows("SELECT kind, name, baseline, candidate, delta, low, high, p_value FROM "
                          "changes ORDER BY kind",
                          "[[\"category\",\"GEMM\",10,4,-6,-7,-5,0.01],[\"operator\",\"FC\",10,4,"
                          "-6,-7,-5,0.01],[\"total\",\"end to end\",10,4,-6,-7,-5,0.01]]");
        assert_store_rows("SELECT key, value FROM labels ORDER BY key",
                          "[[\"branch\",\"main\"],[\"commit\",\"abc\"]]");
        assert_store_rows("SELECT name, kind, cpu, fingerprint, isa, svl_bits, memory_bytes, "
                          "first_ms, last_ms FROM devices",
                          "[[\"phone\",4,\"max\",\"f1\",\"neon sme2\",512,4096,5000,5000]]");
    }
    assert_int_equal(sl_database_exec(db, "DELETE FROM runs"), 0);
    assert_store_rows("SELECT (SELECT count(*) FROM operators) + (SELECT count(*) FROM labels) + "
                      "(SELECT count(*) FROM variants) + (SELECT count(*) FROM changes) + (SELECT "
                      "count(*) FROM categories)",
                      "[[0]]");
    sl_database_close(db);
}

STORE_ANY_TEST(a_device_is_what_it_was_at_its_newest_run)
{
    struct sl_database *db = make_run();
    make_file(DIRECTORY, "manifest.json", manifest);
    assert_int_equal(fill(db, 1), SL_E_NOT_FOUND);
    assert_int_equal(
        sl_database_exec(db, "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, "
                             "model, model_sha256, device, verdict, ratio, directory) VALUES "
                             "(2,1,1000,2000,4,'toy','','phone','faster',2,'none')"),
        0);
    assert_int_equal(fill(db, 2), SL_E_NOT_FOUND);
    assert_store_rows("SELECT fingerprint, first_ms, last_ms FROM devices", "[[\"f1\",1000,5000]]");
    sl_database_close(db);
}

STORE_ANY_TEST(a_summary_that_is_none_of_ours_leaves_the_rows_as_they_were)
{
    static const char *const bad[] = {
        "",
        "{",
        "null",
        SUMMARY(OPERATOR("null", "6")),
        SUMMARY(OPERATOR("\"FC\"", "6") ",7"),
        "{\"analyses\":[{\"time_unit\":\"ns\"}]}",
        "{\"analyses\":[7]}",
        "{\"analyses\":[\"{\"]}",
    };
    struct sl_database *db = make_run();
    make_file(DIRECTORY, SL_FIGURES_FILE, good);
    assert_int_equal(fill(db, 1), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        make_file(DIRECTORY, SL_FIGURES_FILE, bad[i]);
        int rc = fill(db, 1);
        if (rc != SL_E_FORMAT)
            fail_msg("%zu: %s gives %d", i, bad[i], rc);
        assert_store_rows("SELECT count(*) FROM operators", "[[4]]");
    }
    sl_database_close(db);
}

/* --- through the store --- */

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    int answers, rc;
    uint64_t id;
    size_t count;
    struct sl_store_finding found[8];
};

static void on_done(void *user, int rc)
{
    struct bench *bench = user;
    bench->rc = rc;
    bench->answers++;
}

static void on_id(void *user, int rc, uint64_t id)
{
    ((struct bench *)user)->id = id;
    on_done(user, rc);
}

static void on_findings(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                        uint64_t more)
{
    struct bench *bench = user;
    assert_in_range(count, 0, 8);
    assert_int_equal(more, 0);
    if (count > 0)
        memcpy(bench->found, rows, count * sizeof(*rows));
    bench->count = count;
    on_done(user, rc);
}

/* Until what was asked for is answered, well. */
static void wait_for(struct bench *bench, int asked)
{
    const int answers = bench->answers;
    assert_int_equal(asked, 0);
    while (bench->answers == answers)
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(bench->rc, 0);
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    *bench = (struct bench){.rc = 0};
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    int rc = sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag);
    if (rc < 0)
        fail_msg("%s", diag.what);
}

static void on_end(void *user)
{
    struct bench *bench = user;
    bench->store = NULL;
}

static void close_bench(struct bench *bench)
{
    sl_store_close(bench->store, on_end, bench);
    while (bench->store)
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

/* Twice started, the first time lost by the lab. */
static void run_a_job(struct bench *bench)
{
    static const struct sl_device_record phone = {
        .name = "phone", .kind = 4, .model = "Maker", .soc = "SoC-1", .system = "Android 15"};
    struct sl_job_record job = {.state = SL_JOB_QUEUED, .submitted_ms = 1000};
    wait_for(bench, sl_store_note_device(bench->store, &phone, on_done, bench));
    wait_for(bench, sl_store_add_job(bench->store, &job, "{\"labels\":{\"commit\":\"abc\"}}", NULL,
                                     0, on_id, bench));
    job = (struct sl_job_record){.id = bench->id,
                                 .state = SL_JOB_RUNNING,
                                 .attempts = 1,
                                 .started_ms = 2000,
                                 .device = "phone"};
    wait_for(bench, sl_store_update_job(bench->store, &job, on_done, bench));
    job.state = SL_JOB_QUEUED;
    job.cause = SL_CAUSE_LAB;
    snprintf(job.detail, sizeof(job.detail), "link lost");
    wait_for(bench, sl_store_update_job(bench->store, &job, on_done, bench));
    wait_for(bench, sl_store_update_job(bench->store, &job, on_done, bench)); /* changes nothing */
    job.state = SL_JOB_RUNNING;
    job.attempts = 2;
    job.started_ms = 3000;
    wait_for(bench, sl_store_update_job(bench->store, &job, on_done, bench));
    struct sl_run_record run = {.job = job.id,
                                .started_ms = 3000,
                                .ended_ms = 4000,
                                .device_kind = 4,
                                .device = "phone",
                                .directory = DIRECTORY};
    wait_for(bench, sl_store_add_run(bench->store, &run, on_id, bench));
    job.state = SL_JOB_DONE;
    job.cause = SL_CAUSE_NONE;
    job.ended_ms = 4000;
    job.run = bench->id;
    wait_for(bench, sl_store_update_job(bench->store, &job, on_done, bench));
}

STORE_ANY_TEST(what_was_known_of_a_device_stays_while_its_agent_is_silent)
{
    static const char row[] = "SELECT model, sme2, no_sme2, svl_bits, svl_lengths, memory_bytes "
                              "FROM devices WHERE name = 'phone'";
    struct sl_device_record phone = {.name = "phone", .kind = 4, .model = "Maker"};
    struct bench bench;
    open_bench(&bench);
    wait_for(&bench, sl_store_note_device(bench.store, &phone, on_done, &bench));
    assert_store_rows(row, "[[\"Maker\",null,\"\",0,\"\",0]]");
    phone.sme2 = SL_MAYBE_NO;
    phone.memory_bytes = 4096;
    snprintf(phone.no_sme2, sizeof(phone.no_sme2), "its cores have none");
    wait_for(&bench, sl_store_note_device(bench.store, &phone, on_done, &bench));
    assert_store_rows(row, "[[\"Maker\",0,\"its cores have none\",0,\"\",4096]]");
    struct sl_device_record silent = {.name = "phone", .kind = 4, .model = "Maker 2"};
    wait_for(&bench, sl_store_note_device(bench.store, &silent, on_done, &bench));
    assert_store_rows(row, "[[\"Maker 2\",0,\"its cores have none\",0,\"\",4096]]");
    phone.sme2 = SL_MAYBE_YES;
    phone.no_sme2[0] = '\0';
    phone.svl_bits = 512;
    snprintf(phone.svl_lengths, sizeof(phone.svl_lengths), "128,512");
    wait_for(&bench, sl_store_note_device(bench.store, &phone, on_done, &bench));
    assert_store_rows(row, "[[\"Maker\",1,\"\",512,\"128,512\",4096]]");
    close_bench(&bench);
}

#define ATTEMPTS                                                                                   \
    "SELECT number, device, started_ms, ended_ms > 0, cause, detail, run FROM attempts WHERE job " \
    "= 1 ORDER BY number"
#define TWO_ATTEMPTS                                                                               \
    "[[1,\"phone\",2000,1,3,\"link lost\",0],[2,\"phone\",3000,1,0,\"link lost\",1]]"

STORE_FILE_TEST(a_lost_store_gets_them_again_from_the_directories)
{
    struct bench bench;
    open_bench(&bench);
    make_file(DIRECTORY, "manifest.json", manifest);
    make_file(DIRECTORY, SL_FIGURES_FILE, good);
    run_a_job(&bench);
    close_bench(&bench);
    for (int lost = 0; lost < 2; lost++) {
        assert_store_rows(ATTEMPTS, TWO_ATTEMPTS);
        assert_store_rows("SELECT model, soc, system, fingerprint FROM devices",
                          "[[\"Maker\",\"SoC-1\",\"Android 15\",\"f1\"]]");
        assert_store_rows("SELECT count(*) FROM operators", "[[4]]");
        assert_store_rows("SELECT value FROM labels", "[[\"abc\"]]");
        assert_int_equal(unlink(store_path), 0);
        open_bench(&bench);
        close_bench(&bench);
    }
}

STORE_ANY_TEST(fsck_makes_the_figures_of_runs_that_have_none)
{
    static const struct sl_store_check look = {0}, mend = {.mend = true};
    struct bench bench;
    open_bench(&bench);
    make_file(DIRECTORY, SL_FIGURES_FILE, "{"); /* cut by a full disk */
    run_a_job(&bench);
    for (int mended = 0; mended < 2; mended++) {
        wait_for(&bench, sl_store_check(bench.store, mended ? &mend : &look, on_findings, &bench));
        assert_int_equal(bench.count, 1);
        assert_int_equal(bench.found[0].kind, SL_FOUND_LOST_FIGURES);
        assert_int_equal(bench.found[0].run, 1);
        assert_int_equal(bench.found[0].mended, mended);
        assert_store_rows("SELECT count(*) FROM operators", mended ? "[[4]]" : "[[0]]");
        make_file(DIRECTORY, SL_FIGURES_FILE, good);
    }
    wait_for(&bench, sl_store_check(bench.store, &look, on_findings, &bench));
    assert_int_equal(bench.count, 0);
    close_bench(&bench);
}
