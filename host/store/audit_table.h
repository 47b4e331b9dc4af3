/* host/store/audit_table.h: who did what. */
#pragma once

struct sl_database;
struct sl_request;

void sl_audit_table_note(struct sl_request *request, struct sl_database *db);
