/* host/spec/plan.c */
#include "host/spec/plan.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/param.h"
#include "host/spec/plan_paths.h"
#include "host/spec/selector_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_STEM_BYTES = 48 };

void sl_plan_init(struct sl_plan *plan, const char *model)
{
    memset(plan, 0, sizeof(*plan));
    sl_spec_init(&plan->specs[0]);
    plan->model = plan->specs[0].model = model;
    plan->count = 1;
}

void sl_plan_fini(struct sl_plan *plan)
{
    sl_json_doc_free(plan->document);
    plan->document = NULL;
}

void sl_plan_fill(struct sl_plan *plan, bool counted)
{
    for (size_t i = 0; i < plan->count; i++)
        sl_spec_fill(&plan->specs[i], counted);
}

/* --- a list of models times the experiments --- */

/* The file's name without its ending, fit for a file name. */
static void stem_of(const char *path, char out[MAX_STEM_BYTES])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int len = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, MAX_STEM_BYTES, "%.*s", len, name);
    for (char *at = out; *at; at++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *at))
            *at = '-';
    }
}

/* Models of the same name in different folders are told apart by their place in the list. */
static void name_model(const char *const *models, size_t count, size_t i, char out[MAX_STEM_BYTES])
{
    char other[MAX_STEM_BYTES], stem[MAX_STEM_BYTES];
    bool unique = true;
    stem_of(models[i], stem);
    for (size_t k = 0; k < count; k++) {
        stem_of(models[k], other);
        unique = unique && (k == i || strcmp(stem, other) != 0);
    }
    if (unique && stem[0] != '.')
        snprintf(out, MAX_STEM_BYTES, "%s", stem);
    else
        snprintf(out, MAX_STEM_BYTES, "m%zu-%.40s", i + 1, stem);
}

static int multiply(struct sl_plan *plan, const char *const *models, size_t count,
                    struct sl_diag *diag)
{
    size_t each = plan->count;
    if (count <= 1)
        return 0;
    if (count * each > SL_PLAN_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, "/model",
                           "%zu models and %zu experiments are more than %d together", count, each,
                           SL_PLAN_MAX);
    for (size_t k = count * each; k-- > 0;) { /* from the back: the first ones are the sources */
        struct sl_spec *to = &plan->specs[k];
        char stem[MAX_STEM_BYTES], name[SL_NAME_BYTES];
        name_model(models, count, k / each, stem);
        *to = plan->specs[k % each];
        int len = snprintf(name, sizeof(name), "%s_%s", stem, to->name);
        if (len < 0 || (size_t)len >= sizeof(name)) {
            sl_diag_hint(diag, "give the experiment a shorter name");
            return sl_diag_set(diag, SL_E_FORMAT, "/model",
                               "The name '%.100s' and the model's are too long together", to->name);
        }
        to->model = models[k / each];
        memcpy(to->name, name, sizeof(name));
    }
    plan->count = count * each;
    return 0;
}

/* --- lists of numbers --- */

static int check_names(const struct sl_plan *plan, const char *what, struct sl_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(plan->specs[i].name, plan->specs[k].name) == 0)
                return sl_diag_set(diag, SL_E_FORMAT, "/experiments",
                                   "With its number of %s one experiment is called '%.100s' "
                                   "as another is",
                                   what, plan->specs[i].name);
        }
    }
    return 0;
}

static int add_ending(struct sl_spec *spec, const char *ending, const char *what,
                      struct sl_diag *diag)
{
    size_t len = strlen(spec->name);
    if (len + strlen(ending) < sizeof(spec->name)) {
        snprintf(spec->name + len, sizeof(spec->name) - len, "%s", ending);
        return 0;
    }
    sl_diag_hint(diag, "give the experiment a shorter name");
    return sl_diag_set(diag, SL_E_FORMAT, "/experiments",
                       "The name '%.100s' is too long with its number of %s", spec->name, what);
}

static int check_total(size_t total, const char *what, struct sl_diag *diag)
{
    if (total <= SL_PLAN_MAX)
        return 0;
    return sl_diag_set(diag, SL_E_LIMIT, "/experiments",
                       "The experiments and their numbers of %s are more than %d together", what,
                       SL_PLAN_MAX);
}

