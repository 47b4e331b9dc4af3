/* host/cli/task.c */
#include "host/cli/task.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/cli/answer.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/follow.h"
#include "host/cli/interrupt.h"
#include "host/cli/job_sender.h"
#include "host/cli/outcome.h"
#include "host/cli/private_daemon.h"
#include "host/cli/run_lab.h"
#include "host/cli/upload.h"
#include "host/device/launch.h"
#include "host/spec/device_kind.h"
#include "host/spec/job_body.h"
#include "host/spec/json_value.h"
#include "host/spec/selector.h"

enum { MAX_BODY_BYTES = 1 << 20, USUAL_SVL = 512, PATH_BYTES = 96 };

/* --- the device --- */

unsigned sl_task_svl_of(const char *cpu)
{
    const char *at = strstr(cpu, "sme");
    char *end = NULL;
    unsigned long bits = at && at[3] >= '1' && at[3] <= '9' ? strtoul(at + 3, &end, 10) : 0;
    return bits >= 128 && bits <= 2048 && strncmp(end, "=on", 3) == 0 ? (unsigned)bits : 0;
}

static bool meets(const cJSON *device, const char *text)
{
    struct sl_selector selector;
    struct sl_device_record record;
    sl_answer_device(device, &record);
    return sl_selector_read(text, &selector, NULL) == 0 &&
           sl_selector_fits(&selector, &record) == SL_MAYBE_YES;
}

bool sl_task_fits(const cJSON *device, const struct sl_task_wish *wish)
{
    const char *cpu = sl_value_text(device, "cpu", "");
    int kind = wish->device ? sl_device_kind_find(wish->device) : wish->kind;
    if (kind == 0)
        return meets(device, wish->device);
    if (sl_device_kind_find(sl_value_text(device, "kind", "")) != kind)
        return false;
    if (!cpu[0])
        return true;
    return wish->cpu ? strcmp(cpu, wish->cpu) == 0 : sl_task_svl_of(cpu) == wish->svl;
}

static bool takes_jobs(const cJSON *device)
{
    const char *state = sl_value_text(device, "state", "");
    return strcmp(state, "ready") == 0 || strcmp(state, "busy") == 0;
}

static int refuse(const struct sl_task_device *out, const struct sl_task_wish *wish,
                  const cJSON *found, struct sl_diag *diag)
{
    int kind = wish->device ? sl_device_kind_find(wish->device) : wish->kind;
    sl_diag_hint(diag, "'sme2lab devices' lists them");
    if (found)
        return sl_diag_set(diag, SL_E_STATE, sl_client_server(out->client),
                           "The device %.60s is %.20s, and takes no jobs",
                           sl_value_text(found, "name", ""), sl_value_text(found, "state", ""));
    if (kind == 0)
        return sl_diag_set(diag, SL_E_NOT_FOUND, "--device", "%s %.60s",
                           strpbrk(wish->device, "=<>,") ? "No device is"
                                                         : "There is no device named",
                           wish->device);
    return sl_diag_set(diag, -ENODEV, sl_client_server(out->client),
                       "The lab has no device of kind %.20s with vectors of %u bits",
                       sl_device_kind_name(kind), wish->svl);
}

static void take(const cJSON *device, const struct sl_task_wish *wish, struct sl_task_device *out)
{
    unsigned svl = 0;
    snprintf(out->name, sizeof(out->name), "%.63s", sl_value_text(device, "name", ""));
    snprintf(out->cpu, sizeof(out->cpu), "%.63s", sl_value_text(device, "cpu", ""));
    out->kind = sl_device_kind_find(sl_value_text(device, "kind", ""));
    out->traits = sl_device_kind_traits(out->kind);
    svl = sl_task_svl_of(out->cpu);
    out->svl = svl != 0 ? svl : wish->svl;
}

static int choose(const struct sl_task_wish *wish, struct sl_task_device *out, struct sl_diag *diag)
{
    cJSON *answer = NULL;
    const cJSON *device, *found = NULL;
    int rc = sl_client_get(out->client, "/api/v1/devices", NULL, &answer, diag);
    cJSON_ArrayForEach(device, sl_value(answer, "devices"))
    {
        if (sl_task_fits(device, wish) && (!found || !takes_jobs(found)))
            found = device;
    }
    if (rc == 0 && (!found || !takes_jobs(found)))
        rc = refuse(out, wish, found, diag);
    if (rc == 0)
        take(found, wish, out);
    cJSON_Delete(answer);
    return rc;
}

/* This machine and the emulator on it, if they are what is wished for. */
static int open_private(const struct sl_task_wish *wish, struct sl_task_device *out,
                        struct sl_diag *diag)
{
    struct sl_private_daemon daemon;
    struct sl_device here;
    unsigned bits = wish->cpu ? sl_task_svl_of(wish->cpu) : 0;
    char usual[64];
    snprintf(usual, sizeof(usual), "max,sme%u=on", bits);
    const char *special = wish->cpu && strcmp(wish->cpu, usual) != 0 ? wish->cpu : NULL;
    int kind = wish->device ? sl_device_kind_find(wish->device) : wish->kind;
    int rc = sl_device_open(kind, wish->svl, wish->cpu, &here, diag);
    if (rc == 0)
        rc = sl_private_daemon_find(special, &daemon, diag);
    if (rc == 0)
        rc = sl_client_open_private(out->cli, &daemon, &out->client, diag);
    return rc < 0 ? rc : choose(wish, out, diag);
}

