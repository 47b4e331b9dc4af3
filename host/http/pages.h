/* host/http/pages.h: the dashboard: pages for people, made of the same records as the JSON below
 * /api. They are read only; what they show is what the token may read. */
#pragma once

struct sl_http_exchange;

void sl_page_lab(struct sl_http_exchange *exchange);
void sl_page_jobs(struct sl_http_exchange *exchange);
void sl_page_job(struct sl_http_exchange *exchange);
void sl_page_runs(struct sl_http_exchange *exchange);
void sl_page_run(struct sl_http_exchange *exchange);
void sl_page_combined(struct sl_http_exchange *exchange); /* two runs; in api_compare.c */
void sl_page_all_series(struct sl_http_exchange *exchange);
void sl_page_series(struct sl_http_exchange *exchange);
