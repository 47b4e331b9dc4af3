/* tests/unit/host/job/test_ledger.c: two labs over one store, as two hosts have it: jobs go to
 * whoever has a device for them, and from a host that is not heard of to the other. */
#include "host/job/ledger.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "host/job/claims.h"
#include "host/job/lab.h"
#include "host/job/lab_open.h"
#include "host/job/peers.h"
#include "host/job/queue.h"
#include "host/job/wishes.h"
#include "host/spec/spec.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

enum { LEASE_MS = 400, PATIENCE_MS = 20000 };

/* Each on a loop of its own: one that is not turned is a host that hangs. */
struct host {
    uv_loop_t loop;
    struct sl_store *store, *beats; /* beats: of a server; else NULL */
    struct sl_lab *lab;
    struct sl_lab_listener *listener;
    bool opened, hangs, lab_closed, store_closed;
    int started, cancelled, ended_events, submitted;
    uint64_t job, started_job;
    char device[SL_NAME_BYTES], last_json[512];
};

static struct host hosts[2];

static void on_opened(void *user, int rc)
{
    assert_int_equal(rc, 0);
    ((struct host *)user)->opened = true;
}

static void on_start(void *user, const struct sl_job_record *job, const char *config_json,
                     const struct sl_device_record *device)
{
    struct host *host = user;
    assert_string_equal(config_json, "{}");
    host->started++;
    host->started_job = job->id;
    snprintf(host->device, sizeof(host->device), "%s", device->name);
}

static void on_cancel(void *user, uint64_t job, const char *device)
{
    struct host *host = user;
    assert_int_equal(job, host->started_job);
    assert_string_equal(device, host->device);
    host->cancelled++;
}

static void on_event(void *user, const struct sl_lab_event *event)
{
    struct host *host = user;
    if (strcmp(event->type, "state") != 0)
        return;
    host->ended_events += strstr(event->json, "\"done\"") || strstr(event->json, "\"failed\"") ||
                          strstr(event->json, "\"cancelled\"");
    snprintf(host->last_json, sizeof(host->last_json), "%s", event->json);
}

static void on_submitted(void *user, int rc, uint64_t job)
{
    struct host *host = user;
    assert_int_equal(rc, 0);
    host->submitted++;
    host->job = job;
}

static void turn(void)
{
    for (size_t i = 0; i < 2; i++) {
        if (hosts[i].lab && !hosts[i].hangs)
            uv_run(&hosts[i].loop, UV_RUN_NOWAIT);
    }
    uv_sleep(2);
}

/* Turns the loops until the condition holds. */
#define UNTIL(condition)                                                                           \
    do {                                                                                           \
        uint64_t until_from_ns = uv_hrtime();                                                      \
        while (!(condition)) {                                                                     \
            assert_true(uv_hrtime() - until_from_ns < UINT64_C(1000000) * PATIENCE_MS);            \
            turn();                                                                                \
        }                                                                                          \
    } while (0)

static void open_host(unsigned number, const char *name, const char *device)
{
    struct host *host = &hosts[number];
    struct sl_diag diag = {0};
    *host = (struct host){.opened = false};
    assert_int_equal(uv_loop_init(&host->loop), 0);
    assert_int_equal(sl_store_open(&host->loop, store_path, store_root, &host->store, &diag), 0);
    struct sl_store_host is = {.lease_ms = LEASE_MS, .started_ms = 1};
    snprintf(is.name, sizeof(is.name), "%s", name);
    sl_store_be_host(host->store, &is);
    if (sl_store_is_shared(host->store)) {
        assert_int_equal(sl_store_open(&host->loop, store_path, store_root, &host->beats, &diag),
                         0);
        sl_store_be_host(host->beats, &is);
    }
    const struct sl_lab_options options = {
        .store = host->store,
        .state_dir = store_folder,
        .host = name,
        .beats = {host->beats, LEASE_MS},
        .runner = {on_start, on_cancel, host, NULL, NULL, NULL},
        .opened = on_opened,
        .user = host,
    };
    assert_int_equal(sl_lab_open(&host->loop, &options, &host->lab), 0);
    assert_int_equal(sl_lab_add_device(host->lab, device, 0), 0);
    assert_int_equal(sl_lab_listen(host->lab, 0, 0, on_event, host, &host->listener), 0);
    UNTIL(host->opened);
}

