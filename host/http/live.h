/* host/http/live.h: streams of events (SSE) about one job. */
#pragma once

#include <stdint.h>

struct sl_http_exchange;
struct sl_job_record;

enum { SL_LIVE_QUEUE_BYTES = 1 << 18, SL_LIVE_BEAT_MS = 15000 };

/* Answers the exchange by a stream: the job as it is, then each event after `after` (0: only new
 * ones), then the end when the job ends. A client that does not take SL_LIVE_QUEUE_BYTES, or
 * nothing for the server's timeout, is cut off. 0, SL_E_FULL or -ENOMEM: not answered. */
int sl_live_start(struct sl_http_exchange *exchange, const struct sl_job_record *job,
                  uint64_t after);
