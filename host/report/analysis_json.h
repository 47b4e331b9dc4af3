/* host/report/analysis_json.h: an analysis as JSON, schema sme2lab.analysis/1. Keys of figures end
 * in their unit. */
#pragma once

struct sl_analysis;
struct sl_json;
struct sl_statistics;

/* Writes one object; `key` is NULL inside an array and at the top. Returns 0, -ENOMEM or the
 * writer's error. */
int sl_analysis_json(struct sl_json *json, const char *key, const struct sl_analysis *analysis);

/* The figures of a sample, into an object that is open. `unit` is enum sl_trace_unit. */
void sl_statistics_json(struct sl_json *json, const struct sl_statistics *statistics, int unit);
