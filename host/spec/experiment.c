/* host/spec/experiment.c */
#include "host/spec/experiment.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/records.h"
#include "host/spec/json_doc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_RUNS = 1000000, MAX_PRIORITY = 1000000, MAX_NAME_BYTES = SL_NAME_BYTES - 1 };

/* A key of the interface that this version does not act on, and the sentence that says so. */
struct refusal {
    const char *key, *why;
};

static const struct refusal plan_refusals[] = {
    {"gate", "Gates on temperature and battery are not part of this version"},
    {"power_mode", "Power modes are not part of this version"},
};

static const char *const plan_keys[] = {
    "model",          "output_root", "experiments",
    "device",         "cpu",         "svl",
    "factor",         "inputs",      "seed",
    "input_shapes",   "confidence",  "threshold_percent",
    "labels",         "runs",        "num_runs",
    "warmup",         "analysis",    "precision_percent",
    "budget_seconds", "gate",        "power_mode",
    "priority",       "data_path",   "method",
};

static const char *const experiment_keys[] = {
    "name",
    "mode",
    "model",
    "runs",
    "num_runs",
    "warmup",
    "threads",
    "num_threads",
    "factor",
    "inputs",
    "input_shapes",
    "seed",
    "runner_path",
    "quiet_runner",
    "extra_args",
    "cpu_affinity",
    "sme_threads",
    "processes",
    "precision_percent",
    "budget_seconds",
    "data_path",
    "method",
    "weight_cache",
};

static struct sl_experiment default_experiment(void)
{
    return (struct sl_experiment){.name = "run",
                                  .family = "run",
                                  .runs = UINT32_MAX,
                                  .warmup = UINT32_MAX,
                                  .seed = 1,
                                  .threads = {1},
                                  .thread_count = 1,
                                  .processes = {1},
                                  .process_count = 1};
}

void sl_experiment_plan_init(struct sl_experiment_plan *plan, const char *model)
{
    memset(plan, 0, sizeof(*plan));
    plan->model = model;
    plan->confidence = 0.95;
    plan->experiments[0] = default_experiment();
    plan->experiments[0].model = model;
    plan->count = 1;
}

void sl_experiment_plan_fini(struct sl_experiment_plan *plan)
{
    sl_json_doc_free(plan->document);
    plan->document = NULL;
}

static int refuse_later(const struct sl_json_at *object, const struct refusal *refusals,
                        size_t count, struct sl_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        struct sl_json_at at = sl_json_member(object, refusals[i].key);
        if (at.value) {
            sl_diag_hint(diag, "take '%s' out", refusals[i].key);
            return sl_json_refuse(&at, diag, "%s", refusals[i].why);
        }
    }
    return 0;
}

/* A name becomes part of file names. */
bool sl_experiment_name_ok(const char *text)
{
    return strlen(text) <= MAX_NAME_BYTES && text[0] && text[0] != '.' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(text);
}

/* Either spelling, not both. */
static int read_alias(const struct sl_json_at *object, const char *key, const char *alias,
                      struct sl_json_at *out, struct sl_diag *diag)
{
    struct sl_json_at other = sl_json_member(object, alias);
    *out = sl_json_member(object, key);
    if (out->value && other.value) {
        sl_diag_hint(diag, "take '%s' out", alias);
        return sl_json_refuse(&other, diag, "'%s' is another spelling of '%s', which is given too",
                              alias, key);
    }
    if (!out->value)
        *out = other;
    return 0;
}

static int read_inputs(const struct sl_json_at *object, struct sl_experiment *out,
                       struct sl_diag *diag)
{
    struct sl_json_at list = sl_json_member(object, "inputs");
    if (!list.value)
        return 0;
    int rc = sl_json_need_array(&list, diag);
    if (rc == 0 && sl_json_size(&list) > SL_EXPERIMENT_MAX_INPUTS)
        rc = sl_json_refuse(&list, diag, "More than %d inputs", SL_EXPERIMENT_MAX_INPUTS);
    if (rc < 0)
        return rc;
    out->input_count = sl_json_size(&list);
    for (size_t i = 0; i < out->input_count && rc == 0; i++) {
        struct sl_json_at item = sl_json_item(&list, i);
        rc = sl_json_get_text(&item, &out->inputs[i], diag);
    }
    return rc;
}

/* factor: {"sme2": ["off", "on"]}, which is the default as well. */
static int read_factor(const struct sl_json_at *object, struct sl_diag *diag)
{
    static const char *const levels[] = {"off", "on"};
    static const char *const keys[] = {"sme2"};
    struct sl_json_at factor = sl_json_member(object, "factor");
    if (!factor.value)
        return 0;
    int rc = sl_json_need_object(&factor, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&factor, keys, COUNT(keys), diag);
    struct sl_json_at list = sl_json_member(&factor, "sme2");
    bool fits = rc == 0 && sl_json_size(&list) == COUNT(levels);
    for (size_t i = 0; i < COUNT(levels) && fits; i++) {
        const char *level = "";
        struct sl_json_at item = sl_json_item(&list, i);
        fits = sl_json_get_text(&item, &level, NULL) == 0 && strcmp(level, levels[i]) == 0;
    }
    if (rc == 0 && !fits) {
        sl_diag_hint(diag, "say \"factor\": {\"sme2\": [\"off\", \"on\"]}");
        rc = sl_json_refuse(&factor, diag, "The one factor is sme2 with the levels off and on");
    }
    return rc;
}

