/* host/store/run_table.h: the requests about runs, carried out on the worker thread. */
#pragma once

#include <stdint.h>

struct sl_database;
struct sl_request;
struct sl_run_record;

/* With its figures, as far as its files tell them. 0 or the database's code. */
int sl_run_table_insert(struct sl_database *db, const struct sl_run_record *run, uint64_t *out_id);

void sl_run_table_add(struct sl_request *request, struct sl_database *db);
void sl_run_table_remove(struct sl_request *request, struct sl_database *db);
void sl_run_table_list_expired(struct sl_request *request, struct sl_database *db);
void sl_run_table_list(struct sl_request *request, struct sl_database *db);
