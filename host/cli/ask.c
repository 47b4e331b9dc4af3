/* host/cli/ask.c */
#include "host/cli/ask.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/spec/columns.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

enum { PAGE_ROWS = 200, MAX_PAGES = 5000 };

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

static int take_answer(const struct sl_cli *cli, const char *schema, struct sl_answer *answer,
                       const char *server, cJSON **out, struct sl_diag *diag)
{
    cJSON *document = NULL;
    if (answer->body.size > 0)
        document = cJSON_ParseWithLength((const char *)answer->body.data, answer->body.size);
    if (answer->body.size > 0 && !document) {
        sl_diag_hint(diag, "see what listens at that address; is it a sme2labd?");
        return sl_diag_set(diag, -EPROTO, server, "The answer is not JSON");
    }
    if (cli->json) {
        sl_answer_print(schema, &answer->body);
        cJSON_Delete(document);
        document = NULL;
    }
    *out = document;
    return 0;
}

int sl_ask(const struct sl_cli *cli, const char *schema, const struct sl_client_request *request,
           cJSON **out)
{
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    struct sl_answer answer;
    *out = NULL;
    int rc = sl_client_open_any(cli, &client, &diag);
    if (rc == 0)
        rc = sl_client_send(client, request, &answer, &diag);
    if (rc == 0) {
        rc = take_answer(cli, schema, &answer, sl_client_server(client), out, &diag);
        sl_buf_fini(&answer.body);
    }
    sl_client_free(client);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* --- lists, page by page --- */

static bool has(const char *text, const char *part)
{
    size_t len = strlen(part);
    for (; strlen(text) >= len; text++) {
        size_t same = 0;
        while (same < len &&
               tolower((unsigned char)text[same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == len)
            return true;
        if (!*text)
            break;
    }
    return false;
}

bool sl_ask_row_fits(const cJSON *row, const char *filter)
{
    const cJSON *value;
    bool fits = !filter || !*filter;
    cJSON_ArrayForEach(value, row)
    {
        fits = fits || (cJSON_IsString(value) && has(value->valuestring, filter));
    }
    return fits;
}

/* Moves the rows that fit from one list to the other, as many as are wanted. */
static void take_rows(cJSON *from, const struct sl_list_wish *wish, cJSON *to)
{
    cJSON *row, *next;
    for (row = from ? from->child : NULL; row; row = next) {
        next = row->next;
        bool room = wish->most == 0 || (uint64_t)cJSON_GetArraySize(to) < wish->most;
        if (room && sl_ask_row_fits(row, wish->filter))
            cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, row));
    }
}

static int read_pages(struct sl_client *client, const struct sl_list_wish *wish, cJSON *rows,
                      struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES], cursor[32] = "";
    for (int page = 0; page < MAX_PAGES; page++) {
        cJSON *answer = NULL;
        int len = snprintf(path, sizeof(path), "%s%climit=%d%s%s", wish->path,
                           strchr(wish->path, '?') ? '&' : '?', PAGE_ROWS,
                           cursor[0] ? "&cursor=" : "", cursor);
        int rc = len < (int)sizeof(path)
                     ? sl_client_get(client, path, NULL, &answer, diag)
                     : sl_diag_set(diag, SL_E_LIMIT, "command line", "The options are too long");
        if (rc < 0)
            return rc;
        take_rows(cJSON_GetObjectItemCaseSensitive(answer, wish->name), wish, rows);
        uint64_t next = sl_value_u64(answer, "next_cursor");
        cJSON_Delete(answer);
        bool full = wish->most != 0 && (uint64_t)cJSON_GetArraySize(rows) >= wish->most;
        if (next == 0 || full)
            return 0;
        snprintf(cursor, sizeof(cursor), "%" PRIu64, next);
    }
    return sl_diag_set(diag, SL_E_LIMIT, wish->path, "The list has more than %d rows",
                       PAGE_ROWS * MAX_PAGES);
}

int sl_ask_pages(struct sl_client *client, const struct sl_list_wish *wish, cJSON **out,
                 struct sl_diag *diag)
{
    cJSON *document = cJSON_CreateObject();
    cJSON *rows = document ? cJSON_AddArrayToObject(document, wish->name) : NULL;
    int rc = rows ? read_pages(client, wish, rows, diag)
                  : sl_diag_set(diag, -ENOMEM, NULL, "There is no memory for a list");
    if (rc < 0)
        cJSON_Delete(document);
    else
        *out = document;
    return rc;
}

