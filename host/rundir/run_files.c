/* host/rundir/run_files.c: where a run's files stand, and the model it is about. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/format/bundle.h"
#include "common/format/pte.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"
#include "host/rundir/file_digest.h"
#include "host/rundir/path_stem.h"
#include "host/rundir/run.h"
#include "host/spec/experiment.h"

enum { MAX_MODEL_BYTES = 1 << 30 };

const char *const sl_run_variant_names[SL_RUN_VARIANTS] = {"off", "on"};

/* Prints to a path; what does not fit is an error, never a cut. */
__attribute__((format(printf, 3, 4))) static int put_path(char *out, struct sl_diag *diag,
                                                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(out, SL_RUN_PATH_BYTES, format, args);
    va_end(args);
    if (size >= 0 && size < SL_RUN_PATH_BYTES - 64) /* suffixes are yet to come */
        return 0;
    sl_diag_hint(diag, "take a shorter --out");
    return sl_diag_set(diag, -ENAMETOOLONG, out, "The path of an output file is too long");
}

int sl_run_make_directories(const char *path, struct sl_diag *diag)
{
    char part[SL_RUN_PATH_BYTES];
    size_t len = strlen(path);
    if (len >= sizeof(part)) {
        sl_diag_hint(diag, "take a shorter --out");
        return sl_diag_set(diag, -ENAMETOOLONG, path, "The path of the directory is too long");
    }
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            int rc = -errno;
            sl_diag_hint(diag, "give another directory with --out");
            return sl_diag_set(diag, rc, part, "The directory cannot be made (%s)",
                               sl_strerror(rc));
        }
        part[i] = path[i];
    }
    return 0;
}

static int digest_data(struct sl_run *run, struct sl_diag *diag)
{
    const char *path = run->experiment->data_path;
    int rc = path ? sl_file_digest(path, run->data_sha256) : 0;
    if (rc == 0)
        return 0;
    sl_diag_hint(diag, "name the program's .ptd, a file that can be read");
    return sl_diag_set(diag, rc, path, "The external weights cannot be read (%s)", sl_strerror(rc));
}

static int read_model(struct sl_run *run, struct sl_diag *diag)
{
    const char *path = run->plan->model;
    struct sl_bytes program;
    struct sl_pte pte;
    int rc = sl_buf_read_file(path, MAX_MODEL_BYTES, &run->model);
    if (rc == 0)
        rc = sl_file_digest(path, run->model_sha256);
    if (rc < 0) {
        sl_diag_hint(diag, "name a .pte file that can be read");
        return sl_diag_set(diag, rc, path, "The model cannot be read (%s)", sl_strerror(rc));
    }
    rc = sl_bundle_program((struct sl_bytes){run->model.data, run->model.size}, &program, diag);
    if (rc == 0)
        rc = sl_pte_parse(program, &pte, diag);
    if (rc < 0) {
        char where[sizeof(diag->where)];
        memcpy(where, diag->where, sizeof(where));
        snprintf(diag->where, sizeof(diag->where), "%.100s%s%.80s", path, where[0] ? ": " : "",
                 where);
        if (!diag->hint[0])
            sl_diag_hint(diag, "export the model again; the file is damaged or no .pte");
        return rc == SL_E_UNSUPPORTED || rc == -ENOMEM ? rc : SL_E_CRASHED;
    }
    const struct sl_pte_plan *plan = sl_pte_find_plan(&pte, run->experiment->method);
    run->output_count = plan ? plan->output_count : 0;
    if (run->output_count > SL_RUN_MAX_OUTPUTS)
        run->output_count = SL_RUN_MAX_OUTPUTS;
    for (size_t i = 0; i < run->output_count; i++) {
        const struct sl_pte_value *value = &plan->values[plan->outputs[i]];
        run->output_types[i] = value->kind == SL_PTE_TENSOR ? value->tensor->scalar_type : -1;
    }
    sl_pte_fini(&pte);
    return 0;
}

static int check_inputs(const struct sl_run *run, struct sl_diag *diag)
{
    for (size_t i = 0; i < run->experiment->input_count; i++) {
        const char *path = run->experiment->inputs[i];
        if (access(path, R_OK) != 0) {
            int rc = -errno;
            sl_diag_hint(diag, "name raw input files that can be read, one for each input");
            return sl_diag_set(diag, rc, path, "The input file cannot be read (%s)",
                               sl_strerror(rc));
        }
    }
    return 0;
}