/* One number of the source's list. */
static int put_number(const struct sl_param *param, struct sl_spec *source, size_t which,
                      struct sl_spec *out, struct sl_diag *diag)
{
    const uint32_t *values = sl_param_value(param, source);
    size_t count = *sl_param_items(param, source);
    *out = *source;
    *(uint32_t *)sl_param_value(param, out) = values[which];
    *sl_param_items(param, out) = 1;
    if (param->words[0] ? values[which] == (uint32_t)param->initial : count == 1)
        return 0;
    char ending[32];
    if (param->words[0])
        snprintf(ending, sizeof(ending), "_%s", param->words[values[which]]);
    else
        snprintf(ending, sizeof(ending), "_%s%u", param->ending, values[which]);
    return add_ending(out, ending, param->key, diag);
}

static int spread(struct sl_plan *plan, const struct sl_param *param, struct sl_diag *diag)
{
    size_t total = 0;
    for (size_t i = 0; i < plan->count; i++)
        total += *sl_param_items(param, &plan->specs[i]);
    int rc = check_total(total, param->key, diag);
    if (rc < 0)
        return rc;
    size_t to = total;
    for (size_t i = plan->count; i-- > 0 && rc == 0;) { /* from the back: sources come before */
        struct sl_spec source = plan->specs[i];
        for (size_t k = *sl_param_items(param, &source); k-- > 0 && rc == 0;)
            rc = put_number(param, &source, k, &plan->specs[--to], diag);
    }
    plan->count = total;
    return rc < 0 ? rc : check_names(plan, param->key, diag);
}

static uint32_t copies_of(const struct sl_spec *spec)
{
    return spec->process > 0 ? 1 : spec->processes;
}

/* The order of off and on is drawn anew in each process. */
static int put_process(const struct sl_spec *source, uint32_t nth, struct sl_spec *out,
                       struct sl_diag *diag)
{
    char ending[32];
    *out = *source;
    if (copies_of(source) == 1)
        return 0;
    out->process = nth;
    out->seed = source->seed + nth - 1;
    snprintf(ending, sizeof(ending), "_p%u", nth);
    return add_ending(out, ending, "processes", diag);
}

static int repeat(struct sl_plan *plan, struct sl_diag *diag)
{
    size_t total = 0;
    for (size_t i = 0; i < plan->count; i++)
        total += copies_of(&plan->specs[i]);
    int rc = check_total(total, "processes", diag);
    size_t to = total;
    for (size_t i = plan->count; i-- > 0 && rc == 0;) { /* from the back: sources come before */
        struct sl_spec source = plan->specs[i];
        for (uint32_t nth = copies_of(&source); nth > 0 && rc == 0; nth--)
            rc = put_process(&source, nth, &plan->specs[--to], diag);
    }
    plan->count = rc < 0 ? plan->count : total;
    return rc < 0 ? rc : check_names(plan, "processes", diag);
}

int sl_plan_spread(struct sl_plan *plan, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; i < sl_param_count && rc == 0; i++)
        if (sl_params[i].type == SL_PARAM_COUNTS)
            rc = spread(plan, &sl_params[i], diag);
    return rc < 0 ? rc : repeat(plan, diag);
}

/* --- one experiment on both runtimes --- */

int sl_plan_add_executorch(struct sl_plan *plan, struct sl_diag *diag)
{
    struct sl_spec *only = &plan->specs[0];
    only->runtime[0] = SL_RUNTIME_EXECUTORCH;
    only->runtime[1] = SL_RUNTIME_OWN;
    only->runtime_count = 2;
    return sl_plan_spread(plan, diag);
}

bool sl_plan_is_of_both(const struct sl_plan *plan)
{
    const struct sl_spec *a = &plan->specs[0], *b = &plan->specs[1];
    return plan->count == 2 && a->runtime[0] != b->runtime[0] && a->process == b->process &&
           strcmp(a->family, b->family) == 0 && strcmp(a->model, b->model) == 0;
}

bool sl_plan_shares(const struct sl_plan *plan, size_t index)
{
    bool plain = sl_plan_is_of_both(plan) && plan->specs[index].runtime[0] == SL_RUNTIME_OWN;
    return plan->count > 1 && !plain;
}

