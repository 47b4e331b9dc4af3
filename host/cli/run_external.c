/* host/cli/run_external.c */
#include "host/cli/run_external.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/analysis/random.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/interrupt.h"
#include "host/cli/outcome.h"
#include "host/cli/run_failure.h"
#include "host/cli/run_place.h"
#include "host/cli/run_request.h"
#include "host/cli/runner_arm.h"
#include "host/cli/sender.h"
#include "host/device/launch.h"
#include "host/report/categories_file.h"
#include "host/report/combined.h"
#include "host/rundir/armkit.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/import.h"
#include "host/rundir/report_files.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/device_kind.h"

enum { PATH_BYTES = 1024, MAX_IMPORT_BYTES = 1 << 26, DEFAULT_RUNS = 100, DEFAULT_WARMUP = 10 };

struct session {
    const struct sl_cli *cli;
    const struct sl_run_request *request;
    const struct sl_plan *plan;
    struct sl_device device;
    struct sl_run_place place;
    struct sl_runner_arm arms[SL_PLAN_MAX];
    struct sl_runner_arm *order[SL_PLAN_MAX]; /* of a round */
    size_t ordered;
    char runners[SL_PLAN_MAX][SL_TOOL_PATH_BYTES];
    size_t measured; /* that did not fail */
    struct sl_buf text;
    struct sl_json json; /* import.json */
};

/* Options of the command line that are for the agent's own runtime. */
static int check_request(const struct sl_plan *plan, struct sl_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct sl_spec *e = &plan->specs[i];
        if (e->weight_cache || e->input_shapes || e->precision_percent > 0 || e->budget_seconds > 0)
            return sl_diag_set(diag, SL_E_UNSUPPORTED, e->name,
                               "--weight-cache, --input-shapes, --precision and --budget are not "
                               "for external runners");
    }
    return 0;
}

static int open_device(struct session *s, struct sl_diag *diag)
{
    const char *name = s->plan->specs[0].device     ? s->plan->specs[0].device
                       : sl_device_local_has_sme2() ? "local"
                                                    : "emulated";
    int kind = sl_device_kind_find(name);
    if (kind == 0) {
        sl_diag_hint(diag, "say --device local, or emulated");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--device",
                           "External runners run on this machine or in the emulator, not on a "
                           "lab's device such as '%.60s'",
                           name);
    }
    return sl_device_open_runner(kind, s->plan->specs[0].svl != 0 ? s->plan->specs[0].svl : 512,
                                 s->plan->specs[0].cpu, &s->device, diag);
}

static int check_affinity(const struct session *s, struct sl_diag *diag)
{
    for (size_t i = 0; i < s->plan->count && s->device.traits.emulated; i++) {
        if (s->plan->specs[i].affinity[0])
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "cpu_affinity",
                               "An emulated CPU has no cores to stay on");
    }
    return 0;
}

static int find_runners(struct session *s, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->plan->count; i++)
        rc = sl_runner_process_find(s->plan->specs[i].runner, s->runners[i], sizeof(s->runners[i]),
                                    diag);
    return rc;
}

static void tell_failure(const struct session *s, const struct sl_runner_arm *arm)
{
    const struct sl_runner_end *end = &arm->failure;
    struct sl_diag diag = {.what = ""};
    sl_diag_hint(&diag, "all that it printed is in %.600s/%s", s->place.path, arm->log);
    sl_diag_set(&diag, SL_E_UNSUPPORTED, arm->job.experiment.name, "In process %zu %s",
                arm->done + 1, end->why);
    sl_say(stderr, "%s\n", end->last_lines);
    struct sl_cli cli = *s->cli;
    cli.json = false; /* import.json has it */
    sl_cli_fail(&cli, SL_EXIT_FAILED, &diag);
}

