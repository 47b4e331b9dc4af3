/* host/store/run_table.h: the requests about runs, carried out on the worker thread. */
#pragma once

struct sl_database;
struct sl_request;

void sl_run_table_add(struct sl_request *request, struct sl_database *db);
void sl_run_table_remove(struct sl_request *request, struct sl_database *db);
void sl_run_table_list_expired(struct sl_request *request, struct sl_database *db);
void sl_run_table_list(struct sl_request *request, struct sl_database *db);
