/* host/store/job_table.h: the requests about jobs and groups of them, carried out on the worker
 * thread. */
#pragma once

#include <stddef.h>

struct sl_database;
struct sl_request;
struct sl_statement;

void sl_job_table_add(struct sl_request *request, struct sl_database *db);
/* Begins to add `first` and those directly behind it that may be added together, with a statement
 * of SL_STATEMENTS_TOGETHER for each: how many; 0: this one is to be added alone. */
size_t sl_job_table_begin_adds(struct sl_request *first, struct sl_database *db,
                               struct sl_statement *statements);
void sl_job_table_end_adds(struct sl_request *first, size_t count, struct sl_statement *statements);
void sl_job_table_find(struct sl_request *request, struct sl_database *db);
void sl_job_table_get(struct sl_request *request, struct sl_database *db);
void sl_job_table_list(struct sl_request *request, struct sl_database *db);
void sl_job_table_add_group(struct sl_request *request, struct sl_database *db);
void sl_job_table_list_groups(struct sl_request *request, struct sl_database *db);
