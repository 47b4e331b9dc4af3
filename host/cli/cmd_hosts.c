/* host/cli/cmd_hosts.c: `sme2lab hosts`. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/spec/columns.h"
#include "host/spec/json_value.h"

static bool put_name(struct sl_table *table, const cJSON *host, const char *column)
{
    if (strcmp(column, "name") != 0)
        return false;
    const char *state = cJSON_IsTrue(sl_value(host, "here"))    ? " (here)"
                        : cJSON_IsTrue(sl_value(host, "alive")) ? ""
                                                                : " (away)";
    sl_table_printf(table, "%s%s", sl_value_text(host, "name", ""), state);
    return true;
}

int sl_cmd_hosts(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {SL_LIST_SEARCH(list)};
    const struct sl_usage usage = {
        .verb = "hosts",
        .synopsis = "[option...]",
        .about = "Lists the daemons that share the store: since when each is there, when it was\n"
                 "heard of last, where it listens, and where the others reach it for files. One\n"
                 "that is away was not heard of within its lease, and has lost its jobs.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true};
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    code = sl_ask_rows(cli, "hosts", "/api/v1/hosts", true, &list, &answer);
    return sl_ask_show(cli, code, answer, "hosts", &sl_host_columns, put_name,
                       "The store knows no host.");
}
