/* host/daemon/job_kit.c */
#include "host/daemon/job_kit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/category.h"
#include "host/analysis/comparison.h"
#include "host/analysis/stopping.h"
#include "host/daemon/policies.h"
#include "host/daemon/probes.h"
#include "host/device/launch.h"
#include "host/ingest/run_store.h"
#include "host/rundir/compared.h"
#include "host/rundir/model_identity.h"
#include "host/rundir/path_stem.h"
#include "host/rundir/run.h"
#include "host/spec/device_kind.h"
#include "host/spec/experiment.h"
#include "host/spec/noise_file.h"
#include "host/spec/submission.h"

enum {
    MAX_SERIES_BYTES = 16 << 10,
    MAX_LOAD_BYTES = 64 << 10,
    DEFAULT_WARMUP = 1,
    MAX_OUTPUT_BYTES = 64 << 20,
    STREAM_OUTPUT = 2,
    STREAM_LOG = 1
};

_Static_assert(SL_JOB_FIRST_LOOK == (int)SL_STOPPING_FIRST &&
                   SL_EXPERIMENT_FIRST_LOOK == (int)SL_STOPPING_FIRST &&
                   SL_EXPERIMENT_PRECISE_PAIRS == (int)SL_STOPPING_PAIRS &&
                   SL_EXPERIMENT_PRECISE_SECONDS == (int)SL_STOPPING_BUDGET_S,
               "what is planned is what the rule was simulated with");

static int parse(const char *config_json, struct sl_submitted *out, struct sl_diag *diag)
{
    return sl_submitted_parse((struct sl_bytes){(const uint8_t *)config_json, strlen(config_json)},
                              out, diag);
}

/* What the files of a model's run are called after. */
static void name_of(const struct sl_submitted *job, char out[SL_RUN_STEM_BYTES])
{
    sl_path_stem(job->shown.model[0] ? job->shown.model : job->model_name, out, SL_RUN_STEM_BYTES);
}

static int plan(void *user, const char *config_json, const struct sl_device *device,
                struct sl_job_plan *out, struct sl_diag *diag)
{
    struct sl_submitted *job = sl_calloc(1, sizeof(*job));
    (void)user;
    int rc = job ? parse(config_json, job, diag) : -ENOMEM;
    if (rc == 0) {
        bool counted = device->traits.counted;
        char name[SL_RUN_STEM_BYTES];
        *out = (struct sl_job_plan){
            .input_count = job->input_count,
            .warmup = job->warmup != UINT32_MAX ? job->warmup : DEFAULT_WARMUP,
            .threads = job->threads,
            .sme_threads = job->sme_threads,
            .processes = job->processes,
            .timeout_ms = job->timeout_seconds * 1000,
            .seed = job->seed,
            .clean = job->clean,
            .weight_cache = job->weight_cache,
            .reference = true,
        };
        const struct sl_experiment_looks looks = {job->precision_percent, job->budget_seconds,
                                                  job->runs, job->timeout_seconds};
        sl_experiment_limits(&looks, counted, &out->pairs, &out->budget_ms);
        out->confidence = job->confidence;
        out->precision_percent = counted ? 0 : job->precision_percent;
        memcpy(out->model, job->model, sizeof(out->model));
        memcpy(out->data, job->data, sizeof(out->data));
        sl_model_identity(job->model, job->data, job->method, out->identity);
        memcpy(out->inputs, job->inputs, sizeof(out->inputs));
        if (counted && job->processes > 1) {
            sl_diag_hint(diag, "say 1 process, or choose a device that measures time");
            rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "/processes",
                             "What %u processes do to each other is time: no instruction is more",
                             job->processes);
        } else if (counted && job->threads > 1) {
            sl_diag_hint(diag, "say 1 thread, or choose a device that measures time");
            rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "/threads",
                             "Instructions are counted on one thread, not on %u", job->threads);
        }
        name_of(job, name);
        snprintf(out->model_name, sizeof(out->model_name), "%.63s", name);
        memcpy(out->method, job->method, sizeof(out->method));
        memcpy(out->affinity, job->affinity, sizeof(out->affinity));
        memcpy(out->input_shapes, job->input_shapes, sizeof(out->input_shapes));
    }
    sl_free(job);
    return rc;
}

