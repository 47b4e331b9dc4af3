/* host/spec/experiment_runner.c: experiments that an external executor_runner runs, and which of
 * them are to be compared. */
#include <string.h>

#include "common/base/error.h"
#include "host/spec/experiment.h"
#include "host/spec/json_doc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What belongs to the agent's own runtime. */
static int check_own(const struct sl_json_at *object, const struct sl_experiment *experiment,
                     struct sl_diag *diag)
{
    static const char *const own[] = {"factor",        "sme_threads",       "processes",
                                      "input_shapes",  "precision_percent", "weight_cache",
                                      "budget_seconds"};
    for (size_t i = 0; i < COUNT(own); i++) {
        struct sl_json_at at = sl_json_member(object, own[i]);
        if (at.value) {
            sl_diag_hint(diag, "take '%s' out, or 'runner_path'", own[i]);
            return sl_json_refuse(&at, diag,
                                  "'%s' is for the agent's own runtime, not for an "
                                  "external runner",
                                  own[i]);
        }
    }
    if (experiment->affinity &&
        strspn(experiment->affinity, "0123456789abcdefABCDEFx,-") != strlen(experiment->affinity)) {
        struct sl_json_at at = sl_json_member(object, "cpu_affinity");
        sl_diag_hint(diag, "say a list such as 4-7 or a mask such as 0xf0");
        return sl_json_refuse(&at, diag, "Of an external runner the CPUs are numbers");
    }
    if (!experiment->clean && !experiment->input_shapes && experiment->precision_percent <= 0 &&
        experiment->budget_seconds <= 0)
        return 0;
    sl_diag_hint(diag, "take the mode clean, input_shapes, precision_percent and budget_seconds "
                       "out, or 'runner_path'");
    return sl_json_refuse(object, diag,
                          "The mode clean, input_shapes, precision_percent and "
                          "budget_seconds are not for external runners");
}

static int read_args(const struct sl_json_at *list, struct sl_experiment *out, struct sl_diag *diag)
{
    int rc = sl_json_need_array(list, diag);
    size_t count = sl_json_size(list);
    if (rc == 0 && count > SL_EXPERIMENT_MAX_ARGS)
        rc = sl_json_refuse(list, diag, "More than %d arguments", SL_EXPERIMENT_MAX_ARGS);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct sl_json_at item = sl_json_item(list, i);
        rc = sl_json_get_text(&item, &out->extra_args[i], diag);
    }
    out->extra_arg_count = rc == 0 ? count : 0;
    return rc;
}

int sl_experiment_read_runner(const struct sl_json_at *object, struct sl_experiment *out,
                              struct sl_diag *diag)
{
    struct sl_json_at path = sl_json_member(object, "runner_path"),
                      alias = sl_json_member(object, "quiet_runner"),
                      args = sl_json_member(object, "extra_args");
    if (path.value && alias.value) {
        sl_diag_hint(diag, "take 'quiet_runner' out");
        return sl_json_refuse(&alias, diag,
                              "'quiet_runner' is another spelling of 'runner_path', "
                              "which is given too");
    }
    int rc = sl_json_get_text(path.value ? &path : &alias, &out->runner, diag);
    if (rc < 0)
        return rc;
    if (!out->runner && (args.value || out->xnntrace)) {
        sl_diag_hint(diag, "name an executor_runner with 'runner_path'");
        return sl_json_refuse(args.value ? &args : object, diag,
                              "%s for external runners; the experiment has no 'runner_path'",
                              args.value ? "'extra_args' are" : "The mode xnntrace is");
    }
    if (args.value)
        rc = read_args(&args, out, diag);
    return rc < 0 || !out->runner ? rc : check_own(object, out, diag);
}

static const struct sl_experiment *find(const struct sl_experiment_plan *plan, const char *family,
                                        uint32_t threads)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct sl_experiment *experiment = &plan->experiments[i];
        for (size_t k = 0; k < experiment->thread_count; k++) {
            if (strcmp(experiment->family, family) == 0 && experiment->threads[k] == threads)
                return experiment;
        }
    }
    return NULL;
}

