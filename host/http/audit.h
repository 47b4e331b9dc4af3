/* host/http/audit.h: who did what, into the store and into the log. */
#pragma once

struct sl_http_exchange;

enum { SL_HTTP_TOLD_A_SECOND = 100 };

/* Notes an exchange that ends, if it is a write of somebody known: also one that was refused. The
 * log has it with the request's number and those of its job and run, for the first
 * SL_HTTP_TOLD_A_SECOND in a second; it also has each request that a defect or the store failed
 * (500). */
void sl_http_audit(struct sl_http_exchange *exchange);