static int policy(void *user, const struct sl_device *device, const char *state_dir,
                  const char *directory, char out[SL_SELECTOR_BYTES], struct sl_diag *diag)
{
    struct sl_kit *kit = user;
    cJSON *probe = sl_probes_get(kit->probes, device);
    int rc = sl_policies_take(probe, device->traits.emulated, state_dir, directory, out, diag);
    cJSON_Delete(probe);
    return rc;
}

static int look(void *user, const struct sl_job_plan *plan, const double *log_ratios, size_t n,
                struct sl_job_look *out)
{
    int state = SL_STOPPING_GO_ON;
    const struct sl_stopping_plan stopping = {.confidence = plan->confidence,
                                              .half_width = plan->precision_percent / 100,
                                              .max_pairs = SIZE_MAX,
                                              .seed = plan->seed};
    (void)user;
    int rc = sl_stopping_check(&stopping, log_ratios, n, &state, &out->half_width);
    out->enough = state == SL_STOPPING_PRECISE;
    out->next = (uint32_t)sl_stopping_pairs(sl_stopping_looks(n) + 1);
    return rc;
}

/* The experiment as host/rundir takes it, with the blobs for its files. */
struct finishing {
    const struct sl_job_ended *ended;
    struct sl_submitted job;
    struct sl_experiment_plan plan;
    struct sl_run run;
    char model[SL_RUN_PATH_BYTES], data[SL_RUN_PATH_BYTES];
    char inputs[SL_SUBMISSION_MAX_INPUTS][SL_RUN_PATH_BYTES];
    const char *shown_inputs[SL_SUBMISSION_MAX_INPUTS];
};

static void describe_plan(struct finishing *work)
{
    const struct sl_job_ended *ended = work->ended;
    struct sl_submitted *job = &work->job;
    snprintf(work->model, sizeof(work->model), "%s/blobs/%s", ended->state_dir, job->model);
    sl_experiment_plan_init(&work->plan, work->model);
    work->plan.device = sl_device_kind_name(ended->device->kind);
    work->plan.confidence = job->confidence;
    work->plan.threshold_percent = job->threshold_percent;
    work->plan.label_count = job->label_count;
    for (size_t i = 0; i < job->label_count; i++) {
        work->plan.label_keys[i] = job->labels[i].key;
        work->plan.label_values[i] = job->labels[i].value;
    }
    struct sl_experiment *experiment = &work->plan.experiments[0];
    experiment->name = job->experiment;
    experiment->runs = ended->plan->pairs;
    experiment->warmup = ended->plan->warmup;
    experiment->seed = job->seed;
    experiment->precision_percent = job->precision_percent;
    experiment->budget_seconds = ended->plan->budget_ms / 1000.0;
    if (experiment->budget_seconds <= 0) /* of instructions: what was asked for all the same */
        experiment->budget_seconds = job->budget_seconds;
    experiment->clean = job->clean;
    experiment->weight_cache = job->weight_cache;
    experiment->threads[0] = job->threads;
    experiment->sme_threads = job->sme_threads;
    experiment->processes[0] = job->processes;
    experiment->affinity = job->affinity[0] ? job->affinity : NULL;
    experiment->input_shapes = job->input_shapes[0] ? job->input_shapes : NULL;
    experiment->method = job->method[0] ? job->method : NULL;
    snprintf(work->data, sizeof(work->data), "%s/blobs/%s", ended->state_dir, job->data);
    experiment->data_path = job->data[0] ? work->data : NULL;
    experiment->input_count = job->input_count;
    for (size_t i = 0; i < job->input_count; i++) {
        snprintf(work->inputs[i], sizeof(work->inputs[i]), "%s/blobs/%s", ended->state_dir,
                 job->inputs[i]);
        experiment->inputs[i] = work->inputs[i];
        work->shown_inputs[i] = job->shown.inputs[i];
    }
}

