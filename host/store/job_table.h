/* host/store/job_table.h: the requests about jobs and groups of them, carried out on the worker
 * thread. */
#pragma once

typedef struct sqlite3 sqlite3;
struct sl_request;

void sl_job_table_add(struct sl_request *request, sqlite3 *db);
void sl_job_table_find(struct sl_request *request, sqlite3 *db);
void sl_job_table_update(struct sl_request *request, sqlite3 *db);
void sl_job_table_get(struct sl_request *request, sqlite3 *db);
void sl_job_table_list(struct sl_request *request, sqlite3 *db);
void sl_job_table_add_group(struct sl_request *request, sqlite3 *db);
void sl_job_table_list_groups(struct sl_request *request, sqlite3 *db);
