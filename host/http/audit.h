/* host/http/audit.h: who did what, into the store. */
#pragma once

struct sl_http_exchange;

/* Notes an exchange that ends, if it is a write of somebody known: also one that was refused. */
void sl_http_audit(struct sl_http_exchange *exchange);
