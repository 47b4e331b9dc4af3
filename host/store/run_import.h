/* host/store/run_import.h: a run of another store, made one of this. */
#pragma once

struct sl_database;
struct sl_request;

/* The request of sl_store_import_run(), carried out on the worker thread: the directory
 * `request->config` becomes the run `request->id` of the job `request->job.id`. */
void sl_run_import_carry_out(struct sl_request *request, struct sl_database *db);