static void on_lab_closed(void *user)
{
    ((struct host *)user)->lab_closed = true;
}

static void on_store_closed(void *user)
{
    ((struct host *)user)->store_closed = true;
}

/* Its jobs stay as they are, as those of a daemon that is killed do. */
static void close_host(unsigned number)
{
    struct host *host = &hosts[number];
    sl_lab_unlisten(host->listener);
    sl_lab_close(host->lab, on_lab_closed, host);
    while (!host->lab_closed)
        uv_run(&host->loop, UV_RUN_ONCE);
    if (host->beats)
        sl_store_close(host->beats, on_store_closed, host);
    sl_store_close(host->store, on_store_closed, host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    assert_true(host->store_closed);
    assert_int_equal(uv_loop_close(&host->loop), 0);
    host->lab = NULL;
}

static int try_to_submit(unsigned number, const char *selector)
{
    struct host *host = &hosts[number];
    const struct sl_spec spec = {.device = selector};
    const struct sl_submission submission = {.spec = &spec, .config_json = "{}", .owner = ""};
    return sl_lab_submit(host->lab, &submission, on_submitted, host, NULL);
}

static uint64_t submit(unsigned number, const char *selector)
{
    struct host *host = &hosts[number];
    int before = host->submitted;
    assert_int_equal(try_to_submit(number, selector), 0);
    UNTIL(host->submitted > before);
    return host->job;
}

static int end(unsigned number, uint64_t job, int cause)
{
    const struct sl_run_record run = {.job = job, .model = "toy"};
    return sl_lab_job_ended(hosts[number].lab, job, hosts[number].device, cause, "",
                            cause == SL_CAUSE_NONE ? &run : NULL);
}

STORE_ANY_TEST(a_job_goes_to_the_host_that_has_its_device_and_is_heard_of_at_both)
{
    const struct sl_device_record *others = NULL;
    open_host(0, "here", "a");
    assert_int_equal(try_to_submit(0, "b"), SL_E_NOT_FOUND); /* nobody has it yet */
    open_host(1, "there", "b");
    UNTIL(sl_lab_peers(hosts[0].lab)->device_count == 1);
    others = sl_lab_peers(hosts[0].lab)->devices;
    assert_string_equal(others[0].name, "b");
    assert_string_equal(others[0].host, "there");
    uint64_t job = submit(0, "b");
    UNTIL(hosts[1].started == 1);
    UNTIL(sl_lab_job(hosts[0].lab, job) && sl_lab_job(hosts[0].lab, job)->state == SL_JOB_RUNNING);
    assert_string_equal(sl_lab_job(hosts[0].lab, job)->host, "there");
    assert_int_equal(sl_queue_count(sl_lab_queue(hosts[0].lab), SL_JOB_QUEUED), 0);
    assert_int_equal(end(1, job, SL_CAUSE_NONE), 0);
    UNTIL(hosts[0].ended_events == 1 && hosts[1].ended_events == 1);
    assert_null(sl_lab_job(hosts[0].lab, job));
    uint64_t cancelled = submit(0, "b");
    UNTIL(hosts[1].started == 2 && sl_lab_job(hosts[0].lab, cancelled) &&
          sl_lab_job(hosts[0].lab, cancelled)->state == SL_JOB_RUNNING);
    assert_int_equal(sl_lab_cancel(hosts[0].lab, cancelled), 0);
    UNTIL(hosts[1].cancelled == 1);
    assert_int_equal(end(1, cancelled, SL_CAUSE_NONE), 0);
    UNTIL(hosts[0].ended_events == 2);
    assert_non_null(strstr(hosts[0].last_json, "\"cancelled\""));
    assert_int_equal(hosts[0].started, 0);
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT state, host, attempts FROM jobs",
                      "[[2,\"there\",1],[4,\"there\",1]]");
    assert_store_rows("SELECT count(*), min(host) FROM runs", "[[2,\"there\"]]");
}

