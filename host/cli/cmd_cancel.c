/* host/cli/cmd_cancel.c: `sme2lab cancel`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/group.h"
#include "host/cli/options.h"
#include "host/cli/outcome.h"
#include "host/spec/json_value.h"

static int cancel_group(const struct sl_cli *cli, uint64_t id)
{
    char path[96];
    cJSON *group;
    snprintf(path, sizeof(path), "/api/v1/groups/%" PRIu64, id);
    int code =
        sl_ask(cli, "group", &(struct sl_client_request){.method = "DELETE", .path = path}, &group);
    uint64_t open = sl_value_u64(group, "queued") + sl_value_u64(group, "running");
    if (group && open == 0)
        sl_say(stdout, "all jobs of group g%" PRIu64 " had ended already\n", id);
    else if (group)
        sl_say(stdout, "the open jobs of group g%" PRIu64 " are cancelled, %" PRIu64 " of them\n",
               id, open);
    cJSON_Delete(group);
    return code;
}

static int cancel(const struct sl_cli *cli, const char *word)
{
    char path[96];
    uint64_t id;
    struct sl_diag diag = {0};
    cJSON *job;
    if (sl_group_named(word, &id))
        return cancel_group(cli, id);
    if (sl_answer_id(word, "job", &id, &diag) < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64, id);
    int code =
        sl_ask(cli, "job", &(struct sl_client_request){.method = "DELETE", .path = path}, &job);
    const char *state = sl_value_text(job, "state", "");
    if (job && (strcmp(state, "running") == 0 || strcmp(state, "detached") == 0))
        sl_say(stdout, "job %" PRIu64 " is being stopped\n", id);
    else if (job && strcmp(state, "cancelled") != 0 && sl_outcome_is_end(state))
        sl_say(stdout, "job %" PRIu64 " had ended already: %s\n", id, state);
    else if (job)
        sl_say(stdout, "job %" PRIu64 " is cancelled\n", id);
    cJSON_Delete(job);
    return code;
}

int sl_cmd_cancel(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {.verb = "cancel",
                                          .synopsis = "JOB|gN... [option...]",
                                          .about =
                                              "Takes jobs, or those of a group, out of the queue, "
                                              "or stops them where they run. What has ended stays\n"
                                              "as it is.",
                                          .speaks_http = true};
    const char *words[64];
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, words, 64, "the number of a job", &count, &code))
        return code;
    for (size_t i = 0; i < count; i++)
        code = sl_outcome_worse(code, cancel(cli, words[i]));
    return code;
}
