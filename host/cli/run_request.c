/* host/cli/run_request.c */
#include "host/cli/run_request.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/group.h"
#include "host/cli/server_address.h"
#include "host/device/launch.h"
#include "host/report/silicon_file.h"
#include "host/spec/nearest.h"
#include "host/spec/param.h"
#include "host/spec/path_stem.h"
#include "host/spec/plan.h"

#define NOT_SAID INT64_MIN /* of a number: the option is not on the command line */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_CONFIG_BYTES = 4 << 20, MAX_OPTIONS = SL_PARAMS_MAX + 16 };

static const char run_about[] =
    "Runs a model with SME2 off and on, interleaved in one process, and shows how much less work\n"
    "there is and where, operator category by category. Writes two ETDumps, the trace they were\n"
    "made of, a timeline, the agent's log, the outputs and a manifest.\n"
    "\n"
    "Devices: local is this machine, in nanoseconds, and the default where it has SME2. counted "
    "is\n"
    "the default elsewhere: the emulator executes SME2, and its instructions are counted, exact\n"
    "and the same in every run; counts are not time. emulated runs in the emulator by its clock:\n"
    "outputs and operators are real, its latencies mean nothing.\n"
    "\n"
    "The daemon runs it: the one named by --server or $SME2LAB_SERVER, or the one that listens in\n"
    "the state directory. Where there is none, or with --server private, one is started for the\n"
    "purpose, which later runs share and which ends when it is idle. Ctrl-C leaves the run going.\n"
    "\n"
    "A model runs on ExecuTorch's own libraries too, where they are installed on this machine\n"
    "(scripts/setup --executorch): its figures first, ours beside them, and what ExecuTorch could\n"
    "still gain. --runtime, or $SME2LAB_RUNTIME, names one of the two. A model that ExecuTorch\n"
    "refuses is measured on ours, and a line says so; without --threshold the exit code is ours,\n"
    "and 1 for wrong outputs of either.";

static const char run_notes[] =
    "Verdicts and exit codes: faster, equivalent, and slower within --threshold are 0; wrong (the\n"
    "outputs of off, on and the portable kernels disagree) or a run that fails is 1; slower "
    "beyond\n"
    "--threshold is 3; inconclusive, unfit or incomparable is 4; a command line, configuration or\n"
    "file that cannot be is 2; a missing emulator, agent or daemon is 5; interrupted is 130. All\n"
    "experiments run, even if one of them fails, and the worst code is the exit code.\n"
    "With --json one experiment prints one object, with its outputs; where both runtimes ran it,\n"
    "also 'runtimes' and 'left'. Several experiments print an array.\n"
    "With --fail-on a run that ends fails only for what the list names, and for a wrong output;\n"
    "--junit, --comment and --codequality write what a CI server shows.\n"
    "With --baseline the comparison of 'sme2lab compare' follows (with --json as a line of its\n"
    "own), and its code counts as well. The run measures the runtimes that the baseline has; it\n"
    "refuses one that the baseline does not have.\n"
    "\n"
    "Examples:\n"
    "  sme2lab run model.pte\n"
    "  sme2lab run model.pte --data-path weights.ptd --inputs x.bin\n"
    "  sme2lab run model.bpte                (a bundled program brings its inputs)\n"
    "  sme2lab run model.pte --svl 256 --runs 3 --json\n"
    "  sme2lab run model.pte --baseline out/before --threshold 2\n"
    "  sme2lab run configs/examples/toy_cnn.json --explain";

static const char submit_about[] =
    "Sends a model and its inputs to the daemon, unless it has them, and puts a job into its "
    "queue\n"
    "for each experiment of the configuration. Prints the numbers of the jobs, one a line, and "
    "does\n"
    "not wait: 'sme2lab watch JOB' shows one as it goes, 'sme2lab wait JOB' ends when it ends.\n"
    "Several experiments are a group, g7, which the verbs that take jobs take in their place.\n"
    "Where no daemon listens, a private one is started as 'sme2lab run' does.\n"
    "\n"
    "With --wait it goes on to the end as 'sme2lab run' does: one command for a CI job. --fail-on\n"
    "says what alone fails of runs that end; --junit, --comment and --codequality write what a CI\n"
    "server shows, failed runs too; where $GITHUB_ACTIONS is true, what fails is annotated.";

