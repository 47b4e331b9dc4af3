/* host/cli/run_request.c */
#include "host/cli/run_request.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/input_list.h"
#include "host/spec/experiment.h"
#include "host/spec/nearest.h"

enum { DEFAULT_TIMEOUT_S = 1800, MAX_TIMEOUT_S = 24 * 3600, MAX_CONFIG_BYTES = 4 << 20 };

static const char run_about[] =
    "Runs a model with SME2 off and on, interleaved in one process, and shows how much less work\n"
    "there is and where, operator category by category. Writes two ETDumps, the trace they were\n"
    "made of, a timeline, the agent's log, the outputs and a manifest.\n"
    "\n"
    "Devices: local is this machine, in nanoseconds, and the default where it has SME2. counted "
    "is\n"
    "the default elsewhere: the emulator executes SME2 and the executed instructions are the "
    "time,\n"
    "exact and the same in every run. emulated runs in the emulator by its clock: outputs and\n"
    "operators are real, its latencies mean nothing.\n"
    "\n"
    "The daemon runs it: the one named by --server or $SME2LAB_SERVER, or the one that listens in\n"
    "the state directory. Where there is none, or with --server private, one is started for the\n"
    "purpose, which later runs share and which ends when it is idle. Ctrl-C leaves the run going.";

static const char run_notes[] =
    "Verdicts and exit codes: faster, equivalent, and slower within --threshold are 0; wrong (the\n"
    "outputs of off, on and the portable kernels disagree) or a run that fails is 1; slower "
    "beyond\n"
    "--threshold is 3; inconclusive, unfit or incomparable is 4; a command line, configuration or\n"
    "file that cannot be is 2; a missing emulator, agent or daemon is 5; interrupted is 130. Of\n"
    "several experiments each is run, whatever becomes of the others, and the gravest code "
    "counts.\n"
    "\n"
    "Examples:\n"
    "  sme2lab run model.pte\n"
    "  sme2lab run model.pte --data-path weights.ptd --inputs x.bin\n"
    "  sme2lab run model.bpte                (a bundled program brings its inputs)\n"
    "  sme2lab run model.pte --svl 256 --runs 3 --json\n"
    "  sme2lab run configs/examples/toy_cnn.json --explain";

static const char submit_about[] =
    "Sends a model and its inputs to the daemon, unless it has them, and puts a job into its "
    "queue\n"
    "for each experiment of the configuration. Prints the numbers of the jobs, one a line, and "
    "does\n"
    "not wait: 'sme2lab watch JOB' shows one as it goes, 'sme2lab wait JOB' ends when it ends.";

static const char submit_notes[] =
    "Exit codes: 0 all are in the queue; 2 a command line, configuration or file that cannot be, "
    "or\n"
    "a device that the lab does not have; 5 the daemon failed or is not there.\n"
    "\n"
    "Examples:\n"
    "  sme2lab submit model.pte --device counted-512\n"
    "  sme2lab wait $(sme2lab submit configs/examples/toy_cnn.json)";

/* What both verbs take. */
#define SHARED_OPTIONS                                                                               \
    {"--device", 0, SL_OPTION_TEXT, &r->device, "NAME", "a kind, or the name of a lab's device"},    \
        {"--svl", 0,      SL_OPTION_COUNT,                                                           \
         &r->svl, "BITS", "streaming vector length of the emulated CPU: 128 to 2048 (512)"},         \
        {"--runs",                                                                                   \
         0,                                                                                          \
         SL_OPTION_COUNT,                                                                            \
         &r->runs,                                                                                   \
         "N",                                                                                        \
         "measured executions of each variant (100; 2 where instructions are counted)"},             \
        {"--precision",         0,     SL_OPTION_REAL,                                               \
         &r->precision_percent, "PCT", "measure until the ratio is known to +-PCT % (times only)"},  \
        {"--budget",         0,     SL_OPTION_REAL,                                                  \
         &r->budget_seconds, "SEC", "measure for so long at most (with --precision: 120)"},          \
        {"--warmup", 0,   SL_OPTION_COUNT,                                                           \
         &r->warmup, "N", "executions of each variant before those (10; 1 where counted)"},          \
        {"--threads", 0,     SL_OPTION_TEXT,                                                         \
         &r->threads, "N,N", "threads; a list is a run with each (1)"},                              \
        {"--inputs", 0,     SL_OPTION_TEXT,                                                          \
         &r->inputs, "F,F", "raw input files in order; without them all inputs are ones"},           \
        {"--data-path", 0,      SL_OPTION_TEXT,                                                      \
         &r->data_path, "FILE", "the program's external weights (.ptd)"},                            \
        {"--method", 0,      SL_OPTION_TEXT,                                                         \
         &r->method, "NAME", "the method to run (the program's first)"},                             \
        {"--input-shapes", 0,     SL_OPTION_TEXT,                                                    \
         &r->input_shapes, "S;S", "smaller inputs of a dynamic model, such as 1x3x32x32"},           \
        {"--weight-cache", 0,    SL_OPTION_FLAG,                                                     \
         &r->weight_cache, NULL, "keep packed weights on the device for later runs"},                \
        {"--seed", 0, SL_OPTION_COUNT, &r->seed, "N", "draws which variant runs first (1)"},         \
        {"--priority", 0, SL_OPTION_COUNT, &r->priority, "N", "higher goes first in the queue (0)"}, \
        {"--only", 0,      SL_OPTION_LIST,                                                           \
         &r->only, "NAME", "this experiment of the configuration; may be repeated"},                 \
        {"--threshold",         0,     SL_OPTION_REAL,                                               \
         &r->threshold_percent, "PCT", "slow-downs up to this many percent are no regression (0)"},  \
        {"--timeout",   0,     SL_OPTION_COUNT,                                                      \
         &r->timeout_s, "SEC", "ends an agent that runs longer; 0: never (1800)"},                   \
        {"--explain", 0,    SL_OPTION_FLAG,                                                          \
         &r->explain, NULL, "print the resolved experiments and run nothing"}

