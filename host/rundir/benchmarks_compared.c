/* host/rundir/benchmarks_compared.c */
#include "host/rundir/benchmarks_compared.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/format/sltrace.h"
#include "host/analysis/samples.h"
#include "host/report/benchmark_file.h"
#include "host/rundir/compared.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_read.h"
#include "host/spec/json_value.h"
#include "host/spec/path_stem.h"

enum { MAX_FILE_BYTES = 2 << 20 };

struct side {
    double *ns; /* owned */
    size_t count;
    bool emulated; /* times of an emulated CPU */
};

static int file_of(const char *directory, char out[SL_RUNDIR_PATH_BYTES])
{
    return sl_path_join(out, SL_RUNDIR_PATH_BYTES, directory, "benchmark.json");
}

bool sl_is_benchmark_run(const char *directory)
{
    char path[SL_RUNDIR_PATH_BYTES];
    return file_of(directory, path) == 0 && access(path, F_OK) == 0;
}

static int keep_times(struct side *side, const double *ns, size_t count)
{
    side->ns = sl_malloc(count, sizeof(*ns));
    if (!side->ns)
        return -ENOMEM;
    memcpy(side->ns, ns, count * sizeof(*ns));
    side->count = count;
    return 0;
}

static int read_benchmark(const char *directory, struct side *side,
                          char name[SL_BENCHMARK_NAME_BYTES], struct sl_diag *diag)
{
    char path[SL_RUNDIR_PATH_BYTES];
    struct sl_buf text;
    struct sl_benchmark_file file;
    int rc = file_of(directory, path);
    rc = rc < 0 ? rc : sl_buf_read_file(path, MAX_FILE_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    rc = sl_benchmark_file_parse((struct sl_bytes){text.data, text.size}, path, &file, diag);
    sl_buf_fini(&text);
    if (rc < 0) {
        sl_json_name_file(path, diag);
        return rc;
    }
    const struct sl_benchmark *row = file.rows;
    if (file.count != 1)
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "there is not one benchmark in it");
    else if (row->count > 0)
        rc = keep_times(side, row->times_ns, row->count);
    else
        rc = keep_times(side, &row->median_ns, 1);
    if (rc == 0)
        snprintf(name, SL_BENCHMARK_NAME_BYTES, "%s", row->name);
    sl_benchmark_file_fini(&file);
    return rc;
}

static int take_runs(const struct sl_attribution *a, const char *path, struct side *side,
                     struct sl_diag *diag)
{
    if (a->unit != SL_TRACE_NS) {
        sl_diag_hint(diag, "compare it with a run that was measured in time");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, path,
                           "the run counted instructions, and the benchmark tells times");
    }
    if (a->measured_count == 0)
        return sl_diag_set(diag, SL_E_NOT_FOUND, path, "it has no measured run");
    side->ns = sl_malloc(a->measured_count, sizeof(*side->ns));
    if (!side->ns)
        return -ENOMEM;
    for (size_t i = 0; i < a->run_count; i++)
        if (!a->runs[i].warmup && side->count < a->measured_count)
            side->ns[side->count++] = (double)a->runs[i].end_to_end;
    return 0;
}

static int read_own(const struct sl_benchmarks_request *request, int which, struct side *side,
                    char name[SL_BENCHMARK_NAME_BYTES], struct sl_diag *diag)
{
    const struct sl_compared_source source = {request->paths[which], request->experiment,
                                              request->level};
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (!compared)
        return -ENOMEM;
    int rc = sl_compared_open(compared, 0, &source, request->categories, diag);
    if (rc == 0) {
        const struct sl_compared_side *own = &compared->sides[0];
        const struct cJSON *manifest = own->has_directory ? own->directory.manifest : NULL;
        sl_path_title(sl_value_text(manifest, "model", source.path), name, SL_BENCHMARK_NAME_BYTES);
        if (own->has_directory)
            sl_rundir_emulated(&own->directory, &side->emulated);
        rc = take_runs(&own->file.analysis.attribution, source.path, side, diag);
    }
    sl_compared_close(compared);
    sl_free(compared);
    return rc;
}

/* Adds to the verdict what no statistics know. */
static void judge(struct sl_benchmarks_compared *made, const struct side sides[2])
{
    struct sl_comparison *c = &made->comparison;
    if (strcmp(made->names[0], made->names[1]) != 0)
        sl_comparison_overrule(c, SL_VERDICT_INCOMPARABLE,
                               "the baseline is %.50s, and the "
                               "candidate %.50s",
                               made->names[0], made->names[1]);
    if (sides[0].emulated || sides[1].emulated)
        sl_comparison_overrule(c, SL_VERDICT_UNFIT, "times of an emulated CPU mean nothing");
}

int sl_benchmarks_compare(const struct sl_benchmarks_request *request,
                          struct sl_benchmarks_compared *out, struct sl_diag *diag)
{
    struct side sides[2] = {{.ns = NULL}, {.ns = NULL}};
    struct sl_benchmarks_compared made = {.names = {"", ""}};
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = sl_is_benchmark_run(request->paths[i])
                 ? read_benchmark(request->paths[i], &sides[i], made.names[i], diag)
                 : read_own(request, i, &sides[i], made.names[i], diag);
    if (rc == 0) {
        const struct sl_samples samples[2] = {{sides[0].ns, sides[0].count},
                                              {sides[1].ns, sides[1].count}};
        rc = sl_samples_compare(samples, &request->options, &made.comparison);
    }
    if (rc == 0) {
        judge(&made, sides);
        *out = made;
    } else if (!diag->what[0]) {
        sl_diag_set(diag, rc, request->paths[0], "it cannot be compared with %.200s: %s",
                    request->paths[1],
                    rc == SL_E_LIMIT ? "a run takes more than eleven days" : sl_strerror(rc));
    }
    sl_free(sides[0].ns);
    sl_free(sides[1].ns);
    return rc;
}
