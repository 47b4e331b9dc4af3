/* host/cli/cmd_run.c: `sme2lab run`: measures a model with SME2 off and on. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/run.h"
#include "host/config/experiment.h"
#include "host/config/nearest.h"
#include "host/device/launch.h"
#include "host/report/categories_file.h"

enum { COMMAND_BYTES = 4096, DEFAULT_TIMEOUT_S = 1800, MAX_ONLY = 16 };
#define MAX_JSON_BYTES ((size_t)1 << 29)

/* The command line. */
struct request {
    const char *target; /* MODEL.pte or CONFIG.json */
    const char *device, *cpu, *inputs, *input_shapes, *out, *threads;
    int64_t svl, runs, warmup, seed, timeout_s; /* -1: not given */
    struct sl_option_list only;
    bool explain;
    char command[COMMAND_BYTES];
    char *input_text; /* owned: what `inputs` was split in */
};

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    interrupted = number;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static const char about[] =
    "Runs a model with SME2 off and on, interleaved in one process, and shows how much less work\n"
    "there is and where, operator category by category. Writes two ETDumps, the trace they were\n"
    "made of, a timeline, the agent's log, the outputs and a manifest.\n"
    "\n"
    "Devices: local is this machine, in nanoseconds, and the default where it has SME2. counted "
    "is\n"
    "the default elsewhere: the emulator executes SME2 and the executed instructions are the "
    "time,\n"
    "exact and the same in every run. emulated runs in the emulator by its clock: outputs and\n"
    "operators are real, its latencies mean nothing.";

static const char notes[] =
    "Verdicts and exit codes: faster, equivalent, and slower within --threshold are 0; wrong (the\n"
    "outputs of off, on and the portable kernels disagree) or a run that fails is 1; slower "
    "beyond\n"
    "--threshold is 3; inconclusive, unfit or incomparable is 4; a command line, configuration or\n"
    "file that cannot be is 2; a missing emulator or agent is 5; interrupted is 130.\n"
    "\n"
    "Examples:\n"
    "  sme2lab run model.pte\n"
    "  sme2lab run model.pte --svl 256 --runs 3 --json\n"
    "  sme2lab run configs/examples/toy_cnn.json --explain";

enum { OPTION_COUNT = 14 };

static void fill_options(struct request *r, double *threshold, struct sl_option *out)
{
    const struct sl_option options[OPTION_COUNT] = {
        {"--device", 0, SL_OPTION_TEXT, &r->device, "NAME", "counted, emulated or local"},
        {"--svl", 0, SL_OPTION_COUNT, &r->svl, "BITS",
         "streaming vector length of the emulated CPU: 128 to 2048 (512)"},
        {"--cpu", 0, SL_OPTION_TEXT, &r->cpu, "SPEC",
         "the emulator's -cpu in place of --svl, such as max,sve=off,sme512=on"},
        {"--runs", 0, SL_OPTION_COUNT, &r->runs, "N",
         "measured executions of each variant (100; 2 where instructions are counted)"},
        {"--warmup", 0, SL_OPTION_COUNT, &r->warmup, "N",
         "executions of each variant before those (10; 1 where counted)"},
        {"--threads", 0, SL_OPTION_TEXT, &r->threads, "N", "1; more are not part of this version"},
        {"--inputs", 0, SL_OPTION_TEXT, &r->inputs, "F,F",
         "raw input files in order; without them all inputs are ones"},
        {"--input-shapes", 0, SL_OPTION_TEXT, &r->input_shapes, "S;S",
         "smaller inputs of a dynamic model, such as 1x3x32x32"},
        {"--out", 'o', SL_OPTION_TEXT, &r->out, "DIR", "where files go (out/MODEL-TIME)"},
        {"--seed", 0, SL_OPTION_COUNT, &r->seed, "N", "draws which variant runs first (1)"},
        {"--only", 0, SL_OPTION_LIST, &r->only, "NAME",
         "this experiment of the configuration; may be repeated"},
        {"--threshold", 0, SL_OPTION_REAL, threshold, "PCT",
         "slow-downs up to this many percent are no regression (0)"},
        {"--timeout", 0, SL_OPTION_COUNT, &r->timeout_s, "SEC",
         "ends an agent that runs longer; 0: never (1800)"},
        {"--explain", 0, SL_OPTION_FLAG, &r->explain, NULL,
         "print the resolved experiment and run nothing"},
    };
    memcpy(out, options, sizeof(options));
}

