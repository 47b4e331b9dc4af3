/* host/cli/cmd_submit.c: `sme2lab submit`: hands a model to the daemon and goes on. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/cli/answer.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/input_list.h"
#include "host/cli/interrupt.h"
#include "host/cli/options.h"
#include "host/cli/submit_request.h"
#include "host/cli/upload.h"
#include "host/config/nearest.h"

enum { MAX_BODY_BYTES = 1 << 20, KEY_BYTES = 16 };

static const char *const kinds[] = {"local", "emulated", "counted"};

struct submit {
    const struct sl_cli *cli;
    struct sl_client *client;
    struct sl_submit_plan *plan;
    const char *device, *inputs;
    int64_t runs, warmup, seed, priority; /* -1: not given */
    struct sl_option_list only;
    char *input_text; /* owned: what `inputs` was split in */
    char model[SL_SHA256_HEX_SIZE], digests[SL_EXPERIMENT_MAX_INPUTS][SL_SHA256_HEX_SIZE];
    uint64_t jobs[SL_EXPERIMENT_MAX];
    size_t job_count;
};

static const char about[] =
    "Sends a model and its inputs to the daemon, unless it has them, and puts a job into its "
    "queue\n"
    "for each experiment of the configuration. Prints the numbers of the jobs, one a line, and "
    "does\n"
    "not wait: 'sme2lab watch JOB' shows one as it goes, 'sme2lab wait JOB' ends when it ends.";

static const char notes[] = "Examples:\n"
                            "  sme2lab submit model.pte --device counted-512\n"
                            "  sme2lab wait $(sme2lab submit configs/examples/toy_cnn.json)";