/* --- experiments --- */

/* Refuses what belongs to the agent's own runtime, in the experiment or above it. */
static void check_own(const struct sl_json_at *object, const struct sl_spec *spec)
{
    for (size_t i = 0; i < sl_param_count; i++) {
        const struct sl_param *param = &sl_params[i];
        struct sl_json_at at = sl_json_member(object, param->key);
        bool above = param->type != SL_PARAM_FIXED && param->in & SL_IN_TOP &&
                     sl_param_is_set(param, SL_IN_TOP, spec);
        if (!param->own || (!at.value && !above))
            continue;
        struct sl_json_at wrong = at.value ? at : *object;
        sl_json_hint(&wrong, "take '%s' out, or 'runner_path'", param->key);
        sl_json_refuse(&wrong, "'%s' is for the agent's own runtime, not for an external runner",
                       param->key);
    }
    if (strspn(spec->affinity, "0123456789abcdefABCDEFx,-") != strlen(spec->affinity)) {
        struct sl_json_at at = sl_json_member(object, "cpu_affinity");
        sl_json_hint(&at, "say a list such as 4-7 or a mask such as 0xf0");
        sl_json_refuse(&at, "Of an external runner the CPUs are numbers");
    }
    if (spec->mode != SL_MODE_CLEAN)
        return;
    sl_json_hint(object, "take the mode clean out, or 'runner_path'");
    sl_json_refuse(object, "The mode clean is not for external runners");
}

/* An external runner's files lie in a folder of its experiment's name, beside the job's own. */
static void check_folder(const struct sl_json_at *object, const char *name)
{
    static const char *const taken[] = {"files", "reference", "streams"};
    struct sl_json_at at = sl_json_member(object, "name");
    for (size_t i = 0; i < COUNT(taken); i++) {
        if (strcmp(name, taken[i]) != 0)
            continue;
        sl_json_hint(&at, "give the experiment another name");
        sl_json_refuse(&at, "The folder '%s' has other files of a run", name);
    }
}

static void check_environment(const struct sl_json_at *object, const struct sl_spec *spec)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    struct sl_json_at list = sl_json_member(object, "runner_environment");
    for (size_t i = 0; i < spec->runner_environment_count; i++) {
        const char *text = spec->runner_environment[i];
        if (text && (strspn(text, letters) == 0 || text[strspn(text, more)] != '='))
            sl_json_refuse(&list, "'%.100s' is no variable: say NAME=VALUE", text);
    }
}

static void check_runner(const struct sl_json_at *object, const struct sl_spec *spec)
{
    static const char *const keys[] = {"extra_args", "runner_libraries", "runner_environment"};
    struct sl_json_at at = *object;
    const char *said = spec->mode == SL_MODE_XNNTRACE ? "mode xnntrace" : NULL;
    if (spec->runner) {
        check_folder(object, spec->name);
        check_own(object, spec);
        check_environment(object, spec);
        return;
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct sl_json_at member = sl_json_member(object, keys[i]);
        if (member.value) {
            at = member;
            said = keys[i];
        }
    }
    if (said) {
        sl_json_hint(object, "name an executor_runner with 'runner_path'");
        sl_json_refuse(&at, "'%s' is for external runners; the experiment has no 'runner_path'",
                       said);
    }
}

static void read_experiment(const struct sl_json_at *object, struct sl_spec *out)
{
    sl_params_read(object, SL_IN_EXPERIMENT, NULL, 0, out);
    if (!sl_json_member(object, "name").value)
        sl_json_refuse(object, "The experiment has no 'name'");
    memcpy(out->family, out->name, sizeof(out->family));
    check_runner(object, out);
}

static void read_experiments(const struct sl_json_at *root, struct sl_plan *plan)
{
    struct sl_json_at list = sl_json_member(root, "experiments");
    const struct sl_spec common = plan->specs[0];
    size_t i = 0;
    if (!list.value)
        return;
    size_t count = sl_json_need_array(&list, SL_JSON_DOC_MAX_VALUES, "experiments");
    if (count == 0 || count > SL_PLAN_MAX)
        sl_json_refuse(&list, "There must be 1 to %d experiments", SL_PLAN_MAX);
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        plan->specs[i] = common;
        read_experiment(&at, &plan->specs[i]);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(plan->specs[i].name, plan->specs[j].name) == 0)
                sl_json_refuse(&at, "Two experiments have the name '%s'", plan->specs[i].name);
        }
        plan->count = ++i;
    }
}