static const char submit_notes[] =
    "Exit codes: 0 all are in the queue; 2 a command line, configuration or file that cannot be, "
    "or\n"
    "a device that the lab does not have; 5 the daemon failed or is not there. With --wait those "
    "of\n"
    "'sme2lab run': 1 a run that fails or whose output is wrong, 3 what --fail-on names, 4 that "
    "nothing\n"
    "was shown of it.\n"
    "\n"
    "Examples:\n"
    "  sme2lab submit model.pte --wait --fail-on slower:3%,wrong --junit out.xml --comment out.md\n"
    "  sme2lab submit model.pte --device counted-512\n"
    "  sme2lab wait $(sme2lab submit configs/examples/toy_cnn.json)\n"
    "  ZOO=$(sme2lab submit a.pte --group zoo); sme2lab submit b.pte --group $ZOO; sme2lab wait "
    "$ZOO";

/* The option of a parameter, of what its type is on the command line. */
static struct sl_option option_of(const struct sl_param *param, union sl_cli_run_said *said)
{
    struct sl_option option = {param->option, param->short_option, SL_OPTION_TEXT,
                               said,          param->argument,     param->says};
    switch (param->type) {
    case SL_PARAM_COUNT:
    case SL_PARAM_NUMBER:
        option.kind = param->low < 0 ? SL_OPTION_WHOLE : SL_OPTION_COUNT;
        said->count = NOT_SAID;
        break;
    case SL_PARAM_REAL:
        option.kind = SL_OPTION_REAL;
        said->real = NAN;
        break;
    case SL_PARAM_FLAG:
        option.kind = SL_OPTION_FLAG;
        break;
    case SL_PARAM_LABELS:
        option.kind = SL_OPTION_LIST;
        break;
    default:
        break;
    }
    return option;
}

/* The parameters that the verb takes, then what both verbs take; how many. */
static size_t fill_options(struct sl_cli_run_request *r, unsigned verb, struct sl_option *out)
{
    const struct sl_option both[] = {
        {"--only", 0, SL_OPTION_LIST, &r->only, "NAME",
         "run only this experiment of the configuration; may be repeated"},
        {"--explain", 0, SL_OPTION_FLAG, &r->explain, NULL,
         "print the resolved experiments and run nothing"},
    };
    size_t count = 0;
    *r = (struct sl_cli_run_request){.target = NULL};
    for (size_t i = 0; i < sl_param_count; i++) {
        struct sl_option option = option_of(&sl_params[i], &r->said[i]);
        if (sl_params[i].verbs & verb)
            out[count++] = option;
    }
    memcpy(out + count, both, sizeof(both));
    sl_ci_options(&r->ci, out + count + COUNT(both));
    return count + COUNT(both) + SL_CI_OPTIONS;
}

static int parse(struct sl_cli_run_request *r, const struct sl_usage *usage, int argc, char **argv,
                 struct sl_diag *diag)
{
    size_t count = 0;
    int rc = sl_options_parse(usage, argc, argv, &r->target, 1, &count, diag);
    if (rc != 0)
        return rc;
    if (count == 0) {
        sl_diag_hint(diag, "usage: sme2lab %s %s", usage->verb, usage->synopsis);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "No model was named");
    }
    size_t used = (size_t)snprintf(r->command, SL_CLI_RUN_COMMAND_BYTES, "sme2lab");
    for (int i = 0; i < argc && used < SL_CLI_RUN_COMMAND_BYTES; i++)
        used +=
            (size_t)snprintf(r->command + used, SL_CLI_RUN_COMMAND_BYTES - used, " %s", argv[i]);
    return 0;
}

/* Adds the options of measuring to the end; returns how many. */
static size_t fill_whole(struct sl_cli_run_request *r, struct sl_option *out)
{
    const struct sl_option whole[] = {
        {"--force", 0, SL_OPTION_FLAG, &r->force, NULL, "overwrite another run's files in --out"},
        {"--cancel-on-interrupt", 0, SL_OPTION_FLAG, &r->cancel_on_interrupt, NULL,
         "Ctrl-C stops the jobs; without it they go on"},
        {"--baseline", 0, SL_OPTION_TEXT, &r->baseline, "RUN|DIR",
         "an earlier run to compare with: fails where off, on or the gain from SME2 is worse by "
         "more than --threshold"},
    };
    memcpy(out, whole, sizeof(whole));
    return COUNT(whole);
}

