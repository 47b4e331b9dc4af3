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
#include "common/base/path.h"
#include "host/analysis/category.h"
#include "host/analysis/comparison.h"
#include "host/analysis/stopping.h"
#include "host/analysis/verdict.h"
#include "host/daemon/policies.h"
#include "host/daemon/probes.h"
#include "host/daemon/series_name.h"
#include "host/device/launch.h"
#include "host/device/link_job.h"
#include "host/ingest/run_store.h"
#include "host/rundir/compared.h"
#include "host/rundir/run.h"
#include "host/rundir/runners.h"
#include "host/rundir/task_estimate.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_value.h"
#include "host/spec/noise_file.h"
#include "host/spec/path_stem.h"
#include "host/spec/spec.h"
#include "host/store/store.h"

enum { MAX_LOAD_BYTES = 64 << 10, MAX_OUTPUT_BYTES = 64 << 20, STREAM_OUTPUT = 2, STREAM_LOG = 1 };

_Static_assert(SL_SPEC_FIRST_LOOK == (int)SL_STOPPING_FIRST &&
                   SL_SPEC_PRECISE_PAIRS == (int)SL_STOPPING_PAIRS &&
                   SL_SPEC_PRECISE_SECONDS == (int)SL_STOPPING_BUDGET_S,
               "what is planned is what the rule was simulated with");

/* The name that the files of a model's run begin with. */
static void name_of(const struct sl_spec *spec, char out[SL_RUNDIR_STEM_BYTES])
{
    sl_path_stem(sl_spec_model_file(spec), out, SL_RUNDIR_STEM_BYTES);
}

static int policy(void *user, const struct sl_device *device, const struct sl_spec *spec,
                  const char *state_dir, const char *directory, char out[SL_POLICY_WORDS_BYTES],
                  struct sl_diag *diag)
{
    struct sl_kit *kit = user;
    cJSON *probe = sl_probes_get(kit->probes, device, NULL);
    int rc = sl_policies_take(probe, device->traits.emulated, state_dir, spec->policy_sha256,
                              directory, out, diag);
    cJSON_Delete(probe);
    return rc;
}

static int estimates(void *user, const struct sl_spec *spec, const struct sl_count_log *log,
                     struct sl_json *json, struct sl_diag *diag)
{
    (void)user;
    return sl_task_estimates_put(json, log, spec->silicon, diag);
}

static int look(void *user, const struct sl_spec *spec, const double *log_ratios, size_t n,
                struct sl_job_look *out)
{
    int state = SL_STOPPING_GO_ON;
    const struct sl_stopping_plan stopping = {.confidence = spec->confidence,
                                              .half_width = spec->precision_percent / 100,
                                              .max_pairs = SIZE_MAX,
                                              .seed = spec->seed};
    (void)user;
    int rc = sl_stopping_check(&stopping, log_ratios, n, &state, &out->half_width);
    out->enough = state == SL_STOPPING_PRECISE;
    out->next = (uint32_t)sl_stopping_pairs(sl_stopping_looks(n) + 1);
    return rc;
}

/* The run as host/rundir takes it, with the blobs for its files. */
struct finishing {
    const struct sl_job_ended *ended;
    struct sl_spec spec;
    struct sl_rundir_run run;
    char model[SL_RUNDIR_PATH_BYTES], data[SL_RUNDIR_PATH_BYTES];
    char inputs[SL_SPEC_MAX_INPUTS][SL_RUNDIR_PATH_BYTES];
    char expected[SL_SPEC_MAX_INPUTS][SL_RUNDIR_PATH_BYTES];
};

static const char *name_blob(const struct finishing *work, const char *digest,
                             char out[SL_RUNDIR_PATH_BYTES])
{
    if (!digest)
        return NULL;
    sl_path_join(out, SL_RUNDIR_PATH_BYTES, work->ended->state_dir, "blobs/%s", digest);
    return out;
}

static void describe_spec(struct finishing *work)
{
    const struct sl_job_ended *ended = work->ended;
    const struct sl_spec *asked = ended->spec;
    struct sl_spec *spec = &work->spec;
    uint32_t pairs, budget_ms;
    *spec = *asked;
    spec->model = name_blob(work, asked->model_sha256, work->model);
    spec->data_path = name_blob(work, asked->data_path_sha256, work->data);
    for (size_t i = 0; i < asked->inputs_count; i++)
        spec->inputs[i] = name_blob(work, asked->inputs_sha256[i], work->inputs[i]);
    for (size_t i = 0; i < asked->expected_count; i++)
        spec->expected[i] = name_blob(work, asked->expected_sha256[i], work->expected[i]);
    sl_spec_limits(asked, ended->device->traits.counted, &pairs, &budget_ms);
    if (budget_ms != 0) /* of instructions: what was asked for all the same */
        spec->budget_seconds = budget_ms / 1000.0;
}