/* --- analysis: which experiments with external runners are compared --- */

static const struct sl_spec *find(const struct sl_plan *plan, const char *family, uint32_t threads)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct sl_spec *spec = &plan->specs[i];
        for (size_t k = 0; k < spec->threads_count; k++) {
            if (strcmp(spec->family, family) == 0 && spec->threads[k] == threads)
                return spec;
        }
    }
    return NULL;
}

/* baseline and candidate: {"experiment": NAME, "threads": N}. */
static const struct sl_spec *read_side(const struct sl_json_at *pair, const char *key,
                                       const struct sl_plan *plan, const char **out_family,
                                       uint32_t *out_threads)
{
    static const char *const keys[] = {"experiment", "threads"};
    struct sl_json_at side = sl_json_member(pair, key), name, threads;
    if (!side.value)
        sl_json_refuse(pair, "The pair has no '%s'", key);
    sl_json_need_object(&side, keys, COUNT(keys), 0);
    name = sl_json_member(&side, "experiment");
    threads = sl_json_member(&side, "threads");
    if (!name.value || !threads.value)
        sl_json_refuse(&side, "A side of a pair has 'experiment' and 'threads'");
    *out_family = sl_json_get_text(name);
    sl_json_get_integer(threads, 1, SL_SPEC_MAX_THREADS, out_threads);
    const struct sl_spec *found = *out_family ? find(plan, *out_family, *out_threads) : NULL;
    if (!found)
        sl_json_refuse(&side, "There is no experiment '%.60s' with %u threads",
                       *out_family ? *out_family : "", *out_threads);
    return found;
}

static void read_pair(const struct sl_json_at *at, struct sl_plan *plan)
{
    static const char *const keys[] = {"baseline", "candidate", "label"};
    struct sl_plan_pair *pair = &plan->pairs[plan->pair_count++];
    const struct sl_spec *sides[2];
    sl_json_need_object(at, keys, COUNT(keys), 0);
    pair->label = sl_json_get_text(sl_json_member(at, "label"));
    for (int side = 0; side < 2; side++)
        sides[side] = read_side(at, keys[side], plan, &pair->family[side], &pair->threads[side]);
    if (sides[0] && sides[1] &&
        (sides[0]->mode == SL_MODE_XNNTRACE) != (sides[1]->mode == SL_MODE_XNNTRACE))
        sl_json_refuse(at, "One side is of the mode xnntrace, the other is not");
}

/* All or none have a runner; with runners there is one model. */
static void check_mix(const struct sl_json_at *root, const struct sl_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->specs[i].runner != !plan->specs[0].runner) {
            sl_json_hint(root, "make two configurations of them");
            sl_json_refuse(root, "Some experiments have a 'runner_path' and some have none");
        }
        if (plan->specs[0].runner && strcmp(plan->specs[i].model, plan->model) != 0) {
            sl_json_hint(root, "make a configuration for each model");
            sl_json_refuse(root, "External runners run one model in a configuration");
        }
    }
}

static void read_analysis(const struct sl_json_at *root, struct sl_plan *plan)
{
    static const char *const keys[] = {"compare_pairs"};
    struct sl_json_at analysis = sl_json_member(root, "analysis"), list;
    check_mix(root, plan);
    if (!sl_json_more(&analysis))
        return;
    if (!plan->specs[0].runner) {
        sl_json_hint(&analysis, "take 'analysis' out");
        sl_json_refuse(&analysis, "Pairs are of experiments with a 'runner_path'; without one the "
                                  "factor sme2 compares off and on within each experiment");
    }
    sl_json_need_object(&analysis, keys, COUNT(keys), 0);
    list = sl_json_member(&analysis, "compare_pairs");
    if (list.value)
        sl_json_need_array(&list, SL_PLAN_MAX_PAIRS, "pairs");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at))
        read_pair(&at, plan);
}

/* --- a configuration --- */

