/* host/cli/import_benchmarks.c */
#include "host/cli/import_benchmarks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/import_archive.h"
#include "host/records.h"
#include "host/report/benchmark_file.h"
#include "host/rundir/archive.h"
#include "host/spec/columns.h"
#include "host/spec/json_doc.h"
#include "host/spec/path_stem.h"

enum { PATH_BYTES = 1024, MAX_FILE_BYTES = 1 << 20 };

struct import {
    struct sl_benchmark_file file;
    char device[SL_NAME_BYTES], program[SL_NAME_BYTES];
    uint64_t began_ms;
};

bool sl_import_benchmarks_named(const char *path)
{
    size_t len = strlen(path);
    return len > 5 && strcmp(path + len - 5, ".json") == 0;
}

/* Runs of one benchmark of one tool on one machine may be compared over time. */
static void series_of(const struct import *import, const char *name, char out[SL_SERIES_BYTES])
{
    char sha256[SL_SHA256_HEX_SIZE];
    struct sl_sha256 sum;
    sl_sha256_init(&sum);
    sl_sha256_update(&sum, import->file.tool, strlen(import->file.tool) + 1);
    sl_sha256_update(&sum, import->program, strlen(import->program) + 1);
    sl_sha256_update(&sum, import->device, strlen(import->device) + 1);
    sl_sha256_update(&sum, name, strlen(name) + 1);
    sl_sha256_final_hex(&sum, sha256);
    snprintf(out, SL_SERIES_BYTES, "%s", sha256);
}

static void put_config(struct sl_json *json, const struct import *import)
{
    struct sl_buf text;
    struct sl_json config;
    sl_buf_init(&text, 4096);
    sl_json_init(&config, &text);
    sl_json_open_object(&config, NULL);
    sl_json_open_object(&config, "labels");
    sl_json_text(&config, "source", import->file.tool);
    if (import->program[0])
        sl_json_text(&config, "program", import->program);
    sl_json_close_object(&config);
    sl_json_close_object(&config);
    sl_json_text(json, "config", (const char *)text.data);
    sl_buf_fini(&text);
}

/* Every column as the store's rows have it. */
static void put_columns(struct sl_json *json, const struct sl_columns *columns, const void *record)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct sl_column *column = &columns->all[i];
        const void *value = (const char *)record + column->offset;
        switch (column->kind) {
        case SL_COLUMN_ID:
        case SL_COLUMN_TIME:
            sl_json_u64(json, column->name, *(const uint64_t *)value);
            break;
        case SL_COLUMN_U32:
            sl_json_u64(json, column->name, *(const uint32_t *)value);
            break;
        case SL_COLUMN_FLAG:
            sl_json_u64(json, column->name, *(const bool *)value);
            break;
        case SL_COLUMN_REAL:
            sl_json_f64(json, column->name, *(const double *)value);
            break;
        case SL_COLUMN_TEXT:
        case SL_COLUMN_NAME:
            sl_json_text(json, column->name, value);
            break;
        default:
            sl_json_i64(json, column->name, *(const int *)value);
        }
    }
}

/* The rows that the store makes of it (host/store/row_copy.h): a run of no store, with one arm, on
 * a machine that is no device of ours. */
static void put_rows(struct sl_json *json, const struct import *import,
                     const struct sl_benchmark *row)
{
    struct sl_run_record run = {
        .started_ms = import->began_ms, .ended_ms = import->began_ms, .baseline = row->median_ns};
    struct sl_job_record job = {.id = 1,
                                .state = SL_JOB_DONE,
                                .submitted_ms = import->began_ms,
                                .started_ms = import->began_ms,
                                .ended_ms = import->began_ms};
    series_of(import, row->name, run.series);
    snprintf(run.model, sizeof(run.model), "%s", row->name);
    snprintf(run.device, sizeof(run.device), "%s", import->device);
    snprintf(job.device, sizeof(job.device), "%s", import->device);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.rows/1");
    sl_json_open_object(json, "run");
    put_columns(json, &sl_run_columns, &run);
    sl_json_close_object(json);
    sl_json_open_object(json, "job");
    put_columns(json, &sl_job_columns, &job);
    sl_json_null(json, "key");
    put_config(json, import);
    sl_json_close_object(json);
    sl_json_close_object(json);
}

