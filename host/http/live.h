/* host/http/live.h: streams of events (SSE) about one job, or about the whole lab. */
#pragma once

struct sl_http_exchange;
struct sl_job_record;

enum { SL_LIVE_QUEUE_BYTES = 1 << 18, SL_LIVE_BEAT_MS = 15000 };

/* Answers the exchange by a stream: the job as it is, then each event after the one that
 * Last-Event-ID names (none: only new ones), then the end when the job ends; or by a problem. Of
 * the lab (NULL) the stream has all events, each with the number of its job, and no end. A client
 * that does not take SL_LIVE_QUEUE_BYTES, or nothing for the server's timeout, is cut off. */
void sl_live_answer(struct sl_http_exchange *exchange, const struct sl_job_record *job);