/* A key of the interface that this version does not act on, and the sentence that says so. */
static void refuse_later(const struct sl_json_at *root)
{
    static const char *const later[][2] = {
        {"gate", "Gates on temperature and battery are not part of this version"},
        {"power_mode", "Power modes are not part of this version"},
    };
    for (size_t i = 0; i < COUNT(later); i++) {
        struct sl_json_at at = sl_json_member(root, later[i][0]);
        if (at.value) {
            sl_json_hint(&at, "take '%s' out", later[i][0]);
            sl_json_refuse(&at, "%s", later[i][1]);
        }
    }
}

/* model: a path, or a list of them. Returns how many. */
static size_t read_models(const struct sl_json_at *root, const char *out[SL_PLAN_MAX])
{
    struct sl_json_at model = sl_json_member(root, "model");
    bool list = sl_json_is_array(&model);
    size_t count = 0;
    if (!model.value || (list && sl_json_size(&model) == 0)) {
        sl_json_hint(root, "say \"model\": \"path/to/model.pte\"");
        sl_json_refuse(root, "The configuration names no 'model'");
    }
    if (!list) {
        out[0] = sl_json_get_text(model);
        return 1;
    }
    sl_json_need_array(&model, SL_PLAN_MAX, "models");
    for (struct sl_json_at at = sl_json_first(&model); sl_json_more(&at); sl_json_next(&at))
        out[count++] = sl_json_get_text(at);
    return count;
}

static void read_plan(const struct sl_json_at *root, struct sl_plan *plan)
{
    static const char *const other[] = {"model", "experiments", "analysis", "gate", "power_mode"};
    const char *models[SL_PLAN_MAX];
    sl_params_read(root, SL_IN_TOP, other, COUNT(other), &plan->specs[0]);
    refuse_later(root);
    size_t model_count = read_models(root, models);
    if (root->reader->error < 0)
        return;
    plan->model = plan->specs[0].model = models[0];
    read_experiments(root, plan);
    if (root->reader->error == 0)
        sl_json_stop(root, multiply(plan, models, model_count, root->reader->diag));
    if (root->reader->error == 0)
        read_analysis(root, plan);
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

int sl_plan_parse(struct sl_bytes text, const char *file, struct sl_plan *out, struct sl_diag *diag)
{
    sl_plan_init(out, NULL);
    int rc = sl_json_doc_parse(text, file, &out->document, diag);
    if (rc < 0)
        return rc;
    rc = sl_plan_paths_resolve(out->document, file);
    struct sl_json_reader reader = {.error = rc < 0 ? rc : sl_selector_fold(out->document, diag),
                                    .diag = diag};
    struct sl_json_at root = sl_json_root(&reader, out->document);
    read_plan(&root, out);
    if (reader.error < 0) {
        name_file(file, diag);
        sl_plan_fini(out);
    }
    return reader.error;
}

/* --- as JSON again --- */

/* The name that an experiment has: by now, its list of threads being spread, or `family`. */
static const char *name_of(const struct sl_plan *plan, const char *family, uint32_t threads,
                           bool spread)
{
    const struct sl_spec *spec = find(plan, family, threads);
    return !spec ? NULL : spread ? spec->name : spec->family;
}

static void put_side(struct sl_json *json, const char *key, const char *name, uint32_t threads)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "experiment", name);
    sl_json_u64(json, "threads", threads);
    sl_json_close_object(json);
}

void sl_plan_put_pair(struct sl_json *json, const struct sl_plan_pair *pair,
                      const char *const names[2])
{
    sl_json_open_object(json, NULL);
    put_side(json, "baseline", names[0], pair->threads[0]);
    put_side(json, "candidate", names[1], pair->threads[1]);
    if (pair->label)
        sl_json_text(json, "label", pair->label);
    sl_json_close_object(json);
}

