/* host/store/store.h: what the daemon must not forget: jobs, runs, devices, tokens, in SQLite
 * (WAL) or PostgreSQL.
 *
 * One worker thread owns the database; every request is queued to it with copies of its arguments
 * and answered on the loop's thread, in the order of the requests, who did what last. With
 * PostgreSQL the loop itself adds jobs once sl_store_watch() was called, over connections of their
 * own and without waiting; these may be answered before earlier requests. Writes
 * that wait together are committed together: one sync for all of them. A `done` is called exactly
 * once for each request that returned 0, never inside the call, and with SL_E_STATE for what was
 * still queued at sl_store_close(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"
#include "host/store/answers.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_diag;
struct sl_histogram;
struct sl_store;

/* Opens the store, made if absent, and brings its schema up to this version by numbered migrations,
 * each in a transaction; a newer schema than this program's is refused with words, and so is a
 * damaged file and one that can be read only. The pages of a file above 16 MiB that lacks no
 * migration are read on a thread of their own meanwhile, and sl_store_health() tells of damage.
 * `where` is the path of a file, or the URL of a database of PostgreSQL that several daemons may
 * share. `root` is the state directory; NULL: the file's. Beside a file, `path`-numbers keeps the
 * highest numbers that were given out: rows that the database lost leave theirs unused, and those
 * of runs are made again from their directories, also of a database that was lost whole. A server
 * looks after its rows itself. Blocks: for start-up. */
int sl_store_open(uv_loop_t *loop, const char *where, const char *root, struct sl_store **out,
                  struct sl_diag *diag);

/* From now on `changed` is called on the loop's thread after another connection has added or
 * changed jobs, and after the server was lost for a while: never for a file. */
void sl_store_watch(struct sl_store *store, void (*changed)(void *user), void *user);

/* May other hosts have the same store? */
bool sl_store_is_shared(const struct sl_store *store);

/* Returns a text that differs for each store, and is the same on all of its hosts. */
const char *sl_store_identity(const struct sl_store *store);

/* Can it do its work? 0, or why the latest requests failed (SL_E_FORMAT: it is damaged, and stays
 * so; -ENOTCONN: its server is away, and is looked for), with words. On the loop's thread. */
enum { SL_STORE_WHY_BYTES = 200 };
int sl_store_health(struct sl_store *store, char out_why[SL_STORE_WHY_BYTES]);

/* How long requests took from their call to their answer, and batches of them, which are
 * transactions with their sync. */
void sl_store_latency(struct sl_store *store, struct sl_histogram *out_requests,
                      struct sl_histogram *out_transactions);

/* Who asks from now on: before the first request. A store may have several hosts: each job that
 * runs is one's until its lease ends by the store's time. SL_E_MISMATCH: STATE/runs is not the
 * directory that this host had; else 0 or the database's code. Blocks: for start-up. */
int sl_store_be_host(struct sl_store *store, const struct sl_store_host *host);
/* "runs" or "blobs": it is not the directory below STATE any more that it was at the start; NULL:
 * both are. Reads two files; any thread. */
const char *sl_store_gone_directory(const struct sl_store *store);
const struct sl_store_host *sl_store_host_of(const struct sl_store *store);
/* Notes that this host is there, and renews the leases of its jobs. -EADDRINUSE: another daemon of
 * the store has its name. */
int sl_store_beat(struct sl_store *store, sl_store_beat_fn done, void *user);
/* Jobs that other hosts changed, the first change first; the next page begins at the last row's
 * time and number. */
int sl_store_list_changed(struct sl_store *store, const struct sl_changed_filter *filter,
                          sl_store_jobs_fn done, void *user);
/* The job begins on a device of this host, as it stands in the record with its new attempt; asked
 * again it is the same claim. SL_E_MISMATCH: it has become another's, has ended, or is to be
 * cancelled. */
int sl_store_claim_job(struct sl_store *store, const struct sl_job_record *job,
                       sl_store_job_fn done, void *user);
/* The end of a job, or its way back into the queue, and its run: both or neither, once. `done` gets
 * the run's number, 0 for none. SL_E_MISMATCH: it has become another's, or has ended. */
int sl_store_end_job(struct sl_store *store, const struct sl_store_ending *ending,
                     sl_store_id_fn done, void *user);
/* Cancels the job at the host that has it, or every open job of the group (0: none). */
int sl_store_want_cancel(struct sl_store *store, uint64_t job, uint64_t group,
                         sl_store_done_fn done, void *user);
int sl_store_list_hosts(struct sl_store *store, sl_store_hosts_fn done, void *user);
/* A device of this host as it is now, for the others; with state 0 it has left. */
int sl_store_note_host_device(struct sl_store *store, const struct sl_device_record *device,
                              sl_store_done_fn done, void *user);
/* Lists the devices of the other hosts that are there. */
int sl_store_list_host_devices(struct sl_store *store, sl_store_devices_fn done, void *user);

/* Finishes what is under way, answers the rest with SL_E_STATE, then calls `closed` last. */
void sl_store_close(struct sl_store *store, void (*closed)(void *user), void *user);

/* Durable when answered. All return 0, SL_E_FULL (too many queued) or -ENOMEM. A new record's id is
 * chosen by the store. */
int sl_store_add_job(struct sl_store *store, const struct sl_job_record *job,
                     const char *config_json, const char *idempotency_key, uint32_t max_open,
                     sl_store_id_fn done, void *user);
/* SL_E_MISMATCH: it has become another host's, or has ended. */
int sl_store_update_job(struct sl_store *store, const struct sl_job_record *job,
                        sl_store_done_fn done, void *user);
