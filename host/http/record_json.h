/* host/http/record_json.h: records as JSON, as openapi.yaml has them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_device_record;
struct sl_group_record;
struct sl_job_record;
struct sl_json;
struct sl_run_record;
struct sl_store_finding;
struct sl_token_record;

void sl_json_of_job(struct sl_json *json, const char *key, const struct sl_job_record *job);
/* With its configuration, which is checked JSON and goes in as it is, and the directories of
 * attempts that made no run. */
void sl_json_of_whole_job(struct sl_json *json, const struct sl_job_record *job,
                          const char *config_json, const struct sl_store_finding *attempts,
                          size_t count);
void sl_json_of_group(struct sl_json *json, const char *key, const struct sl_group_record *group);
void sl_json_of_finding(struct sl_json *json, const struct sl_store_finding *finding);
void sl_json_of_run(struct sl_json *json, const char *key, const struct sl_run_record *run);
/* A series by its newest run; a run as one of its points. */
void sl_json_of_series(struct sl_json *json, const struct sl_run_record *newest);
void sl_json_of_point(struct sl_json *json, const struct sl_run_record *run);
void sl_json_of_device(struct sl_json *json, const char *key,
                       const struct sl_device_record *device);
void sl_json_of_token(struct sl_json *json, const char *key, const struct sl_token_record *token);
