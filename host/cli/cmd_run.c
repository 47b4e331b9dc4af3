/* host/cli/cmd_run.c: `sme2lab run`: measures a model with SME2 off and on, through the daemon. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/analysis_only.h"
#include "host/cli/ci.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/estimated_policy.h"
#include "host/cli/exit_code.h"
#include "host/cli/explain.h"
#include "host/cli/fetch.h"
#include "host/cli/follow.h"
#include "host/cli/interrupt.h"
#include "host/cli/job_sender.h"
#include "host/cli/outcome.h"
#include "host/cli/run_answer.h"
#include "host/cli/run_baseline.h"
#include "host/cli/run_failure.h"
#include "host/cli/run_lab.h"
#include "host/cli/run_place.h"
#include "host/cli/run_request.h"
#include "host/cli/run_show.h"
#include "host/cli/runners_send.h"
#include "host/cli/runners_show.h"
#include "host/report/categories_file.h"
#include "host/report/etrecord.h"
#include "host/report/style.h"
#include "host/rundir/armkit.h"
#include "host/rundir/collection.h"

#define MAX_JSON_BYTES ((size_t)1 << 29)

struct session {
    const struct sl_cli *cli;
    const struct sl_cli_run_request *request;
    struct sl_plan *plan;
    struct sl_job_sender sender;
    struct sl_categories categories;
    struct sl_etrecord record; /* of the model, where one was named */
    struct sl_cli_run_place place;
    struct sl_estimated_policies policies;
    bool runners;               /* external ones: together one job */
    uint64_t jobs[SL_PLAN_MAX]; /* 0: not sent */
    size_t job_count;
    struct sl_cli_run_answer answer; /* of --json */
    struct sl_ci ci;
    size_t fetched; /* experiments whose files are here */
    bool is_fetched[SL_PLAN_MAX];
};

/* The experiment's name where several share the directory. */
static const char *suffix_of(const struct session *s, size_t i)
{
    return s->plan->count > 1 ? s->plan->specs[i].name : NULL;
}

/* Nobody asked for it by name: that it does not run is said, and ours is the result. */
static bool may_fail(const struct session *s, size_t i)
{
    return s->request->both_by_default && !s->request->baseline &&
           s->plan->specs[i].runtime[0] == SL_RUNTIME_EXECUTORCH;
}

/* A failure of one experiment: printed, and an entry of the answer of several. */
static int fail(struct session *s, size_t i, int code, const struct sl_diag *diag)
{
    struct sl_cli cli = *s->cli;
    bool pass = may_fail(s, i) && sl_exit_blames_model(code) && sl_interrupt_number() == 0;
    if (s->job_count > 1)
        cli.json = false;
    if (pass)
        sl_say(stderr, "ExecuTorch does not run this model, ours alone is measured: %s (%s)\n",
               diag->what, diag->where);
    else
        sl_cli_fail(&cli, code, diag);
    if (s->cli->json && s->job_count > 1)
        sl_cli_run_answer_fail(&s->answer, i, code, diag);
    sl_ci_add(&s->ci, i, "run", pass ? SL_EXIT_DONE : code, "%s (%s)", diag->what, diag->where);
    return pass ? SL_EXIT_DONE : code;
}

static int send_one(struct session *s, size_t i)
{
    struct sl_diag diag = {0};
    int rc = s->runners ? sl_runners_send(&s->sender, &s->jobs[i], &diag)
                        : sl_job_sender_send(&s->sender, i, &s->jobs[i], &diag);
    if (rc == 0)
        return SL_EXIT_DONE;
    int code = rc == -EINTR ? sl_interrupt_exit() : sl_exit_for_error(rc);
    return fail(s, i, code, &diag);
}

/* Did both runtimes run? Then one table says more than a page of each. */
static bool has_both_runtimes(const struct session *s)
{
    bool has[SL_RUNTIME_EXECUTORCH + 1] = {false};
    for (size_t i = 0; i < s->plan->count; i++)
        has[s->plan->specs[i].runtime[0]] = true;
    return has[SL_RUNTIME_OWN] && has[SL_RUNTIME_EXECUTORCH];
}