int sl_store_add_run(struct sl_store *store, const struct sl_run_record *run, sl_store_id_fn done,
                     void *user);

/* Makes a run of the directory `staged` (below the store's), which another store's run was copied
 * to: it moves to where runs are, and gets a number of its own and an ended job of `owner`'s. `key`
 * tells what is in it: 1 and the run that came with the same key before, and the directory stays.
 * SL_E_MISMATCH: its copy of the rows (row_copy.h) is missing or damaged. */
int sl_store_import_run(struct sl_store *store, const char *staged, const char *key,
                        const char *owner, sl_store_id_fn done, void *user);

/* Its row alone: the directory is the caller's. Jobs forget that they had it. -EBUSY, and it stays,
 * where it is pinned, or `rules` (`cursor` is not read) keep it; NULL: there are none.
 * SL_E_MISMATCH: it is another host's, whose files are not here. SL_E_NOT_FOUND. */
int sl_store_remove_run(struct sl_store *store, uint64_t id, const struct sl_store_retention *rules,
                        sl_store_done_fn done, void *user);

/* Changes labels and pin of a run by a document: {"labels": {KEY: VALUE or null to remove it},
 * "pinned": true or false}, each member at will; it is checked already. NULL changes nothing.
 * `done` gets what the run has then: {"run", "pinned", "labels"}. `owner`: whose run it must be;
 * NULL: anybody's. SL_E_NOT_FOUND, -EACCES (another's), SL_E_LIMIT (more than SL_STORE_MAX_LABELS).
 */
int sl_store_label_run(struct sl_store *store, uint64_t id, const char *wanted, const char *owner,
                       sl_store_text_fn done, void *user);

/* The job that add_job() added with this key, for as long as its record is kept. SL_E_NOT_FOUND, or
 * SL_E_MISMATCH when it has another configuration. */
int sl_store_find_job(struct sl_store *store, const char *config_json, const char *idempotency_key,
                      sl_store_id_fn done, void *user);

/* `done` may be NULL nowhere. A job that is not there gives SL_E_NOT_FOUND. With the same
 * idempotency key (NULL: none) add_job adds nothing: rc is 1 and the id the first one's; with
 * another configuration it is SL_E_MISMATCH. With `max_open` open jobs of its owner (0: any number)
 * it is SL_E_LIMIT. */
int sl_store_get_job(struct sl_store *store, uint64_t id, sl_store_job_fn done, void *user);

/* Lists of jobs, groups and runs wait for no commit: they have what was answered before they were
 * asked for. One job, a group and its jobs, and all open jobs are read after what was posted. */
int sl_store_list_jobs(struct sl_store *store, const struct sl_jobs_filter *filter,
                       sl_store_jobs_fn done, void *user);

/* A job names its group by its number: SL_E_NOT_FOUND when it is added to one that is not there,
 * -EACCES to another owner's. */
int sl_store_add_group(struct sl_store *store, const struct sl_group_record *group,
                       sl_store_id_fn done, void *user);
int sl_store_list_groups(struct sl_store *store, const struct sl_groups_filter *filter,
                         sl_store_groups_fn done, void *user);

int sl_store_list_runs(struct sl_store *store, const struct sl_runs_filter *filter,
                       sl_store_runs_fn done, void *user);

/* Runs that may go, the oldest first: of so many looked at from the cursor on those that may. The
 * next cursor is 0 when all were looked at. */
int sl_store_list_expired(struct sl_store *store, const struct sl_store_retention *wish,
                          sl_store_runs_fn done, void *user);

/* Keeps a device's own words by its name: model, SoC and system; nothing else of the record.
 * Queries (query.h) can read these beside its runs and labels. */
int sl_store_note_device(struct sl_store *store, const struct sl_device_record *device,
                         sl_store_done_fn done, void *user);

/* From now on questions to a server are asked as the user of the URL `reader`, who may read what
 * everybody may see; those with the audit still as the store's own user. Without it only those are
 * answered. Blocks: for start-up. 0; SL_E_UNSUPPORTED for a file; or another negative code; with
 * words. */
int sl_store_let_read(struct sl_store *store, const char *reader, struct sl_diag *diag);

/* A question in SQL (query.h), on a connection of its own: at any time before the end of
 * sl_store_close(), on any thread but the loop's. */
struct sl_json;
struct sl_query;
int sl_store_query(const struct sl_store *store, const struct sl_query *query, struct sl_json *json,
                   struct sl_diag *diag);

/* Who did what, for good or not (status of HTTP); the newest SL_AUDIT_MAX_ROWS are kept. */
int sl_store_note_audit(struct sl_store *store, const struct sl_audit_record *record,
                        sl_store_done_fn done, void *user);

/* Other requests wait meanwhile. */
int sl_store_check(struct sl_store *store, const struct sl_store_check *wish,
                   sl_store_findings_fn done, void *user);
/* Every start of a job on a device, the first first; none for an unknown job. */
int sl_store_list_attempts(struct sl_store *store, uint64_t job, sl_store_attempts_fn done,
                           void *user);
/* The directories that the attempts of a job left, but its run's; of one that runs, the one it is
 * at too. */
int sl_store_list_left(struct sl_store *store, uint64_t job, sl_store_findings_fn done, void *user);

/* Tokens are few and asked for at every request: read once at start, kept by the caller. */
int sl_store_list_tokens(struct sl_store *store, sl_store_tokens_fn done, void *user);
int sl_store_add_token(struct sl_store *store, const struct sl_token_record *token,
                       sl_store_id_fn done, void *user);
int sl_store_remove_token(struct sl_store *store, uint64_t id, sl_store_done_fn done, void *user);
