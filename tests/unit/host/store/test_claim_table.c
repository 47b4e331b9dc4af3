/* tests/unit/host/store/test_claim_table.c: hosts that share jobs, under the store's simulated
 * time: they are killed, cut off, lose answers, and have clocks that are wrong. */
#include "host/store/claim_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/spec/device_kind.h"
#include "host/store/database.h"
#include "host/store/host_table.h"
#include "host/store/job_table.h"
#include "host/store/request.h"
#include "host/store/run_end.h"
#include "host/store/schema.h"
#include "host/store/sqlite.h"
#include "tests/support/random.h"
#include "tests/support/store_folder.h"

enum { HOSTS = 4, JOBS = 250, STEPS = 12000, MAX_HELD = 8, LEASE_MS = 30000 };

/* A job that a host has, or believes to have. */
struct held {
    struct sl_job_record job;
    bool claimed; /* the store has said so; else it is asked again */
    bool ended;   /* the run is over, and the store has not said that it knows */
    struct sl_job_record end;
    uint64_t safe_until_ms; /* nobody may take it sooner */
};

struct host {
    struct sl_store_host is;
    struct held held[MAX_HELD];
    size_t count;
    uint64_t cut_until_ms; /* the store cannot be reached */
    int64_t clock_ms;      /* its clock is wrong by that */
};

static struct lab {
    struct sl_database *db;
    struct host hosts[HOSTS];
    uint64_t now_ms, random, submitted, taken_over, lost_answers, refused;
} lab;

static uint64_t draw(uint64_t below)
{
    return sl_random_below(&lab.random, below);
}

static void ask(struct sl_request *request, const struct host *host,
                void (*table)(struct sl_request *, struct sl_database *))
{
    request->host = &host->is;
    request->now_ms = lab.now_ms;
    table(request, lab.db);
    assert_true(request->rc == 0 || request->rc == SL_E_MISMATCH); /* no rule was broken */
}

static void release(struct sl_request *request)
{
    sl_free(request->config);
    sl_free(request->key);
    sl_free(request->rows);
    sl_buf_fini(&request->text);
    *request = (struct sl_request){.rc = 0};
}

static uint64_t number(const char *sql)
{
    sqlite3_stmt *row = NULL;
    sqlite3 *db = sl_sqlite_handle(lab.db);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    uint64_t value = (uint64_t)sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return value;
}

/* The store's own rules: it says where one is broken. */
static const char rules[] =
    "CREATE TEMP TABLE ends (job INTEGER PRIMARY KEY);"
    "CREATE TEMP TRIGGER ended AFTER UPDATE ON jobs WHEN OLD.state < 2 AND NEW.state >= 2 BEGIN "
    "INSERT INTO ends VALUES (NEW.id); END;"
    "CREATE TEMP TRIGGER once BEFORE UPDATE ON jobs WHEN OLD.state >= 2 AND NEW.run = OLD.run "
    "BEGIN SELECT raise(ABORT, 'it has ended already'); END;"
    "CREATE TEMP TRIGGER forward BEFORE UPDATE ON jobs WHEN NEW.attempts < OLD.attempts OR "
    "NEW.attempts > OLD.attempts + 1 BEGIN SELECT raise(ABORT, 'an attempt is lost'); END;"
    "CREATE TEMP TRIGGER one_run BEFORE INSERT ON runs WHEN EXISTS (SELECT 1 FROM runs WHERE job = "
    "NEW.job) BEGIN SELECT raise(ABORT, 'a second result'); END;";

static void open_lab(uint64_t seed)
{
    struct sl_diag diag = {0};
    lab = (struct lab){.now_ms = 1780000000000, .random = seed};
    assert_int_equal(sl_schema_open(store_path, NULL, &lab.db, &diag), 0);
    assert_int_equal(sl_database_exec(lab.db, rules), 0);
    assert_int_equal(lab.db->kind->begin(lab.db), 0); /* one transaction: nothing is synced */
    for (unsigned i = 0; i < HOSTS; i++) {
        struct host *host = &lab.hosts[i];
        host->is = (struct sl_store_host){.lease_ms = LEASE_MS, .started_ms = 1};
        snprintf(host->is.name, sizeof(host->is.name), "host-%u", i);
    }
}

static void close_lab(void)
{
    assert_int_equal(sl_database_exec(lab.db, "COMMIT"), 0);
    sl_database_close(lab.db);
}

