/* host/cli/ask.c */
#include "host/cli/ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/cli/answer.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/url.h"

bool sl_ask_words(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
                  const char **words, size_t max_words, const char *need, size_t *out_count,
                  int *out_code)
{
    struct sl_diag diag = {0};
    size_t count = 0;
    int rc = sl_options_parse(usage, argc, argv, words, max_words, &count, &diag);
    if (rc == 0 && need && count == 0) {
        sl_diag_hint(&diag, "usage: sme2lab %s %s", usage->verb, usage->synopsis);
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "sme2lab %s needs %s",
                         usage->verb, need);
    }
    *out_count = count;
    *out_code = rc < 0 ? sl_cli_fail(cli, SL_EXIT_USAGE, &diag) : SL_EXIT_DONE;
    return rc == 0;
}

/* The answer's bytes and a newline. */
static void print_body(const struct sl_buf *body)
{
    size_t len = body->size;
    while (len > 0 && body->data[len - 1] == '\n')
        len--;
    if (len > 0)
        fwrite(body->data, 1, len, stdout);
    else
        fputs("{}", stdout);
    putchar('\n');
}

static int take_answer(const struct sl_cli *cli, struct sl_answer *answer, const char *server,
                       cJSON **out, struct sl_diag *diag)
{
    cJSON *document = NULL;
    if (answer->body.size > 0)
        document = cJSON_ParseWithLength((const char *)answer->body.data, answer->body.size);
    if (answer->body.size > 0 && !document) {
        sl_diag_hint(diag, "see what listens at that address; is it a sme2labd?");
        return sl_diag_set(diag, -EPROTO, server, "The answer is not JSON");
    }
    if (cli->json) {
        print_body(&answer->body);
        cJSON_Delete(document);
        document = NULL;
    }
    *out = document;
    return 0;
}

int sl_ask(const struct sl_cli *cli, const struct sl_request *request, cJSON **out)
{
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    struct sl_answer answer;
    *out = NULL;
    int rc = sl_client_open_any(cli, &client, &diag);
    if (rc == 0)
        rc = sl_client_send(client, request, &answer, &diag);
    if (rc == 0) {
        rc = take_answer(cli, &answer, sl_client_server(client), out, &diag);
        sl_buf_fini(&answer.body);
    }
    sl_client_free(client);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

int sl_ask_page(const struct sl_cli *cli, char *path, bool fits, const char *limit,
                const char *cursor, cJSON **out)
{
    struct sl_diag diag = {0};
    *out = NULL;
    if (fits && sl_url_query(path, SL_CLIENT_PATH_BYTES, "limit", limit) &&
        sl_url_query(path, SL_CLIENT_PATH_BYTES, "cursor", cursor))
        return sl_ask(cli, &(struct sl_request){.method = "GET", .path = path}, out);
    sl_diag_set(&diag, SL_E_LIMIT, "command line", "The options are too long");
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}

int sl_ask_run(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
               sl_ask_run_fn about_run, void *user)
{
    const char *word = NULL;
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    uint64_t id = 0;
    size_t count;
    int code;
    if (!sl_ask_words(cli, usage, argc, argv, &word, 1, "the number of a run", &count, &code))
        return code;
    int rc = sl_answer_id(word, "run", &id, &diag);
    if (rc == 0)
        rc = sl_client_open_any(cli, &client, &diag);
    if (rc == 0)
        rc = about_run(cli, client, id, user, &diag);
    sl_client_free(client);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