static void put_benchmark(struct sl_json *json, const struct import *import,
                          const struct sl_benchmark *row)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.benchmark/1");
    sl_json_text(json, "tool", import->file.tool);
    sl_json_text(json, "name", row->name);
    sl_json_text(json, "host", import->file.host);
    sl_json_text(json, "program", import->file.program);
    sl_json_f64(json, "median_ns", row->median_ns);
    sl_json_open_array(json, "times_ns");
    for (size_t i = 0; i < row->count; i++)
        sl_json_f64(json, NULL, row->times_ns[i]);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

typedef void (*put_fn)(struct sl_json *json, const struct import *import,
                       const struct sl_benchmark *row);

static int write_file(const struct import *import, const struct sl_benchmark *row,
                      const char *folder, const char *name, put_fn put, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 2 * MAX_FILE_BYTES);
    sl_json_init(&json, &text);
    put(&json, import, row);
    sl_path_join(path, sizeof(path), folder, "%s", name);
    int rc = json.error ? json.error : sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

/* One benchmark as a directory of its own. */
static int make_run(void *user, size_t index, const char *folder, struct sl_archive *out,
                    struct sl_diag *diag)
{
    const struct import *import = user;
    const struct sl_benchmark *row = &import->file.rows[index];
    char path[PATH_BYTES], streams[PATH_BYTES], name[SL_NAME_BYTES];
    sl_path_join(path, sizeof(path), folder, "%zu", index);
    sl_path_join(streams, sizeof(streams), folder, "%zu/streams", index);
    if (mkdir(path, 0700) < 0 || mkdir(streams, 0700) < 0)
        return sl_diag_set(diag, -errno, path, "the directory cannot be made");
    int rc = write_file(import, row, path, "streams/rows.json", put_rows, diag);
    if (rc == 0)
        rc = write_file(import, row, path, "benchmark.json", put_benchmark, diag);
    snprintf(name, sizeof(name), "%.63s", row->name);
    return rc < 0 ? rc : sl_archive_add(out, path, name, 0, diag);
}

/* No name of a device of the lab has a colon: what is known of those is not mixed up with this. */
static void describe(struct import *import, const char *path, const char *device)
{
    const char *host = device ? device : import->file.host ? import->file.host : "unknown";
    struct stat info;
    snprintf(import->device, sizeof(import->device), "import:%.50s", host);
    if (import->file.program)
        sl_path_stem(import->file.program, import->program, sizeof(import->program));
    import->began_ms = import->file.began_ms;
    if (import->began_ms == 0 && stat(path, &info) == 0)
        import->began_ms = (uint64_t)info.st_mtim.tv_sec * 1000;
}

int sl_import_benchmarks(const struct sl_cli *cli, const char *path, const char *device,
                         struct sl_diag *diag)
{
    struct import import = {.device = ""};
    struct sl_buf text;
    int rc = sl_buf_read_file(path, MAX_FILE_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    rc = sl_benchmark_file_parse((struct sl_bytes){text.data, text.size}, path, &import.file, diag);
    sl_buf_fini(&text);
    if (rc < 0)
        return rc;
    if (import.file.count == 0) {
        sl_diag_hint(diag, "google/benchmark writes it with --benchmark_out_format=json; of "
                           "Bencher's JSON the measure \"latency\" is taken");
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "There is no time of a benchmark in it");
    }
    describe(&import, path, device);
    if (rc == 0)
        rc = sl_import_runs(cli, import.file.count, make_run, &import, diag);
    if (rc == 0 && import.file.left_out > 0)
        sl_say(stderr, "sme2lab: %zu benchmarks that failed or told no time are left out\n",
               import.file.left_out);
    sl_benchmark_file_fini(&import.file);
    return rc;
}