static int name_files(struct sl_run *run, struct sl_diag *diag)
{
    const char *name = run->experiment->name;
    unsigned threads = run->experiment->threads[0];
    char folder[SL_RUN_PATH_BYTES];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(run->started_utc, sizeof(run->started_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!run->out_dir[0]) {
        char stamp[32];
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
        int rc = put_path(run->out_dir, diag, "out/%s-%s", run->stem, stamp);
        if (rc < 0)
            return rc;
    }
    int rc = put_path(run->raw_base, diag, "%s/%s_%s_t%u", run->out_dir, run->stem, name, threads);
    for (int i = 0; i < SL_RUN_VARIANTS && rc == 0; i++) {
        char *experiment = run->variants[i].experiment;
        snprintf(experiment, sizeof(run->variants[i].experiment), "%s_sme2-%s", name,
                 sl_run_variant_names[i]);
        rc = put_path(folder, diag, "%s/%s", run->out_dir, experiment);
        if (rc == 0)
            rc = put_path(run->variants[i].base, diag, "%s/%s_%s_t%u", folder, run->stem,
                          experiment, threads);
        if (rc == 0)
            rc = put_path(run->variants[i].etdump_path, diag, "%s.etdump", run->variants[i].base);
        if (rc == 0)
            rc = sl_run_make_directories(folder, diag);
    }
    return rc;
}

int sl_run_prepare(struct sl_run *run, struct sl_diag *diag)
{
    sl_buf_init(&run->raw_trace, 0);
    sl_buf_init(&run->trace_bytes, 0);
    if (!run->stem[0])
        sl_path_stem(run->plan->model, run->stem, sizeof(run->stem));
    int rc = read_model(run, diag);
    if (rc == 0)
        rc = digest_data(run, diag);
    if (rc == 0)
        rc = check_inputs(run, diag);
    if (rc == 0)
        rc = name_files(run, diag);
    if (rc < 0)
        return rc;
    rc = sl_file_digest(run->device->agent.path, run->agent_sha256);
    if (rc < 0)
        sl_diag_set(diag, rc, run->device->agent.path, "The agent cannot be read (%s)",
                    sl_strerror(rc));
    return rc;
}

void sl_run_fini(struct sl_run *run)
{
    if (run->compared)
        sl_comparison_fini(&run->comparison);
    for (int i = 0; i < SL_RUN_VARIANTS; i++) {
        if (run->variants[i].analysed)
            sl_analysis_fini(&run->variants[i].analysis);
        if (run->variants[i].parsed)
            sl_etdump_fini(&run->variants[i].etdump);
        sl_buf_fini(&run->variants[i].etdump_bytes);
    }
    if (run->has_trace)
        sl_trace_fini(&run->trace);
    sl_buf_fini(&run->raw_trace);
    sl_buf_fini(&run->trace_bytes);
    sl_buf_fini(&run->model);
    sl_count_log_free(run->log);
    cJSON_Delete(run->agent_report);
    cJSON_Delete(run->probe);
    cJSON_Delete(run->load);
    cJSON_Delete(run->policy);
}

void sl_run_output_path(const struct sl_run *run, const char *variant, size_t i,
                        char out[SL_RUN_PATH_BYTES])
{
    snprintf(out, SL_RUN_PATH_BYTES, "%.900s_%s-%zu.bin", run->raw_base, variant, i);
}

const char *sl_run_shown(const struct sl_run *run, const char *path, char out[SL_RUN_PATH_BYTES])
{
    size_t len = strlen(run->out_dir);
    bool below = strncmp(path, run->out_dir, len) == 0 && path[len] == '/';
    if (run->shown_dir && below)
        snprintf(out, SL_RUN_PATH_BYTES, "%.500s%.500s", run->shown_dir, path + len);
    else
        snprintf(out, SL_RUN_PATH_BYTES, "%s", path);
    return out;
}

const char *sl_run_suffix(const struct sl_run *run, char out[SL_RUN_SUFFIX_BYTES])
{
    bool alone = !run->shares_directory;
    snprintf(out, SL_RUN_SUFFIX_BYTES, "%s%.64s", alone ? "" : "_",
             alone ? "" : run->experiment->name);
    return out;
}

int sl_run_write(const char *path, const struct sl_buf *text, struct sl_diag *diag)
{
    int rc = sl_buf_write_file(path, text->data, text->size);
    if (rc < 0)
        sl_diag_set(diag, rc, path, "The file cannot be written (%s)", sl_strerror(rc));
    return rc;
}