static int begin_arms(struct session *s, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->plan->count; i++) {
        struct sl_runner_arm *arm = &s->arms[i];
        struct sl_spec e = s->plan->specs[i];
        e.runs = e.runs == UINT32_MAX ? DEFAULT_RUNS : e.runs;
        e.warmup = e.warmup == UINT32_MAX ? DEFAULT_WARMUP : e.warmup;
        arm->job = (struct sl_runner_job){.device = s->device,
                                          .experiment = e,
                                          .directory = s->place.path,
                                          .timeout_ms = (uint64_t)e.timeout_seconds * 1000};
        snprintf(arm->job.device.agent.path, sizeof(arm->job.device.agent.path), "%s",
                 s->runners[i]);
        rc = sl_runner_arm_begin(arm, diag);
    }
    return rc;
}

static struct sl_runner_arm *find_arm(struct session *s, const char *family, uint32_t threads)
{
    for (size_t i = 0; i < s->plan->count; i++) {
        const struct sl_spec *e = &s->plan->specs[i];
        if (strcmp(e->family, family) == 0 && e->threads[0] == threads)
            return &s->arms[i];
    }
    return NULL;
}

static void append(struct session *s, struct sl_runner_arm *arm)
{
    for (size_t i = 0; i < s->ordered; i++)
        if (s->order[i] == arm)
            return;
    s->order[s->ordered++] = arm;
}

/* The sides of each pair next to each other, then the others. */
static void order_arms(struct session *s)
{
    for (size_t i = 0; i < s->plan->pair_count; i++)
        for (int side = 0; side < 2; side++)
            append(s, find_arm(s, s->plan->pairs[i].family[side], s->plan->pairs[i].threads[side]));
    for (size_t i = 0; i < s->plan->count; i++)
        append(s, &s->arms[i]);
}

/* Round by round all arms, and every second round the other way round: ABBA, the first way drawn
 * from the seed. 0, or the lab's own trouble. */
static int run_rounds(struct session *s, struct sl_diag *diag)
{
    struct sl_random random = {.state = s->plan->specs[0].seed};
    uint64_t first = sl_random_next(&random) & 1;
    uint32_t process = 0;
    int rc = 0;
    for (size_t round = 0; round < SL_ROUNDS_MAX; round++) {
        for (size_t i = 0; rc == 0 && i < s->ordered; i++) {
            bool back = ((round ^ first) & 1) != 0;
            struct sl_runner_arm *arm = s->order[back ? s->ordered - 1 - i : i];
            if (round < arm->rounds.count && !arm->failure.failed)
                rc = sl_runner_arm_round(arm, process++, diag);
        }
    }
    return rc;
}

/* What the arms left, in the order of the configuration. An exit code, or negative. */
static int finish_arms(struct session *s, struct sl_diag *diag)
{
    int code = SL_EXIT_DONE, rc = 0;
    size_t others = 0;
    for (size_t i = 0; i < s->plan->count; i++)
        others += s->arms[i].done > 0 && s->arms[i].job.experiment.mode != SL_MODE_XNNTRACE;
    for (size_t i = 0; rc == 0 && i < s->plan->count; i++) {
        struct sl_runner_arm *arm = &s->arms[i];
        rc = sl_runner_arm_finish(arm, diag);
        if (arm->failure.failed) {
            tell_failure(s, arm);
            code = SL_EXIT_FAILED;
        } else if (rc == 0 && arm->done > 0) {
            s->measured++;
            sl_runner_arm_json(arm, others > 1 && arm->job.experiment.mode != SL_MODE_XNNTRACE,
                               &s->json);
        }
    }
    return rc < 0 ? rc : code;
}

/* All experiments. An exit code; negative: the lab's own trouble. */
static int run_all(struct session *s, struct sl_diag *diag)
{
    int rc = begin_arms(s, diag);
    if (rc < 0)
        return rc;
    order_arms(s);
    int ended = run_rounds(s, diag);
    rc = ended == 0 || ended == -EINTR ? finish_arms(s, diag) : 0;
    return ended < 0 ? ended : rc;
}

/* The experiment; NULL if it was not measured. */
static const struct sl_spec *find(struct session *s, const char *family, uint32_t threads)
{
    const struct sl_runner_arm *arm = find_arm(s, family, threads);
    return arm && arm->etdump[0] ? &arm->job.experiment : NULL;
}