static void describe(struct finishing *work, const struct sl_categories *categories)
{
    const struct sl_job_ended *ended = work->ended;
    const struct sl_submitted *job = &work->job;
    struct sl_run *run = &work->run;
    describe_plan(work);
    run->plan = &work->plan;
    run->experiment = &work->plan.experiments[0];
    run->device = ended->device;
    run->categories = categories;
    run->command = job->shown.command[0] ? job->shown.command : "sme2labd";
    run->shown_model = job->shown.model[0] ? job->shown.model : NULL;
    run->shown_data = job->shown.data[0] ? job->shown.data : NULL;
    run->shown_dir = job->shown.directory[0] ? job->shown.directory : NULL;
    run->shown_inputs = job->shown.input_count > 0 ? work->shown_inputs : NULL;
    run->shares_directory = job->shared_directory;
    run->wall_ns = ended->wall_ns;
    run->log =
        (struct sl_count_log *)(uintptr_t)ended->log; /* borrowed: taken back before the end */
    name_of(job, run->stem);
    snprintf(run->out_dir, sizeof(run->out_dir), "%s", ended->directory);
}

static int place(const char *from, const char *to, struct sl_diag *diag)
{
    unlink(to); /* of a finish that did not get to its end */
    if (link(from, to) == 0)
        return 0;
    int rc = -errno;
    return sl_diag_set(diag, rc, from, "A file of the run cannot be put in its place (%s)",
                       sl_strerror(rc));
}

/* A stream of the measured run, or of the portable kernels' in `folder`. */
static int place_stream(const struct finishing *work, const char *folder, int stream,
                        const char *suffix, struct sl_diag *diag)
{
    char directory[SL_RUN_PATH_BYTES], from[SL_RUN_PATH_BYTES], to[SL_RUN_PATH_BYTES];
    snprintf(directory, sizeof(directory), "%.900s%s", work->ended->directory, folder);
    sl_run_store_path(directory, stream, from, sizeof(from));
    snprintf(to, sizeof(to), "%.900s%s", work->run.raw_base, suffix);
    return place(from, to, diag);
}

/* The outputs that the agent wrote, under the names that the command line's runs have. */
static int place_outputs(const struct finishing *work, struct sl_diag *diag)
{
    static const struct {
        const char *variant, *from;
    } sources[] = {{"sme2-off", "files/output_sme2-off"},
                   {"sme2-on", "files/output_sme2-on"},
                   {"portable", "reference/files/output"}};
    const struct sl_run *run = &work->run;
    int rc = 0;
    for (size_t i = 0; i < run->output_count; i++) {
        for (size_t k = 0;
             rc == 0 && run->output_types[i] >= 0 && k < sizeof(sources) / sizeof(sources[0]);
             k++) {
            char from[SL_RUN_PATH_BYTES], to[SL_RUN_PATH_BYTES];
            snprintf(from, sizeof(from), "%.900s/%s-%zu.bin", work->ended->directory,
                     sources[k].from, i);
            sl_run_output_path(run, sources[k].variant, i, to);
            rc = place(from, to, diag);
        }
    }
    return rc;
}

/* The agent's own report: the last line of its output that is an object. */
static void take_report(struct finishing *work)
{
    char path[SL_RUN_PATH_BYTES];
    struct sl_buf text;
    sl_run_store_path(work->ended->directory, STREAM_OUTPUT, path, sizeof(path));
    if (sl_buf_read_file(path, MAX_OUTPUT_BYTES, &text) < 0)
        return;
    const char *last = NULL;
    for (const char *line = text.data ? (const char *)text.data : ""; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        if (*line == '{')
            last = line;
    }
    work->run.agent_report = last ? cJSON_Parse(last) : NULL;
    sl_buf_fini(&text);
}

/* What the processes beside the measured one left: an array in the order of their places. */
static cJSON *read_load(const struct finishing *work)
{
    cJSON *load = work->job.processes > 1 ? cJSON_CreateArray() : NULL;
    for (uint32_t place = 1; load && place < work->job.processes; place++) {
        char path[SL_RUN_PATH_BYTES];
        struct sl_buf text;
        snprintf(path, sizeof(path), "%.900s/files/load-%u.json", work->ended->directory, place);
        if (sl_buf_read_file(path, MAX_LOAD_BYTES, &text) < 0)
            continue;
        cJSON *one = cJSON_ParseWithLength((const char *)text.data, text.size);
        if (one && !cJSON_AddItemToArray(load, one))
            cJSON_Delete(one);
        sl_buf_fini(&text);
    }
    return load;
}

