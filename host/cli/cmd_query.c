/* host/cli/cmd_query.c: `sme2lab query`: a question in SQL to the daemon's store. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
#include "host/report/csv.h"
#include "host/report/table.h"
#include "host/spec/json_value.h"

enum { MAX_BODY_BYTES = 512 << 10, MAX_CSV_BYTES = 64 << 20, CELL = 64 };

/* A value as words; of a text the text itself. */
static const char *words_of(const cJSON *value, char out[CELL])
{
    if (cJSON_IsString(value))
        return value->valuestring;
    out[0] = '\0';
    if (cJSON_IsNumber(value))
        snprintf(out, CELL, "%.*g",
                 value->valuedouble == (double)(int64_t)value->valuedouble ? 17 : 6,
                 value->valuedouble);
    return out;
}

static int put_csv_row(struct sl_buf *out, const cJSON *row)
{
    const cJSON *value;
    char cell[CELL];
    int rc = 0;
    cJSON_ArrayForEach(value, row)
    {
        const char *words = words_of(value, cell);
        if (rc == 0 && cJSON_IsNumber(value)) /* which no spreadsheet takes for a formula */
            rc = sl_buf_printf(out, "%s,", words);
        else if (rc == 0)
            rc = sl_csv_field(out, words, strlen(words));
    }
    if (rc == 0 && out->size > 0)
        out->data[out->size - 1] = '\n'; /* in place of the last comma */
    return rc;
}

static int show_csv(const struct sl_cli *cli, const cJSON *columns, const cJSON *rows)
{
    struct sl_diag diag = {0};
    struct sl_buf text;
    const cJSON *row;
    sl_buf_init(&text, MAX_CSV_BYTES);
    int rc = put_csv_row(&text, columns);
    cJSON_ArrayForEach(row, rows)
    {
        if (rc == 0)
            rc = put_csv_row(&text, row);
    }
    if (rc == 0)
        sl_say_file(stdout, &text);
    sl_buf_fini(&text);
    if (rc == 0)
        return SL_EXIT_DONE;
    sl_diag_hint(&diag, "ask for fewer rows");
    sl_diag_set(&diag, rc, "stdout", "the rows cannot be written (%s)", sl_strerror(rc));
    return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
}

/* The heads of a table: figures to the right, texts cut where there is no room. */
static void head_of(const cJSON *columns, const cJSON *first, int at, char out[CELL])
{
    const cJSON *name = cJSON_GetArrayItem(columns, at), *value = cJSON_GetArrayItem(first, at);
    snprintf(out, CELL, "%s%.60s",
             cJSON_IsNumber(value)   ? ">"
             : cJSON_IsString(value) ? "~"
                                     : "",
             cJSON_IsString(name) ? name->valuestring : "");
}

static int show_table(const struct sl_cli *cli, const cJSON *columns, const cJSON *rows)
{
    char heads[SL_TABLE_MAX_COLUMNS][CELL], cell[CELL];
    const char *names[SL_TABLE_MAX_COLUMNS + 1] = {NULL};
    int count = cJSON_GetArraySize(columns);
    struct sl_table table;
    const cJSON *row;
    for (int i = 0; i < count; i++) {
        head_of(columns, cJSON_GetArrayItem(rows, 0), i, heads[i]);
        names[i] = heads[i];
    }
    sl_table_init(&table, "query", "query", names);
    cJSON_ArrayForEach(row, rows)
    {
        for (int i = 0; i < count; i++)
            sl_table_put(&table, words_of(cJSON_GetArrayItem(row, i), cell));
    }
    return sl_cli_table(cli, &table, "No rows.");
}

static int show(const struct sl_cli *cli, const cJSON *answer, bool csv)
{
    const cJSON *columns = sl_value(answer, "columns");
    const cJSON *rows = sl_value(answer, "rows");
    int count = cJSON_GetArraySize(columns);
    int code = csv || count > SL_TABLE_MAX_COLUMNS ? show_csv(cli, columns, rows)
                                                   : show_table(cli, columns, rows);
    if (cJSON_IsTrue(sl_value(answer, "truncated")))
        sl_say(stderr, "sme2lab: there are more rows than these; --rows N asks for more\n");
    return code;
}

int sl_cmd_query(const struct sl_cli *cli, int argc, char **argv)
{
    bool csv = false;
    int64_t rows = -1; /* as the daemon has it */
    const struct sl_option options[] = {
        {"--csv", 0, SL_OPTION_FLAG, &csv, NULL, "comma-separated values (RFC 4180)"},
        {"--rows", 0, SL_OPTION_COUNT, &rows, "N", "at most so many rows (1000)"},
    };
    const struct sl_usage usage = {
        .verb = "query",
        .synopsis = "'SELECT ...' [option...]",
        .about =
            "Asks the daemon's store a question in SQL (SQLite's), which only reads: one\n"
            "statement, 10 s, 100,000 rows. Tables: runs, jobs, attempts, devices, labels, "
            "commits,\n"
            "variants, categories, operators, changes; 'SELECT sql FROM sqlite_schema' shows "
            "their\n"
            "columns, host/store/README.md tells of them and has examples. More than 10 columns\n"
            "come out as CSV.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "Example: sme2lab query 'SELECT name, max(median) FROM operators GROUP BY name'"};
    const char *words[1];
    size_t count;
    int code;
    struct sl_buf body;
    struct sl_json json;
    cJSON *answer = NULL;
    if (!sl_ask_words(cli, &usage, argc, argv, words, 1, "a SELECT", &count, &code))
        return code;
    sl_buf_init(&body, MAX_BODY_BYTES);
    sl_json_init(&json, &body);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "sql", words[0]);
    if (rows >= 0)
        sl_json_i64(&json, "rows", rows);
    sl_json_close_object(&json);
    if (json.error != 0) {
        struct sl_diag diag = {0};
        sl_diag_set(&diag, json.error, "command line", "the SELECT is too long");
        code = sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    } else {
        code =
            sl_ask(cli, "query",
                   &(struct sl_client_request){
                       .method = "POST", .path = "/api/v1/query", .json = (const char *)body.data},
                   &answer);
    }
    if (answer)
        code = show(cli, answer, csv);
    cJSON_Delete(answer);
    sl_buf_fini(&body);
    return code;
}