static uint64_t submit(const struct host *host)
{
    struct sl_request request = {.job = {.submitted_ms = lab.now_ms}};
    request.config = sl_strndup("{}", 2);
    ask(&request, host, sl_job_table_add);
    uint64_t id = request.id;
    release(&request);
    lab.submitted++;
    return id;
}

static bool read_job(const struct host *host, uint64_t id, struct sl_job_record *out)
{
    struct sl_request request = {.id = id};
    ask(&request, host, sl_job_table_get);
    *out = request.job;
    bool there = request.rc == 0;
    release(&request);
    return there;
}

/* The queue's rule (host/job/ending.c), without its words. */
static void note_end(struct sl_job_record *job, int cause)
{
    job->cause = cause;
    job->state = cause == SL_CAUSE_LAB && !job->cancel_wanted && job->attempts < SL_MAX_ATTEMPTS
                     ? SL_JOB_QUEUED
                 : job->cancel_wanted     ? SL_JOB_CANCELLED
                 : cause == SL_CAUSE_NONE ? SL_JOB_DONE
                                          : SL_JOB_FAILED;
    job->ended_ms = job->state == SL_JOB_QUEUED ? 0 : lab.now_ms;
}

static void forget(struct host *host, size_t at)
{
    host->held[at] = host->held[--host->count];
}

/* Nobody else is at the job, but hosts whose leases have ended. */
static void check_alone(const struct host *host, uint64_t job)
{
    for (size_t i = 0; i < HOSTS; i++) {
        const struct host *other = &lab.hosts[i];
        for (size_t k = 0; k < other->count && other != host; k++) {
            const struct held *held = &other->held[k];
            if (held->job.id == job && held->claimed && !held->ended)
                assert_true(held->safe_until_ms < lab.now_ms);
        }
    }
}

/* True when the answer arrives. */
static bool arrives(void)
{
    bool lost = draw(20) == 0;
    lab.lost_answers += lost;
    return !lost;
}

static void claim(struct host *host, size_t at)
{
    struct held *held = &host->held[at];
    struct sl_request request = {.id = held->job.id, .job = held->job};
    ask(&request, host, sl_claim_table_claim);
    if (request.rc == 0) {
        assert_int_equal(request.job.attempts, held->job.attempts);
        assert_string_equal(request.job.host, host->is.name);
        assert_string_equal((const char *)request.text.data, "{}");
        check_alone(host, held->job.id);
    }
    if (arrives()) {
        lab.refused += request.rc < 0;
        held->claimed = request.rc == 0;
        if (request.rc < 0)
            forget(host, at);
        else
            held->safe_until_ms = lab.now_ms + LEASE_MS;
    }
    release(&request);
}

static bool has(const struct host *host, uint64_t id)
{
    bool found = false;
    for (size_t i = 0; i < host->count; i++)
        found = found || host->held[i].job.id == id;
    return found;
}

/* The job may be one that the host knows from long ago. */
static void begin(struct host *host, uint64_t id)
{
    struct sl_job_record job;
    if (has(host, id) || host->count == MAX_HELD || !read_job(host, id, &job) ||
        job.state != SL_JOB_QUEUED)
        return;
    if (draw(4) == 0) { /* while it was thinking, another began it */
        struct host *other = &lab.hosts[draw(HOSTS)];
        if (other != host && !has(other, id) && other->count < MAX_HELD &&
            lab.now_ms >= other->cut_until_ms) {
            other->held[other->count] = (struct held){.job = job};
            other->held[other->count].job.attempts++;
            claim(other, other->count++);
        }
    }
    job.attempts++;
    job.started_ms = lab.now_ms + (uint64_t)host->clock_ms;
    snprintf(job.device, sizeof(job.device), "device-%u", (unsigned)draw(3));
    host->held[host->count] = (struct held){.job = job};
    claim(host, host->count++);
}

static void end(struct host *host, size_t at)
{
    struct held *held = &host->held[at];
    struct sl_request request = {.ending = {.job = held->end}};
    request.ending.has_run = held->end.state == SL_JOB_DONE;
    request.ending.run.job = held->job.id;
    ask(&request, host, sl_claim_table_end);
    if (request.rc == 0 && request.ending.has_run)
        assert_true(request.id > 0);
    if (arrives()) {
        lab.refused += request.rc < 0;
        forget(host, at);
    }
    release(&request);
}

