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
#include "host/cli/run_request.h"
#include "host/cli/run_steps.h"
#include "host/config/experiment.h"
#include "host/device/launch.h"
#include "host/report/categories_file.h"

#define MAX_JSON_BYTES ((size_t)1 << 29)

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

static int open_device(struct sl_experiment_plan *plan, struct sl_device *out, struct sl_diag *diag)
{
    int kind = strcmp(plan->device, "local") == 0      ? SL_DEVICE_LOCAL
               : strcmp(plan->device, "emulated") == 0 ? SL_DEVICE_EMULATED
               : strcmp(plan->device, "counted") == 0  ? SL_DEVICE_COUNTED
                                                       : 0;
    if (kind == 0) {
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
static int run_one(struct sl_run *run, const struct sl_run_watch *watch, struct sl_diag *diag)
{
    int rc;
    if ((rc = sl_run_prepare(run, diag)) < 0 || (rc = sl_run_measure(run, watch, diag)) < 0 ||
        (rc = sl_run_results(run, diag)) < 0 || (rc = sl_run_reference(run, watch, diag)) < 0 ||
        (rc = sl_run_agreement(run, diag)) < 0 || (rc = sl_run_judge(run, diag)) < 0)
        return rc;
    sl_run_probe(run, watch);
    if ((rc = sl_run_manifest(run, diag)) < 0)
        return rc;
    return sl_run_summary(run, diag);
}

struct session {
    const struct sl_cli *cli;
    const struct sl_run_request *request;
    struct sl_experiment_plan *plan;
    struct sl_device device;
    struct sl_categories categories;
};

/* Runs one experiment and prints it; an exit code. */
static int run_experiment(struct session *session, size_t i, struct sl_json *json)
{
    const struct sl_run_request *r = session->request;
    struct sl_diag diag = {0};
    struct sl_run *run = sl_calloc(1, sizeof(*run));
    if (!run)
        return SL_EXIT_LAB;
    run->plan = session->plan;
    run->experiment = &session->plan->experiments[i];
    run->device = &session->device;
    run->categories = &session->categories;
    run->command = r->command;
    run->timeout_ms = (uint64_t)r->timeout_s * 1000;
    if (session->plan->output_root)
        snprintf(run->out_dir, sizeof(run->out_dir), "%s", session->plan->output_root);
    struct sl_run_watch watch = {session->cli, &interrupted};
    int rc = run_one(run, &watch, &diag);
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
        sl_run_print(session->cli, run);
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

static int run_session(const struct sl_cli *cli, const struct sl_run_request *r,
                       struct sl_experiment_plan *plan)
{
    struct session session = {.cli = cli, .request = r, .plan = plan};
    struct sl_diag diag = {0};
    int rc = open_device(plan, &session.device, &diag);
    if (rc == SL_E_NOT_FOUND)
        return sl_cli_fail(cli, SL_EXIT_LAB, &diag);
    if (rc == 0)
        rc = sl_categories_load(NULL, &session.categories, &diag);
    if (rc < 0)
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    catch_signals();
    int code = run_all(&session);
    sl_categories_fini(&session.categories);
    return code;
}

static int plan_and_run(const struct sl_cli *cli, struct sl_run_request *request)
{
    struct sl_diag diag = {0};
    struct sl_experiment_plan *plan = sl_calloc(1, sizeof(*plan));
    int rc = plan ? sl_run_request_plan(request, plan, &diag) : -ENOMEM;
    if (rc < 0) {
        sl_free(plan);
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    }
    int code = request->explain ? explain(cli, plan) : run_session(cli, request, plan);
    sl_experiment_plan_fini(plan);
    sl_free(plan);
    return code;
}

int sl_cmd_run(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_run_request request;
    struct sl_diag diag = {0};
    int rc = sl_run_request_parse(&request, argc, argv, &diag);
    int code = rc > 0   ? SL_EXIT_DONE
               : rc < 0 ? sl_cli_fail(cli, SL_EXIT_USAGE, &diag)
                        : plan_and_run(cli, &request);
    sl_run_request_fini(&request);
    return code;
}
