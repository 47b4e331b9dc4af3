/* host/store/token_table.h: the requests about tokens, carried out on the worker thread. */
#pragma once

struct sl_database;
struct sl_request;

enum { SL_TOKEN_TABLE_MAX_ROWS = 1000 };

void sl_token_table_add(struct sl_request *request, struct sl_database *db);
void sl_token_table_remove(struct sl_request *request, struct sl_database *db);
void sl_token_table_list(struct sl_request *request, struct sl_database *db);
