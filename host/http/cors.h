/* host/http/cors.h: scripts of other web origins, which their browser lets read an answer only
 * where that names them (Cross-Origin Resource Sharing, of the Fetch standard). None may unless the
 * configuration lists it. They show a token as every client: no answer allows credentials that a
 * browser would add by itself. */
#pragma once

#include <stdbool.h>

struct sl_http_exchange;

/* Its head is read: puts into the answer's headers what a listed origin needs. */
void sl_http_cors_begin(struct sl_http_exchange *exchange);

/* A browser asks before a listed origin's request; `allow` is what the path takes, with commas.
 * true: answered. */
bool sl_http_cors_preflight(struct sl_http_exchange *exchange, const char *allow);
