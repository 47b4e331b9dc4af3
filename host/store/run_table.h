/* host/store/run_table.h: the requests about runs, carried out on the worker thread. */
#pragma once

typedef struct sqlite3 sqlite3;
struct sl_request;

void sl_run_table_add(struct sl_request *request, sqlite3 *db);
void sl_run_table_remove(struct sl_request *request, sqlite3 *db);
void sl_run_table_list_expired(struct sl_request *request, sqlite3 *db);
void sl_run_table_list(struct sl_request *request, sqlite3 *db);