/* Pairs whose sides were both measured. How many have times. */
static size_t put_pairs(struct session *s)
{
    static const char *const sides[] = {"baseline", "candidate"};
    size_t count = 0;
    sl_json_open_array(&s->json, "pairs");
    for (size_t i = 0; i < s->plan->pair_count; i++) {
        const struct sl_plan_pair *pair = &s->plan->pairs[i];
        const struct sl_spec *baseline = find(s, pair->family[0], pair->threads[0]);
        if (!baseline || !find(s, pair->family[1], pair->threads[1]))
            continue;
        count += baseline->mode != SL_MODE_XNNTRACE;
        sl_json_open_object(&s->json, NULL);
        sl_json_text(&s->json, "label", pair->label);
        for (int side = 0; side < 2; side++) {
            sl_json_open_object(&s->json, sides[side]);
            sl_json_text(&s->json, "experiment", pair->family[side]);
            sl_json_u64(&s->json, "threads", pair->threads[side]);
            sl_json_close_object(&s->json);
        }
        sl_json_close_object(&s->json);
    }
    sl_json_close_array(&s->json);
    return count;
}

static void put_failures(struct session *s)
{
    sl_json_open_array(&s->json, "failures");
    for (size_t i = 0; i < s->plan->count; i++)
        if (s->arms[i].failure.failed)
            sl_runner_arm_json(&s->arms[i], false, &s->json);
    sl_json_close_array(&s->json);
}

static void begin(struct session *s)
{
    char stamp[40];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &utc);
    sl_json_open_object(&s->json, NULL);
    sl_json_text(&s->json, "schema", "sme2lab.import/1");
    sl_json_text(&s->json, "model", s->plan->model);
    sl_json_text(&s->json, "generated_at", stamp);
    sl_json_text(&s->json, "command", s->request->command);
    sl_json_text(&s->json, "device", sl_device_kind_name(s->device.kind));
    if (s->device.traits.emulated)
        sl_json_text(&s->json, "cpu", s->device.cpu);
    sl_json_text(&s->json, "order", "ABBA");
    sl_json_u64(&s->json, "seed", s->plan->specs[0].seed);
    sl_json_open_array(&s->json, "runs");
}

/* The report of one pair or of several, and its verdict as an exit code. */
static int report(const struct session *s, const struct sl_categories *categories, int *out_code,
                  struct sl_diag *diag)
{
    static const char *const formats[] = {"md", "html"};
    struct sl_collection all = {.count = 0};
    struct sl_report_files files = {.count = 0};
    struct sl_diag none = {.what = ""};
    int rc = sl_collection_add(&all, s->place.path, NULL, categories, &none);
    if (rc == SL_E_NOT_FOUND) /* no pair has times: there is nothing to report */
        return 0;
    if (rc < 0)
        *diag = none;
    const struct sl_combined combined = {all.reports, all.count};
    for (size_t i = 0; rc == 0 && i < sizeof(formats) / sizeof(formats[0]); i++)
        rc = all.count > 1 ? sl_report_files_add_combined(&files, &combined, formats[i], diag)
                           : sl_report_files_add(&files, &all.reports[0], "", formats[i], diag);
    if (rc == 0)
        rc = sl_report_files_write(&files, s->place.path, true, diag);
    for (size_t i = 0; rc == 0 && i < all.count; i++) {
        char title[256], verdict[256];
        sl_report_title(&all.reports[i], title, sizeof(title));
        sl_report_verdict(&all.reports[i], verdict, sizeof(verdict));
        if (!s->cli->json && !s->cli->quiet)
            sl_say(stdout, "%s: %s\n", title, verdict);
        *out_code =
            sl_outcome_worse(*out_code, sl_verdict_exit_code(&all.compared[i]->comparison,
                                                             s->plan->specs[0].threshold_percent));
    }
    sl_report_files_fini(&files);
    sl_collection_fini(&all);
    return rc;
}

