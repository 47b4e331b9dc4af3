/* host/cli/problem.c */
#include "host/cli/problem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/report/text.h"
#include "host/spec/json_value.h"

int sl_problem_code(long status)
{
    switch (status) {
    case 400:
    case 415:
    case 422:
        return SL_E_FORMAT;
    case 401:
    case 403:
        return -EPERM;
    case 404:
    case 405:
        return SL_E_NOT_FOUND;
    case 409:
        return SL_E_MISMATCH;
    case 411:
    case 413:
        return SL_E_LIMIT;
    case 429:
    case 503:
        return -EAGAIN;
    case 507:
        return -ENOSPC;
    default:
        return -EIO;
    }
}

/* The words of the first of the keys that has any, fit for a terminal. */
static const char *words(const cJSON *document, const char *const *keys, size_t count,
                         char out[SL_TEXT_SIZE])
{
    for (size_t i = 0; i < count; i++) {
        const cJSON *value = sl_value(document, keys[i]);
        if (cJSON_IsString(value) && value->valuestring[0])
            return sl_text_copy(out, value->valuestring, strlen(value->valuestring));
    }
    return NULL;
}

static const char *default_hint(long status)
{
    switch (status) {
    case 401:
        return "name a file that holds a token: --token-file FILE; 'sme2lab token add' on the "
               "daemon's machine makes one";
    case 403:
        return "ask who runs the daemon for a token of that scope";
    case 404:
        return "'sme2lab jobs', 'sme2lab runs' and 'sme2lab devices' list what there is";
    case 429:
    case 503:
        return "try again in a moment";
    case 507:
        return "free disk space on the daemon's machine";
    default:
        return status < 500 ? "correct what this names, and ask again"
                            : "the daemon's log says more";
    }
}

/* A path that the daemon advises to ask for, as the verb that asks for it. */
static void hint_by_verb(struct sl_diag *diag, const char *hint)
{
    static const char start[] = "GET /api/v1/";
    static const char *const verbs[][2] = {
        {"jobs lists", "jobs"},      {"runs lists", "runs"},       {"groups lists", "groups"},
        {"series lists", "history"}, {"devices lists", "devices"}, {"tokens lists", "token list"},
    };
    char run[24];
    const char *path = strncmp(hint, start, strlen(start)) == 0 ? hint + strlen(start) : "";
    sl_diag_hint(diag, "%s", hint);
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strncmp(path, verbs[i][0], strlen(verbs[i][0])) == 0)
            sl_diag_hint(diag, "'sme2lab %s' lists them", verbs[i][1]);
    }
    if (sscanf(path, "runs/%20[0-9]/files lists", run) == 1)
        sl_diag_hint(diag, "'sme2lab show %s' lists its files", run);
}

int sl_problem_read(long status, struct sl_bytes body, const char *server, const char *request,
                    struct sl_diag *diag)
{
    static const char *const what_keys[] = {"detail", "title"}, *const where_keys[] = {"where",
                                                                                       "pointer"};
    static const char *const hint_keys[] = {"hint"};
    char text[SL_TEXT_SIZE];
    int code = sl_problem_code(status);
    cJSON *document =
        body.size > 0 ? cJSON_ParseWithLength((const char *)body.data, body.size) : NULL;
    const char *what = words(document, what_keys, 2, text);
    size_t len = what ? strlen(what) : 0;
    while (len > 0 && what[len - 1] == '.')
        len--;
    if (len > 0)
        sl_diag_set(diag, code, NULL, "%.*s", (int)len, what);
    else
        sl_diag_set(diag, code, NULL, "The daemon answered %ld and no more", status);
    const char *where = words(document, where_keys, 2, text);
    if (where)
        snprintf(diag->where, sizeof(diag->where), "%.190s", where);
    else
        snprintf(diag->where, sizeof(diag->where), "%.90s: %.90s", server, request);
    const char *hint = status == 401 ? NULL : words(document, hint_keys, 1, text);
    hint_by_verb(diag, hint ? hint : default_hint(status));
    cJSON_Delete(document);
    return code;
}
