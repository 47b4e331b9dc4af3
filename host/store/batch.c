/* host/store/batch.c */
#include "host/store/batch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/store/attempt_table.h"
#include "host/store/audit_table.h"
#include "host/store/check.h"
#include "host/store/claim_table.h"
#include "host/store/database.h"
#include "host/store/device_table.h"
#include "host/store/host_table.h"
#include "host/store/job_table.h"
#include "host/store/label_table.h"
#include "host/store/numbers.h"
#include "host/store/request.h"
#include "host/store/request_queue.h"
#include "host/store/run_import.h"
#include "host/store/run_table.h"
#include "host/store/schema.h"
#include "host/store/statement.h"
#include "host/store/token_table.h"

/* How long a batch waits for the server: new requests of a database that is known to be away do not
 * keep their callers; a commit that nobody knows the end of is worth waiting for. */
enum {
    WAIT_MS = 5000,
    WAIT_AWAY_MS = 500,
    WAIT_DOUBT_MS = 60000,
    MAX_PAUSE_MS = 2000,
    MAX_ROUNDS = 4
};

/* Leaves the outcome in the request. */
static void execute(struct sl_request *request, struct sl_database *db)
{
    static void (*const tables[])(struct sl_request *, struct sl_database *) = {
        [SL_REQUEST_ADD_JOB] = sl_job_table_add,
        [SL_REQUEST_FIND_JOB] = sl_job_table_find,
        [SL_REQUEST_UPDATE_JOB] = sl_claim_table_update,
        [SL_REQUEST_GET_JOB] = sl_job_table_get,
        [SL_REQUEST_LIST_JOBS] = sl_job_table_list,
        [SL_REQUEST_ADD_GROUP] = sl_job_table_add_group,
        [SL_REQUEST_LIST_GROUPS] = sl_job_table_list_groups,
        [SL_REQUEST_ADD_RUN] = sl_run_table_add,
        [SL_REQUEST_IMPORT_RUN] = sl_run_import_carry_out,
        [SL_REQUEST_LIST_RUNS] = sl_run_table_list,
        [SL_REQUEST_REMOVE_RUN] = sl_run_table_remove,
        [SL_REQUEST_LABEL_RUN] = sl_label_table_change,
        [SL_REQUEST_LIST_EXPIRED] = sl_run_table_list_expired,
        [SL_REQUEST_ADD_TOKEN] = sl_token_table_add,
        [SL_REQUEST_REMOVE_TOKEN] = sl_token_table_remove,
        [SL_REQUEST_LIST_TOKENS] = sl_token_table_list,
        [SL_REQUEST_NOTE_DEVICE] = sl_device_table_note,
        [SL_REQUEST_NOTE_AUDIT] = sl_audit_table_note,
        [SL_REQUEST_CHECK] = sl_check_carry_out,
        [SL_REQUEST_LIST_LEFT] = sl_check_list_left,
        [SL_REQUEST_LIST_ATTEMPTS] = sl_attempt_table_list,
        [SL_REQUEST_CLAIM_JOB] = sl_claim_table_claim,
        [SL_REQUEST_END_JOB] = sl_claim_table_end,
        [SL_REQUEST_WANT_CANCEL] = sl_claim_table_want_cancel,
        [SL_REQUEST_LIST_CHANGED] = sl_claim_table_list_changed,
        [SL_REQUEST_BEAT] = sl_claim_table_beat,
        [SL_REQUEST_LIST_HOSTS] = sl_host_table_list,
        [SL_REQUEST_NOTE_HOST_DEVICE] = sl_host_table_note_device,
        [SL_REQUEST_LIST_HOST_DEVICES] = sl_host_table_list_devices,
    };
    tables[request->kind](request, db);
}

static bool moves_files(const struct sl_request *request)
{
    return request->kind == SL_REQUEST_IMPORT_RUN || request->kind == SL_REQUEST_CHECK;
}

/* Do others who share the database want to know? */
static bool changes_jobs(const struct sl_request *request)
{
    switch (request->kind) {
    case SL_REQUEST_ADD_JOB:
    case SL_REQUEST_UPDATE_JOB:
    case SL_REQUEST_CLAIM_JOB:
    case SL_REQUEST_END_JOB:
    case SL_REQUEST_WANT_CANCEL:
        return request->rc == 0;
    default:
        return false;
    }
}

/* Does it write leases, or judge those of others? */
static bool goes_by_leases(const struct sl_request *request)
{
    return request->kind == SL_REQUEST_CLAIM_JOB || request->kind == SL_REQUEST_UPDATE_JOB ||
           request->kind == SL_REQUEST_BEAT;
}

static bool writes(const struct sl_request *request)
{
    return !sl_request_only_reads(request);
}

static bool any(const struct sl_request *batch, bool (*is)(const struct sl_request *request))
{
    while (batch && !is(batch))
        batch = batch->next;
    return batch != NULL;
}