static void set_defaults(struct sl_run_request *r)
{
    *r = (struct sl_run_request){.svl = -1,
                                 .runs = -1,
                                 .warmup = -1,
                                 .seed = -1,
                                 .priority = -1,
                                 .timeout_s = DEFAULT_TIMEOUT_S,
                                 .threshold_percent = NAN,
                                 .precision_percent = NAN,
                                 .budget_seconds = NAN};
}

static int parse(struct sl_run_request *r, const struct sl_usage *usage, int argc, char **argv,
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
    if (r->timeout_s > MAX_TIMEOUT_S) {
        sl_diag_hint(diag, "say --timeout %d, or --timeout 0 for none", MAX_TIMEOUT_S);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--timeout", "No run may take so long");
    }
    size_t used = (size_t)snprintf(r->command, SL_RUN_COMMAND_BYTES, "sme2lab");
    for (int i = 0; i < argc && used < SL_RUN_COMMAND_BYTES; i++)
        used += (size_t)snprintf(r->command + used, SL_RUN_COMMAND_BYTES - used, " %s", argv[i]);
    return 0;
}

int sl_run_request_parse(struct sl_run_request *r, int argc, char **argv, struct sl_diag *diag)
{
    const struct sl_option options[] = {
        SHARED_OPTIONS,
        {"--cpu", 0, SL_OPTION_TEXT, &r->cpu, "SPEC",
         "the emulator's -cpu in place of --svl, such as max,sve=off,sme512=on"},
        {"--out", 'o', SL_OPTION_TEXT, &r->out, "DIR", "where files go (out/MODEL-TIME)"},
        {"--analysis-only", 0, SL_OPTION_FLAG, &r->analysis_only, NULL,
         "measure nothing: compute the files of --out DIR anew from its traces"},
        {"--force", 0, SL_OPTION_FLAG, &r->force, NULL,
         "write over the files of another run that --out holds"},
        {"--cancel-on-interrupt", 0, SL_OPTION_FLAG, &r->cancel_on_interrupt, NULL,
         "Ctrl-C stops the jobs in place of leaving them to go on"},
    };
    const struct sl_usage usage = {.verb = "run",
                                   .synopsis = "MODEL.pte|CONFIG.json [option...]",
                                   .about = run_about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = run_notes};
    set_defaults(r);
    return parse(r, &usage, argc, argv, diag);
}

int sl_run_request_parse_submit(struct sl_run_request *r, int argc, char **argv,
                                struct sl_diag *diag)
{
    const struct sl_option options[] = {SHARED_OPTIONS};
    const struct sl_usage usage = {.verb = "submit",
                                   .synopsis = "MODEL.pte|CONFIG.json [option...]",
                                   .about = submit_about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = submit_notes};
    set_defaults(r);
    return parse(r, &usage, argc, argv, diag);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t len = strlen(text), tail = strlen(ending);
    return len >= tail && strcmp(text + len - tail, ending) == 0;
}

static int load_plan(const struct sl_run_request *r, struct sl_experiment_plan *plan,
                     struct sl_diag *diag)
{
    struct sl_buf text;
    sl_experiment_plan_init(plan, r->target);
    if (!ends_with(r->target, ".json"))
        return 0;
    int rc = sl_buf_read_file(r->target, MAX_CONFIG_BYTES, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "name a configuration that can be read, or a .pte");
        return sl_diag_set(diag, rc, r->target, "The configuration cannot be read (%s)",
                           sl_strerror(rc));
    }
    rc = sl_experiment_plan_parse((struct sl_bytes){text.data, text.size}, r->target, plan, diag);
    sl_buf_fini(&text);
    return rc;
}