STORE_ANY_TEST(a_job_that_two_hosts_want_begins_at_one)
{
    enum { JOBS = 20 };
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    for (int i = 0; i < JOBS; i++) {
        uint64_t job = submit(i % 2 == 0, "");
        UNTIL(hosts[0].started + hosts[1].started == i + 1);
        sl_lab_look(hosts[0].lab);
        sl_lab_look(hosts[1].lab);
        unsigned at = hosts[0].started_job == job ? 0 : 1;
        assert_int_equal(hosts[at].started_job, job);
        assert_int_equal(end(at, job, SL_CAUSE_NONE), 0);
        UNTIL(hosts[0].ended_events == i + 1 && hosts[1].ended_events == i + 1);
    }
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT count(*) FROM jobs WHERE state = 2 AND attempts = 1", "[[20]]");
    assert_store_rows("SELECT count(*), count(DISTINCT job) FROM runs", "[[20,20]]");
}

STORE_ANY_TEST(a_job_of_a_host_that_died_is_begun_again_by_another_within_its_lease)
{
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    UNTIL(hosts[0].opened);
    uint64_t first = submit(1, "b"), waits = submit(1, "");
    UNTIL(hosts[1].started == 1 && hosts[0].started == 1);
    assert_int_equal(end(0, waits, SL_CAUSE_NONE), 0);
    close_host(1);
    uint64_t since_ns = uv_hrtime();
    UNTIL(sl_lab_job(hosts[0].lab, first) &&
          sl_lab_job(hosts[0].lab, first)->state == SL_JOB_QUEUED);
    uint64_t took_ms = (uv_hrtime() - since_ns) / 1000000;
    print_message("taken over after %u ms, with leases of %u ms\n", (unsigned)took_ms,
                  (unsigned)LEASE_MS);
    assert_true(took_ms < 10 * LEASE_MS);
    assert_non_null(strstr(sl_lab_job(hosts[0].lab, first)->detail, "host there was not heard of"));
    assert_int_equal(sl_lab_peers(hosts[0].lab)->counts.taken_over, 1);
    open_host(1, "elsewhere", "b"); /* which has the device now */
    UNTIL(hosts[1].started == 1);
    assert_int_equal(end(1, first, SL_CAUSE_NONE), 0);
    UNTIL(hosts[0].ended_events == 2);
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT number, host, cause FROM attempts WHERE job = 1 ORDER BY number",
                      "[[1,\"there\",3],[2,\"elsewhere\",0]]");
}

STORE_ANY_TEST(a_host_that_comes_back_gives_up_the_job_that_it_lost)
{
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    sl_lab_quarantine(hosts[0].lab, "a", "for a while");
    uint64_t job = submit(1, "");
    UNTIL(hosts[1].started == 1);
    hosts[1].hangs = true;
    sl_lab_quarantine(hosts[0].lab, "a", NULL);
    UNTIL(hosts[0].started == 1);
    hosts[1].hangs = false;
    UNTIL(hosts[1].cancelled == 1);
    submit(1, "b"); /* its device is not free before it has stopped */
    for (int i = 0; i < 50; i++)
        turn();
    assert_int_equal(hosts[1].started, 1);
    assert_int_equal(end(1, job, SL_CAUSE_NONE), SL_E_NOT_FOUND); /* and has a result no more */
    UNTIL(hosts[1].started == 2);
    assert_int_equal(end(0, job, SL_CAUSE_NONE), 0);
    UNTIL(hosts[1].ended_events == 1);
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT job, host FROM runs", "[[1,\"here\"]]");
    assert_store_rows("SELECT state, attempts FROM jobs WHERE id = 1", "[[2,2]]");
}

STORE_ANY_TEST(a_result_that_comes_before_the_job_begins_again_is_its_result)
{
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    uint64_t job = submit(1, "b");
    UNTIL(hosts[1].started == 1);
    hosts[1].hangs = true;
    UNTIL(sl_lab_job(hosts[0].lab, job) && sl_lab_job(hosts[0].lab, job)->state == SL_JOB_QUEUED);
    assert_int_equal(end(1, job, SL_CAUSE_NONE), 0); /* before it hears of anything */
    hosts[1].hangs = false;
    UNTIL(hosts[0].ended_events == 1 && hosts[1].ended_events == 1);
    assert_null(sl_lab_job(hosts[0].lab, job));
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT state, attempts, run FROM jobs", "[[2,1,1]]");
    assert_store_rows("SELECT number, cause, run FROM attempts", "[[1,0,1]]");
}

static void change_store(const char *sql)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    int rc = sl_database_exec(db, sql);
    if (rc < 0)
        fail_msg("%s: %s", sql, db->kind->message(db));
    sl_database_close(db);
}

