/* host/rundir/plugin_file.c */
#include "host/rundir/plugin_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/utf8.h"
#include "host/analysis/statistics.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_BYTES ((size_t)64 << 20)
#define MAX_VALUE 1e15

#define MAX_CLOCK_US 9e15 /* a device may have forgotten the date */

enum { FILE_NEEDS = 3 }; /* of the following */
static const char *const file_keys[] = {"schema", "resumed", "plugins", "device_clock"};
static const char *const clock_keys[] = {"ahead_us", "uncertain_us"};
static const char *const plugin_keys[] = {"name",           "began_ms", "ended_ms", "failures",
                                          "first_failures", "left_out", "metrics"};
static const char *const metric_keys[] = {"name", "unit", "at_ms", "values"};

/* Those of one metric, in their order. */
struct samples {
    uint64_t *at_ms; /* owned */
    double *values;  /* owned */
    size_t count;
};

/* The run's, in Unix time. */
struct span {
    uint64_t began_ms, ended_ms;
    const struct sl_plugin_turns *turns; /* NULL: not known */
    const struct sl_plugin_clock *clock;
};

static void read_samples(const struct sl_json_at *times, const struct sl_json_at *values,
                         struct samples *out)
{
    struct sl_json_at time, value;
    size_t count = sl_json_need_array(times, SL_PLUGIN_MAX_SAMPLES, "times");
    if (count == 0 || sl_json_need_array(values, SL_PLUGIN_MAX_SAMPLES, "values") != count)
        sl_json_refuse(times, "There must be as many times as values, and one at least");
    if (times->reader->error < 0)
        return;
    out->at_ms = sl_calloc(count, sizeof(*out->at_ms));
    out->values = sl_calloc(count, sizeof(*out->values));
    if (!out->at_ms || !out->values) {
        sl_json_stop(times, -ENOMEM);
        return;
    }
    time = sl_json_first(times);
    value = sl_json_first(values);
    for (; sl_json_more(&time) && sl_json_more(&value); out->count++) {
        sl_json_get_count(time, &out->at_ms[out->count]);
        sl_json_get_real(value, -MAX_VALUE, MAX_VALUE, &out->values[out->count]);
        if (out->count > 0 && out->at_ms[out->count] < out->at_ms[out->count - 1])
            sl_json_refuse(&time, "Times go back");
        sl_json_next(&time);
        sl_json_next(&value);
    }
}

/* By trapezoids: the power between two readings is taken to change evenly. */
static double integral(const struct samples *s, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first + 1; i < end; i++)
        sum += (s->values[i - 1] + s->values[i]) / 2 * (double)(s->at_ms[i] - s->at_ms[i - 1]);
    return sum / 1000;
}

static int sum_up(const struct samples *s, const struct span *span, struct sl_plugin_figures *out)
{
    size_t first = 0, end = s->count;
    while (first < s->count && s->at_ms[first] < span->began_ms)
        first++;
    while (end > first && s->at_ms[end - 1] > span->ended_ms)
        end--;
    if (first == end) {
        first = 0;
        end = s->count;
    }
    out->samples = end - first;
    out->outside = s->count - out->samples;
    out->seconds = (double)(s->at_ms[end - 1] - s->at_ms[first]) / 1000;
    out->joules = strcmp(out->unit, "W") == 0 && out->samples > 1 ? integral(s, first, end) : NAN;
    if (span->turns)
        sl_plugin_turns_split(span->turns, span->clock, s->at_ms, s->values, first, end,
                              &out->apart);
    double *sorted = sl_calloc(out->samples, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, s->values + first, out->samples * sizeof(*sorted));
    sl_sort_doubles(sorted, out->samples);
    out->min = sorted[0];
    out->max = sorted[out->samples - 1];
    out->median = sl_percentile(sorted, out->samples, 50);
    for (size_t i = 0; i < out->samples; i++)
        out->mean += sorted[i];
    out->mean /= (double)out->samples;
    sl_free(sorted);
    return 0;
}

