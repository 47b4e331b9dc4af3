/* host/plugin/record.c */
#include "host/plugin/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"

enum { FIRST_SAMPLES = 64 };

const char *sl_plugin_failure_name(int failure)
{
    static const char *const names[SL_PLUGIN_FAILURES] = {"not-running", "died",  "late", "refused",
                                                          "bad-line",    "flood", "deaf"};
    return failure >= 0 && failure < SL_PLUGIN_FAILURES ? names[failure] : "unknown";
}

void sl_plugin_record_init(struct sl_plugin_record *record, const char *name, uint64_t told_ms)
{
    *record = (struct sl_plugin_record){.told_ms = told_ms};
    snprintf(record->name, sizeof(record->name), "%s", name);
}

void sl_plugin_record_fini(struct sl_plugin_record *record)
{
    for (size_t i = 0; i < record->metric_count; i++) {
        sl_free(record->metrics[i].at_ms);
        sl_free(record->metrics[i].values);
    }
    record->metric_count = record->sample_count = 0;
}

static struct sl_plugin_samples *find(struct sl_plugin_record *record, const char *name)
{
    for (size_t i = 0; i < record->metric_count; i++)
        if (strcmp(record->metrics[i].name, name) == 0)
            return &record->metrics[i];
    return NULL;
}

static int grow(struct sl_plugin_samples *samples)
{
    size_t capacity = samples->capacity ? 2 * samples->capacity : FIRST_SAMPLES;
    if (samples->count < samples->capacity)
        return 0;
    uint64_t *times = sl_realloc(samples->at_ms, capacity, sizeof(*times));
    samples->at_ms = times ? times : samples->at_ms;
    double *values = times ? sl_realloc(samples->values, capacity, sizeof(*values)) : NULL;
    samples->values = values ? values : samples->values;
    if (!values)
        return -ENOMEM;
    samples->capacity = capacity;
    return 0;
}

static int check(const struct sl_plugin_record *record, const struct sl_plugin_samples *samples,
                 const struct sl_plugin_line *line, uint64_t at_ms, uint64_t now_ms,
                 struct sl_diag *diag)
{
    if (at_ms + SL_PLUGIN_SLACK_MS < record->told_ms || at_ms > now_ms + SL_PLUGIN_SLACK_MS)
        return sl_diag_set(diag, SL_E_FORMAT, NULL,
                           "%s at_ms %" PRIu64 " is no time of the run, told of at %" PRIu64,
                           line->metric, at_ms, record->told_ms);
    if (samples && strcmp(samples->unit, line->unit) != 0)
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "%s has the unit '%s', and had '%s' before",
                           line->metric, line->unit, samples->unit);
    if (samples && at_ms < samples->at_ms[samples->count - 1])
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "%s goes back in time to %" PRIu64,
                           line->metric, at_ms);
    return 0;
}

int sl_plugin_record_take(struct sl_plugin_record *record, const struct sl_plugin_line *line,
                          uint64_t now_ms, struct sl_diag *diag)
{
    struct sl_plugin_samples fresh = {.count = 0}, *samples = find(record, line->metric);
    uint64_t at_ms = line->at_ms != 0 ? line->at_ms : now_ms;
    int rc = check(record, samples, line, at_ms, now_ms, diag);
    if (rc < 0)
        return rc;
    if (record->sample_count == SL_PLUGIN_MAX_SAMPLES ||
        (!samples && record->metric_count == SL_PLUGIN_MAX_METRICS)) {
        record->left_out++;
        return SL_E_FULL;
    }
    bool known = samples != NULL;
    samples = known ? samples : &fresh;
    rc = grow(samples);
    if (rc < 0) {
        sl_free(fresh.at_ms);
        return rc;
    }
    samples->at_ms[samples->count] = at_ms;
    samples->values[samples->count++] = line->value;
    record->sample_count++;
    if (!known) {
        memcpy(fresh.name, line->metric, sizeof(fresh.name));
        memcpy(fresh.unit, line->unit, sizeof(fresh.unit));
        record->metrics[record->metric_count++] = fresh;
    }
    return 0;
}

void sl_plugin_record_fail(struct sl_plugin_record *record, int failure, const char *words,
                           uint64_t now_ms)
{
    if (record->failure_count < SL_PLUGIN_FAILURES_KEPT) {
        struct sl_plugin_failed *one = &record->failures[record->failure_count];
        *one = (struct sl_plugin_failed){.failure = failure, .at_ms = now_ms};
        snprintf(one->words, sizeof(one->words), "%s", words);
    }
    record->failure_count++;
}

static void put_samples(struct sl_json *json, const struct sl_plugin_samples *samples)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", samples->name);
    sl_json_text(json, "unit", samples->unit[0] ? samples->unit : NULL);
    sl_json_open_array(json, "at_ms");
    for (size_t i = 0; i < samples->count; i++)
        sl_json_u64(json, NULL, samples->at_ms[i]);
    sl_json_close_array(json);
    sl_json_open_array(json, "values");
    for (size_t i = 0; i < samples->count; i++)
        sl_json_f64(json, NULL, samples->values[i]);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_failures(struct sl_json *json, const struct sl_plugin_record *record)
{
    sl_json_u64(json, "failures", record->failure_count);
    sl_json_open_array(json, "first_failures");
    for (size_t i = 0; i < record->failure_count && i < SL_PLUGIN_FAILURES_KEPT; i++) {
        const struct sl_plugin_failed *one = &record->failures[i];
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "at_ms", one->at_ms);
        sl_json_text(json, "what", sl_plugin_failure_name(one->failure));
        sl_json_text(json, "words", one->words);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

int sl_plugin_records_put(struct sl_buf *out, const struct sl_plugin_record *records, size_t count,
                          bool resumed, const struct sl_plugin_clock *clock)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.plugins/1");
    sl_json_bool(&json, "resumed", resumed);
    if (clock) {
        sl_json_open_object(&json, "device_clock");
        sl_json_i64(&json, "ahead_us", clock->ahead_us);
        sl_json_u64(&json, "uncertain_us", clock->uncertain_us);
        sl_json_close_object(&json);
    }
    sl_json_open_array(&json, "plugins");
    for (size_t i = 0; i < count; i++) {
        const struct sl_plugin_record *record = &records[i];
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "name", record->name);
        sl_json_u64(&json, "began_ms", record->began_ms);
        sl_json_u64(&json, "ended_ms", record->ended_ms);
        put_failures(&json, record);
        sl_json_u64(&json, "left_out", record->left_out);
        sl_json_open_array(&json, "metrics");
        for (size_t k = 0; k < record->metric_count; k++)
            put_samples(&json, &record->metrics[k]);
        sl_json_close_array(&json);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    return json.error;
}
