/* host/http/paging.h: what handlers have in common: cursor, limit, filters, numbers out of paths.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_http_exchange;
struct sl_http_json;
struct sl_jobs_filter;
struct sl_runs_filter;

/* Reads cursor= and limit= of the query (50 when absent). false: answered with a problem. */
bool sl_http_page(struct sl_http_exchange *exchange, uint64_t *out_cursor, uint32_t *out_limit);

/* The first parameter of the path as an id. false: answered with 404. */
bool sl_http_id(struct sl_http_exchange *exchange, uint64_t *out_id);

/* Reads group= of the query, 0 when absent. false: answered with a problem. */
bool sl_http_group(struct sl_http_exchange *exchange, uint64_t *out_group);

/* Reads what a list of jobs or runs is asked for, its page too. false: answered with a problem. */
bool sl_http_jobs_filter(struct sl_http_exchange *exchange, struct sl_jobs_filter *out);
bool sl_http_runs_filter(struct sl_http_exchange *exchange, struct sl_runs_filter *out);

/* The first parameter of the path as a series, of whose runs it is asked. false: answered with 404.
 */
bool sl_http_series_filter(struct sl_http_exchange *exchange, struct sl_runs_filter *out);

/* May who asks cancel what belongs to `owner`? */
bool sl_http_may_cancel(const struct sl_http_exchange *exchange, const char *owner);

/* A page of a list: its rows are written between the two. The end answers. */
void sl_http_page_begin(struct sl_http_json *text, const char *name);
void sl_http_page_end(struct sl_http_exchange *exchange, struct sl_http_json *text,
                      uint64_t next_cursor);