/* Numbers are kept before their rows are: they may be lost, and never are given out again. */
static int keep_numbers(struct sl_numbers *numbers, const struct sl_request *batch)
{
    uint64_t jobs = 0, runs = 0;
    for (; batch; batch = batch->next) {
        bool imported = batch->kind == SL_REQUEST_IMPORT_RUN;
        uint64_t job = batch->kind == SL_REQUEST_ADD_JOB ? batch->id : imported ? batch->job.id : 0;
        bool has_run = batch->kind == SL_REQUEST_ADD_RUN || batch->kind == SL_REQUEST_END_JOB;
        uint64_t run = has_run || imported ? batch->id : 0;
        if (batch->rc != 0)
            continue;
        jobs = job > jobs ? job : jobs;
        runs = run > runs ? run : runs;
    }
    return sl_numbers_raise(numbers, jobs, runs);
}

static int keep_words(struct sl_batch_place *place, int rc, const char *words)
{
    snprintf(place->why, place->why_bytes, "%s", words);
    return rc;
}

static int fail(struct sl_batch_place *place, int rc)
{
    return keep_words(place, rc, place->db->kind->message(place->db));
}

/* In a part of its own, where a statement that fails would end the whole transaction. */
static void execute_in_part(struct sl_request *request, struct sl_database *db)
{
    int rc = sl_database_part_begin(db);
    if (rc == 0) {
        execute(request, db);
        bool aborted = sl_database_state(db) != SL_DATABASE_FINE;
        rc = sl_database_part_end(db, aborted ? -ECANCELED : 0);
        rc = aborted ? 0 : rc;
    }
    if (rc < 0)
        request->rc = rc;
}

/* An insert waits for another transaction with the same key, and fails when that one is committed.
 * The second try finds the job by its key. */
static void execute_apart(struct sl_request *request, struct sl_database *db)
{
    execute_in_part(request, db);
    if (request->kind == SL_REQUEST_ADD_JOB && request->rc == -EEXIST)
        execute_in_part(request, db);
}

/* Submissions, and who made them, go to a server in one way and come back in one. */
static size_t execute_together(struct sl_request *first, struct sl_database *db)
{
    struct sl_statement adds[SL_STATEMENTS_TOGETHER], notes[SL_STATEMENTS_TOGETHER];
    struct sl_request *behind = first;
    size_t added = sl_job_table_count_together(first, db);
    sl_job_table_find_keys(first, added, db, adds);
    sl_job_table_begin_adds(first, added, db, adds);
    for (size_t i = 0; i < added; i++)
        behind = behind->next;
    size_t noted = sl_audit_table_begin_notes(behind, db, notes);
    sl_job_table_end_adds(first, added, adds);
    sl_audit_table_end_notes(behind, db, noted, notes);
    return added + noted;
}

/* Carries out the first one, and some that come after it where that saves time. Gives how many. */
static size_t execute_next(struct sl_request *request, struct sl_database *db, bool apart)
{
    size_t together = apart ? 0 : execute_together(request, db);
    if (together > 0)
        return together;
    if (apart)
        execute_apart(request, db);
    else
        execute(request, db);
    return 1;
}

/* Does it tell that the database is damaged or failing? */
static bool is_of_database(int rc)
{
    return rc == SL_E_FORMAT || rc == -EIO;
}

/* Notes in *out_failed that a request of these found the database damaged or failing. */
static void note_failed(struct sl_batch_place *place, const struct sl_request *request,
                        size_t count, int *out_failed)
{
    for (; count > 0; count--, request = request->next)
        if (*out_failed == 0 && is_of_database(request->rc))
            *out_failed = fail(place, request->rc);
}

/* Says who asks, and when. */
static int stamp(struct sl_batch_place *place, struct sl_request *batch)
{
    uint64_t now_ms = 0;
    int rc = place->db->kind->now_ms(place->db, any(batch, goes_by_leases), &now_ms);
    for (; batch; batch = batch->next) {
        batch->host = place->host;
        batch->now_ms = now_ms;
    }
    return rc;
}

static int state_of(struct sl_database *db)
{
    static const int codes[] = {[SL_DATABASE_LOST] = -ENOTCONN, [SL_DATABASE_ABORTED] = -ECANCELED};
    return codes[sl_database_state(db)];
}

/* All that waited together. *out_failed: a request found the database damaged or failing. */
static int execute_all(struct sl_batch_place *place, struct sl_request *batch, bool apart,
                       int *out_failed)
{
    struct sl_database *db = place->db;
    int rc = sl_database_begin(db, any(batch, writes));
    rc = rc < 0 ? rc : stamp(place, batch);
    for (struct sl_request *request = batch; request && rc == 0;) {
        size_t done = request->rc == 0 ? execute_next(request, db, apart) : 1;
        rc = state_of(db);
        if (rc == 0)
            note_failed(place, request, done, out_failed);
        for (; done > 0; done--)
            request = request->next;
    }
    return rc;
}