static int overlay(struct submit *s, struct sl_diag *diag)
{
    struct sl_experiment_plan *plan = &s->plan->plan;
    if (s->device)
        snprintf(s->plan->device, sizeof(s->plan->device), "%s", s->device);
    if (s->priority >= 0)
        s->plan->priority = (int)s->priority;
    s->input_text = s->inputs ? sl_strndup(s->inputs, strlen(s->inputs)) : NULL;
    for (size_t i = 0; i < plan->count; i++) {
        struct sl_experiment *e = &plan->experiments[i];
        e->runs = s->runs >= 0 ? (uint32_t)s->runs : e->runs;
        e->warmup = s->warmup >= 0 ? (uint32_t)s->warmup : e->warmup;
        e->seed = s->seed >= 0 ? (uint32_t)s->seed : e->seed;
        if (!s->input_text)
            continue;
        if (i > 0) {
            memcpy(e->inputs, plan->experiments[0].inputs, sizeof(e->inputs));
            e->input_count = plan->experiments[0].input_count;
        } else {
            int rc = sl_input_list_split(s->input_text, e, diag);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static bool is_wanted(const struct submit *s, const char *name)
{
    bool wanted = s->only.count == 0;
    for (size_t i = 0; i < s->only.count; i++)
        wanted = wanted || strcmp(s->only.items[i], name) == 0;
    return wanted;
}

/* Each name of --only must be an experiment's. */
static int check_only(const struct submit *s, struct sl_diag *diag)
{
    const struct sl_experiment_plan *plan = &s->plan->plan;
    const char *names[SL_EXPERIMENT_MAX];
    for (size_t i = 0; i < plan->count; i++)
        names[i] = plan->experiments[i].name;
    for (size_t o = 0; o < s->only.count; o++) {
        bool found = false;
        for (size_t i = 0; i < plan->count; i++)
            found = found || strcmp(names[i], s->only.items[o]) == 0;
        if (found)
            continue;
        const char *nearest = sl_nearest(s->only.items[o], names, plan->count);
        sl_diag_hint(diag, "the experiment nearest to it is '%s'", nearest ? nearest : names[0]);
        return sl_diag_set(diag, SL_E_NOT_FOUND, "--only", "There is no experiment '%s'",
                           s->only.items[o]);
    }
    return 0;
}

/* A kind in place of a name ("counted") becomes a ready device of that kind, else any of it; with a
 * vector length the one called after both. NULL: there is none. */
static const char *choose_device(const cJSON *devices, const char *kind, unsigned svl)
{
    char called[64];
    const char *found = NULL;
    const cJSON *device;
    snprintf(called, sizeof(called), "%.40s-%u", kind, svl);
    cJSON_ArrayForEach(device, devices)
    {
        const char *name = sl_answer_text(device, "name");
        bool ready = strcmp(sl_answer_text(device, "state"), "ready") == 0;
        if (strcmp(sl_answer_text(device, "kind"), kind) != 0)
            continue;
        if (svl != 0 ? strcmp(name, called) == 0 : ready || !found)
            found = name;
        if (found == name && ready)
            break;
    }
    return found;
}

static int resolve_device(struct submit *s, struct sl_diag *diag)
{
    char kind[SL_SUBMIT_DEVICE_BYTES];
    bool is_kind = false;
    cJSON *answer = NULL;
    if (s->plan->svl != 0 && !s->plan->device[0])
        snprintf(s->plan->device, sizeof(s->plan->device), "counted");
    memcpy(kind, s->plan->device, sizeof(kind));
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        is_kind = is_kind || strcmp(kind, kinds[i]) == 0;
    if (!is_kind && s->plan->svl == 0)
        return 0;
    if (!is_kind) {
        sl_diag_hint(diag, "take 'svl' out of the configuration");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "/svl",
                           "The device '%.60s' has its own vector length", kind);
    }
    int rc = sl_client_get(s->client, "/api/v1/devices", NULL, &answer, diag);
    if (rc < 0)
        return rc;
    const char *found =
        choose_device(cJSON_GetObjectItemCaseSensitive(answer, "devices"), kind, s->plan->svl);
    if (found) {
        snprintf(s->plan->device, sizeof(s->plan->device), "%s", found);
    } else {
        sl_diag_hint(diag, "'sme2lab devices' lists those there are");
        char vectors[48] = "";
        if (s->plan->svl != 0)
            snprintf(vectors, sizeof(vectors), " with vectors of %u bits", s->plan->svl);
        rc = sl_diag_set(diag, -ENODEV, sl_client_server(s->client),
                         "The lab has no device of kind %.20s%s", kind, vectors);
    }
    cJSON_Delete(answer);
    return rc;
}

static int post(struct submit *s, size_t i, struct sl_diag *diag)
{
    uint8_t random[KEY_BYTES];
    char key[2 * KEY_BYTES + 1];
    struct sl_buf body;
    struct sl_answer answer;
    sl_random_bytes(random, sizeof(random));
    for (size_t k = 0; k < KEY_BYTES; k++)
        snprintf(key + 2 * k, 3, "%02x", random[k]);
    sl_buf_init(&body, MAX_BODY_BYTES);
    int rc = sl_submit_body(s->plan, i, s->model, s->digests, &body);
    const struct sl_request request = {.method = "POST",
                                       .path = "/api/v1/jobs",
                                       .json = (const char *)body.data,
                                       .idempotency_key = key};
    if (rc == 0)
        rc = sl_client_send(s->client, &request, &answer, diag);
    else
        sl_diag_set(diag, rc, NULL, "The experiment cannot be sent (%s)", sl_strerror(rc));
    sl_buf_fini(&body);
    if (rc < 0)
        return rc;
    cJSON *reply = cJSON_ParseWithLength((const char *)answer.body.data, answer.body.size);
    s->jobs[s->job_count++] = sl_answer_u64(reply, "id");
    cJSON_Delete(reply);
    sl_buf_fini(&answer.body);
    return 0;
}

static int send_all(struct submit *s, struct sl_diag *diag)
{
    const struct sl_experiment_plan *plan = &s->plan->plan;
    int rc = resolve_device(s, diag);
    if (rc == 0)
        rc = sl_upload_file(s->cli, s->client, plan->model, s->model, diag);
    for (size_t i = 0; i < plan->count && rc == 0; i++) {
        const struct sl_experiment *e = &plan->experiments[i];
        if (!is_wanted(s, e->name))
            continue;
        for (size_t k = 0; k < e->input_count && rc == 0; k++)
            rc = sl_upload_file(s->cli, s->client, e->inputs[k], s->digests[k], diag);
        if (rc == 0)
            rc = post(s, i, diag);
    }
    return rc;
}

static void print_jobs(const struct submit *s)
{
    struct sl_buf text;
    struct sl_json json;
    if (!s->cli->json) {
        for (size_t i = 0; i < s->job_count; i++)
            printf("%" PRIu64 "\n", s->jobs[i]);
        if (s->cli->live && s->job_count == 1)
            fprintf(stderr, "'sme2lab watch %" PRIu64 "' shows it\n", s->jobs[0]);
        return;
    }
    sl_buf_init(&text, MAX_BODY_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_open_array(&json, "jobs");
    for (size_t i = 0; i < s->job_count; i++)
        sl_json_u64(&json, NULL, s->jobs[i]);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}

static int run(struct submit *s, const char *target)
{
    struct sl_diag diag = {0};
    int rc = sl_submit_plan_load(target, s->plan, &diag);
    bool loaded = rc == 0;
    if (rc == 0)
        rc = overlay(s, &diag);
    if (rc == 0)
        rc = check_only(s, &diag);
    if (rc == 0)
        rc = sl_client_open(s->cli, &s->client, &diag);
    if (rc == 0) {
        sl_interrupt_catch();
        rc = send_all(s, &diag);
        if (s->job_count > 0)
            print_jobs(s);
    }
    if (loaded)
        sl_submit_plan_fini(s->plan);
    sl_client_free(s->client);
    sl_free(s->input_text);
    return rc < 0 ? sl_cli_fail(s->cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

int sl_cmd_submit(const struct sl_cli *cli, int argc, char **argv)
{
    static struct sl_submit_plan plan;
    static struct submit s;
    struct sl_diag diag = {0};
    const char *target = NULL;
    size_t count = 0;
    s = (struct submit){
        .cli = cli, .plan = &plan, .runs = -1, .warmup = -1, .seed = -1, .priority = -1};
    const struct sl_option options[] = {
        {"--device", 0, SL_OPTION_TEXT, &s.device, "NAME", "a device's name or kind (any)"},
        {"--inputs", 0, SL_OPTION_TEXT, &s.inputs, "F,F", "raw input files in order (ones)"},
        {"--runs", 0, SL_OPTION_COUNT, &s.runs, "N", "measured executions of each variant"},
        {"--warmup", 0, SL_OPTION_COUNT, &s.warmup, "N", "executions of each before those"},
        {"--seed", 0, SL_OPTION_COUNT, &s.seed, "N", "draws which variant runs first (1)"},
        {"--priority", 0, SL_OPTION_COUNT, &s.priority, "N", "higher goes first (0)"},
        {"--only", 0, SL_OPTION_LIST, &s.only, "NAME", "this experiment; may be repeated"},
    };
    const struct sl_usage usage = {.verb = "submit",
                                   .synopsis = "MODEL.pte|CONFIG.json [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = notes};
    int rc = sl_options_parse(&usage, argc, argv, &target, 1, &count, &diag);
    if (rc == 0 && count == 0) {
        sl_diag_hint(&diag, "usage: sme2lab submit %s", usage.synopsis);
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "No model was named");
    }
    if (rc < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    return rc > 0 ? SL_EXIT_DONE : run(&s, target);
}
