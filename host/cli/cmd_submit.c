/* host/cli/cmd_submit.c: `sme2lab submit`: hands a model to the daemon and goes on. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/estimated_policy.h"
#include "host/cli/exit_code.h"
#include "host/cli/explain.h"
#include "host/cli/interrupt.h"
#include "host/cli/job_sender.h"
#include "host/cli/run_lab.h"
#include "host/cli/run_request.h"
#include "host/cli/runners_send.h"

enum { MAX_JSON_BYTES = 1 << 20 };

static void print_jobs(const struct sl_job_sender *sender, bool group_alone, const uint64_t *jobs,
                       size_t count)
{
    const struct sl_cli *cli = sender->cli;
    struct sl_buf text;
    struct sl_json json;
    if (!cli->json && group_alone) {
        sl_say(stdout, "g%" PRIu64 "\n", sender->group);
        return;
    }
    if (!cli->json) {
        for (size_t i = 0; i < count; i++)
            sl_say(stdout, "%" PRIu64 "\n", jobs[i]);
        if (cli->live && sender->group != 0)
            sl_say(stderr, "'sme2lab watch g%" PRIu64 "' shows all of them\n", sender->group);
        else if (cli->live && count == 1)
            sl_say(stderr, "'sme2lab watch %" PRIu64 "' shows it\n", jobs[0]);
        return;
    }
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.submission/1");
    sl_json_open_array(&json, "jobs");
    for (size_t i = 0; i < count; i++)
        sl_json_u64(&json, NULL, jobs[i]);
    sl_json_close_array(&json);
    if (sender->group != 0)
        sl_json_u64(&json, "group", sender->group);
    else
        sl_json_null(&json, "group");
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}

static int refuse_output(const struct sl_plan *plan, struct sl_diag *diag)
{
    const char *key = plan->specs[0].cpu           ? "cpu"
                      : plan->specs[0].output_root ? "output_root"
                                                   : NULL;
    if (!key)
        return 0;
    sl_diag_hint(diag, "take '%s' out, or measure on this machine: sme2lab run", key);
    return sl_diag_set(diag, SL_E_FORMAT, key,
                       plan->specs[0].cpu
                           ? "The emulated CPU belongs to the device, which the daemon's "
                             "configuration describes"
                           : "The daemon keeps a job's files itself; 'sme2lab show RUN' "
                             "names them, 'sme2lab watch JOB --out DIR' fetches them");
}

/* Also after a failure the jobs that are in the queue are named. */
static int send_all(struct sl_job_sender *sender, const struct sl_cli_run_request *request,
                    struct sl_diag *diag)
{
    uint64_t jobs[SL_PLAN_MAX];
    size_t count = 0;
    int rc = sl_job_sender_choose(sender, diag);
    if (rc == 0)
        rc = sl_cli_run_request_join(request, sender->plan, sender->client, &sender->group, diag);
    bool runners = sender->plan->specs[0].runner != NULL; /* together one job */
    while (rc == 0 && count < (runners ? 1 : sender->plan->count)) {
        rc = runners ? sl_runners_send(sender, &jobs[count], diag)
                     : sl_job_sender_send(sender, count, &jobs[count], diag);
        count += rc == 0 ? 1 : 0;
    }
    if (count > 0)
        print_jobs(sender, request->group != NULL, jobs, count);
    return rc;
}

static int submit(const struct sl_cli *cli, const struct sl_cli_run_request *request,
                  struct sl_plan *plan, struct sl_estimated_policies *policies)
{
    struct sl_diag diag = {0};
    struct sl_job_sender sender = {.cli = cli, .plan = plan, .command = request->command};
    int rc = refuse_output(plan, &diag);
    if (rc == 0 && request->explain)
        return sl_explain_plan(cli, plan);
    if (rc == 0)
        rc = sl_cli_run_request_check_silicon(plan, &diag);
    if (rc == 0)
        rc = sl_estimated_policies_make(cli, plan, policies, &diag);
    if (rc == 0)
        rc = sl_cli_run_lab_open_any(cli, &sender, &diag);
    if (rc == 0) {
        sl_interrupt_catch();
        rc = send_all(&sender, request, &diag);
    }
    sl_client_free(sender.client);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

int sl_cmd_submit(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_cli_run_request request;
    struct sl_diag diag = {0};
    int code = SL_EXIT_DONE;
    struct sl_plan *plan = sl_calloc(1, sizeof(*plan));
    struct sl_estimated_policies *policies = sl_calloc(1, sizeof(*policies));
    int rc =
        plan && policies ? sl_cli_run_request_parse_submit(&request, argc, argv, &diag) : -ENOMEM;
    bool parsed = plan && policies && rc >= 0, loaded = false;
    bool waits = rc == 0 && request.wait;
    if (rc == 0 && !waits) {
        rc = sl_cli_run_request_plan(&request, plan, &diag);
        loaded = rc == 0;
    }
    if (waits)
        code = sl_cmd_run_request(cli, &request);
    else if (loaded)
        code = submit(cli, &request, plan, policies);
    else if (rc < 0)
        code = sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    if (loaded)
        sl_plan_fini(plan);
    if (parsed)
        sl_cli_run_request_fini(&request);
    sl_free(policies);
    sl_free(plan);
    return code;
}