static void take_over(struct host *host, const struct sl_job_record *expired)
{
    struct sl_request request = {.ending = {.job = *expired, .expired = true}};
    assert_string_not_equal(expired->host, host->is.name);
    note_end(&request.ending.job, SL_CAUSE_LAB);
    sl_claim_table_look(&request, lab.db);
    ask(&request, host, sl_claim_table_end);
    lab.taken_over += request.rc == 0;
    release(&request);
}

/* Unless it has lost it before. */
static void keep_safe(const struct host *host, struct held *held)
{
    struct sl_job_record job;
    assert_true(read_job(host, held->job.id, &job));
    if (job.state == SL_JOB_RUNNING && job.attempts == held->job.attempts &&
        strcmp(job.host, host->is.name) == 0)
        held->safe_until_ms = lab.now_ms + LEASE_MS;
}

static void beat(struct host *host)
{
    struct sl_request request = {.rc = 0};
    ask(&request, host, sl_claim_table_beat);
    for (size_t i = 0; i < host->count; i++)
        keep_safe(host, &host->held[i]);
    for (size_t i = 0; i < request.count; i++)
        take_over(host, &((const struct sl_job_record *)request.rows)[i]);
    release(&request);
}

/* The host knows of its jobs by the store alone: it asks for them, and puts them back. */
static void restart(struct host *host)
{
    host->count = 0;
    beat(host);
    for (uint64_t id = 1; id <= lab.submitted; id++) {
        struct sl_job_record job;
        if (!read_job(host, id, &job) || job.state != SL_JOB_RUNNING ||
            strcmp(job.host, host->is.name) != 0)
            continue;
        struct sl_request request = {.job = job};
        note_end(&request.job, SL_CAUSE_LAB);
        ask(&request, host, sl_claim_table_update);
        assert_int_equal(request.rc, 0);
        release(&request);
    }
}

static void want_cancel(const struct host *host, uint64_t id)
{
    struct sl_request request = {.jobs_filter = {.cursor = id}};
    ask(&request, host, sl_claim_table_want_cancel);
    release(&request);
}

/* A queued job that is to be cancelled is by whoever reads it; one that runs by its host. */
static void follow(struct host *host, uint64_t id)
{
    struct sl_job_record job;
    if (!read_job(host, id, &job) || !job.cancel_wanted)
        return;
    if (job.state == SL_JOB_QUEUED) {
        struct sl_request request = {.job = job};
        request.job.state = SL_JOB_CANCELLED;
        ask(&request, host, sl_claim_table_update);
        release(&request);
    }
    for (size_t i = 0; i < host->count; i++) {
        if (host->held[i].job.id == id)
            host->held[i].job.cancel_wanted = true;
    }
}

/* A job of the host goes on: it is claimed, runs, and ends, whether the store can be reached or
 * not.
 */
static void work(struct host *host, bool reached)
{
    size_t at = draw(host->count);
    struct held *held = &host->held[at];
    if (held->claimed && !held->ended) {
        held->end = held->job;
        held->ended = true;
        note_end(&held->end, draw(4) == 0 ? SL_CAUSE_LAB : SL_CAUSE_NONE);
    } else if (reached && !held->claimed) {
        claim(host, at);
    } else if (reached) {
        end(host, at);
    }
}

static void step(struct host *host)
{
    bool reached = lab.now_ms >= host->cut_until_ms;
    uint64_t id = lab.submitted > 0 ? 1 + draw(lab.submitted) : 0, what = draw(1000);
    lab.now_ms += draw(1500);
    if (what < 2)
        host->cut_until_ms = lab.now_ms + draw(3 * LEASE_MS);
    else if (what < 4 && reached)
        restart(host);
    else if (what < 6)
        host->clock_ms = (int64_t)draw(172800000) - 86400000;
    else if (what < 300 && host->count > 0)
        work(host, reached);
    else if (!reached)
        return;
    else if (what < 500)
        beat(host);
    else if (what < 520 && id > 0)
        want_cancel(host, id);
    else if (what < 600 && id > 0)
        follow(host, id);
    else if (what < 700 && lab.submitted < JOBS)
        submit(host);
    else if (id > 0)
        begin(host, id);
}