/* 0 or a negative code; then nothing of it is in the database, unless the connection is lost. */
static int run(struct sl_batch_place *place, struct sl_request *batch, bool apart, int *out_failed)
{
    struct sl_database *db = place->db;
    int rc = execute_all(place, batch, apart, out_failed);
    int kept = rc == 0 && place->numbers ? keep_numbers(place->numbers, batch) : 0;
    if (rc == 0 && kept == 0 && any(batch, writes))
        rc = sl_database_commit(db, any(batch, changes_jobs));
    if (rc == 0 && kept == 0)
        return 0;
    rc = kept < 0 ? keep_words(place, kept, sl_strerror(kept)) : fail(place, rc);
    if (any(batch, writes) && sl_database_state(db) != SL_DATABASE_LOST)
        sl_database_exec(db, "ROLLBACK");
    return rc;
}

static bool is_in_doubt(const struct sl_request *request)
{
    return request->again;
}

/* 0: there is a connection again; *out_committed: and the batch was in time. */
static int get_back(struct sl_batch_place *place, const struct sl_request *batch,
                    bool *out_committed)
{
    struct sl_database *db = place->db;
    uint64_t began_ms = sl_clock_ns() / 1000000, waited_ms = 0, limit_ms;
    unsigned pause_ms = 50;
    int rc;
    bool in_doubt;
    while ((rc = db->kind->reconnect(db, &in_doubt, out_committed)) < 0) {
        in_doubt = in_doubt || any(batch, is_in_doubt);
        limit_ms = in_doubt ? WAIT_DOUBT_MS : place->failing ? WAIT_AWAY_MS : WAIT_MS;
        waited_ms = sl_clock_ns() / 1000000 - began_ms;
        if (waited_ms > limit_ms || !place->pause(place->user, pause_ms))
            return fail(place, -ENOTCONN);
        pause_ms = pause_ms < MAX_PAUSE_MS ? 2 * pause_ms : pause_ms;
    }
    place->reconnected = true;
    return 0;
}

/* For another round; what moved files stays as it failed. */
static void prepare_again(struct sl_request *batch, bool lost)
{
    for (; batch; batch = batch->next) {
        bool stays = moves_files(batch) && (lost || batch->rc == -ENOTCONN);
        sl_request_reset(batch);
        batch->rc = stays ? -ENOTCONN : 0;
    }
}

static void fail_all(struct sl_request *batch, int rc)
{
    for (; batch; batch = batch->next)
        batch->rc = rc;
}

/* No transaction waits for a disk: the directories are read before it. */
static void look_for_runs(struct sl_request *batch, struct sl_database *db)
{
    for (; batch; batch = batch->next)
        if (batch->kind == SL_REQUEST_END_JOB)
            sl_claim_table_look(batch, db);
}

static int run_shared(struct sl_batch_place *place, struct sl_request *batch, int *out_failed)
{
    bool apart = any(batch, moves_files), committed = false;
    int rc = -ENOTCONN;
    for (int round = 0; round < MAX_ROUNDS && !committed; round++) {
        look_for_runs(batch, place->db); /* in each round: the last one may have waited long */
        rc = run(place, batch, apart, out_failed);
        bool lost = sl_database_state(place->db) == SL_DATABASE_LOST;
        if (!lost && (rc != -ECANCELED || apart))
            return rc;
        apart = apart || !lost;
        *out_failed = 0;
        rc = lost ? get_back(place, batch, &committed) : 0;
        if (rc < 0)
            return rc;
        if (!committed)
            prepare_again(batch, lost);
    }
    return committed ? 0 : rc < 0 ? rc : -EIO;
}

/* Reading alone does not show that a database that failed can be written again. */
static int write_again(struct sl_batch_place *place)
{
    int kept = place->numbers ? sl_numbers_write(place->numbers) : 0;
    if (kept < 0)
        return keep_words(place, kept, sl_strerror(kept));
    int rc = sl_schema_write(place->db);
    return rc < 0 ? fail(place, rc) : 0;
}

int sl_batch_execute(struct sl_batch_place *place, struct sl_request *batch)
{
    struct sl_database *db = place->db;
    uint64_t changes = db->kind->changes(db);
    int failed = 0;
    int rc = db->shared ? run_shared(place, batch, &failed) : run(place, batch, false, &failed);
    if (rc < 0) {
        fail_all(batch, rc);
        return rc;
    }
    bool only_read = db->kind->changes(db) == changes;
    return failed == 0 && only_read && place->failing ? write_again(place) : failed;
}

int sl_batch_read(struct sl_database *db, struct sl_request *request)
{
    int rc = sl_database_begin(db, false);
    if (rc < 0)
        return rc;
    execute(request, db);
    rc = state_of(db);
    return rc == 0 && is_of_database(request->rc) ? request->rc : rc;
}
