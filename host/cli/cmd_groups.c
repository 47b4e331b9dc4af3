/* host/cli/cmd_groups.c: `sme2lab groups`. */
#include <inttypes.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/spec/columns.h"
#include "host/spec/json_value.h"

/* As the other verbs call it. */
static bool put_cell(struct sl_table *table, const cJSON *group, const char *column)
{
    if (strcmp(column, "id") != 0)
        return false;
    sl_table_printf(table, "g%" PRIu64, sl_value_u64(group, "id"));
    return true;
}

int sl_cmd_groups(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {SL_LIST_SEARCH(list), SL_LIST_PAGE(list)};
    const struct sl_usage usage = {
        .verb = "groups",
        .synopsis = "[option...]",
        .about = "Lists groups of jobs, newest first, and how many of their jobs are in which\n"
                 "state. 'sme2lab submit' makes one of several experiments, or with --group;\n"
                 "watch, wait, cancel and report take one in place of its jobs: g7.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/groups";
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    code = sl_ask_rows(cli, "groups", path, true, &list, &answer);
    return sl_ask_show(cli, code, answer, "groups", &sl_group_columns, put_cell,
                       "No groups. 'sme2lab submit A.json B.json' makes one.");
}
