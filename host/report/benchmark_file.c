/* host/report/benchmark_file.c */
#include "host/report/benchmark_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/samples.h"
#include "host/analysis/statistics.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"

void sl_benchmark_file_fini(struct sl_benchmark_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        sl_free(file->rows[i].times_ns);
    sl_free(file->rows);
    sl_json_doc_free(file->document);
    *file = (struct sl_benchmark_file){.tool = NULL};
}

/* The row of that name, or a new one; NULL: the reader has failed. */
static struct sl_benchmark *row_of(struct sl_benchmark_file *file, const struct sl_json_at *at,
                                   const char *name)
{
    for (size_t i = file->count; i-- > 0;) {
        if (strcmp(file->rows[i].name, name) == 0)
            return &file->rows[i];
    }
    if (file->count == SL_BENCHMARK_MAX) {
        sl_json_stop(at, SL_E_LIMIT);
        return NULL;
    }
    file->rows[file->count] = (struct sl_benchmark){.name = name};
    return &file->rows[file->count++];
}

/* Nothing where the reader has failed. */
static void add_time(struct sl_benchmark_file *file, const struct sl_json_at *at, const char *name,
                     double ns)
{
    struct sl_benchmark *row = row_of(file, at, name);
    double *times = row ? sl_realloc(row->times_ns, row->count + 1, sizeof(*times)) : NULL;
    if (!times) {
        sl_json_stop(at, row ? -ENOMEM : 0);
        return;
    }
    row->times_ns = times;
    times[row->count++] = ns;
}

/* --- google/benchmark --- */

static int64_t days_of(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719469;
}

/* "2026-11-28T01:02:03+01:00", as the library writes it. 0: it is none. */
static uint64_t time_of(const char *text)
{
    int year, month, day, hour, minute, second, end = 0, off_hour = 0, off_minute = 0;
    char sign = '+';
    if (sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
               &second, &end) != 6 ||
        end == 0 || year < 1970 || month < 1 || month > 12 || day < 1)
        return 0;
    if (text[end] == '+' || text[end] == '-') {
        sign = text[end];
        if (sscanf(text + end + 1, "%2d:%2d", &off_hour, &off_minute) != 2)
            return 0;
    }
    int64_t offset = 60 * (60 * off_hour + off_minute) * (sign == '-' ? -1 : 1);
    int64_t s = 86400 * days_of(year, month, day) + 3600 * hour + 60 * minute + second - offset;
    return s > 0 ? (uint64_t)s * 1000 : 0;
}

static double unit_of(const struct sl_json_at *row)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    struct sl_json_at at = sl_json_member(row, "time_unit");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (at.value ? sl_json_is_text(at, units[i].name) : i == 0)
            return units[i].ns;
    }
    sl_json_hint(&at, "ns, us, ms and s are known");
    sl_json_refuse(&at, "This is no unit of time");
    return 1;
}

static bool is_true(const struct sl_json_at *row, const char *key)
{
    return cJSON_IsTrue(sl_json_member(row, key).value);
}

/* The median alone of the aggregates: the others are not the time of an iteration. */
static void take_google_row(struct sl_benchmark_file *file, const struct sl_json_at *row)
{
    static const char *const keys[] = {"name"};
    struct sl_json_at run_name = sl_json_member(row, "run_name");
    bool aggregate = sl_json_is_text(sl_json_member(row, "run_type"), "aggregate");
    double time = -1;
    sl_json_need_keys(row, keys, 1);
    const char *name = sl_json_get_text(run_name.value ? run_name : sl_json_member(row, "name"));
    if (row->reader->error < 0)
        return;
    if (aggregate && !sl_json_is_text(sl_json_member(row, "aggregate_name"), "median"))
        return;
    double unit_ns = unit_of(row);
    sl_json_get_real(sl_json_member(row, "real_time"), 0, SL_SAMPLES_LONGEST_NS / unit_ns, &time);
    double ns = time * unit_ns;
    if (row->reader->error < 0)
        return;
    if (is_true(row, "error_occurred") || is_true(row, "skipped") ||
        !(ns >= SL_SAMPLES_SHORTEST_NS))
        file->left_out++;
    else if (!aggregate)
        add_time(file, row, name, ns);
    else if (row_of(file, row, name))
        row_of(file, row, name)->median_ns = ns;
}