static struct sl_cli_run_shown shown_of(const struct session *s, size_t i)
{
    return (struct sl_cli_run_shown){.directory = s->place.path,
                                     .experiment = suffix_of(s, i),
                                     .categories = &s->categories,
                                     .record = s->request->record_path ? &s->record : NULL,
                                     .full = s->request->full};
}

/* Fetches what the run left, and prints it where it does not wait for the other runtime's. */
static int take_result(struct session *s, size_t i, const struct sl_outcome *outcome,
                       struct sl_diag *diag)
{
    const struct sl_cli_run_shown shown = shown_of(s, i);
    bool waits = has_both_runtimes(s) && !(shown.full || s->cli->verbose || s->cli->quiet);
    int rc = sl_fetch_run(s->sender.client, outcome->run, false, s->place.path, diag);
    s->fetched += rc == 0;
    s->is_fetched[i] = rc == 0;
    if (rc == 0 && s->runners)
        return sl_runners_show(s->cli, s->place.path, &s->categories, diag);
    if (rc == 0 && shown.record)
        rc = sl_cli_run_show_lines(&shown, diag);
    if (rc == 0 && s->cli->json) {
        const char *suffix = sl_plan_shares(s->plan, i) ? s->plan->specs[i].name : NULL;
        return sl_cli_run_show_json(s->place.path, suffix, sl_cli_run_answer_next(&s->answer, i),
                                    diag);
    }
    return rc < 0 || waits ? rc : sl_cli_run_show(s->cli, &shown, diag);
}

/* Prints the runs that waited, ExecuTorch's last: it is what users ship. Where there is one of each
 * the verdict of ours stands in its line. */