/* Everybody is there again, and nothing new comes. */
static void finish(void)
{
    for (int round = 0; round < 2000 && number("SELECT count(*) FROM jobs WHERE state < 2");
         round++)
        for (size_t i = 0; i < HOSTS; i++) {
            struct host *host = &lab.hosts[i];
            host->cut_until_ms = 0;
            lab.now_ms += 1000;
            beat(host);
            uint64_t next =
                number("SELECT coalesce((SELECT id FROM jobs WHERE state = 0 LIMIT 1), 0)");
            if (next) {
                follow(host, next);
                begin(host, next);
            }
            while (host->count > 0)
                work(host, true);
        }
}

static void run_property(uint64_t seed)
{
    open_lab(seed);
    for (size_t i = 0; i < HOSTS; i++)
        beat(&lab.hosts[i]);
    for (unsigned i = 0; i < STEPS; i++)
        step(&lab.hosts[draw(HOSTS)]);
    finish();
    assert_int_equal(number("SELECT count(*) FROM jobs"), lab.submitted);
    assert_int_equal(number("SELECT count(*) FROM ends"), lab.submitted);
    assert_int_equal(number("SELECT count(*) FROM jobs WHERE state < 2"), 0);
    assert_int_equal(number("SELECT count(*) FROM jobs WHERE (state = 2) <> (run > 0)"), 0);
    assert_int_equal(
        number("SELECT count(*) FROM jobs JOIN runs ON runs.id = jobs.run AND runs.job "
               "= jobs.id"),
        number("SELECT count(*) FROM runs"));
    assert_int_equal(number("SELECT count(*) FROM attempts WHERE ended_ms = 0"), 0);
    assert_int_equal(number("SELECT count(*) FROM attempts"),
                     number("SELECT sum(attempts) FROM jobs"));
    print_message("%u steps of %u hosts: %u jobs, each ended once; %u taken over, %u answers lost, "
                  "%u requests refused\n",
                  (unsigned)STEPS, (unsigned)HOSTS, (unsigned)lab.submitted,
                  (unsigned)lab.taken_over, (unsigned)lab.lost_answers, (unsigned)lab.refused);
    assert_true(lab.taken_over > 10 && lab.lost_answers > 10 && lab.refused > 10);
    close_lab();
}

STORE_TEST(a_host_alone_has_what_runs_whatever_its_name_was)
{
    struct sl_job_record job;
    open_lab(1);
    struct host *host = &lab.hosts[2];
    uint64_t id = submit(host);
    assert_int_equal(sl_database_exec(lab.db, "UPDATE jobs SET state = 1, attempts = 1, host = "
                                              "'before', lease_until_ms = 1800000000000"),
                     0);
    beat(&lab.hosts[1]); /* another is not alone */
    assert_true(read_job(host, id, &job));
    assert_string_equal(job.host, "before");
    host->is.alone = true;
    beat(host);
    assert_true(read_job(host, id, &job));
    assert_string_equal(job.host, "host-2");
    assert_int_equal(job.lease_until_ms, lab.now_ms + LEASE_MS);
    close_lab();
}

static int answer(void (*table)(struct sl_request *, struct sl_database *),
                  const struct sl_job_record *job, bool has_run, bool expired)
{
    struct sl_request request = {.rc = 0};
    if (table == sl_claim_table_claim)
        request.job = *job;
    else
        request.ending =
            (struct sl_store_ending){.job = *job, .has_run = has_run, .expired = expired};
    request.host = &lab.hosts[1].is;
    request.now_ms = lab.now_ms;
    table(&request, lab.db);
    int rc = request.rc;
    release(&request);
    return rc;
}

STORE_TEST(nothing_begins_or_ends_with_a_run_while_the_directory_of_runs_is_away)
{
    struct sl_job_record job, lost;
    open_lab(1);
    uint64_t id = submit(&lab.hosts[1]), other = submit(&lab.hosts[2]);
    assert_true(read_job(&lab.hosts[1], id, &job) && read_job(&lab.hosts[2], other, &lost));
    job.attempts = 1;
    snprintf(lab.db->root, sizeof(lab.db->root), "%s", store_folder);
    snprintf(lab.db->directory_id, sizeof(lab.db->directory_id), "0123456789abcdef");
    assert_int_equal(answer(sl_claim_table_claim, &job, false, false), SL_E_STATE);
    assert_int_equal(number("SELECT count(*) FROM jobs WHERE state <> 0"), 0);
    lab.db->directory_id[0] = '\0';
    assert_int_equal(answer(sl_claim_table_claim, &job, false, false), 0);
    job.state = SL_JOB_DONE;
    lab.db->directory_id[0] = '0';
    assert_int_equal(answer(sl_claim_table_end, &job, true, false), SL_E_STATE);
    assert_int_equal(answer(sl_claim_table_end, &lost, false, true), SL_E_STATE);
    assert_int_equal(number("SELECT count(*) FROM runs"), 0);
    assert_int_equal(number("SELECT count(*) FROM jobs WHERE state = 1"), 1);
    lab.db->directory_id[0] = '\0';
    assert_int_equal(answer(sl_claim_table_end, &job, true, false), 0);
    assert_int_equal(number("SELECT count(*) FROM runs"), 1);
    close_lab();
}

