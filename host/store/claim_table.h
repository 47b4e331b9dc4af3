/* host/store/claim_table.h: the requests by which hosts share the jobs of one store, carried out on
 * the worker thread. A job that runs is its host's until its lease ends by the store's time, which
 * each beat moves on; every write of a job is refused (SL_E_MISMATCH) where it has become another's
 * or has ended meanwhile. */
#pragma once

struct sl_database;
struct sl_request;

/* The row of a job as it is now. */
void sl_claim_table_update(struct sl_request *request, struct sl_database *db);
/* `request->job` begins on a device of this host, and is read with its configuration; again with
 * the same attempt it changes nothing. */
void sl_claim_table_claim(struct sl_request *request, struct sl_database *db);
/* Before each transaction with sl_claim_table_end(): looks in this host's directory for the run of
 * a job that another host lost. Reads directories, which may take long. */
void sl_claim_table_look(struct sl_request *request, struct sl_database *db);
/* Its end, or its way back to the queue, with its run: both or neither. The row must still be as it
 * was: of a job that another host lost, whoever looked first is the first. */
void sl_claim_table_end(struct sl_request *request, struct sl_database *db);
/* The job `jobs_filter.cursor`, or every open one of a group, is to be cancelled by who has it. */
void sl_claim_table_want_cancel(struct sl_request *request, struct sl_database *db);
void sl_claim_table_list_changed(struct sl_request *request, struct sl_database *db);
/* Notes that this host is there, renews its leases, and lists the jobs that other hosts lost. */
void sl_claim_table_beat(struct sl_request *request, struct sl_database *db);
