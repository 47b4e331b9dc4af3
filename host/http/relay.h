/* host/http/relay.h: what another host of the store has the files of, answered as that host does.
 */
#pragma once

#include <stdbool.h>

struct sl_http_exchange;
struct sl_run_record;

/* Did another host make the run, and are its files not here? Never where a host asks: it has them,
 * or nobody. */
bool sl_http_relay_is_due(const struct sl_http_exchange *exchange, const struct sl_run_record *run);
/* The address of that host, borrowed until the loop goes on; NULL: it is away, or does not say. */
const char *sl_http_relay_url(const struct sl_http_exchange *exchange, const char *host);

/* Sends the request on to `host`, who made what it asks for, and its answer back, a piece whenever
 * the client takes one; or answers with a problem that says why not. The request is a GET or a
 * HEAD, except where sl_http_relay_url() gives NULL, so that only a problem is sent. The caller has
 * looked at who asks. */
void sl_http_relay(struct sl_http_exchange *exchange, const char *host);

/* Answers that `host` does not give the files that are on it, and why. */
void sl_http_relay_refused(struct sl_http_exchange *exchange, const char *host, const char *why);