/* Only timed runs have a noise floor. */
static double noise_floor_of(const struct finishing *work)
{
    const cJSON *probed = cJSON_GetObjectItemCaseSensitive(work->run.probe, "fingerprint");
    return work->ended->device->traits.counted || !cJSON_IsString(probed)
               ? (double)NAN
               : sl_noise_file_find(work->ended->state_dir, probed->valuestring,
                                    work->ended->device->traits.emulated);
}

static int make(struct sl_kit *kit, struct finishing *work, struct sl_diag *diag)
{
    struct sl_run *run = &work->run;
    int rc;
    if ((rc = sl_run_prepare(run, diag)) < 0 ||
        (rc = place_stream(work, "", 0, ".sltrace", diag)) < 0 ||
        (rc = place_stream(work, "", STREAM_LOG, "_latency.log", diag)) < 0 ||
        (rc = place_stream(work, "/reference", STREAM_LOG, "_portable.log", diag)) < 0 ||
        (rc = place_outputs(work, diag)) < 0)
        return rc;
    run->probe = sl_probes_get(kit->probes, work->ended->device);
    run->noise_floor = noise_floor_of(work);
    take_report(work);
    run->load = read_load(work);
    run->policy = sl_policies_of_run(work->ended->directory);
    return sl_run_finish(run, diag);
}

/* Runs whose only difference is when they were, and the build: one model on one device with the
 * same inputs, measured the same way. */
static void name_series(const struct sl_submitted *job, struct sl_run_record *record)
{
    struct sl_buf text;
    char digest[SL_SHA256_HEX_SIZE];
    sl_buf_init(&text, MAX_SERIES_BYTES);
    int rc = sl_buf_printf(&text, "%s\n%s\n%u %u %u %d\n%s\n%s\n", record->model_sha256,
                           record->device, job->threads, job->sme_threads, job->processes,
                           job->clean, job->affinity, job->input_shapes);
    for (size_t i = 0; rc == 0 && i < job->input_count; i++)
        rc = sl_buf_printf(&text, "%s\n", job->inputs[i]);
    if (rc == 0) {
        sl_sha256_hex(text.data, text.size, digest);
        snprintf(record->series, sizeof(record->series), "%.16s", digest);
    }
    sl_buf_fini(&text);
}

static int finish(void *user, const struct sl_job_ended *ended, struct sl_run_record *record,
                  struct sl_diag *diag)
{
    struct sl_kit *kit = user;
    struct finishing *work = sl_calloc(1, sizeof(*work));
    if (!work)
        return -ENOMEM;
    work->ended = ended;
    int rc = ended->has_reference
                 ? parse(ended->config_json, &work->job, diag)
                 : sl_diag_set(diag, SL_E_CRASHED, ended->directory,
                               "The portable kernels did not run: nothing to compare with");
    if (rc == 0) {
        describe(work, &kit->categories);
        rc = make(kit, work, diag);
        work->run.log = NULL;
        if (rc == 0) {
            snprintf(record->model, sizeof(record->model), "%.60s", work->run.stem);
            const struct sl_comparison *found = &work->run.compared->comparison;
            snprintf(record->verdict, sizeof(record->verdict), "%s",
                     sl_verdict_name(found->verdict));
            name_series(&work->job, record);
            record->ratio = found->ratio > 0 ? found->ratio : 0;
        }
        sl_run_fini(&work->run);
        sl_experiment_plan_fini(&work->plan);
    }
    sl_free(work);
    return rc;
}

int sl_kit_init(struct sl_kit *kit, struct sl_diag *diag)
{
    kit->calls = (struct sl_job_kit){plan, policy, look, finish, kit};
    int rc = sl_categories_load(NULL, &kit->categories, diag);
    if (rc == 0 && (rc = sl_probes_new(&kit->probes)) < 0)
        sl_categories_fini(&kit->categories);
    return rc;
}

void sl_kit_fini(struct sl_kit *kit)
{
    sl_probes_free(kit->probes);
    sl_categories_fini(&kit->categories);
}
