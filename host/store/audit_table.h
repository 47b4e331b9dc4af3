/* host/store/audit_table.h: who did what. */
#pragma once

#include <stddef.h>

struct sl_database;
struct sl_request;
struct sl_statement;

void sl_audit_table_note(struct sl_request *request, struct sl_database *db);
/* `first` and those directly behind it, with a statement of SL_STATEMENTS_TOGETHER for each: how
 * many; and their end. */
size_t sl_audit_table_begin_notes(struct sl_request *first, struct sl_database *db,
                                  struct sl_statement *statements);
void sl_audit_table_end_notes(struct sl_request *first, struct sl_database *db, size_t count,
                              struct sl_statement *statements);
