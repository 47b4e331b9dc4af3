/* host/store/job_table.h: the requests about jobs and groups of them, carried out on the worker
 * thread. */
#pragma once

struct sl_database;
struct sl_request;

void sl_job_table_add(struct sl_request *request, struct sl_database *db);
void sl_job_table_find(struct sl_request *request, struct sl_database *db);
void sl_job_table_get(struct sl_request *request, struct sl_database *db);
void sl_job_table_list(struct sl_request *request, struct sl_database *db);
void sl_job_table_add_group(struct sl_request *request, struct sl_database *db);
void sl_job_table_list_groups(struct sl_request *request, struct sl_database *db);
