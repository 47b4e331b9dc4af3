/* host/store/label_table.h: labels and pins that people give to runs that are there. */
#pragma once

#include <stdint.h>

/* SQL: may `key` and `value`, of a configuration or another lab's archive, be a label? So many of
 * them are taken. As SL_NAME_BYTES, SL_LABEL_BYTES and SL_STORE_MAX_LABELS say. */
#define SL_SQL_IS_LABEL                                                                            \
    "length(CAST(key AS BLOB)) BETWEEN 1 AND 63 AND length(CAST(value AS BLOB)) <= 255"
#define SL_SQL_LABELS_END " LIMIT 32"

struct sl_database;
struct sl_json;
struct sl_request;

/* Changes the run `id` by the document in `config` (sl_store_label_run()) unless that is NULL;
 * leaves what it has then in `text`, and in `changed` whether it did. `key`: whose run it must
 * be; NULL: anybody's. */
void sl_label_table_change(struct sl_request *request, struct sl_database *db);

/* Writes the labels of a run as the member "labels". 0 or a failure. */
int sl_label_table_put(struct sl_database *db, uint64_t run, struct sl_json *json);