/* Pairs both of whose experiments are left. */
static void put_pairs(struct sl_json *json, const struct sl_plan *plan, bool spread)
{
    sl_json_open_object(json, "analysis");
    sl_json_open_array(json, "compare_pairs");
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct sl_plan_pair *pair = &plan->pairs[i];
        const char *const names[] = {name_of(plan, pair->family[0], pair->threads[0], spread),
                                     name_of(plan, pair->family[1], pair->threads[1], spread)};
        if (!names[0] || !names[1])
            continue;
        sl_plan_put_pair(json, pair, names);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_experiment(struct sl_json *json, struct sl_spec spec, const char *model)
{
    if (strcmp(spec.model, model) == 0)
        spec.model = NULL; /* it stands at the top */
    sl_json_open_object(json, NULL);
    sl_params_put(json, SL_IN_EXPERIMENT, 0, &spec);
    sl_json_close_object(json);
}

static void put_plan(struct sl_json *json, const struct sl_plan *plan, bool spread)
{
    sl_json_text(json, "model", plan->model);
    sl_params_put(json, SL_IN_TOP, SL_IN_EXPERIMENT, &plan->specs[0]); /* the rest is in each */
    sl_json_open_array(json, "experiments");
    for (size_t i = 0; i < plan->count; i++) {
        struct sl_spec spec = plan->specs[i];
        if (!spread)
            memcpy(spec.name, spec.family, sizeof(spec.name));
        while (!spread && i + 1 < plan->count && spec.threads_count < SL_SPEC_MAX_COUNTS &&
               strcmp(plan->specs[i + 1].family, spec.family) == 0)
            spec.threads[spec.threads_count++] = plan->specs[++i].threads[0];
        put_experiment(json, spec, plan->model);
    }
    sl_json_close_array(json);
    if (plan->pair_count > 0)
        put_pairs(json, plan, spread);
}

int sl_plan_explain(const struct sl_plan *plan, struct sl_buf *out)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    put_plan(&json, plan, true);
    sl_json_close_object(&json);
    return json.error;
}

/* --- external runners --- */

void sl_plan_put(const struct sl_plan *plan, struct sl_json *json)
{
    put_plan(json, plan, false);
}

void sl_plan_read_runners(const struct sl_json_at *at, struct sl_plan *out)
{
    sl_plan_init(out, NULL);
    read_plan(at, out);
    if (!out->specs[0].runner)
        sl_json_refuse(at, "Its experiments name no external runner ('runner_path')");
    if (at->reader->error == 0)
        sl_json_stop(at, sl_plan_spread(out, at->reader->diag));
    if (at->reader->error == 0)
        sl_plan_fill(out, false);
}

int sl_plan_each_file(struct sl_plan *plan, sl_param_file_fn call, void *user)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < plan->count; i++)
        rc = sl_params_each_file(&plan->specs[i], call, user);
    return rc;
}

static size_t append(const struct sl_plan *plan, const struct sl_spec *spec, size_t count,
                     size_t out[SL_PLAN_MAX])
{
    size_t place = (size_t)(spec - plan->specs);
    for (size_t i = 0; i < count; i++)
        if (out[i] == place)
            return count;
    out[count] = place;
    return count + 1;
}

void sl_plan_order(const struct sl_plan *plan, size_t out[SL_PLAN_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct sl_plan_pair *pair = &plan->pairs[i];
        for (int side = 0; side < 2; side++) {
            const struct sl_spec *spec = find(plan, pair->family[side], pair->threads[side]);
            count = spec ? append(plan, spec, count, out) : count;
        }
    }
    for (size_t i = 0; i < plan->count; i++)
        count = append(plan, &plan->specs[i], count, out);
}

uint32_t sl_plan_rounds(const struct sl_spec *spec)
{
    uint32_t most = spec->mode == SL_MODE_XNNTRACE ? 1 : SL_PLAN_ROUNDS;
    return spec->runs < most ? spec->runs : most;
}

int sl_plan_check_device(const struct sl_spec *spec, struct sl_device_traits traits,
                         struct sl_diag *diag)
{
    const struct sl_plan *plan = spec->plan;
    if (spec->native)
        return 0;
    if (traits.counted)
        return sl_diag_set(diag, SL_E_FORMAT, "device",
                           "An external runner's instructions cannot be counted, since it has no "
                           "marks to count at: take a device local or emulated");
    for (size_t i = 0; i < plan->count && traits.emulated; i++)
        if (plan->specs[i].affinity[0])
            return sl_diag_set(diag, SL_E_FORMAT, "cpu_affinity",
                               "An emulated CPU has no cores to stay on");
    return 0;
}
