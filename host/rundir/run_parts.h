/* host/rundir/run_parts.h: parts of manifest.json and analysis_summary.json that follow from a
 * run's other files: the run writes them, `validate` writes them again. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_agreement;
struct sl_analysis;
struct sl_json;
struct sl_trace;

/* Member "schedule": the executions in the order they happened. */
void sl_run_put_schedule(struct sl_json *json, const struct sl_trace *trace, uint64_t seed);

/* Member "policy": which families of kernels ran in streaming mode, and who said so. `table`: the
 * device's own, or NULL. */
void sl_run_put_policy(struct sl_json *json, const struct cJSON *table);

/* Member "executorch", which the kit's readers ask for: our own runtime ran, no checkout of it. */
void sl_run_put_executorch(struct sl_json *json);

/* An element of "results": one variant; paths are relative to the run's directory. */
struct sl_run_result {
    const char *experiment, *etdump, *log;
    int level; /* 0 off, 1 on */
    uint32_t threads;
    const struct sl_analysis *analysis;
};
void sl_run_put_result(struct sl_json *json, const struct sl_run_result *result);

/* An element of "outputs"; its files are BASE_sme2-off-N.bin and so on. `type`: enum
 * sl_scalar_type, or negative for what is no tensor and has no file. */
void sl_run_put_output(struct sl_json *json, const char *base, size_t i, int type);

/* A member of "output_agreement". */
void sl_run_put_agreement(struct sl_json *json, const char *key,
                          const struct sl_agreement *agreement);