int sl_cli_run_request_parse(struct sl_cli_run_request *r, int argc, char **argv,
                             struct sl_diag *diag)
{
    const struct sl_option own[] = {
        {"--analysis-only", 0, SL_OPTION_FLAG, &r->analysis_only, NULL,
         "measure nothing: compute the files of --out DIR anew from its traces"},
        {"--etrecord", 0, SL_OPTION_TEXT, &r->record_path, "FILE",
         "the model's ETRecord: names the lines of its source that cost most"},
        {"--full", 0, SL_OPTION_FLAG, &r->full, NULL,
         "print operators, kernels, proof of SME2 and files too"},
    };
    struct sl_option options[MAX_OPTIONS];
    size_t count = fill_options(r, SL_VERB_RUN, options);
    count += fill_whole(r, options + count);
    memcpy(options + count, own, sizeof(own));
    const struct sl_usage usage = {.verb = "run",
                                   .synopsis = "MODEL.pte|CONFIG.json [option...]",
                                   .about = run_about,
                                   .options = options,
                                   .option_count = count + COUNT(own),
                                   .speaks_http = true,
                                   .notes = run_notes};
    return parse(r, &usage, argc, argv, diag);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t len = strlen(text), tail = strlen(ending);
    return len >= tail && strcmp(text + len - tail, ending) == 0;
}

/* A configuration says itself what runs it; files that are there already say it too. */
static bool may_choose_runtime(const struct sl_cli_run_request *r)
{
    return !ends_with(r->target, ".json") && !r->analysis_only && r->only.count == 0;
}

static union sl_cli_run_said *said_of_runtime(struct sl_cli_run_request *r)
{
    size_t i = 0;
    while (!sl_params[i].option || strcmp(sl_params[i].option, "--runtime") != 0)
        i++;
    return &r->said[i];
}

int sl_cli_run_request_take_runtime(struct sl_cli_run_request *r, const char *otherwise,
                                    const char *server, struct sl_diag *diag)
{
    union sl_cli_run_said *said = said_of_runtime(r);
    const char *usual = getenv("SME2LAB_RUNTIME");
    if (!said->text && may_choose_runtime(r))
        said->text = usual && *usual ? usual : otherwise;
    if (!said->text)
        return 0;
    int rc = sl_runtime_dir_take(said->text, server, r->runtime, diag);
    if (rc == 0)
        said->text = r->runtime;
    return rc < 0 ? rc : 0;
}

int sl_cli_run_request_add_executorch(struct sl_cli_run_request *r, const char *server,
                                      struct sl_plan *plan, struct sl_diag *diag)
{
    struct sl_tool installed;
    bool elsewhere = sl_server_address_is_named(server) && !sl_server_address_is_private(server);
    if (said_of_runtime(r)->text || !may_choose_runtime(r) || plan->count > 1 || elsewhere ||
        sl_tools_find_executorch(&installed, NULL) < 0)
        return 0;
    r->both_by_default = true;
    return sl_plan_add_executorch(plan, diag);
}

/* Who does not wait gets nothing of these. */
static int check_wait(const struct sl_cli_run_request *r, struct sl_diag *diag)
{
    const char *option = r->ci.fail_on            ? "--fail-on"
                         : r->ci.junit            ? "--junit"
                         : r->ci.comment          ? "--comment"
                         : r->ci.codequality      ? "--codequality"
                         : r->baseline            ? "--baseline"
                         : r->out                 ? "--out"
                         : r->force               ? "--force"
                         : r->cancel_on_interrupt ? "--cancel-on-interrupt"
                                                  : NULL;
    if (r->wait || !option)
        return 0;
    sl_diag_hint(diag, "say --wait too");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, option, "It is for who waits until the jobs end");
}

int sl_cli_run_request_parse_submit(struct sl_cli_run_request *r, int argc, char **argv,
                                    struct sl_diag *diag)
{
    const struct sl_option own[] = {
        {"--wait", 0, SL_OPTION_FLAG, &r->wait, NULL,
         "follow the jobs, fetch their files and print the results, as 'sme2lab run' does"},
        {"--group", 0, SL_OPTION_TEXT, &r->group, "NAME|gN",
         "make a group of that name, or join that one, and print it in place of its jobs"},
        {"--out", 'o', SL_OPTION_TEXT, &r->out, "DIR",
         "with --wait: where the files go (out/MODEL-TIME)"},
    };
    struct sl_option options[MAX_OPTIONS];
    size_t count = fill_options(r, SL_VERB_SUBMIT, options);
    count += fill_whole(r, options + count);
    memcpy(options + count, own, sizeof(own));
    const struct sl_usage usage = {.verb = "submit",
                                   .synopsis = "MODEL.pte|CONFIG.json [option...]",
                                   .about = submit_about,
                                   .options = options,
                                   .option_count = count + COUNT(own),
                                   .speaks_http = true,
                                   .notes = submit_notes};
    int rc = parse(r, &usage, argc, argv, diag);
    r->grouped = true;
    return rc == 0 ? check_wait(r, diag) : rc;
}