/* What may stand at the top for all experiments and in each for itself. */
static int read_common(const struct sl_json_at *object, struct sl_experiment *out,
                       struct sl_diag *diag)
{
    struct sl_json_at runs,
        warmup = sl_json_member(object, "warmup"), shapes = sl_json_member(object, "input_shapes"),
        data = sl_json_member(object, "data_path"), method = sl_json_member(object, "method"),
        seed = sl_json_member(object, "seed");
    int rc = read_alias(object, "runs", "num_runs", &runs, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&runs, 1, MAX_RUNS, &out->runs, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&warmup, 0, MAX_RUNS, &out->warmup, diag);
    if (rc == 0)
        rc = sl_json_get_text(&shapes, &out->input_shapes, diag);
    if (rc == 0)
        rc = sl_json_get_text(&data, &out->data_path, diag);
    if (rc == 0)
        rc = sl_json_get_text(&method, &out->method, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&seed, 0, UINT32_MAX, &out->seed, diag);
    if (rc == 0)
        rc = sl_experiment_read_looks(object, &out->precision_percent, &out->budget_seconds, diag);
    if (rc == 0)
        rc = read_factor(object, diag);
    return rc < 0 ? rc : read_inputs(object, out, diag);
}

static int read_mode(const struct sl_json_at *object, struct sl_experiment *out,
                     struct sl_diag *diag)
{
    const char *mode = "timing";
    struct sl_json_at at = sl_json_member(object, "mode");
    int rc = sl_json_get_text(&at, &mode, diag);
    out->clean = rc == 0 && strcmp(mode, "clean") == 0;
    out->xnntrace = rc == 0 && strcmp(mode, "xnntrace") == 0;
    if (rc < 0 || out->clean || out->xnntrace || strcmp(mode, "timing") == 0)
        return rc;
    sl_diag_hint(diag, "say \"mode\": \"timing\", whose trace names the kernels as it is, or "
                       "\"clean\", which records whole executions alone");
    return sl_json_refuse(&at, diag, "There is no mode '%.64s'", mode);
}

static int read_experiment(const struct sl_json_at *object, struct sl_experiment *out,
                           struct sl_diag *diag)
{
    int rc = sl_json_need_object(object, diag);
    if (rc == 0)
        rc = sl_json_check_keys(object, experiment_keys, COUNT(experiment_keys), diag);
    if (rc < 0)
        return rc;
    struct sl_json_at name = sl_json_member(object, "name"),
                      model = sl_json_member(object, "model"),
                      cache = sl_json_member(object, "weight_cache"), threads;
    if (!name.value)
        return sl_json_refuse(object, diag, "The experiment has no 'name'");
    rc = sl_json_get_text(&name, &out->name, diag);
    if (rc == 0 && !sl_experiment_name_ok(out->name))
        rc = sl_json_refuse(&name, diag,
                            "A name becomes part of file names: at most %d letters, "
                            "digits, '.', '_' and '-'",
                            MAX_NAME_BYTES);
    if (rc == 0)
        rc = sl_json_get_text(&model, &out->model, diag);
    if (rc == 0)
        rc = read_mode(object, out, diag);
    if (rc == 0)
        rc = sl_json_get_bool(&cache, &out->weight_cache, diag);
    if (rc == 0)
        rc = read_alias(object, "threads", "num_threads", &threads, diag);
    if (rc == 0)
        rc = sl_experiment_read_threads(&threads, object, out, diag);
    if (rc == 0)
        rc = read_common(object, out, diag);
    out->family = out->name;
    return rc < 0 ? rc : sl_experiment_read_runner(object, out, diag);
}

static int read_experiments(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                            struct sl_diag *diag)
{
    struct sl_json_at list = sl_json_member(root, "experiments");
    int rc = read_common(root, &plan->experiments[0], diag);
    if (rc < 0 || !list.value)
        return rc;
    rc = sl_json_need_array(&list, diag);
    size_t count = sl_json_size(&list);
    if (rc == 0 && (count == 0 || count > SL_EXPERIMENT_MAX))
        rc = sl_json_refuse(&list, diag, "There must be 1 to %d experiments", SL_EXPERIMENT_MAX);
    const struct sl_experiment common = plan->experiments[0];
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct sl_json_at item = sl_json_item(&list, i);
        plan->experiments[i] = common;
        rc = read_experiment(&item, &plan->experiments[i], diag);
        for (size_t j = 0; j < i && rc == 0; j++) {
            if (strcmp(plan->experiments[i].name, plan->experiments[j].name) == 0)
                rc = sl_json_refuse(&item, diag, "Two experiments have the name '%s'",
                                    plan->experiments[i].name);
        }
    }
    plan->count = count;
    return rc;
}