/* A job that host 1 began on `device`, and that it lost a millisecond ago. */
static uint64_t lose_job(const char *device)
{
    struct host *dead = &lab.hosts[1];
    struct sl_job_record job;
    uint64_t id = submit(dead);
    assert_true(read_job(dead, id, &job));
    job.attempts = 1;
    snprintf(job.device, sizeof(job.device), "%s", device);
    assert_int_equal(answer(sl_claim_table_claim, &job, false, false), 0);
    lab.now_ms += LEASE_MS + 1;
    return id;
}

/* A beat of the host that has this directory of runs: how many jobs it may take over. */
static size_t beat_with(const struct host *host, const char *directory)
{
    struct sl_request request = {.rc = 0};
    snprintf(lab.db->directory_id, sizeof(lab.db->directory_id), "%s", directory);
    ask(&request, host, sl_claim_table_beat);
    lab.db->directory_id[0] = '\0';
    assert_int_equal(request.rc, 0);
    size_t count = request.count;
    release(&request);
    return count;
}

STORE_TEST(a_lost_job_is_for_a_lease_the_host_s_that_shares_the_directory_of_runs_and_lives)
{
    static const char shared[] = "0123456789abcdef", own[] = "fedcba9876543210";
    open_lab(1);
    const struct host *heir = &lab.hosts[2], *third = &lab.hosts[3];
    assert_int_equal(beat_with(&lab.hosts[1], shared), 0);
    assert_int_equal(beat_with(heir, shared), 0);
    lose_job("phone");
    assert_int_equal(beat_with(third, own), 1); /* the heir was not heard of for a lease either */
    assert_int_equal(beat_with(heir, shared), 1);
    assert_int_equal(beat_with(third, own), 0);
    assert_int_equal(beat_with(third, ""), 0);
    lab.now_ms += LEASE_MS - 1;
    assert_int_equal(beat_with(third, own), 0);
    lab.now_ms += 1;
    assert_int_equal(beat_with(third, own), 1); /* the heir had its time */
    close_lab();
}

/* Host 3 puts back what host 1 lost; returns for how long it is meant for its device. */
static uint64_t put_back(uint64_t id)
{
    struct sl_job_record job;
    assert_true(read_job(&lab.hosts[3], id, &job));
    take_over(&lab.hosts[3], &job);
    assert_true(read_job(&lab.hosts[3], id, &job));
    assert_int_equal(job.state, SL_JOB_QUEUED);
    return job.lease_until_ms == 0 ? 0 : job.lease_until_ms - job.written_ms;
}

static void has_device(const struct host *host, const char *name, int kind)
{
    struct sl_request request = {.device = {.state = SL_DEVICE_READY, .kind = kind}};
    snprintf(request.device.name, sizeof(request.device.name), "%s", name);
    beat_with(host, "");
    ask(&request, host, sl_host_table_note_device);
    assert_int_equal(request.rc, 0);
    release(&request);
}

STORE_TEST(a_lost_job_is_meant_for_its_device_where_a_living_host_has_it_behind_a_link)
{
    open_lab(1);
    const struct host *dead = &lab.hosts[1], *holder = &lab.hosts[2];
    has_device(dead, "phone", SL_DEVICE_ADB);
    assert_int_equal(put_back(lose_job("phone")), 0); /* the dead host alone has it */
    has_device(holder, "phone", SL_DEVICE_ADB);
    assert_int_equal(put_back(lose_job("phone")), 0); /* that host was not heard of either */
    uint64_t job = lose_job("phone"), other = lose_job("here");
    has_device(holder, "here", SL_DEVICE_LOCAL);
    assert_int_equal(put_back(job), LEASE_MS);
    assert_int_equal(put_back(other), 0); /* nothing is kept there */
    struct sl_job_record again;
    assert_true(read_job(dead, job, &again));
    again.attempts++;
    assert_int_equal(answer(sl_claim_table_claim, &again, false, false), 0);
    close_lab();
}