/* Submitted a while ago by `by`, whatever hosts have read by now. */
#define ADD_JOBS(count, selector, key, by, written)                                                \
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " count             \
    ") INSERT INTO jobs (state, cause, priority, attempts, submitted_ms, started_ms, ended_ms, "   \
    "lease_until_ms, run, cancel_wanted, selector, device, detail, config, idempotency_key, "      \
    "changed_by, written_ms) SELECT 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, " selector                       \
    ", '', '', '{}', " key ", '" by "', " written " FROM n"

STORE_ANY_TEST(hosts_that_the_store_did_not_hear_do_not_take_one_anothers_jobs)
{
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    uint64_t job = submit(1, "b");
    UNTIL(hosts[1].started == 1);
    hosts[0].hangs = hosts[1].hangs = true;
    uv_sleep(2 * LEASE_MS + 100);
    hosts[0].hangs = false; /* its first beat comes long before the other's */
    uint64_t beats = sl_lab_peers(hosts[0].lab)->counts.beats;
    UNTIL(sl_lab_peers(hosts[0].lab)->counts.beats > beats);
    hosts[1].hangs = false;
    for (uint64_t more = sl_lab_peers(hosts[0].lab)->counts.beats + 3;
         sl_lab_peers(hosts[0].lab)->counts.beats < more;)
        turn();
    assert_int_equal(sl_lab_peers(hosts[0].lab)->counts.taken_over, 0);
    assert_int_equal(end(1, job, SL_CAUSE_NONE), 0);
    UNTIL(hosts[1].ended_events == 1);
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT state, attempts FROM jobs", "[[2,1]]");
}

STORE_ANY_TEST(a_row_that_nobody_told_of_is_found_among_the_open_jobs)
{
    open_host(0, "here", "a");
    change_store(ADD_JOBS("1", "'a'", "NULL", "here", "1"));
    UNTIL(hosts[0].started == 1);
    close_host(0);
}

static void ignore(void *user, const struct sl_job_record *job)
{
    (void)user, (void)job;
}

/* The store's answer to a list of open jobs may come before that to the submission. */
TEST(a_job_that_a_list_brought_before_its_submissions_answer_is_not_given_up)
{
    const struct sl_job_record job = {.id = 7, .selector = "counted"};
    struct sl_ledger ledger = {.setup = {.queue = NULL}};
    assert_int_equal(sl_queue_new(ignore, NULL, &ledger.setup.queue), 0);
    assert_int_equal(sl_ledger_add(&ledger, &job), 0);
    assert_int_equal(sl_ledger_add(&ledger, &job), 1);
    assert_non_null(sl_ledger_find(&ledger, job.id));
    sl_queue_free(ledger.setup.queue);
}

