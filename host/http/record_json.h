/* host/http/record_json.h: records as JSON, as openapi.yaml has them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_device_record;
struct sl_job_record;
struct sl_json;
struct sl_run_record;
struct sl_token_record;

/* `config_json` NULL: without it. It is checked JSON and goes in as it is. */
void sl_json_of_job(struct sl_json *json, const char *key, const struct sl_job_record *job,
                    const char *config_json);
void sl_json_of_run(struct sl_json *json, const char *key, const struct sl_run_record *run);
/* A series by its newest run; a run as one of its points. */
void sl_json_of_series(struct sl_json *json, const struct sl_run_record *newest);
void sl_json_of_point(struct sl_json *json, const struct sl_run_record *run);
void sl_json_of_device(struct sl_json *json, const char *key,
                       const struct sl_device_record *device);
void sl_json_of_token(struct sl_json *json, const char *key, const struct sl_token_record *token);