static int parse_request(struct request *r, double *threshold, int argc, char **argv,
                         struct sl_diag *diag)
{
    struct sl_option options[OPTION_COUNT];
    size_t count = 0;
    *r = (struct request){
        .svl = -1, .runs = -1, .warmup = -1, .seed = -1, .timeout_s = DEFAULT_TIMEOUT_S};
    fill_options(r, threshold, options);
    const struct sl_usage usage = {.verb = "run",
                                   .synopsis = "MODEL.pte|CONFIG.json [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = OPTION_COUNT,
                                   .notes = notes};
    int rc = sl_options_parse(&usage, argc, argv, &r->target, 1, &count, diag);
    if (rc != 0)
        return rc;
    if (count == 0) {
        sl_diag_hint(diag, "usage: sme2lab run %s", usage.synopsis);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "No model was named");
    }
    if (r->threads && strcmp(r->threads, "1") != 0) {
        sl_diag_hint(diag, "say --threads 1 or leave it out");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--threads",
                           "Runs with several threads are not part of this version");
    }
    size_t used = (size_t)snprintf(r->command, COMMAND_BYTES, "sme2lab");
    for (int i = 0; i < argc && used < COMMAND_BYTES; i++)
        used += (size_t)snprintf(r->command + used, COMMAND_BYTES - used, " %s", argv[i]);
    return 0;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t len = strlen(text), tail = strlen(ending);
    return len >= tail && strcmp(text + len - tail, ending) == 0;
}

static int load_plan(const struct request *r, struct sl_experiment_plan *plan, struct sl_diag *diag)
{
    struct sl_buf text;
    sl_experiment_plan_init(plan, r->target);
    if (!ends_with(r->target, ".json"))
        return 0;
    int rc = sl_buf_read_file(r->target, 4 << 20, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "name a configuration that can be read, or a .pte");
        return sl_diag_set(diag, rc, r->target, "The configuration cannot be read (%s)",
                           sl_strerror(rc));
    }
    rc = sl_experiment_plan_parse((struct sl_bytes){text.data, text.size}, r->target, plan, diag);
    sl_buf_fini(&text);
    return rc;
}

/* Splits --inputs at its commas into r->input_text. */
static int split_inputs(struct request *r, struct sl_experiment *experiment, struct sl_diag *diag)
{
    experiment->input_count = 0;
    for (char *at = r->input_text; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (experiment->input_count == SL_EXPERIMENT_MAX_INPUTS || !*at) {
            sl_diag_hint(diag, "say --inputs first.bin,second.bin");
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "--inputs",
                               *at ? "There are too many inputs" : "An input has no name");
        }
        experiment->inputs[experiment->input_count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}

static int keep_only(const struct request *r, struct sl_experiment_plan *plan, struct sl_diag *diag)
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

/* What neither says. On the counted clock one pair and one repeat, which must be equal, stand for
 * statistics. */
static void resolve(struct sl_experiment_plan *plan)
{
    if (!plan->device)
        plan->device = sl_device_local_has_sme2() ? "local" : "counted";
    bool counted = strcmp(plan->device, "counted") == 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct sl_experiment *experiment = &plan->experiments[i];
        if (experiment->runs == UINT32_MAX)
            experiment->runs = counted ? 2 : 100;
        if (experiment->warmup == UINT32_MAX)
            experiment->warmup = counted ? 1 : 10;
    }
}

/* What the command line says beats the configuration. */
static int override(struct request *r, double threshold, struct sl_experiment_plan *plan,
                    struct sl_diag *diag)
{
    if (r->device)
        plan->device = r->device;
    if (r->cpu)
        plan->cpu = r->cpu;
    if (r->out)
        plan->output_root = r->out;
    if (r->svl >= 0)
        plan->svl = (uint32_t)r->svl;
    if (threshold >= 0)
        plan->threshold_percent = threshold;
    if (r->inputs && !(r->input_text = sl_strndup(r->inputs, strlen(r->inputs))))
        return -ENOMEM;
    for (size_t i = 0; i < plan->count; i++) {
        struct sl_experiment *experiment = &plan->experiments[i];
        if (r->runs == 0)
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "--runs", "No runs measure nothing");
        if (r->runs > 0)
            experiment->runs = (uint32_t)r->runs;
        if (r->warmup >= 0)
            experiment->warmup = (uint32_t)r->warmup;
        if (r->seed >= 0)
            experiment->seed = (uint32_t)r->seed;
        if (r->input_shapes)
            experiment->input_shapes = r->input_shapes;
        if (!r->inputs)
            continue;
        int rc = i == 0 ? split_inputs(r, experiment, diag) : 0;
        if (rc < 0)
            return rc;
        memcpy(experiment->inputs, plan->experiments[0].inputs, sizeof(experiment->inputs));
        experiment->input_count = plan->experiments[0].input_count;
    }
    resolve(plan);
    return keep_only(r, plan, diag);
}

static int open_device(struct sl_experiment_plan *plan, struct sl_device *out, struct sl_diag *diag)
{
    static const char *const names[] = {"local", "emulated", "counted"};
    int kind = -1;
    for (int i = 0; i < 3; i++)
        kind = strcmp(plan->device, names[i]) == 0 ? i : kind;
    if (kind < 0) {
        sl_diag_hint(diag, "say --device counted, --device emulated or --device local");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--device",
                           "There is no device '%s'; devices of a lab need the daemon, which is "
                           "not part of this version",
                           plan->device);
    }
    return sl_device_open(kind, plan->svl, plan->cpu, out, diag);
}