static int read_device(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                       struct sl_diag *diag)
{
    struct sl_json_at at = sl_json_member(root, "device");
    if (!at.value)
        return 0;
    sl_diag_hint(diag, "say \"local\", \"emulated\", \"counted\" or a device's name");
    if (sl_json_get_text(&at, &plan->device, NULL) < 0)
        return sl_json_refuse(
            &at, diag, "Choosing devices by tags or several at once is not part of this version");
    if (strlen(plan->device) >= SL_NAME_BYTES)
        return sl_json_refuse(&at, diag, "No device has so long a name");
    sl_diag_hint(diag, "%s", "");
    return 0;
}

static int read_labels(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                       struct sl_diag *diag)
{
    struct sl_json_at labels = sl_json_member(root, "labels");
    return sl_json_get_texts(&labels, SL_EXPERIMENT_MAX_LABELS, plan->label_keys,
                             plan->label_values, &plan->label_count, diag);
}

/* model: a path, or a list of them. */
static int read_models(const struct sl_json_at *root, const char **out, size_t *out_count,
                       struct sl_diag *diag)
{
    struct sl_json_at model = sl_json_member(root, "model"), item = model;
    bool list = model.value && sl_json_need_array(&model, NULL) == 0;
    size_t count = list ? sl_json_size(&model) : 1;
    int rc = 0;
    if (!model.value || count == 0) {
        sl_diag_hint(diag, "say \"model\": \"path/to/model.pte\"");
        return sl_json_refuse(root, diag, "The configuration names no 'model'");
    }
    if (count > SL_EXPERIMENT_MAX)
        return sl_json_refuse(&model, diag, "More than %d models", SL_EXPERIMENT_MAX);
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (list)
            item = sl_json_item(&model, i);
        rc = sl_json_get_text(&item, &out[i], diag);
    }
    *out_count = count;
    return rc;
}

static int read_priority(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                         struct sl_diag *diag)
{
    double priority = 0;
    struct sl_json_at at = sl_json_member(root, "priority");
    int rc = sl_json_get_real(&at, -MAX_PRIORITY, MAX_PRIORITY, &priority, diag);
    if (rc == 0 && priority > floor(priority))
        rc = sl_json_refuse(&at, diag, "A priority is a whole number");
    plan->priority = (int32_t)priority;
    return rc;
}

static int read_plan(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                     struct sl_diag *diag)
{
    int rc = sl_json_need_object(root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(root, plan_keys, COUNT(plan_keys), diag);
    if (rc == 0)
        rc = refuse_later(root, plan_refusals, COUNT(plan_refusals), diag);
    if (rc < 0)
        return rc;
    struct sl_json_at output = sl_json_member(root, "output_root"),
                      cpu = sl_json_member(root, "cpu"), svl = sl_json_member(root, "svl"),
                      confidence = sl_json_member(root, "confidence"),
                      threshold = sl_json_member(root, "threshold_percent");
    const char *models[SL_EXPERIMENT_MAX];
    size_t model_count = 0;
    if ((rc = read_models(root, models, &model_count, diag)) < 0 ||
        (rc = sl_json_get_text(&output, &plan->output_root, diag)) < 0 ||
        (rc = sl_json_get_text(&cpu, &plan->cpu, diag)) < 0 ||
        (rc = sl_json_get_integer(&svl, 128, 2048, &plan->svl, diag)) < 0 ||
        (rc = sl_json_get_real(&confidence, 0.5, 0.9999, &plan->confidence, diag)) < 0 ||
        (rc = sl_json_get_real(&threshold, 0, 1000, &plan->threshold_percent, diag)) < 0 ||
        (rc = read_device(root, plan, diag)) < 0 || (rc = read_labels(root, plan, diag)) < 0 ||
        (rc = read_priority(root, plan, diag)) < 0)
        return rc;
    plan->model = plan->experiments[0].model = models[0];
    rc = read_experiments(root, plan, diag);
    if (rc == 0)
        rc = sl_experiment_plan_expand(plan, models, model_count, diag);
    return rc < 0 ? rc : sl_experiment_read_analysis(root, plan, diag);
}

/* Puts the file before the pointer in `diag`; of a long path the end is kept. */
static void name_file(const char *file, struct sl_diag *diag)
{
    char pointer[SL_JSON_POINTER_BYTES];
    if (!diag)
        return;
    snprintf(pointer, sizeof(pointer), "%.*s", (int)sizeof(pointer) - 1, diag->where);
    size_t room = sizeof(diag->where) - strlen(pointer) - sizeof(": ");
    size_t len = strlen(file);
    snprintf(diag->where, sizeof(diag->where), "%s: %s", len > room ? file + len - room : file,
             pointer);
}

int sl_experiment_plan_parse(struct sl_bytes text, const char *file, struct sl_experiment_plan *out,
                             struct sl_diag *diag)
{
    sl_experiment_plan_init(out, NULL);
    int rc = sl_json_doc_parse(text, file, &out->document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(out->document);
    rc = read_plan(&root, out, diag);
    if (rc < 0) {
        name_file(file, diag);
        sl_experiment_plan_fini(out);
    }
    return rc;
}