static int keep_only(const struct sl_run_request *r, struct sl_experiment_plan *plan,
                     struct sl_diag *diag)
{
    const char *names[SL_EXPERIMENT_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++)
        names[i] = plan->experiments[i].name;
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
            plan->experiments[kept++] = plan->experiments[i];
    }
    plan->count = kept;
    return 0;
}

void sl_run_request_fill(struct sl_experiment_plan *plan, bool counted)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct sl_experiment *experiment = &plan->experiments[i];
        bool looks = experiment->precision_percent > 0 || experiment->budget_seconds > 0;
        if (experiment->runs == UINT32_MAX && !looks) /* else the daemon's rule has its own */
            experiment->runs = counted ? 2 : 100;
        if (experiment->warmup == UINT32_MAX)
            experiment->warmup = counted ? 1 : 10;
    }
}

/* A number that was given must lie in its range; NAN was not. */
static int check_range(const char *option, double value, double low, double high,
                       struct sl_diag *diag)
{
    if (isnan(value) || (value >= low && value <= high))
        return 0;
    sl_diag_hint(diag, "say %s %g to %g", option, low, high);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, option, "%g is out of its range", value);
}

static int check_ranges(const struct sl_run_request *r, struct sl_diag *diag)
{
    int rc = check_range("--threshold", r->threshold_percent, 0, 1000, diag);
    if (rc == 0)
        rc = check_range("--precision", r->precision_percent, 0.01, 100, diag);
    return rc < 0 ? rc : check_range("--budget", r->budget_seconds, 0.1, MAX_TIMEOUT_S, diag);
}

static int override_looks(const struct sl_run_request *r, struct sl_experiment_plan *plan,
                          struct sl_diag *diag)
{
    int rc = check_ranges(r, diag);
    for (size_t i = 0; i < plan->count && rc == 0; i++) {
        struct sl_experiment *experiment = &plan->experiments[i];
        if (!isnan(r->precision_percent))
            experiment->precision_percent = r->precision_percent;
        if (!isnan(r->budget_seconds))
            experiment->budget_seconds = r->budget_seconds;
        const struct sl_experiment_looks looks = {experiment->precision_percent,
                                                  experiment->budget_seconds, experiment->runs,
                                                  (uint32_t)r->timeout_s};
        rc = sl_experiment_check_looks(&looks, experiment->name, diag);
    }
    return rc;
}

/* What the command line says beats the configuration. */
static int override(struct sl_run_request *r, struct sl_experiment_plan *plan, struct sl_diag *diag)
{
    if (r->device)
        plan->device = r->device;
    if (r->cpu)
        plan->cpu = r->cpu;
    if (r->out)
        plan->output_root = r->out;
    if (r->svl >= 0)
        plan->svl = (uint32_t)r->svl;
    if (r->priority >= 0)
        plan->priority = (int32_t)r->priority;
    if (!isnan(r->threshold_percent))
        plan->threshold_percent = r->threshold_percent;
    if (r->inputs && !(r->input_text = sl_strndup(r->inputs, strlen(r->inputs))))
        return -ENOMEM;
    for (size_t i = 0; i < plan->count; i++) {
        struct sl_experiment *experiment = &plan->experiments[i];
        if (r->runs == 0) {
            sl_diag_hint(diag, "say --runs 1 or more");
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "--runs", "No runs measure nothing");
        }
        if (r->runs > 0)
            experiment->runs = (uint32_t)r->runs;
        if (r->warmup >= 0)
            experiment->warmup = (uint32_t)r->warmup;
        if (r->seed >= 0)
            experiment->seed = (uint32_t)r->seed;
        if (r->weight_cache)
            experiment->weight_cache = true;
        if (r->input_shapes)
            experiment->input_shapes = r->input_shapes;
        if (r->data_path)
            experiment->data_path = r->data_path;
        if (r->method)
            experiment->method = r->method;
        int rc = r->threads ? sl_experiment_parse_threads(r->threads, experiment, diag) : 0;
        if (rc < 0)
            return rc;
        if (!r->inputs)
            continue;
        rc = i == 0 ? sl_input_list_split(r->input_text, experiment, diag) : 0;
        if (rc < 0)
            return rc;
        memcpy(experiment->inputs, plan->experiments[0].inputs, sizeof(experiment->inputs));
        experiment->input_count = plan->experiments[0].input_count;
    }
    int rc = override_looks(r, plan, diag);
    if (rc == 0)
        rc = sl_experiment_plan_expand_threads(plan, diag);
    return rc < 0 ? rc : keep_only(r, plan, diag);
}

int sl_run_request_plan(struct sl_run_request *r, struct sl_experiment_plan *out,
                        struct sl_diag *diag)
{
    int rc = load_plan(r, out, diag);
    if (rc < 0)
        return rc;
    rc = override(r, out, diag);
    if (rc < 0)
        sl_experiment_plan_fini(out);
    return rc;
}

void sl_run_request_fini(struct sl_run_request *r)
{
    sl_free(r->input_text);
    r->input_text = NULL;
}
