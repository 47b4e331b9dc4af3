/* host/store/device_table.h: what devices say of themselves, by their names. */
#pragma once

typedef struct sqlite3 sqlite3;
struct sl_request;

void sl_device_table_note(struct sl_request *request, sqlite3 *db);