/* import.json, the kit's files and the report. */
static int finish(struct session *s, const struct sl_categories *categories, int *out_code,
                  struct sl_diag *diag)
{
    char path[PATH_BYTES];
    sl_json_close_array(&s->json);
    size_t pairs = put_pairs(s);
    put_failures(s);
    sl_json_close_object(&s->json);
    snprintf(path, sizeof(path), "%.1000s/import.json", s->place.path);
    int rc = s->json.error ? s->json.error : sl_buf_write_file(path, s->text.data, s->text.size);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc));
    if (s->measured > 0)
        rc = sl_armkit_write(s->place.path, categories, diag);
    if (rc == 0 && s->measured > 0)
        rc = report(s, categories, out_code, diag);
    if (rc == 0 && s->cli->json)
        sl_buf_print_line(&s->text);
    else if (rc == 0 && !s->cli->quiet)
        sl_say(stdout, "%s: %zu of %zu experiments measured, %zu pairs compared\n", s->place.path,
               s->measured, s->plan->count, pairs);
    return rc;
}

/* What is in the directory, computed anew. */
static int analyze_again(struct session *s, struct sl_diag *diag)
{
    struct sl_categories categories;
    int code = SL_EXIT_DONE;
    if (!s->plan->specs[0].output_root) {
        sl_diag_hint(diag, "say --out DIR, or output_root in the configuration");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--analysis-only",
                           "Nothing says which directory has the recorded runs");
    }
    snprintf(s->place.path, sizeof(s->place.path), "%.1000s", s->plan->specs[0].output_root);
    int rc = sl_import_check(s->place.path, diag);
    if (rc == 0)
        rc = sl_categories_load(NULL, &categories, diag);
    if (rc < 0)
        return rc;
    rc = sl_armkit_write(s->place.path, &categories, diag);
    if (rc == 0)
        rc = report(s, &categories, &code, diag);
    sl_categories_fini(&categories);
    return rc < 0 ? rc : code;
}

static int run_session(struct session *s, struct sl_diag *diag)
{
    struct sl_categories categories;
    int rc = check_request(s->plan, diag);
    if (rc == 0)
        rc = sl_run_failure_check(s->plan, diag);
    if (rc == 0)
        rc = find_runners(s, diag);
    if (rc == 0)
        rc = open_device(s, diag);
    if (rc == 0)
        rc = check_affinity(s, diag);
    if (rc == 0)
        rc = sl_categories_load(NULL, &categories, diag);
    if (rc < 0)
        return rc;
    rc = sl_run_place_take(s->plan, s->request->force, &s->place, diag);
    sl_interrupt_catch();
    if (rc == 0) {
        begin(s);
        rc = run_all(s, diag);
    }
    int ended = rc, code = rc;
    if (rc >= 0 || (rc == -EINTR && s->measured > 0)) /* what was measured is kept */
        rc = finish(s, &categories, &code, diag);
    sl_categories_fini(&categories);
    return rc < 0 ? rc : ended < 0 ? ended : code;
}

int sl_run_external(const struct sl_cli *cli, const struct sl_run_request *request,
                    struct sl_plan *plan)
{
    struct sl_diag diag = {.what = ""};
    struct session *s = sl_calloc(1, sizeof(*s));
    if (!s)
        return SL_EXIT_LAB;
    s->cli = cli;
    s->request = request;
    s->plan = plan;
    s->place.lock = -1;
    sl_buf_init(&s->text, MAX_IMPORT_BYTES);
    sl_json_init(&s->json, &s->text);
    int code = request->analysis_only ? analyze_again(s, &diag) : run_session(s, &diag);
    if (code == -EINTR && sl_interrupt_number() != 0)
        code = sl_interrupt_exit();
    else if (code < 0)
        code = sl_cli_fail(cli, sl_exit_for_error(code), &diag);
    for (size_t i = 0; i < plan->count; i++)
        sl_runner_arm_fini(&s->arms[i]);
    sl_run_place_leave(&s->place);
    sl_buf_fini(&s->text);
    sl_free(s);
    return code;
}