static int load_plan(const struct sl_cli_run_request *r, struct sl_plan *plan, struct sl_diag *diag)
{
    struct sl_buf text;
    sl_plan_init(plan, r->target);
    if (!ends_with(r->target, ".json"))
        return 0;
    int rc = sl_buf_read_file(r->target, MAX_CONFIG_BYTES, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "name a configuration that can be read, or a .pte");
        return sl_diag_set(diag, rc, r->target, "The configuration cannot be read (%s)",
                           sl_strerror(rc));
    }
    rc = sl_plan_parse((struct sl_bytes){text.data, text.size}, r->target, plan, diag);
    sl_buf_fini(&text);
    return rc;
}

static int keep_only(const struct sl_cli_run_request *r, struct sl_plan *plan, struct sl_diag *diag)
{
    const char *names[SL_PLAN_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++)
        names[i] = plan->specs[i].name;
    for (size_t o = 0; o < r->only.count; o++) {
        bool found = false;
        for (size_t i = 0; i < plan->count; i++)
            found = found || strcmp(names[i], r->only.items[o]) == 0;
        if (found)
            continue;
        const char *nearest = sl_nearest(r->only.items[o], names, plan->count);
        sl_diag_hint(diag, "the experiment nearest to it is '%s'", nearest ? nearest : names[0]);
        return sl_diag_set(diag, SL_E_NOT_FOUND, "--only", "There is no experiment '%s'",
                           r->only.items[o]);
    }
    for (size_t i = 0; i < plan->count; i++) {
        bool wanted = r->only.count == 0;
        for (size_t o = 0; o < r->only.count; o++)
            wanted = wanted || strcmp(names[i], r->only.items[o]) == 0;
        if (wanted)
            plan->specs[kept++] = plan->specs[i];
    }
    plan->count = kept;
    return 0;
}

/* A number that was given must lie in its range. */
static int check_range(const struct sl_param *param, double value, struct sl_diag *diag)
{
    if (value >= param->low && value <= param->high)
        return 0;
    if (param->hint)
        sl_diag_hint(diag, "%s", param->hint);
    else
        sl_diag_hint(diag, "say %s %.15g to %.15g", param->option, param->low, param->high);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, param->option, "%.15g is out of its range", value);
}