/* From a daemon that is opened for it. */
static int ask_all(const struct sl_cli *cli, const struct sl_list_wish *wish, cJSON **out)
{
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    *out = NULL;
    int rc = sl_client_open_any(cli, &client, &diag);
    if (rc == 0)
        rc = sl_ask_pages(client, wish, out, &diag);
    sl_client_free(client);
    if (rc < 0)
        return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
    if (!cli->json)
        return SL_EXIT_DONE;
    char *text = cJSON_PrintUnformatted(*out);
    struct sl_buf body;
    sl_buf_init(&body, SL_CLIENT_MAX_ANSWER);
    if (text && (rc = sl_buf_append(&body, text, strlen(text))) == 0)
        sl_answer_print(wish->name, &body);
    cJSON_free(text);
    sl_buf_fini(&body);
    cJSON_Delete(*out);
    *out = NULL;
    return sl_exit_for_error(rc);
}

static int too_long(const struct sl_cli *cli)
{
    struct sl_diag diag = {0};
    sl_diag_set(&diag, SL_E_LIMIT, "command line", "The options are too long");
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}

static int ask_page(const struct sl_cli *cli, const char *name, char *path,
                    const struct sl_list_options *list, cJSON **out)
{
    if (sl_url_query(path, SL_CLIENT_PATH_BYTES, "limit", list->limit) &&
        sl_url_query(path, SL_CLIENT_PATH_BYTES, "cursor", list->cursor))
        return sl_ask(cli, name, &(struct sl_client_request){.method = "GET", .path = path}, out);
    return too_long(cli);
}

int sl_ask_rows(const struct sl_cli *cli, const char *name, char *path, bool fits,
                const struct sl_list_options *list, cJSON **out)
{
    const struct sl_list_wish wish = {name, path, list->filter, (uint64_t)list->top};
    *out = NULL;
    if (!fits)
        return too_long(cli);
    return list->filter || list->top > 0 ? ask_all(cli, &wish, out)
                                         : ask_page(cli, name, path, list, out);
}

static void put_maybe(struct sl_table *table, const cJSON *value)
{
    sl_table_put(table, cJSON_IsTrue(value) ? "yes" : cJSON_IsFalse(value) ? "no" : "");
}

static void put_cell(struct sl_table *table, const cJSON *row, const struct sl_column *column)
{
    char text[SL_TIME_TEXT_BYTES];
    uint64_t number = sl_value_u64(row, column->name);
    double real = sl_value_number(row, column->name, 0);
    if (column->kind == SL_COLUMN_TIME)
        sl_table_put(table, sl_time_text(number, text));
    else if (column->kind == SL_COLUMN_MAYBE)
        put_maybe(table, sl_value(row, column->name));
    else if (column->kind == SL_COLUMN_U32 || (column->kind == SL_COLUMN_ID && number != 0))
        sl_table_printf(table, "%" PRIu64, number);
    else if (column->kind == SL_COLUMN_REAL && real > 0)
        sl_table_printf(table, "%.3f", real);
    else
        sl_table_put(table, sl_value_text(row, column->name, ""));
}

int sl_ask_show(const struct sl_cli *cli, int code, cJSON *answer, const char *name,
                const struct sl_columns *columns, sl_ask_cell_fn own, const char *none)
{
    const char *heads[SL_TABLE_MAX_COLUMNS + 1] = {NULL};
    const struct sl_column *shown[SL_TABLE_MAX_COLUMNS];
    size_t count = 0;
    struct sl_table table;
    const cJSON *row;
    if (!answer)
        return code;
    for (; count < SL_TABLE_MAX_COLUMNS && (shown[count] = sl_column_at(columns, count + 1));
         count++)
        heads[count] = shown[count]->head;
    sl_table_init(&table, name, name, heads);
    cJSON_ArrayForEach(row, sl_value(answer, name))
    {
        for (size_t i = 0; i < count; i++) {
            if (!own || !own(&table, row, shown[i]->name))
                put_cell(&table, row, shown[i]);
        }
    }
    code = sl_cli_table(cli, &table, none);
    uint64_t next = sl_value_u64(answer, "next_cursor");
    if (next != 0 && !cli->quiet)
        sl_say(stderr, "older ones: sme2lab %s --cursor %" PRIu64 "\n", name, next);
    cJSON_Delete(answer);
    return code;
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
