/* host/http/relay.h: what another host of the store has the files of, answered as that host does.
 */
#pragma once

struct sl_http_exchange;

/* Sends the request on to `host`, who made what it asks for, and its answer back, a piece whenever
 * the client takes one; or answers with a problem that says why not. A GET or HEAD of the path
 * alone: the caller has looked at who asks. */
void sl_http_relay(struct sl_http_exchange *exchange, const char *host);