/* first.bin,second.bin */
static int split_paths(struct sl_cli_run_request *r, const struct sl_param *param, const char *text,
                       struct sl_spec *spec, struct sl_diag *diag)
{
    const char **paths = sl_param_value(param, spec);
    char **copy = &r->path_texts[param - sl_params];
    size_t count = 0;
    sl_free(*copy);
    *copy = sl_strndup(text, strlen(text));
    if (!*copy)
        return -ENOMEM;
    for (char *at = *copy; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (count == param->most || !*at) {
            sl_diag_hint(diag, "say %s first.bin,second.bin", param->option);
            return sl_diag_set(diag, SL_E_UNSUPPORTED, param->option,
                               *at ? "There are too many files" : "A file has no name");
        }
        paths[count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    *sl_param_items(param, spec) = count;
    return 0;
}

/* K=V, each time: beside the configuration's. */
static int set_labels(struct sl_cli_run_request *r, const struct sl_param *param,
                      const struct sl_option_list *list, struct sl_spec *spec, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; i < list->count && rc == 0; i++) {
        const char *word = list->items[i], *equals = strchr(word, '=');
        size_t len = equals ? (size_t)(equals - word) : 0;
        if (!equals || len >= SL_NAME_BYTES) {
            sl_diag_hint(diag, "say %s branch=main", param->option);
            return sl_diag_set(diag, SL_E_UNSUPPORTED, param->option,
                               "'%.80s' is no label: a key of at most %d bytes, '=' and a value",
                               word, SL_NAME_BYTES - 1);
        }
        memcpy(r->label_keys[i], word, len);
        r->label_keys[i][len] = '\0';
        rc = sl_param_set_label(param, r->label_keys[i], equals + 1, spec, diag);
    }
    return rc;
}

static int take_number(const struct sl_param *param, const union sl_cli_run_said *said, void *value,
                       struct sl_diag *diag)
{
    bool real = param->type == SL_PARAM_REAL;
    if (real ? isnan(said->real) : said->count == NOT_SAID)
        return 0;
    int rc = check_range(param, real ? said->real : (double)said->count, diag);
    if (rc < 0)
        return rc;
    if (real)
        *(double *)value = said->real;
    else if (param->type == SL_PARAM_NUMBER)
        *(int32_t *)value = (int32_t)said->count;
    else
        *(uint32_t *)value = (uint32_t)said->count;
    return 0;
}

/* Takes one parameter from the command line. */
static int take(struct sl_cli_run_request *r, size_t which, struct sl_spec *spec,
                struct sl_diag *diag)
{
    const struct sl_param *param = &sl_params[which];
    const union sl_cli_run_said *said = &r->said[which];
    void *value = sl_param_value(param, spec);
    switch (param->type) {
    case SL_PARAM_COUNT:
    case SL_PARAM_NUMBER:
    case SL_PARAM_REAL:
        return take_number(param, said, value, diag);
    case SL_PARAM_FLAG:
        *(bool *)value = *(bool *)value || said->flag;
        return 0;
    case SL_PARAM_COUNTS:
        return said->text ? sl_param_parse_counts(param, said->text, spec, diag) : 0;
    case SL_PARAM_PATHS:
        return said->text ? split_paths(r, param, said->text, spec, diag) : 0;
    case SL_PARAM_LABELS:
        return set_labels(r, param, &said->list, spec, diag);
    case SL_PARAM_TEXT:
    case SL_PARAM_PATH:
        *(const char **)value = said->text ? said->text : *(const char **)value;
        return 0;
    default: /* has no option */
        return 0;
    }
}

static void copy_paths(const struct sl_param *param, struct sl_spec *from, struct sl_spec *to)
{
    size_t count = *sl_param_items(param, from);
    memcpy(sl_param_value(param, to), sl_param_value(param, from), count * sizeof(const char *));
    *sl_param_items(param, to) = count;
}

/* The command line beats the configuration. */
static int override(struct sl_cli_run_request *r, struct sl_plan *plan, struct sl_diag *diag)
{
    struct sl_spec *first = &plan->specs[0];
    int rc = 0;
    for (size_t i = 0; i < plan->count && rc == 0; i++) {
        struct sl_spec *spec = &plan->specs[i];
        for (size_t k = 0; k < sl_param_count && rc == 0; k++) {
            if (sl_params[k].type == SL_PARAM_PATHS && r->said[k].text && i > 0)
                copy_paths(&sl_params[k], first, spec); /* split once, for the first */
            else
                rc = take(r, k, spec, diag);
        }
        if (r->out)
            spec->output_root = r->out;
        if (rc == 0)
            rc = sl_spec_check_looks(spec, spec->name, diag);
    }
    if (rc == 0)
        rc = sl_plan_spread(plan, diag);
    return rc < 0 ? rc : keep_only(r, plan, diag);
}

int sl_cli_run_request_plan(struct sl_cli_run_request *r, struct sl_plan *out, struct sl_diag *diag)
{
    int rc = load_plan(r, out, diag);
    if (rc < 0)
        return rc;
    rc = override(r, out, diag);
    if (rc < 0)
        sl_plan_fini(out);
    return rc;
}

int sl_cli_run_request_join(const struct sl_cli_run_request *r, const struct sl_plan *plan,
                            struct sl_client *client, uint64_t *out_group, struct sl_diag *diag)
{
    char name[SL_NAME_BYTES];
    if (r->group && sl_group_named(r->group, out_group))
        return 0;
    bool several = r->grouped && plan->count > 1 && !plan->specs[0].runner;
    if (!r->group && !several)
        return 0;
    sl_path_stem(r->target, name, sizeof(name));
    return sl_group_make(client, r->group ? r->group : name, out_group, diag);
}

int sl_cli_run_request_check_silicon(const struct sl_plan *plan, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < plan->count; i++)
        rc = sl_silicon_check_names(plan->specs[i].silicon, diag);
    return rc;
}

void sl_cli_run_request_fini(struct sl_cli_run_request *r)
{
    for (size_t i = 0; i < SL_PARAMS_MAX; i++) {
        sl_free(r->path_texts[i]);
        r->path_texts[i] = NULL;
    }
}