static int show_waiting(const struct session *s)
{
    struct sl_diag diag = {0};
    const char *ours = NULL;
    int rc = 0;
    if (s->cli->json || s->cli->quiet || s->cli->verbose || s->request->full ||
        !has_both_runtimes(s))
        return SL_EXIT_DONE;
    for (uint32_t runtime = SL_RUNTIME_OWN; runtime <= SL_RUNTIME_EXECUTORCH; runtime++)
        for (size_t i = 0; rc == 0 && i < s->plan->count; i++) {
            struct sl_cli_run_shown shown = shown_of(s, i);
            shown.beside = s->fetched > 1;
            shown.told = s->fetched == 2 && s->plan->count == 2 && runtime == SL_RUNTIME_OWN;
            ours = shown.told ? shown.experiment : ours;
            shown.ours = runtime == SL_RUNTIME_EXECUTORCH ? ours : NULL;
            if (s->is_fetched[i] && s->plan->specs[i].runtime[0] == runtime)
                rc = sl_cli_run_show(s->cli, &shown, &diag);
        }
    return rc < 0 ? sl_cli_fail(s->cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

static enum sl_fail_kind kind_of(const struct session *s)
{
    return s->sender.counted ? SL_FAIL_MORE_INSTRUCTIONS : SL_FAIL_SLOWER;
}

/* The verdict of one of several processes does not fail a run that has the others too. A lack of
 * gain for ExecuTorch fails nobody who did not ask for ExecuTorch. */
static int code_of(const struct session *s, size_t i, int code)
{
    code = sl_fail_on_code(&s->ci.fail_on, kind_of(s), code);
    bool verdict = code == SL_EXIT_REGRESSION || code == SL_EXIT_INCONCLUSIVE;
    bool together = s->plan->specs[i].process > 0 && s->plan->count > 1;
    bool unasked = may_fail(s, i) && !(s->plan->specs[i].threshold_percent > 0);
    return (together || unasked) && verdict ? SL_EXIT_DONE : code;
}

/* The code that counts, noted where it does not pass. */
static int take_code(struct session *s, size_t i, const struct sl_outcome *outcome)
{
    int code = code_of(s, i, outcome->exit_code);
    sl_ci_add(&s->ci, i, "verdict", code, "%s, off / on = %.3f on %s", outcome->verdict,
              outcome->ratio, outcome->device);
    return code;
}

/* Follows a job to its end; an exit code. */
static int finish_one(struct session *s, size_t i)
{
    struct sl_diag diag = {0};
    struct sl_outcome outcome = {.job = 0};
    struct sl_cli progress = *s->cli; /* drawn on a terminal; --json is for the results */
    progress.json = false;
    int rc = sl_follow_job(&progress, s->sender.client, s->jobs[i], true, &diag);
    if (rc == 0)
        rc = sl_outcome_fetch(s->sender.client, s->jobs[i], &outcome, &diag);
    if (rc == 0 && sl_outcome_has_files(&outcome)) {
        rc = take_result(s, i, &outcome, &diag);
        if (rc == 0)
            return take_code(s, i, &outcome);
    } else if (rc == 0) {
        sl_cli_run_failure_tell(&s->sender, &s->plan->specs[i], &outcome, s->place.path, &diag);
        return fail(s, i, outcome.exit_code, &diag);
    }
    if (rc == -EINTR)
        return sl_interrupt_exit(); /* told once for all of them */
    sl_cli_run_failure_return(s->sender.client, s->jobs[i], s->place.path, &diag);
    return fail(s, i, sl_exit_for_error(rc), &diag);
}

static void print_json(struct session *s)
{
    struct sl_buf text;
    sl_buf_init(&text, 2 * MAX_JSON_BYTES);
    if (s->cli->json && sl_cli_run_answer_put(&s->answer, &text) == 0 && text.size > 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}

/* The kit's files and the report tell of all experiments of a directory; each came with those of
 * its own alone. */
static int tell_all(struct session *s)
{
    struct sl_diag diag = {0};
    struct sl_buf words;
    bool full = s->request->full || s->cli->verbose;
    const struct sl_style style = {s->cli->width, s->cli->color, full ? SIZE_MAX : 0,
                                   s->cli->unicode};
    struct sl_collection_told told = {.style = s->cli->quiet ? NULL : &style,
                                      .words = &words,
                                      .members = s->cli->json ? &s->answer.together : NULL,
                                      .threshold_percent = s->plan->specs[0].threshold_percent};
    sl_buf_init(&words, MAX_JSON_BYTES);
    int rc = sl_armkit_write(s->place.path, &s->categories, &diag);
    if (rc == 0)
        rc = sl_collection_write(s->place.path, &s->categories, &told, &diag);
    if (rc == 0 && !s->cli->json) {
        sl_say_page(stdout, &words);
        if (!s->cli->quiet)
            sl_say(stdout, "%sreport: %s/combined_report.html%s\n",
                   told.outputs_agree && !full ? "outputs agree; " : "", s->place.path,
                   full ? "" : ", or --full");
    }
    sl_buf_fini(&words);
    if (rc < 0)
        return sl_cli_fail(s->cli, sl_exit_for_error(rc), &diag);
    int code = sl_fail_on_code(&s->ci.fail_on, kind_of(s), told.exit_code);
    sl_ci_add(&s->ci, 0, "processes", code, "all processes together");
    return code;
}

/* ExecuTorch's alone has the plain names here, and other ones in a baseline of both. */
static const char *baseline_suffix_of(const struct session *s, size_t i)
{
    const struct sl_spec *spec = &s->plan->specs[i];
    bool alone = spec->runtime[0] == SL_RUNTIME_EXECUTORCH && s->plan->count == 1;
    return alone && s->request->baseline_has[SL_RUNTIME_OWN] ? spec->name : suffix_of(s, i);
}

/* A run that failed has nothing to compare; its own code says so. */
static int hold_to_baseline(struct session *s)
{
    const struct sl_fail_on *gate = &s->ci.fail_on;
    bool named = gate->has[SL_FAIL_REGRESSION] && gate->percent[SL_FAIL_REGRESSION] >= 0;
    int code = SL_EXIT_DONE;
    if (!s->request->baseline || s->fetched < s->plan->count)
        return code;
    for (size_t i = 0; i < s->plan->count; i++) {
        double percent =
            named ? gate->percent[SL_FAIL_REGRESSION] : s->plan->specs[i].threshold_percent;
        int one = sl_cli_run_baseline_gate(s->cli, s->request->baseline, s->place.path,
                                           baseline_suffix_of(s, i), percent);
        one = sl_fail_on_code(gate, SL_FAIL_REGRESSION, one);
        sl_ci_add(&s->ci, i, "baseline", one, "held to %s within %g %%", s->request->baseline,
                  percent);
        code = sl_outcome_worse(code, one);
    }
    return code;
}

/* Writes the files that a CI server shows; an exit code. */
static int write_ci(const struct session *s)
{
    struct sl_diag diag = {0};
    const char *directory = s->fetched > 0 && !s->runners ? s->place.path : NULL;
    int rc = sl_ci_write(&s->ci, s->plan, directory, &s->categories, &diag);
    return rc < 0 ? sl_cli_fail(s->cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* All are sent before the first is followed: a lab with several devices runs them side by side. */
static int run_all(struct session *s)
{
    int code = SL_EXIT_DONE;
    size_t open = 0;
    for (size_t i = 0; i < s->job_count && sl_interrupt_number() == 0; i++)
        code = sl_outcome_worse(code, send_one(s, i));
    for (size_t i = 0; i < s->job_count && sl_interrupt_number() == 0; i++) {
        if (s->jobs[i] == 0)
            continue;
        code = sl_outcome_worse(code, finish_one(s, i));
        open = sl_interrupt_number() != 0 ? i : i + 1;
    }
    if (s->fetched > 1)
        code = sl_outcome_worse(code, tell_all(s));
    code = sl_outcome_worse(code, show_waiting(s));
    print_json(s);
    if (sl_interrupt_number() == 0) {
        code = sl_outcome_worse(code, hold_to_baseline(s));
        return sl_outcome_worse(code, write_ci(s));
    }
    code = sl_interrupt_exit();
    sl_cli_run_failure_leave(s->sender.client, s->cli, s->jobs + open, s->job_count - open,
                             s->request->cancel_on_interrupt, s->place.path);
    return code;
}

/* Nothing runs: the CI server is told as of a run that failed. */
static int refuse_all(struct session *s, int rc, bool tells, const struct sl_diag *diag)
{
    int code =
        sl_cli_fail(s->cli, rc == -EINTR ? sl_interrupt_exit() : sl_exit_for_error(rc), diag);
    sl_ci_add(&s->ci, 0, "run", code, "%s (%s)", diag->what, diag->where);
    return tells ? sl_outcome_worse(code, write_ci(s)) : code;
}

static int run_session(const struct sl_cli *cli, const struct sl_cli_run_request *request,
                       struct sl_plan *plan)
{
    struct sl_diag diag = {0};
    struct session *s = sl_calloc(1, sizeof(*s));
    if (!s)
        return SL_EXIT_LAB;
    *s = (struct session){.cli = cli,
                          .request = request,
                          .plan = plan,
                          .runners = plan->specs[0].runner != NULL,
                          .job_count = plan->specs[0].runner ? 1 : plan->count,
                          .place.lock = -1};
    s->sender = (struct sl_job_sender){
        .cli = cli, .plan = plan, .command = request->command, .directory = s->place.path};
    sl_cli_run_answer_init(&s->answer, plan);
    int rc = sl_ci_take(&s->ci, &request->ci, request->baseline != NULL, &diag);
    bool taken = rc == 0;
    if (rc == 0)
        rc = sl_cli_run_failure_check(plan, &diag);
    if (rc == 0 && s->runners)
        rc = sl_runners_check(plan, &diag);
    if (rc == 0)
        rc = sl_cli_run_request_check_silicon(plan, &diag);
    if (rc == 0)
        rc = sl_estimated_policies_make(cli, plan, &s->policies, &diag);
    if (rc == 0)
        rc = sl_categories_load(NULL, &s->categories, &diag);
    bool loaded = rc == 0;
    if (rc == 0 && request->record_path)
        rc = sl_etrecord_load(request->record_path, &s->record, &diag);
    if (rc == 0)
        rc = sl_cli_run_place_take(s->plan, s->request->force, &s->place, &diag);
    if (rc == 0)
        rc = sl_cli_run_lab_open(cli, &s->sender, &diag);
    if (rc == 0)
        rc = sl_cli_run_request_join(request, plan, s->sender.client, &s->sender.group, &diag);
    sl_fail_on_apply(&s->ci.fail_on, s->sender.counted, plan);
    if (rc == 0 && plan->specs[0].device == s->sender.phone && !cli->json && !cli->quiet)
        sl_say(stdout, "on the phone %s, the only one there; --device names another\n",
               s->sender.phone);
    sl_interrupt_catch();
    int code = rc < 0 ? refuse_all(s, rc, taken, &diag) : run_all(s);
    sl_client_free(s->sender.client);
    sl_cli_run_place_leave(&s->place);
    if (loaded)
        sl_categories_fini(&s->categories);
    sl_etrecord_fini(&s->record);
    sl_cli_run_answer_fini(&s->answer);
    sl_free(s);
    return code;
}

static int refuse_other(const char *option, struct sl_diag *diag)
{
    return sl_diag_set(diag, SL_E_UNSUPPORTED, option, "It goes with a run by the agent alone");
}

static bool repeats_processes(const struct sl_plan *plan)
{
    bool repeats = false;
    for (size_t i = 0; i < plan->count; i++)
        repeats = repeats || plan->specs[i].processes > 1;
    return repeats;
}

static int plan_and_run(const struct sl_cli *cli, struct sl_cli_run_request *request)
{
    struct sl_diag diag = {0};
    struct sl_plan *plan = sl_calloc(1, sizeof(*plan));
    int rc = plan ? sl_cli_run_request_plan(request, plan, &diag) : -ENOMEM;
    if (rc == 0 && request->baseline_has[SL_RUNTIME_EXECUTORCH])
        rc = sl_cli_run_request_add_executorch(request, cli->server, plan, &diag);
    bool other = rc == 0 && (plan->specs[0].runner || request->analysis_only);
    bool planned = rc == 0;
    if (other && request->record_path) {
        sl_diag_hint(&diag, "'sme2lab report DIR --etrecord FILE' on what was measured");
        rc = refuse_other("--etrecord", &diag);
    } else if (other && request->baseline) {
        sl_diag_hint(&diag, "'sme2lab compare BASELINE DIR' on what was measured");
        rc = refuse_other("--baseline", &diag);
    } else if (planned && request->baseline && repeats_processes(plan)) {
        sl_diag_hint(&diag, "'sme2lab compare BASELINE DIR' on what was measured");
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "--baseline",
                         "It judges one process, and --processes measures several");
    } else if (planned && request->baseline) {
        rc = sl_cli_run_baseline_fits(request->baseline_has, plan, &diag);
    }
    if (planned && rc < 0)
        sl_plan_fini(plan);
    if (rc < 0) {
        sl_free(plan);
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    }
    int code = request->explain         ? sl_explain_plan(cli, plan)
               : request->analysis_only ? sl_analysis_only(cli, plan, request->full)
                                        : run_session(cli, request, plan);
    sl_plan_fini(plan);
    sl_free(plan);
    return code;
}

int sl_cmd_run_request(const struct sl_cli *cli, struct sl_cli_run_request *request)
{
    struct sl_diag diag = {0};
    bool *has = request->baseline_has;
    int rc = 0;
    has[SL_RUNTIME_OWN] = has[SL_RUNTIME_EXECUTORCH] = true;
    if (request->baseline)
        rc = sl_cli_run_baseline_runtimes(cli, request->baseline, has, &diag);
    if (rc < 0)
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    const char *otherwise = has[SL_RUNTIME_OWN] ? NULL : "executorch";
    rc = sl_cli_run_request_take_runtime(request, otherwise, cli->server, &diag);
    return rc < 0 ? sl_cli_fail(cli, SL_EXIT_USAGE, &diag) : plan_and_run(cli, request);
}

int sl_cmd_run(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_cli_run_request request;
    struct sl_diag diag = {0};
    int rc = sl_cli_run_request_parse(&request, argc, argv, &diag);
    int code = rc > 0   ? SL_EXIT_DONE
               : rc < 0 ? sl_cli_fail(cli, SL_EXIT_USAGE, &diag)
                        : sl_cmd_run_request(cli, &request);
    sl_cli_run_request_fini(&request);
    return code;
}