STORE_ANY_TEST(a_job_whose_submission_was_not_heard_of_begins_when_its_key_comes_again)
{
    open_host(0, "here", "a");
    struct host *host = &hosts[0];
    const struct sl_spec spec = {.device = "a"};
    const struct sl_submission submission = {
        .spec = &spec, .config_json = "{}", .owner = "", .idempotency_key = "k"};
    change_store(ADD_JOBS("1", "'a'", "'k'", "here", "1"));
    uint64_t since_ns = uv_hrtime();
    assert_int_equal(sl_lab_submit(host->lab, &submission, on_submitted, host, NULL), 0);
    UNTIL(host->submitted == 1 && host->started == 1);
    assert_true(uv_hrtime() - since_ns < UINT64_C(1000000) * 5 * LEASE_MS); /* sooner than by all */
    close_host(0);
}

STORE_ANY_TEST(a_host_without_room_leaves_jobs_to_others)
{
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    change_store(ADD_JOBS("1024", "'x' || i", "NULL", "there",
                          "(SELECT max(seen_ms) FROM hosts)")); /* as many as there is room for */
    UNTIL(sl_queue_count(sl_lab_queue(hosts[0].lab), SL_JOB_QUEUED) == 1024);
    uint64_t job = submit(1, "b");
    UNTIL(hosts[1].started == 1);
    for (int i = 0; i < 100; i++)
        turn();
    assert_int_equal(end(1, job, SL_CAUSE_NONE), 0);
    UNTIL(hosts[1].ended_events > 0);
    close_host(1);
    close_host(0);
    assert_store_rows("SELECT state, count(*) FROM jobs GROUP BY state ORDER BY state",
                      "[[0,1024],[2,1]]");
}

STORE_ANY_TEST(a_wish_to_cancel_is_kept_while_the_store_fails)
{
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    UNTIL(sl_lab_peers(hosts[0].lab)->device_count == 1);
    uint64_t job = submit(0, "b");
    UNTIL(hosts[1].started == 1 && sl_lab_job(hosts[0].lab, job) &&
          sl_lab_job(hosts[0].lab, job)->state == SL_JOB_RUNNING);
    change_store("ALTER TABLE jobs RENAME TO away");
    assert_int_equal(sl_lab_cancel(hosts[0].lab, job), 0);
    for (int i = 0; i < 50; i++)
        turn();
    change_store("ALTER TABLE away RENAME TO jobs");
    UNTIL(hosts[1].cancelled == 1);
    close_host(1);
    close_host(0);
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    (void)rows;
    (void)next_cursor;
    assert_int_equal(rc, 0);
    *(int *)user += count == 0;
}

STORE_ANY_TEST(a_host_that_waits_for_a_long_request_keeps_its_jobs)
{
    const struct sl_store_retention none = {.newest = 1};
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    int answers = 0;
    open_host(0, "here", "a");
    open_host(1, "there", "b");
    bool shared = sl_store_is_shared(hosts[0].store);
    uint64_t job = submit(1, "b");
    UNTIL(hosts[1].started == 1);
    if (shared) { /* nobody else has the jobs of a file */
        assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
        assert_int_equal(db->kind->begin(db), 0);
        assert_int_equal(sl_database_exec(db, "LOCK TABLE runs IN ACCESS EXCLUSIVE MODE"), 0);
    }
    assert_int_equal(sl_store_list_expired(hosts[1].store, &none, on_runs, &answers), 0);
    for (uint64_t until_ns = uv_hrtime() + UINT64_C(3000000) * LEASE_MS; uv_hrtime() < until_ns;)
        turn();
    assert_int_equal(answers, !shared);
    if (shared)
        assert_int_equal(sl_database_exec(db, "COMMIT"), 0);
    sl_database_close(db);
    UNTIL(answers == 1);
    assert_int_equal(sl_lab_peers(hosts[0].lab)->counts.taken_over, 0);
    assert_int_equal(end(1, job, SL_CAUSE_NONE), 0);
    UNTIL(hosts[1].ended_events == 1);
    close_host(1);
    close_host(0);
}