static void describe(struct finishing *work, const struct sl_categories *categories)
{
    const struct sl_job_ended *ended = work->ended;
    const struct sl_spec *asked = ended->spec;
    struct sl_rundir_run *run = &work->run;
    describe_spec(work);
    run->spec = &work->spec;
    run->device = ended->device;
    run->categories = categories;
    run->command = asked->command ? asked->command : "sme2labd";
    run->shown_model = asked->model;
    run->shown_data = asked->data_path;
    run->shown_dir = asked->directory;
    run->shown_inputs = asked->inputs_count > 0 && asked->inputs[0] ? asked->inputs : NULL;
    run->shares_directory = asked->shared_directory;
    run->wall_ns = ended->wall_ns;
    run->log =
        (struct sl_count_log *)(uintptr_t)ended->log; /* borrowed: taken back before the end */
    name_of(asked, run->stem);
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
    char directory[SL_RUNDIR_PATH_BYTES], from[SL_RUNDIR_PATH_BYTES], to[SL_RUNDIR_PATH_BYTES];
    snprintf(directory, sizeof(directory), "%.900s%s", work->ended->directory, folder);
    sl_ingest_path(directory, stream, from, sizeof(from));
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
    const struct sl_rundir_run *run = &work->run;
    int rc = 0;
    for (size_t i = 0; i < run->output_count; i++) {
        for (size_t k = 0; rc == 0 && run->output_types[i].scalar_type >= 0 &&
                           k < sizeof(sources) / sizeof(sources[0]);
             k++) {
            char from[SL_RUNDIR_PATH_BYTES], to[SL_RUNDIR_PATH_BYTES];
            sl_path_join(from, sizeof(from), work->ended->directory, "%s-%zu.bin", sources[k].from,
                         i);
            sl_rundir_output_path(run, sources[k].variant, i, to);
            rc = place(from, to, diag);
        }
        if (rc == 0 && sl_rundir_expected(run, i)) {
            char to[SL_RUNDIR_PATH_BYTES];
            sl_rundir_output_path(run, "expected", i, to);
            rc = place(sl_rundir_expected(run, i), to, diag);
        }
    }
    return rc;
}

/* The agent's own report: the last line of its output that is an object; NULL: there is none. */
static cJSON *read_report(const struct finishing *work, const char *folder)
{
    char directory[SL_RUNDIR_PATH_BYTES], path[SL_RUNDIR_PATH_BYTES];
    struct sl_buf text;
    snprintf(directory, sizeof(directory), "%.900s%s", work->ended->directory, folder);
    sl_ingest_path(directory, STREAM_OUTPUT, path, sizeof(path));
    if (sl_buf_read_file(path, MAX_OUTPUT_BYTES, &text) < 0)
        return NULL;
    const char *last = NULL;
    for (const char *line = text.data ? (const char *)text.data : ""; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        if (*line == '{')
            last = line;
    }
    cJSON *report = last ? cJSON_Parse(last) : NULL;
    sl_buf_fini(&text);
    return report;
}

/* How far operators are from the portable kernels', which the run of those says. */
static void take_operators(struct finishing *work)
{
    cJSON *report = read_report(work, "/reference");
    cJSON *operators = cJSON_DetachItemFromObjectCaseSensitive(report, "operators");
    if (cJSON_IsArray(operators) && cJSON_GetArraySize(operators) == SL_RUNDIR_VARIANTS)
        work->run.operators = operators;
    else
        cJSON_Delete(operators);
    cJSON_Delete(report);
}

