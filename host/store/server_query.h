/* host/store/server_query.h: questions in SQL (query.h) to a server of PostgreSQL. */
#pragma once

struct sl_diag;
struct sl_json;
struct sl_query;

/* Like sl_query_run(), with the rights of the user of `url`. */
int sl_server_query_run(const char *url, const struct sl_query *query, struct sl_json *json,
                        struct sl_diag *diag);

/* Lets the user of the URL `reader` read, by way of the owner's `url`, what everybody may see:
 * neither tokens and audit nor the keys by which jobs are sent again. -EACCES: that user may read
 * more already, or end other sessions. 0 or a negative code, with words. */
int sl_server_query_let_read(const char *url, const char *reader, struct sl_diag *diag);