int sl_task_open(const struct sl_cli *cli, const struct sl_task_wish *wish,
                 struct sl_task_device *out, struct sl_diag *diag)
{
    bool there = false, named = wish->device && sl_device_kind_find(wish->device) == 0;
    struct sl_selector selector;
    *out = (struct sl_task_device){.cli = cli};
    int rc = named ? sl_selector_read(wish->device, &selector, diag) : 0;
    if (rc == 0)
        rc = sl_cli_run_lab_listens(cli, &there, diag);
    if (rc == 0 && (there || named)) {
        rc = named ? sl_client_open_any(cli, &out->client, diag)
                   : sl_client_open(cli, &out->client, diag);
        if (rc == 0)
            rc = choose(wish, out, diag);
        if (rc != -ENODEV || wish->device)
            return rc;
        sl_task_close(out); /* a lab that has none of the kind leaves it to this machine */
        if (diag)
            *diag = (struct sl_diag){.what = ""};
        rc = 0;
    }
    return rc < 0 ? rc : open_private(wish, out, diag);
}

void sl_task_close(struct sl_task_device *device)
{
    sl_client_free(device->client);
    device->client = NULL;
}

const char *sl_task_device_words(const struct sl_task_device *device)
{
    return device->cpu[0] ? device->cpu : device->traits.needs_push ? device->name : "this machine";
}

/* --- the question --- */

static int submit(struct sl_task_device *device, const struct sl_task *task, uint64_t *out_job,
                  struct sl_diag *diag)
{
    char model[SL_SHA256_HEX_SIZE], data[SL_SHA256_HEX_SIZE];
    struct sl_buf body;
    struct sl_spec spec;
    int rc = 0;
    sl_spec_init(&spec);
    spec.task = task->task;
    spec.device = device->name;
    spec.timeout_seconds = task->timeout_seconds;
    spec.silicon = device->silicon;
    while (task->arguments && task->arguments[spec.arguments_count]) {
        if (spec.arguments_count == SL_SPEC_MAX_WORDS)
            return sl_diag_set(diag, SL_E_LIMIT, NULL, "The agent gets too many arguments");
        spec.arguments[spec.arguments_count] = task->arguments[spec.arguments_count];
        spec.arguments_count++;
    }
    if (task->model)
        rc = sl_upload_file(device->cli, device->client, task->model, model, diag);
    if (rc == 0 && task->data)
        rc = sl_upload_file(device->cli, device->client, task->data, data, diag);
    if (rc < 0)
        return rc;
    spec.model_sha256 = task->model ? model : NULL;
    spec.data_path_sha256 = task->data ? data : NULL;
    sl_buf_init(&body, MAX_BODY_BYTES);
    rc = sl_job_body_put(&spec, &body);
    if (rc < 0)
        sl_diag_set(diag, rc, NULL, "The question cannot be sent (%s)", sl_strerror(rc));
    else
        rc = sl_job_sender_post(device->client, 0, &body, out_job, diag);
    sl_buf_fini(&body);
    return rc;
}

int sl_task_cancel(struct sl_client *client, uint64_t job, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_answer answer;
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64, job);
    sl_interrupt_clear();
    if (sl_client_send(client, &(struct sl_client_request){.method = "DELETE", .path = path},
                       &answer, NULL) == 0)
        sl_buf_fini(&answer.body);
    return sl_diag_set(diag, -EINTR, sl_client_server(client), "Job %" PRIu64 " is cancelled", job);
}

/* The agent did not come to an answer. */
static int fail(struct sl_client *client, uint64_t job, struct sl_diag *diag)
{
    struct sl_outcome outcome;
    int rc = sl_outcome_fetch(client, job, &outcome, diag);
    if (rc < 0)
        return rc;
    rc = strcmp(outcome.state, "cancelled") == 0 ? -EINTR
         : outcome.exit_code == SL_EXIT_USAGE    ? SL_E_UNSUPPORTED
         : outcome.exit_code == SL_EXIT_LAB      ? -ENODEV
                                                 : SL_E_CRASHED;
    sl_diag_hint(diag, "%s", "");
    return sl_diag_set(diag, rc, sl_client_server(client), "Job %" PRIu64 " was not done: %s", job,
                       outcome.detail[0] ? outcome.detail : outcome.state);
}

static void read_answer(cJSON *document, struct sl_task_answer *out)
{
    const cJSON *process = sl_value(document, "process");
    const char *outcome = sl_value_text(process, "outcome", "");
    *out = (struct sl_task_answer){
        .document = document,
        .answers = sl_value(document, "answers"),
        .counts = sl_value(document, "counts"),
        .estimates = sl_value(document, "estimates"),
        .said = sl_value_text(document, "said", ""),
        .exit_code = (int)sl_value_number(process, "exit_code", 0),
        .done = strcmp(outcome, "done") == 0,
        .timed_out = strcmp(outcome, "timed-out") == 0,
    };
}

int sl_task_ask(struct sl_task_device *device, const struct sl_task *task,
                struct sl_task_answer *out, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    cJSON *document = NULL;
    uint64_t job = 0;
    sl_interrupt_catch();
    int rc = submit(device, task, &job, diag);
    if (rc == 0)
        rc = sl_follow_job(device->cli, device->client, job, false, diag);
    if (rc == -EINTR && job != 0)
        return sl_task_cancel(device->client, job, diag);
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64 "/result", job);
    if (rc == 0)
        rc = sl_client_get(device->client, path, NULL, &document, diag);
    if (rc == SL_E_NOT_FOUND)
        return fail(device->client, job, diag);
    if (rc < 0)
        return rc;
    read_answer(document, out);
    device->traits.emulated = cJSON_IsTrue(sl_value(sl_value(document, "device"), "emulated"));
    return 0;
}
