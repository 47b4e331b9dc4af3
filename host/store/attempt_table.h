/* host/store/attempt_table.h: every attempt at a job, with its device and how it ended. */
#pragma once

typedef struct sqlite3 sqlite3;
struct sl_job_record;
struct sl_request;

/* Notes what a job's new row says of its latest attempt: that it began, or how it ended, once. 0 or
 * the database's code. */
int sl_attempt_table_note(sqlite3 *db, const struct sl_job_record *job);

/* Those of the job `request->id`, the first first. */
void sl_attempt_table_list(struct sl_request *request, sqlite3 *db);
