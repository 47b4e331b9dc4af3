/* host/store/check.h: the database beside the files of the state directory: runs without rows, rows
 * without runs, what attempts left that made no run, files that no job needs, and what lies among
 * the runs and is none. */
#pragma once

#include <stdint.h>

struct sl_database;
struct sl_findings;
struct sl_request;
struct sl_store_check;
struct sl_store_host;

/* Looks as `host`, whose runs and those of hosts that share its directory have their files here
 * (NULL: all have), and with `mend`
 * makes rows again and removes what is free; inside a transaction of the caller's.
 * `wish->free_before_ms` 0 leaves attempts' directories and blobs where they are. The highest
 * number of a job that a directory names goes to *out_job. 0 or a negative code. */
int sl_check_state(struct sl_database *db, const struct sl_store_host *host,
                   const struct sl_store_check *wish, struct sl_findings *out, uint64_t *out_job);

/* The requests about it, carried out on the worker thread. */
void sl_check_carry_out(struct sl_request *request, struct sl_database *db);
void sl_check_list_left(struct sl_request *request, struct sl_database *db);
