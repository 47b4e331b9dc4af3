/* host/cli/outcome.c */
#include "host/cli/outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/report/text.h"
#include "host/spec/json_value.h"

bool sl_outcome_is_end(const char *state)
{
    return strcmp(state, "done") == 0 || strcmp(state, "failed") == 0 ||
           strcmp(state, "cancelled") == 0;
}

bool sl_outcome_has_files(const struct sl_outcome *outcome)
{
    return outcome->run != 0 && (outcome->verdict[0] || strcmp(outcome->state, "done") == 0);
}

int sl_outcome_worse(int a, int b)
{
    static const int loudness[] = {
        [SL_EXIT_INCONCLUSIVE] = 1, [SL_EXIT_REGRESSION] = 2, [SL_EXIT_FAILED] = 3,
        [SL_EXIT_USAGE] = 4,        [SL_EXIT_LAB] = 5,        [SL_EXIT_DEFECT] = 6,
    };
    const int count = sizeof(loudness) / sizeof(loudness[0]);
    int loud_a = a >= 0 && a < count ? loudness[a] : a;
    int loud_b = b >= 0 && b < count ? loudness[b] : b;
    return loud_b > loud_a ? b : a;
}

static void copy(char *out, size_t size, const cJSON *object, const char *key)
{
    char fit[SL_TEXT_SIZE];
    const char *text = sl_value_text(object, key, "");
    snprintf(out, size, "%s", sl_text_copy(fit, text, strlen(text)));
}

static int code_of(const struct sl_outcome *outcome)
{
    if (strcmp(outcome->state, "done") == 0)
        return outcome->run != 0 ? outcome->exit_code : SL_EXIT_DONE;
    if (strcmp(outcome->cause, "deadline") == 0 || strcmp(outcome->cause, "dependency") == 0)
        return SL_EXIT_LAB;
    if (strcmp(outcome->state, "cancelled") == 0)
        return SL_EXIT_INTERRUPTED;
    if (strcmp(outcome->cause, "user") == 0)
        return SL_EXIT_USAGE;
    return strcmp(outcome->cause, "lab") == 0 ? SL_EXIT_LAB : SL_EXIT_FAILED;
}

void sl_outcome_read(const cJSON *job, const cJSON *run, struct sl_outcome *out)
{
    *out = (struct sl_outcome){.job = sl_value_u64(job, "id"), .run = sl_value_u64(job, "run")};
    copy(out->state, sizeof(out->state), job, "state");
    copy(out->cause, sizeof(out->cause), job, "cause");
    copy(out->detail, sizeof(out->detail), job, "detail");
    copy(out->device, sizeof(out->device), job, "device");
    copy(out->verdict, sizeof(out->verdict), run, "verdict");
    copy(out->model, sizeof(out->model), run, "model");
    const cJSON *config = sl_value(job, "config");
    if (!out->model[0])
        copy(out->model, sizeof(out->model), config, "model_name");
    out->ratio = sl_value_number(run, "ratio", 0);
    out->exit_code = (int)sl_value_u64(run, "exit_code");
    out->ended = sl_outcome_is_end(out->state);
    out->exit_code = code_of(out);
}

int sl_outcome_fetch(struct sl_client *client, uint64_t id, struct sl_outcome *out,
                     struct sl_diag *diag)
{
    char path[96];
    cJSON *job = NULL, *run = NULL;
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64, id);
    int rc = sl_client_get(client, path, NULL, &job, diag);
    uint64_t run_id = rc == 0 ? sl_value_u64(job, "run") : 0;
    if (run_id != 0) {
        snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64, run_id);
        rc = sl_client_get(client, path, NULL, &run, diag);
    }
    if (rc == 0)
        sl_outcome_read(job, run, out);
    cJSON_Delete(job);
    cJSON_Delete(run);
    return rc;
}

void sl_outcome_print(const struct sl_outcome *outcome)
{
    sl_say(stdout, "job %" PRIu64 " %s", outcome->job, outcome->state);
    if (outcome->verdict[0])
        sl_say(stdout, ": %s", outcome->verdict);
    if (outcome->ratio > 0)
        sl_say(stdout, ", off / on = %.3f", outcome->ratio);
    if (outcome->model[0])
        sl_say(stdout, " (%s", outcome->model);
    if (outcome->model[0])
        sl_say(stdout, "%s%s)", outcome->device[0] ? " on " : "", outcome->device);
    if (strcmp(outcome->state, "failed") == 0)
        sl_say(stdout, " (%s error)", outcome->cause);
    if (outcome->detail[0])
        sl_say(stdout, ": %s", outcome->detail);
    sl_say(stdout, "\n");
    if (outcome->run != 0)
        sl_say(stdout, "  sme2lab show %" PRIu64 "\n", outcome->run);
}

void sl_outcome_json(const struct sl_outcome *outcome, struct sl_json *json)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.outcome/1");
    sl_json_u64(json, "job", outcome->job);
    sl_json_text(json, "state", outcome->state);
    sl_json_text(json, "cause", outcome->cause);
    sl_json_text(json, "detail", outcome->detail);
    sl_json_text(json, "model", outcome->model[0] ? outcome->model : NULL);
    sl_json_text(json, "device", outcome->device[0] ? outcome->device : NULL);
    if (outcome->run != 0)
        sl_json_u64(json, "run", outcome->run);
    else
        sl_json_null(json, "run");
    sl_json_text(json, "verdict", outcome->verdict[0] ? outcome->verdict : NULL);
    if (outcome->ratio > 0)
        sl_json_f64(json, "ratio", outcome->ratio);
    else
        sl_json_null(json, "ratio");
    sl_json_i64(json, "exit_code", outcome->exit_code);
    sl_json_close_object(json);
}
