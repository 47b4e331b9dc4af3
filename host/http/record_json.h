/* host/http/record_json.h: records as JSON, as openapi.yaml has them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_device_record;
struct sl_attempt_record;
struct sl_group_record;
struct sl_host_record;
struct sl_job_record;
struct sl_json;
struct sl_run_record;
struct sl_store_finding;
struct sl_token_record;

void sl_json_of_job(struct sl_json *json, const char *key, const struct sl_job_record *job);

/* A job with all that is known of it; everything is borrowed. */
struct sl_job_story {
    const struct sl_job_record *job;
    const char *config_json; /* checked JSON, which goes in as it is */
    const struct sl_attempt_record *attempts;
    size_t attempt_count;
    const struct sl_store_finding *left; /* directories of attempts that made no run */
    size_t left_count;
};
void sl_json_of_job_story(struct sl_json *json, const struct sl_job_story *story);
/* The directory that the attempt of that place left; NULL: none, or it is the run's. */
const char *sl_attempt_directory(const struct sl_job_story *story, size_t attempt);

void sl_json_of_group(struct sl_json *json, const char *key, const struct sl_group_record *group);
void sl_json_of_finding(struct sl_json *json, const struct sl_store_finding *finding);
void sl_json_of_run(struct sl_json *json, const char *key, const struct sl_run_record *run);
/* A series by its newest run; a run as one of its points. */
void sl_json_of_series(struct sl_json *json, const struct sl_run_record *newest);
void sl_json_of_point(struct sl_json *json, const struct sl_run_record *run);
/* `way`: the link that it is reached by; NULL or "": none, or another host's. */
void sl_json_of_device(struct sl_json *json, const char *way,
                       const struct sl_device_record *device);
/* `here`: it is the one that answers; `alive`: it was seen within its lease. */
void sl_json_of_host(struct sl_json *json, const struct sl_host_record *host, bool here,
                     bool alive);
void sl_json_of_token(struct sl_json *json, const char *key, const struct sl_token_record *token);
