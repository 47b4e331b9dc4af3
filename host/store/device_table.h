/* host/store/device_table.h: what devices say of themselves, by their names. */
#pragma once

struct sl_database;
struct sl_request;

void sl_device_table_note(struct sl_request *request, struct sl_database *db);
