/* host/http/request.h: what happens to a request from its headers to its handler. */
#pragma once

#include <stddef.h>

struct sl_http;
struct sl_http_exchange;
struct lws;

/* The headers of a new request are read: finds its route, checks who asks and what comes with it,
 * and calls the handler, or waits for the body. 0, or -1: close the connection. */
int sl_http_request_begin(struct sl_http_exchange *exchange);

/* A piece of the body, and its end. What comes after the answer is dropped. 0 or -1: close. */
int sl_http_request_piece(struct sl_http_exchange *exchange, const void *bytes, size_t len);
void sl_http_request_end(struct sl_http_exchange *exchange);