/* baseline and candidate: {"experiment": NAME, "threads": N}. */
static int read_side(const struct sl_json_at *pair, const char *key,
                     const struct sl_experiment_plan *plan, const char **out_family,
                     uint32_t *out_threads, struct sl_diag *diag)
{
    static const char *const keys[] = {"experiment", "threads"};
    struct sl_json_at side = sl_json_member(pair, key), name, threads;
    if (!side.value)
        return sl_json_refuse(pair, diag, "The pair has no '%s'", key);
    int rc = sl_json_need_object(&side, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&side, keys, COUNT(keys), diag);
    if (rc < 0)
        return rc;
    name = sl_json_member(&side, "experiment");
    threads = sl_json_member(&side, "threads");
    if (!name.value || !threads.value)
        return sl_json_refuse(&side, diag, "A side of a pair has 'experiment' and 'threads'");
    rc = sl_json_get_text(&name, out_family, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&threads, 1, SL_EXPERIMENT_MAX_THREADS, out_threads, diag);
    if (rc == 0 && !find(plan, *out_family, *out_threads))
        rc = sl_json_refuse(&side, diag, "There is no experiment '%.60s' with %u threads",
                            *out_family, *out_threads);
    return rc;
}

static int read_pair(const struct sl_json_at *at, struct sl_experiment_plan *plan,
                     struct sl_diag *diag)
{
    static const char *const keys[] = {"baseline", "candidate", "label"};
    struct sl_experiment_pair *pair = &plan->pairs[plan->pair_count];
    struct sl_json_at label;
    int rc = sl_json_need_object(at, diag);
    if (rc == 0)
        rc = sl_json_check_keys(at, keys, COUNT(keys), diag);
    if (rc < 0)
        return rc;
    label = sl_json_member(at, "label");
    rc = sl_json_get_text(&label, &pair->label, diag);
    for (int side = 0; side < 2 && rc == 0; side++)
        rc = read_side(at, keys[side], plan, &pair->family[side], &pair->threads[side], diag);
    if (rc == 0 && find(plan, pair->family[0], pair->threads[0])->xnntrace !=
                       find(plan, pair->family[1], pair->threads[1])->xnntrace)
        rc = sl_json_refuse(at, diag, "One side is of the mode xnntrace, the other is not");
    plan->pair_count += rc == 0;
    return rc;
}

/* All or none have a runner; with runners there is one model. */
static int check_mix(const struct sl_json_at *root, const struct sl_experiment_plan *plan,
                     struct sl_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->experiments[i].runner != !plan->experiments[0].runner) {
            sl_diag_hint(diag, "make two configurations of them");
            return sl_json_refuse(root, diag,
                                  "Some experiments have a 'runner_path' and some have "
                                  "none");
        }
        if (plan->experiments[0].runner && strcmp(plan->experiments[i].model, plan->model) != 0) {
            sl_diag_hint(diag, "make a configuration for each model");
            return sl_json_refuse(root, diag, "External runners run one model in a configuration");
        }
    }
    return 0;
}

int sl_experiment_read_analysis(const struct sl_json_at *root, struct sl_experiment_plan *plan,
                                struct sl_diag *diag)
{
    static const char *const keys[] = {"compare_pairs"};
    struct sl_json_at analysis = sl_json_member(root, "analysis"), list;
    int rc = check_mix(root, plan, diag);
    if (rc < 0 || !analysis.value)
        return rc;
    if (!plan->experiments[0].runner) {
        sl_diag_hint(diag, "take 'analysis' out");
        return sl_json_refuse(&analysis, diag,
                              "Pairs are of experiments with a 'runner_path'; without one the "
                              "factor sme2 compares off and on within each experiment");
    }
    rc = sl_json_need_object(&analysis, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&analysis, keys, COUNT(keys), diag);
    if (rc < 0)
        return rc;
    list = sl_json_member(&analysis, "compare_pairs");
    rc = list.value ? sl_json_need_array(&list, diag) : 0;
    size_t count = sl_json_size(&list);
    if (rc == 0 && count > SL_EXPERIMENT_MAX_PAIRS)
        rc = sl_json_refuse(&list, diag, "More than %d pairs", SL_EXPERIMENT_MAX_PAIRS);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct sl_json_at item = sl_json_item(&list, i);
        rc = read_pair(&item, plan, diag);
    }
    return rc;
}
