/* host/store/attempt_table.h: every attempt at a job, with its device and how it ended. */
#pragma once

struct sl_database;
struct sl_job_record;
struct sl_request;

/* Notes what a job's new row says of its latest attempt: that it began, or how it ended, once. 0 or
 * the database's code. */
int sl_attempt_table_note(struct sl_database *db, const struct sl_job_record *job);

/* Those of the job `request->id`, the first first. */
void sl_attempt_table_list(struct sl_request *request, struct sl_database *db);