static void take_google(struct sl_benchmark_file *file, const struct sl_json_at *root,
                        const struct sl_json_at *list)
{
    struct sl_json_at context = sl_json_member(root, "context");
    file->tool = "google/benchmark";
    sl_json_need_array(list, 16 * SL_BENCHMARK_MAX, "benchmarks");
    if (context.value) {
        file->host = sl_json_get_text(sl_json_member(&context, "host_name"));
        file->program = sl_json_get_text(sl_json_member(&context, "executable"));
        const char *date = sl_json_get_text(sl_json_member(&context, "date"));
        file->began_ms = date ? time_of(date) : 0;
    }
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at))
        take_google_row(file, &at);
}

/* --- Bencher --- */

static void take_bencher(struct sl_benchmark_file *file, const struct sl_json_at *root)
{
    static const char *const keys[] = {"value"};
    file->tool = "bencher";
    sl_json_need_members(root, SL_BENCHMARK_MAX, "benchmarks");
    for (struct sl_json_at at = sl_json_first(root); sl_json_more(&at); sl_json_next(&at)) {
        double ns = 0;
        sl_json_need_keys(&at, keys, 0);
        struct sl_json_at latency = sl_json_member(&at, "latency");
        if (latency.value)
            sl_json_need_keys(&latency, keys, 1);
        sl_json_get_real(sl_json_member(&latency, "value"), 0, SL_SAMPLES_LONGEST_NS, &ns);
        if (ns >= SL_SAMPLES_SHORTEST_NS && at.key[0] && row_of(file, &at, at.key))
            row_of(file, &at, at.key)->median_ns = ns;
        else
            file->left_out++;
    }
}

/* --- what 'sme2lab import' keeps of one --- */

static void take_kept(struct sl_benchmark_file *file, const struct sl_json_at *root)
{
    static const char *const keys[] = {"schema", "tool", "name", "median_ns", "times_ns"};
    double ns = 0;
    sl_json_need_keys(root, keys, sizeof(keys) / sizeof(keys[0]));
    file->tool = sl_json_get_text(sl_json_member(root, "tool"));
    const char *name = sl_json_get_text(sl_json_member(root, "name"));
    struct sl_json_at list = sl_json_member(root, "times_ns");
    sl_json_get_real(sl_json_member(root, "median_ns"), 0, SL_SAMPLES_LONGEST_NS, &ns);
    sl_json_need_array(&list, 16 * SL_BENCHMARK_MAX, "times");
    struct sl_benchmark *row = root->reader->error < 0 ? NULL : row_of(file, root, name);
    if (!row)
        return;
    row->median_ns = ns;
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        sl_json_get_real(at, 0, SL_SAMPLES_LONGEST_NS, &ns);
        if (root->reader->error == 0 && ns >= SL_SAMPLES_SHORTEST_NS)
            add_time(file, &at, name, ns);
    }
    if (row->count == 0 && !(row->median_ns >= SL_SAMPLES_SHORTEST_NS))
        file->left_out += file->count--;
}

/* --- */

static int find_medians(struct sl_benchmark_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        struct sl_benchmark *row = &file->rows[i];
        double *sorted = row->count > 0 ? sl_calloc(row->count, sizeof(*sorted)) : NULL;
        if (row->count > 0 && !sorted)
            return -ENOMEM;
        if (!sorted)
            continue;
        memcpy(sorted, row->times_ns, row->count * sizeof(*sorted));
        sl_sort_doubles(sorted, row->count);
        row->median_ns = sl_percentile(sorted, row->count, 50);
        sl_free(sorted);
    }
    return 0;
}

int sl_benchmark_file_parse(struct sl_bytes text, const char *name, struct sl_benchmark_file *out,
                            struct sl_diag *diag)
{
    struct sl_benchmark_file file = {.tool = NULL};
    int rc = sl_json_doc_parse(text, name, &file.document, diag);
    if (rc < 0)
        return rc;
    file.rows = sl_calloc(SL_BENCHMARK_MAX, sizeof(*file.rows));
    struct sl_json_reader reader = {.diag = diag, .error = file.rows ? 0 : -ENOMEM};
    struct sl_json_at root = sl_json_root(&reader, file.document);
    struct sl_json_at list = sl_json_member(&root, "benchmarks");
    if (sl_json_is_text(sl_json_member(&root, "schema"), "sme2lab.benchmark/1"))
        take_kept(&file, &root);
    else if (sl_json_is_array(&list))
        take_google(&file, &root, &list);
    else
        take_bencher(&file, &root);
    rc = reader.error < 0 ? reader.error : find_medians(&file);
    if (rc < 0)
        sl_benchmark_file_fini(&file);
    else
        *out = file;
    return rc;
}