static void read_metric(const struct sl_json_at *at, const struct span *span,
                        struct sl_plugin_figures *out)
{
    struct sl_json_at name = sl_json_member(at, "name"), unit = sl_json_member(at, "unit");
    struct sl_json_at times = sl_json_member(at, "at_ms"), values = sl_json_member(at, "values");
    struct samples samples = {.count = 0};
    *out = (struct sl_plugin_figures){.samples = 0};
    sl_json_need_object(at, metric_keys, COUNT(metric_keys), COUNT(metric_keys));
    sl_json_copy_text(name, out->name, sizeof(out->name));
    if (!cJSON_IsNull(unit.value))
        sl_json_copy_text(unit, out->unit, sizeof(out->unit));
    if (!sl_plugin_is_metric(out->name) || !sl_plugin_is_unit(out->unit))
        sl_json_refuse(&name, "This is no metric");
    read_samples(&times, &values, &samples);
    if (at->reader->error == 0)
        sl_json_stop(at, sum_up(&samples, span, out));
    sl_free(samples.at_ms);
    sl_free(samples.values);
}

static void read_plugin(const struct sl_json_at *at, struct span span,
                        struct sl_plugin_summary *out)
{
    struct sl_json_at name = sl_json_member(at, "name"), metrics = sl_json_member(at, "metrics");
    *out = (struct sl_plugin_summary){.failures = 0};
    sl_json_need_object(at, plugin_keys, COUNT(plugin_keys), COUNT(plugin_keys));
    sl_json_copy_text(name, out->name, sizeof(out->name));
    sl_utf8_clean(out->name, "");
    sl_json_get_count(sl_json_member(at, "began_ms"), &span.began_ms);
    sl_json_get_count(sl_json_member(at, "ended_ms"), &span.ended_ms);
    sl_json_get_count(sl_json_member(at, "failures"), &out->failures);
    sl_json_get_count(sl_json_member(at, "left_out"), &out->left_out);
    sl_json_need_array(&metrics, SL_PLUGIN_MAX_METRICS, "metrics");
    for (struct sl_json_at one = sl_json_first(&metrics); sl_json_more(&one); sl_json_next(&one))
        read_metric(&one, &span, &out->metrics[out->metric_count++]);
}

static void read_clock(const struct sl_json_at *at, struct sl_plugin_file *out)
{
    double ahead_us = 0, uncertain_us = 0;
    if (!at->value)
        return;
    sl_json_need_object(at, clock_keys, COUNT(clock_keys), COUNT(clock_keys));
    sl_json_get_real(sl_json_member(at, "ahead_us"), -MAX_CLOCK_US, MAX_CLOCK_US, &ahead_us);
    sl_json_get_real(sl_json_member(at, "uncertain_us"), 0, MAX_CLOCK_US, &uncertain_us);
    if (ahead_us != floor(ahead_us) || uncertain_us != floor(uncertain_us))
        sl_json_refuse(at, "A clock is ahead by whole microseconds");
    out->clock = (struct sl_plugin_clock){(int64_t)ahead_us, (uint64_t)uncertain_us};
    out->knows_clock = true;
}

static void read_file(const struct sl_json_at *root, const struct sl_plugin_turns *turns,
                      struct sl_plugin_file *out)
{
    struct sl_json_at schema = sl_json_member(root, "schema");
    struct sl_json_at plugins = sl_json_member(root, "plugins");
    struct sl_json_at clock = sl_json_member(root, "device_clock");
    struct span span = {.turns = turns, .clock = &out->clock};
    sl_json_need_object(root, file_keys, COUNT(file_keys), FILE_NEEDS);
    if (!sl_json_is_text(schema, "sme2lab.plugins/1"))
        sl_json_refuse(&schema, "This is no file of what plug-ins said");
    sl_json_get_bool(sl_json_member(root, "resumed"), &out->resumed);
    read_clock(&clock, out);
    sl_json_need_array(&plugins, SL_MAX_PLUGINS, "plug-ins");
    for (struct sl_json_at one = sl_json_first(&plugins); sl_json_more(&one); sl_json_next(&one))
        read_plugin(&one, span, &out->plugins[out->count++]);
}

