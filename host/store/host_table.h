/* host/store/host_table.h: the hosts that share the store, and their devices, carried out on the
 * worker thread. */
#pragma once

struct sl_database;
struct sl_job_record;
struct sl_request;

enum { SL_HOST_FORGOTTEN_MS = 24 * 3600 * 1000 }; /* away so long, it is listed no more */

/* In SQL: the hosts whose directory of runs is the one with that identity. */
#define SL_SQL_SHARING(id) "SELECT host FROM host_directories WHERE directory = " id

/* Is STATE/runs the directory that the host of this name had? 0, SL_E_MISMATCH or the database's
 * code. */
int sl_host_table_check_directory(struct sl_database *db, const char *name);
/* Is the name this daemon's alone, and the directory of runs the one that it had? -EADDRINUSE:
 * another connection has the name, and was heard of under it less than a lease ago, from another
 * daemon. SL_E_MISMATCH: it is another directory. */
int sl_host_table_take_name(const struct sl_request *request, struct sl_database *db);
/* Notes that this host is there now. 0 or the database's code. */
int sl_host_table_note(const struct sl_request *request, struct sl_database *db);
void sl_host_table_list(struct sl_request *request, struct sl_database *db);
/* `request->device` as it is now, of this host; one without a state has left it. */
void sl_host_table_note_device(struct sl_request *request, struct sl_database *db);
/* Has a host that is there, and is not the job's, a device behind a link of the name of the job's?
 * That may keep the job's result. 1, 0 or the database's code. */
int sl_host_table_may_keep(const struct sl_request *request, struct sl_database *db,
                           const struct sl_job_record *job);
/* The devices of the other hosts that are there. */
void sl_host_table_list_devices(struct sl_request *request, struct sl_database *db);
