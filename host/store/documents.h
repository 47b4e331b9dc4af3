/* host/store/documents.h: rows made of JSON documents. What a document says is asked in SQL too, of
 * `db->json`; the tables themselves are asked without a word of JSON. */
#pragma once

#include <stdint.h>

struct sl_database;
struct sl_statement;

/* SQL: whose kernels a run's are, by its job's configuration; '' where that does not tell,
 * as of results that were imported. */
#define SL_RUNTIME_OF_CONFIG(config)                                                               \
    "CASE WHEN NOT coalesce(json_valid(" config "), 0) THEN '' WHEN json_type(" config             \
    ", '$.model') IS NULL THEN '' WHEN json_extract(" config                                       \
    ", '$.task') = 'runners' THEN 'runners' ELSE coalesce(json_extract(" config                    \
    ", '$.runtime'), 'own') END"

/* Is the text JSON? To be asked first: functions of JSON fail on what is none. 1, 0 or a failure.
 */
int sl_document_is_json(struct sl_database *db, const char *text);

/* Begins a question; ?1 is the document, borrowed until its end. */
void sl_document_ask(struct sl_statement *statement, struct sl_database *db, const char *sql,
                     const char *text);

/* Each row of the question `select` is written by `insert`, whose parameters are `run` and then the
 * row's columns. 0; SL_E_FORMAT: the document is not as the question wants it, or a row does not
 * fit its table; or a failure. */
int sl_document_carry(struct sl_database *db, const char *select, const char *text,
                      const char *insert, uint64_t run);
