/* host/store/job_table.h: the requests about jobs and groups of them, carried out on the worker
 * thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_database;
struct sl_request;
struct sl_statement;

void sl_job_table_add(struct sl_request *request, struct sl_database *db);
/* Is it a job that needs no other row than its own? */
bool sl_job_table_is_plain(const struct sl_request *request);
/* How many, from `first` on, may be added together: SL_STATEMENTS_TOGETHER at most. */
size_t sl_job_table_count_together(const struct sl_request *first, const struct sl_database *db);
/* Finds those of so many whose keys came before, with a statement for each: only the others are
 * still to be added. */
void sl_job_table_find_keys(struct sl_request *first, size_t count, struct sl_database *db,
                            struct sl_statement *statements);
/* Begins to add those whose `rc` is 0 of so many, with a statement for each; and their end. Two of
 * one key fail together. */
void sl_job_table_begin_adds(struct sl_request *first, size_t count, struct sl_database *db,
                             struct sl_statement *statements);
void sl_job_table_end_adds(struct sl_request *first, size_t count, struct sl_statement *statements);
void sl_job_table_find(struct sl_request *request, struct sl_database *db);
void sl_job_table_get(struct sl_request *request, struct sl_database *db);
void sl_job_table_list(struct sl_request *request, struct sl_database *db);
void sl_job_table_add_group(struct sl_request *request, struct sl_database *db);
void sl_job_table_list_groups(struct sl_request *request, struct sl_database *db);