int sl_plugin_file_read(struct sl_bytes text, const char *name, const struct sl_plugin_turns *turns,
                        struct sl_plugin_file *out, struct sl_diag *diag)
{
    *out = (struct sl_plugin_file){.count = 0};
    if (text.size > MAX_BYTES)
        return sl_diag_set(diag, SL_E_LIMIT, name, "The file is too long");
    cJSON *document = cJSON_ParseWithLength((const char *)text.data, text.size);
    if (!document)
        return sl_diag_set(diag, SL_E_FORMAT, name, "The file is not JSON");
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    turns = turns && turns->known ? turns : NULL;
    read_file(&root, turns, out);
    cJSON_Delete(document);
    if (reader.error < 0) {
        sl_json_name_file(name, diag);
        *out = (struct sl_plugin_file){.count = 0};
        return reader.error;
    }
    out->apart = turns != NULL;
    snprintf(out->name, sizeof(out->name), "%s", name);
    sl_sha256_hex(text.data, text.size, out->sha256);
    return 0;
}

int sl_plugin_file_open(const char *directory, const char *suffix,
                        const struct sl_plugin_turns *turns, struct sl_plugin_file *out,
                        struct sl_diag *diag)
{
    char path[SL_RUNDIR_PATH_BYTES], plain[SL_RUNDIR_PATH_BYTES], name[128];
    struct sl_buf text;
    *out = (struct sl_plugin_file){.count = 0};
    snprintf(name, sizeof(name), "plugins%.100s.json", suffix);
    int rc = sl_path_join(path, sizeof(path), directory, "%s", name);
    if (rc == 0)
        rc = sl_path_join(plain, sizeof(plain), directory, "plugins.json");
    if (rc == 0 && suffix[0] && access(path, F_OK) != 0)
        rc = rename(plain, path) == 0 || errno == ENOENT ? 0 : -errno;
    if (rc == 0)
        rc = sl_buf_read_file(path, MAX_BYTES, &text);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The figures of plug-ins cannot be read (%s)",
                           sl_strerror(rc));
    rc = sl_plugin_file_read((struct sl_bytes){text.data, text.size}, name, turns, out, diag);
    sl_buf_fini(&text);
    return rc;
}

static void put_apart(struct sl_json *json, const struct sl_plugin_apart *apart)
{
    for (int level = 0; level < SL_RUNDIR_LEVELS; level++) {
        sl_json_open_object(json, sl_rundir_levels[level]);
        sl_json_u64(json, "samples", apart->samples[level]);
        sl_json_f64(json, "mean", apart->means[level]);
        sl_json_close_object(json);
    }
    sl_json_u64(json, "unattributed", apart->neither);
}

static void put_figures(struct sl_json *json, const struct sl_plugin_figures *figures, bool apart)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", figures->name);
    sl_json_text(json, "unit", figures->unit[0] ? figures->unit : NULL);
    sl_json_u64(json, "samples", figures->samples);
    sl_json_u64(json, "outside", figures->outside);
    sl_json_f64(json, "min", figures->min);
    sl_json_f64(json, "median", figures->median);
    sl_json_f64(json, "mean", figures->mean);
    sl_json_f64(json, "max", figures->max);
    sl_json_f64(json, "seconds", figures->seconds);
    sl_json_f64(json, "joules", figures->joules);
    if (apart)
        put_apart(json, &figures->apart);
    sl_json_close_object(json);
}

void sl_plugin_file_put(struct sl_json *json, const char *key, const struct sl_plugin_file *file,
                        bool apart)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "file", file->name);
    sl_json_text(json, "sha256", file->sha256);
    sl_json_bool(json, "resumed", file->resumed);
    if (file->knows_clock) {
        sl_json_open_object(json, "device_clock");
        sl_json_i64(json, "ahead_us", file->clock.ahead_us);
        sl_json_u64(json, "uncertain_us", file->clock.uncertain_us);
        sl_json_close_object(json);
    }
    sl_json_open_array(json, "list");
    for (size_t i = 0; i < file->count; i++) {
        const struct sl_plugin_summary *one = &file->plugins[i];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "name", one->name);
        sl_json_u64(json, "failures", one->failures);
        sl_json_u64(json, "left_out", one->left_out);
        sl_json_open_array(json, "metrics");
        for (size_t k = 0; k < one->metric_count; k++)
            put_figures(json, &one->metrics[k], apart && file->apart);
        sl_json_close_array(json);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}
