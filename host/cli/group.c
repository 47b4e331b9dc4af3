/* host/cli/group.c */
#include "host/cli/group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/client.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

enum { NAME_BYTES = 64 }; /* what the daemon takes */

bool sl_group_named(const char *word, uint64_t *out_id)
{
    return word[0] == 'g' && sl_answer_id(word + 1, "group", out_id, NULL) == 0;
}

int sl_group_id(const char *word, uint64_t *out_id, struct sl_diag *diag)
{
    return sl_answer_id(word[0] == 'g' ? word + 1 : word, "group", out_id, diag);
}

int sl_group_make(struct sl_client *client, const char *name, uint64_t *out_id,
                  struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/groups", called[NAME_BYTES];
    snprintf(called, sizeof(called), "%s", name[0] ? name : "jobs");
    for (char *at = called; *at; at++)
        *at = *at >= ' ' && *at <= '~' ? *at : '_';
    if (!sl_url_query(path, sizeof(path), "name", called))
        return sl_diag_set(diag, SL_E_LIMIT, "--group", "The name is too long");
    const struct sl_client_request request = {.method = "POST", .path = path, .json = "{}"};
    return sl_client_make(client, &request, "The daemon made a group and gave it no number", out_id,
                          diag);
}

int sl_group_jobs(struct sl_client *client, uint64_t id, struct sl_group_job **out_jobs,
                  size_t *out_count, struct sl_diag *diag)
{
    char path[96], where[SL_GROUP_WORD_BYTES];
    const struct sl_list_wish wish = {.name = "jobs", .path = path, .most = SL_GROUP_MAX_JOBS + 1};
    cJSON *answer = NULL;
    const cJSON *row;
    snprintf(path, sizeof(path), "/api/v1/jobs?group=%" PRIu64, id);
    snprintf(where, sizeof(where), "g%" PRIu64, id);
    int rc = sl_ask_pages(client, &wish, &answer, diag);
    const cJSON *list = sl_value(answer, "jobs");
    size_t count = rc == 0 ? (size_t)cJSON_GetArraySize(list) : 0, at = count;
    struct sl_group_job *jobs = NULL;
    if (rc == 0 && count == 0) {
        sl_diag_hint(diag, "'sme2lab groups' lists them");
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, where, "No job is in the group");
    } else if (rc == 0 && count > SL_GROUP_MAX_JOBS) {
        sl_diag_hint(diag, "'sme2lab jobs --group %" PRIu64 "' lists them page by page", id);
        rc = sl_diag_set(diag, SL_E_LIMIT, where, "The group has more than %d jobs",
                         SL_GROUP_MAX_JOBS);
    } else if (rc == 0) {
        jobs = sl_calloc(count, sizeof(*jobs));
        rc = jobs ? 0 : -ENOMEM;
    }
    const cJSON *taken = jobs ? list : NULL;
    cJSON_ArrayForEach(row, taken)
    {
        jobs[--at] = (struct sl_group_job){sl_value_u64(row, "id"), sl_value_u64(row, "run")};
    }
    cJSON_Delete(answer);
    if (rc == 0) {
        *out_jobs = jobs;
        *out_count = count;
    }
    return rc;
}

/* The runs of the group at `at`, in its place. */
static int expand(struct sl_client *client, uint64_t id, size_t at, const char **words,
                  size_t *count, size_t most, char (**texts)[SL_GROUP_WORD_BYTES],
                  struct sl_diag *diag)
{
    struct sl_group_job *jobs = NULL;
    size_t found = 0, runs = 0;
    int rc = sl_group_jobs(client, id, &jobs, &found, diag);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < found; i++)
        runs += jobs[i].run != 0;
    if (runs == 0)
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, words[at], "No job of the group made a run");
    else if (*count - 1 + runs > most)
        rc = sl_diag_set(diag, SL_E_LIMIT, words[at], "These are more than %zu runs", most);
    if (rc == 0) {
        memmove(words + at + runs, words + at + 1, (*count - at - 1) * sizeof(*words));
        *count = *count - 1 + runs;
    }
    for (size_t i = 0; i < found && rc == 0; i++) {
        if (jobs[i].run == 0)
            continue;
        snprintf(**texts, SL_GROUP_WORD_BYTES, "%" PRIu64, jobs[i].run);
        words[at++] = *(*texts)++;
    }
    sl_free(jobs);
    return rc;
}

int sl_group_expand(const struct sl_cli *cli, const char **words, size_t *count, size_t most,
                    char (*texts)[SL_GROUP_WORD_BYTES], struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    struct stat info;
    uint64_t id;
    int rc = 0;
    for (size_t i = *count; i-- > 0 && rc == 0;) { /* from the end: those before stay in place */
        if (!sl_group_named(words[i], &id) || stat(words[i], &info) == 0)
            continue;
        if (!client)
            rc = sl_client_open_any(cli, &client, diag);
        if (rc == 0)
            rc = expand(client, id, i, words, count, most, &texts, diag);
    }
    sl_client_free(client);
    return rc;
}
