/* host/http/api.h: the handlers, one a route; router.c has the table. */
#pragma once

#include <stddef.h>

struct sl_http;
struct sl_http_exchange;

void sl_api_blob_put(struct sl_http_exchange *exchange);
void sl_api_blob_get(struct sl_http_exchange *exchange); /* for another host of the store */
void sl_api_blob_head(struct sl_http_exchange *exchange);
/* The body of a blob: a piece; then its end. */
void sl_api_blob_piece(struct sl_http_exchange *exchange, const void *bytes, size_t len);
void sl_api_blob_end(struct sl_http_exchange *exchange);

void sl_api_job_post(struct sl_http_exchange *exchange);
/* As POST /jobs with that body in place of the request's, which moves. */
struct sl_buf;
void sl_api_job_collect(struct sl_http_exchange *exchange, struct sl_buf *body);
void sl_api_attempt_log(struct sl_http_exchange *exchange); /* of one that made no run */
void sl_api_job_list(struct sl_http_exchange *exchange);
void sl_api_job_get(struct sl_http_exchange *exchange);
void sl_api_job_delete(struct sl_http_exchange *exchange);
void sl_api_job_events(struct sl_http_exchange *exchange);
void sl_api_events(struct sl_http_exchange *exchange);     /* of all jobs and devices */
void sl_api_job_result(struct sl_http_exchange *exchange); /* what the agent answered to a task */

void sl_api_group_post(struct sl_http_exchange *exchange);
void sl_api_group_list(struct sl_http_exchange *exchange);
void sl_api_group_get(struct sl_http_exchange *exchange);
void sl_api_group_delete(struct sl_http_exchange *exchange);

void sl_api_run_trace(struct sl_http_exchange *exchange); /* for the Perfetto UI */
void sl_api_run_list(struct sl_http_exchange *exchange);
void sl_api_run_post(struct sl_http_exchange *exchange); /* one of another store */
void sl_api_run_get(struct sl_http_exchange *exchange);
void sl_api_run_labels(struct sl_http_exchange *exchange); /* and whether it is pinned */
void sl_api_run_label(struct sl_http_exchange *exchange);
void sl_api_run_delete(struct sl_http_exchange *exchange);
void sl_api_run_files(struct sl_http_exchange *exchange); /* the list of names */
void sl_api_run_file(struct sl_http_exchange *exchange);  /* etdump, analysis, log, files/... */

void sl_api_series_list(struct sl_http_exchange *exchange);
void sl_api_series_points(struct sl_http_exchange *exchange); /* runs of one, newest first */

void sl_api_compare(struct sl_http_exchange *exchange);
void sl_api_combined(struct sl_http_exchange *exchange);

void sl_api_query(struct sl_http_exchange *exchange);

void sl_api_store_look(struct sl_http_exchange *exchange); /* at the store and its files */
void sl_api_store_mend(struct sl_http_exchange *exchange);
void sl_api_data_look(struct sl_http_exchange *exchange); /* at the bytes of the blobs */
void sl_api_data_mend(struct sl_http_exchange *exchange);

void sl_api_device_list(struct sl_http_exchange *exchange);
void sl_api_host_list(struct sl_http_exchange *exchange);
void sl_api_device_get(struct sl_http_exchange *exchange);
void sl_api_device_add(struct sl_http_exchange *exchange);
void sl_api_device_remove(struct sl_http_exchange *exchange);
void sl_api_device_calibrate(struct sl_http_exchange *exchange);
void sl_api_device_act(struct sl_http_exchange *exchange); /* quarantine, release, ... */

void sl_api_device_clean(struct sl_http_exchange *exchange);

void sl_api_result_list(struct sl_http_exchange *exchange); /* that a device keeps */
void sl_api_result_collect(struct sl_http_exchange *exchange);
void sl_api_result_forget(struct sl_http_exchange *exchange);

void sl_api_token_list(struct sl_http_exchange *exchange);
void sl_api_token_post(struct sl_http_exchange *exchange);
void sl_api_token_delete(struct sl_http_exchange *exchange);
/* Reads the tokens from the store again. */
void sl_api_tokens_load(struct sl_http *http);

void sl_api_healthz(struct sl_http_exchange *exchange);
void sl_api_readyz(struct sl_http_exchange *exchange);
void sl_api_openapi(struct sl_http_exchange *exchange);
void sl_api_metrics(struct sl_http_exchange *exchange);

/* Partial uploads that nobody goes on with, at the start and at most once an hour. */
struct sl_http;
void sl_api_blobs_sweep(struct sl_http *http);
/* Removes what unfinished imports of an earlier daemon left. */
void sl_api_imports_sweep(struct sl_http *http);
/* Makes a directory for a run that is put together; `out_path` has room for 2 * SL_PATH_BYTES. 0 or
 * -errno. Any thread. */
int sl_api_imports_stage(const struct sl_http *http, char *out_path);
