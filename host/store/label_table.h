/* host/store/label_table.h: labels and pins that people give to runs that are there. */
#pragma once

typedef struct sqlite3 sqlite3;
struct sl_request;

/* Changes the run `id` by the document in `config` (sl_store_label_run()) unless that is NULL;
 * leaves what it has then in `config`. `key`: whose run it must be; NULL: anybody's. */
void sl_label_table_change(struct sl_request *request, sqlite3 *db);