static int explain(const struct sl_cli *cli, const struct sl_experiment_plan *plan)
{
    struct sl_buf text;
    struct sl_diag diag = {0};
    sl_buf_init(&text, MAX_JSON_BYTES);
    int rc = sl_experiment_plan_explain(plan, &text);
    if (rc == 0)
        printf("%s\n", (const char *)text.data);
    sl_buf_fini(&text);
    if (rc == 0)
        return SL_EXIT_DONE;
    sl_diag_set(&diag, rc, NULL, "The experiment cannot be explained (%s)", sl_strerror(rc));
    return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
}

/* From launch to files; the outcome stands in the run. */
static int run_one(struct sl_run *run, struct sl_diag *diag)
{
    int rc;
    if ((rc = sl_run_prepare(run, diag)) < 0 || (rc = sl_run_measure(run, diag)) < 0 ||
        (rc = sl_run_results(run, diag)) < 0 || (rc = sl_run_reference(run, diag)) < 0 ||
        (rc = sl_run_agreement(run, diag)) < 0 || (rc = sl_run_judge(run, diag)) < 0)
        return rc;
    sl_run_probe(run);
    if ((rc = sl_run_manifest(run, diag)) < 0)
        return rc;
    return sl_run_summary(run, diag);
}

struct session {
    const struct sl_cli *cli;
    const struct request *request;
    struct sl_experiment_plan *plan;
    struct sl_device device;
    struct sl_categories categories;
};

/* Runs one experiment and prints it; an exit code. */
static int run_experiment(struct session *session, size_t i, struct sl_json *json)
{
    const struct request *r = session->request;
    struct sl_diag diag = {0};
    struct sl_run *run = sl_calloc(1, sizeof(*run));
    if (!run)
        return SL_EXIT_LAB;
    run->cli = session->cli;
    run->plan = session->plan;
    run->experiment = &session->plan->experiments[i];
    run->device = &session->device;
    run->categories = &session->categories;
    run->interrupted = &interrupted;
    run->command = r->command;
    run->timeout_ms = (uint64_t)r->timeout_s * 1000;
    if (session->plan->output_root)
        snprintf(run->out_dir, sizeof(run->out_dir), "%s", session->plan->output_root);
    int rc = run_one(run, &diag);
    int code = rc < 0 ? sl_exit_for_error(rc) : sl_run_exit_code(run);
    if (rc == -EINTR)
        code = interrupted == SIGTERM ? SL_EXIT_TERMINATED : SL_EXIT_INTERRUPTED;
    if (rc < 0 && !diag.what[0])
        sl_diag_set(&diag, rc, NULL, "The run failed (%s)", sl_strerror(rc));
    if (rc < 0)
        sl_cli_fail(session->cli, code, &diag);
    else if (session->cli->json)
        sl_run_json(run, json);
    else
        sl_run_print(run);
    sl_run_fini(run);
    sl_free(run);
    return code;
}

/* The worst code of all: a failure of the lab beats a verdict. */
static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int run_all(struct session *session)
{
    struct sl_buf text;
    struct sl_json json;
    size_t count = session->plan->count;
    int code = SL_EXIT_DONE;
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    if (count > 1)
        sl_json_open_array(&json, NULL);
    bool failed = false;
    for (size_t i = 0; i < count && !interrupted && !failed; i++) {
        int one = run_experiment(session, i, &json);
        failed = one == SL_EXIT_USAGE || one >= SL_EXIT_LAB;
        code = worse(code, one);
    }
    if (count > 1)
        sl_json_close_array(&json);
    if (session->cli->json && text.size > 2 && json.error == 0)
        printf("%s\n", (const char *)text.data);
    sl_buf_fini(&text);
    return code;
}

static int run_session(const struct sl_cli *cli, struct request *r, struct sl_experiment_plan *plan,
                       double threshold)
{
    struct session session = {.cli = cli, .request = r, .plan = plan};
    struct sl_diag diag = {0};
    int rc = override(r, threshold, plan, &diag);
    if (rc == 0 && r->explain)
        return explain(cli, plan);
    if (rc == 0) {
        rc = open_device(plan, &session.device, &diag);
        if (rc == SL_E_NOT_FOUND)
            return sl_cli_fail(cli, SL_EXIT_LAB, &diag);
    }
    if (rc == 0)
        rc = sl_categories_load(NULL, &session.categories, &diag);
    if (rc < 0)
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    catch_signals();
    int code = run_all(&session);
    sl_categories_fini(&session.categories);
    return code;
}

int sl_cmd_run(const struct sl_cli *cli, int argc, char **argv)
{
    struct request request;
    struct sl_diag diag = {0};
    double threshold = -1;
    int rc = parse_request(&request, &threshold, argc, argv, &diag);
    if (rc > 0)
        return SL_EXIT_DONE;
    if (rc < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    struct sl_experiment_plan *plan = sl_calloc(1, sizeof(*plan));
    if (!plan)
        return SL_EXIT_LAB;
    rc = load_plan(&request, plan, &diag);
    int code = rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag)
                      : run_session(cli, &request, plan, threshold);
    if (rc == 0)
        sl_experiment_plan_fini(plan);
    sl_free(request.input_text);
    sl_free(plan);
    return code;
}
