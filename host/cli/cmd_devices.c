/* host/cli/cmd_devices.c: `sme2lab devices`. */
#include <inttypes.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
#include "host/report/table.h"

/* Why it cannot be used, else what it is. */
static void put_detail(struct sl_table *table, const cJSON *device)
{
    const char *detail = sl_answer_text(device, "detail"), *model = sl_answer_text(device, "model"),
               *system = sl_answer_text(device, "system");
    if (*detail || !*model)
        sl_table_put(table, detail);
    else
        sl_table_printf(table, "%s%s%s", model, *system ? ", " : "", system);
}

static int show(const struct sl_cli *cli, const cJSON *answer)
{
    static const char *const heads[] = {"~DEVICE", "KIND", "STATE", ">JOB", "~DETAIL", NULL};
    struct sl_table table;
    const cJSON *device;
    sl_table_init(&table, "devices", "devices", heads);
    cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(answer, "devices"))
    {
        uint64_t job = sl_answer_u64(device, "job");
        sl_table_put(&table, sl_answer_text(device, "name"));
        sl_table_put(&table, sl_answer_text(device, "kind"));
        sl_table_put(&table, sl_answer_text(device, "state"));
        if (job != 0)
            sl_table_printf(&table, "%" PRIu64, job);
        else
            sl_table_put(&table, NULL);
        put_detail(&table, device);
    }
    return sl_cli_table(cli, &table, "The lab has no devices; its configuration names them.");
}

int sl_cmd_devices(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {SL_LIST_SEARCH(list)};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/devices";
    const struct sl_usage usage = {
        .verb = "devices",
        .synopsis = "[option...]",
        .about = "Lists the lab's devices. local measures nanoseconds on the daemon's machine,\n"
                 "counted counts instructions in the emulator, and the times of emulated mean\n"
                 "nothing.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true};
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    code = sl_ask_rows(cli, "devices", path, true, &list, &answer);
    if (answer)
        code = show(cli, answer);
    cJSON_Delete(answer);
    return code;
}
