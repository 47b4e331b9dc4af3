/* host/store/audit_table.h: who did what. */
#pragma once

typedef struct sqlite3 sqlite3;
struct sl_request;

void sl_audit_table_note(struct sl_request *request, sqlite3 *db);