/* A whole run of the job's first attempt, in the directory that the hosts share. */
static void leave_run(uint64_t job, const char *device)
{
    struct sl_run_end end = {.job = job, .attempt = 1, .ended_ms = 1795392001000};
    char directory[SL_PATH_BYTES], command[SL_PATH_BYTES + 32];
    snprintf(end.run.device, sizeof(end.run.device), "%s", device);
    assert_int_equal(sl_path_join(directory, sizeof(directory), store_folder,
                                  "runs/1970-01-01/000000.007-%d", (int)job),
                     0);
    snprintf(command, sizeof(command), "mkdir -p %s/streams", directory);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_run_end_write(directory, &end), 0);
}

/* Directories are read before the transaction, which tells whether the job is still lost. */
STORE_TEST(the_run_of_a_lost_job_is_looked_for_before_its_end_and_stored_once)
{
    struct sl_request request = {.ending = {.expired = true}};
    struct sl_job_record *job = &request.ending.job;
    open_lab(1);
    snprintf(lab.db->root, sizeof(lab.db->root), "%s", store_folder);
    uint64_t ids[] = {lose_job("phone"), lose_job("phone")};
    for (int i = 0; i < 2; i++) {
        request.ending = (struct sl_store_ending){.expired = true};
        assert_true(read_job(&lab.hosts[3], ids[i], job));
        struct sl_job_record lost = *job;
        if (i == 1)
            leave_run(ids[i], "phone");
        note_end(job, SL_CAUSE_LAB);
        sl_claim_table_look(&request, lab.db);
        assert_int_equal(request.ending.has_run, i);
        if (i == 0)
            leave_run(ids[i], "phone"); /* too late: nobody reads directories any more */
        else
            take_over(&lab.hosts[2], &lost); /* another host is first */
        ask(&request, &lab.hosts[3], sl_claim_table_end);
        assert_int_equal(request.rc, i == 0 ? 0 : SL_E_MISMATCH);
        assert_int_equal(number("SELECT count(*) FROM runs"), i);
        release(&request);
    }
    assert_int_equal(number("SELECT count(*) FROM jobs WHERE run > 0 AND state = 2"), 1);
    close_lab();
}

/* A batch whose server is lost is carried out again, after a while. */
STORE_TEST(the_run_of_a_lost_job_is_looked_for_again_and_nowhere_while_the_directory_is_away)
{
    struct sl_request request = {.host = &lab.hosts[3].is};
    struct sl_job_record *job = &request.ending.job, ended;
    open_lab(1);
    snprintf(lab.db->root, sizeof(lab.db->root), "%s", store_folder);
    for (int found = 0; found < 2; found++) {
        uint64_t id = lose_job("phone");
        request.ending = (struct sl_store_ending){.expired = true};
        request.now_ms = lab.now_ms;
        assert_true(read_job(&lab.hosts[3], id, job));
        note_end(job, SL_CAUSE_LAB);
        snprintf(lab.db->directory_id, sizeof(lab.db->directory_id), "0123456789abcdef");
        sl_claim_table_look(&request, lab.db);
        lab.db->directory_id[0] = '\0'; /* it is mounted again, and nobody has looked there */
        sl_claim_table_end(&request, lab.db);
        assert_int_equal(request.rc, SL_E_STATE);
        for (int i = 0; i < 2; i++) {
            sl_claim_table_look(&request, lab.db);
            assert_false(request.ending.has_run);
        }
        if (found)
            leave_run(id, "phone");
        sl_claim_table_look(&request, lab.db);
        ask(&request, &lab.hosts[3], sl_claim_table_end);
        assert_int_equal(request.rc, 0);
        assert_true(read_job(&lab.hosts[3], id, &ended));
        const char *said = strstr(ended.detail, "no whole run");
        assert_int_equal(said != NULL, !found);
        assert_null(said ? strstr(said + 1, "no whole run") : NULL);
        assert_int_equal(ended.state, found ? SL_JOB_DONE : SL_JOB_QUEUED);
        release(&request);
        request.host = &lab.hosts[3].is;
    }
    assert_int_equal(number("SELECT count(*) FROM runs"), 1);
    close_lab();
}

STORE_TEST(hosts_that_are_killed_and_cut_off_end_each_job_once)
{
    run_property(0x50726f7);
}