/* The outcomes of the processes beside the measured one: an array in the order of their places. */
static cJSON *read_load(const struct finishing *work)
{
    cJSON *load = work->spec.concurrency[0] > 1 ? cJSON_CreateArray() : NULL;
    for (uint32_t place = 1; load && place < work->spec.concurrency[0]; place++) {
        char path[SL_RUNDIR_PATH_BYTES];
        struct sl_buf text;
        sl_path_join(path, sizeof(path), work->ended->directory, "files/load-%u.json", place);
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
    const cJSON *probed = sl_value(work->run.probe, "fingerprint");
    return work->ended->device->traits.counted || !cJSON_IsString(probed)
               ? (double)NAN
               : sl_noise_file_find(work->ended->state_dir, probed->valuestring,
                                    work->ended->device->traits.emulated);
}

/* The measured figures, under the names of a run directory. */
static int record(struct sl_kit *kit, struct finishing *work, struct sl_diag *diag)
{
    struct sl_rundir_run *run = &work->run;
    int rc;
    if ((rc = place_stream(work, "", 0, ".sltrace", diag)) < 0 ||
        (rc = place_stream(work, "/reference", STREAM_LOG, "_portable.log", diag)) < 0 ||
        (rc = place_outputs(work, diag)) < 0)
        return rc;
    run->probe = sl_probes_get(kit->probes, work->ended->device, NULL);
    run->noise_floor = noise_floor_of(work);
    run->agent_report = read_report(work, "");
    take_operators(work);
    run->load = read_load(work);
    run->policy = sl_policies_of_run(work->ended->directory);
    return sl_rundir_record(run, diag);
}

static int make(struct sl_kit *kit, struct finishing *work, struct sl_diag *diag)
{
    int rc = sl_rundir_prepare(&work->run, diag);
    if (rc == 0 && !work->ended->recorded)
        rc = record(kit, work, diag);
    if (rc == 0)
        rc = place_stream(work, "", STREAM_LOG, "_latency.log", diag);
    return rc < 0 ? rc : sl_rundir_finish(&work->run, diag);
}

static const char *gone(void *user)
{
    const struct sl_kit *kit = user;
    return sl_store_gone_directory(kit->store);
}

static bool is_recorded(void *user, const char *directory)
{
    (void)user;
    return sl_rundir_is_recorded(directory);
}

/* External runners are of no series: what they are nobody knows but their sender. */
static int finish_runners(const struct sl_kit *kit, const struct sl_job_ended *ended,
                          struct sl_run_record *record, struct sl_diag *diag)
{
    const struct sl_spec *spec = ended->spec;
    const struct sl_device *device = ended->device;
    bool inside = device->traits.emulated && !spec->native;
    char model[SL_RUNDIR_PATH_BYTES];
    sl_path_join(model, sizeof(model), ended->state_dir, "blobs/%s", spec->model_sha256);
    const struct sl_runners runners = {.plan = spec->plan,
                                       .directory = ended->directory,
                                       .model = model,
                                       .command = spec->command ? spec->command : "sme2labd",
                                       .generated_at = ended->started_utc,
                                       .cpu = inside ? device->cpu : NULL,
                                       .device_kind = spec->native ? SL_DEVICE_LOCAL : device->kind,
                                       .whole = ended->result->outcome == SL_OUTCOME_DONE,
                                       .threshold_percent = spec->threshold_percent,
                                       .categories = &kit->categories};
    return sl_runners_finish(&runners, record, diag);
}

static int finish(void *user, const struct sl_job_ended *ended, struct sl_run_record *record,
                  struct sl_diag *diag)
{
    struct sl_kit *kit = user;
    if (ended->spec->plan)
        return finish_runners(kit, ended, record, diag);
    struct finishing *work = sl_calloc(1, sizeof(*work));
    if (!work)
        return -ENOMEM;
    work->ended = ended;
    int rc = ended->has_reference
                 ? 0
                 : sl_diag_set(diag, SL_E_CRASHED, ended->directory,
                               "The portable kernels did not run: nothing to compare with");
    if (rc == 0) {
        describe(work, &kit->categories);
        rc = make(kit, work, diag);
        work->run.log = NULL;
        if (rc == 0) {
            const struct sl_comparison *found = &work->run.compared->comparison;
            snprintf(record->verdict, sizeof(record->verdict), "%s", sl_verdict_name(found));
            sl_series_name(
                ended->spec,
                sl_value(sl_value(work->run.compared->sides[1].directory.manifest, "device"),
                         "probe"),
                ended->device->traits, record);
            record->ratio = found->ratio > 0 ? found->ratio : 0;
            record->baseline = found->baseline > 0 ? found->baseline : 0;
            record->candidate = found->candidate > 0 ? found->candidate : 0;
            record->exit_code = sl_verdict_exit_code(found, ended->spec->threshold_percent);
        }
        sl_rundir_run_fini(&work->run);
    }
    sl_free(work);
    return rc;
}

int sl_kit_init(struct sl_kit *kit, const char *store, struct sl_diag *diag)
{
    kit->calls = (struct sl_job_kit){.store = store,
                                     .policy = policy,
                                     .estimates = estimates,
                                     .look = look,
                                     .is_recorded = is_recorded,
                                     .gone = gone,
                                     .finish = finish,
                                     .user = kit};
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
