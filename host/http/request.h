/* host/http/request.h: what happens to a request from its head to its handler. */
#pragma once

#include <stddef.h>

#include "common/base/bytes.h"

struct sl_http_exchange;

/* `head` is that of a new request, copied: finds its route, checks who asks and what comes with it,
 * and calls the handler, or waits for the body. */
void sl_http_request_begin(struct sl_http_exchange *exchange, const char *head, size_t len);

/* Answers a request that cannot be read, or did not come to an end; `status` is HTTP's. The
 * connection ends. */
void sl_http_request_refuse(struct sl_http_exchange *exchange, int status, const char *why);

/* Takes the next bytes of the body, borrowed; what comes after the answer is dropped. How many, or
 * SL_E_FORMAT: its chunks are none; that is answered where it still can be. */
int sl_http_request_take(struct sl_http_exchange *exchange, struct sl_bytes bytes);
