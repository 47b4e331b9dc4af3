/* host/cli/cmd_devices.c: `sme2lab devices`. */
#include <string.h>

#include <cjson/cJSON.h>

#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/spec/columns.h"
#include "host/spec/device_facts.h"
#include "host/spec/json_value.h"

static bool put_detail(struct sl_table *table, const cJSON *device, const char *column)
{
    char text[2 * SL_DETAIL_BYTES];
    if (strcmp(column, "detail") != 0)
        return false;
    sl_table_put(table, sl_device_detail(text, sl_value_text(device, "detail", ""),
                                         sl_value_text(device, "model", ""),
                                         sl_value_text(device, "system", ""),
                                         sl_value_text(device, "no_sme2", "")));
    return true;
}

int sl_cmd_devices(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_list_options list = {.filter = NULL};
    const struct sl_option options[] = {SL_LIST_SEARCH(list)};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/devices";
    const struct sl_usage usage = {
        .verb = "devices",
        .synopsis = "[option...]",
        .about =
            "Lists the lab's devices. local measures nanoseconds on the daemon's machine,\n"
            "counted counts instructions in the emulator, and the times of emulated mean\n"
            "nothing. QUEUE is how many jobs wait that could go to the device. SVL is the\n"
            "streaming vector length in bits that it starts with. TEMP is the degrees Celsius\n"
            "of its warmest place, BATTERY its charge in percent. Its agent reads both once\n"
            "a minute while it has no job, and after each job.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true};
    size_t count;
    int code;
    cJSON *answer;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    code = sl_ask_rows(cli, "devices", path, true, &list, &answer);
    return sl_ask_show(cli, code, answer, "devices", &sl_device_columns, put_detail,
                       "The lab has no devices; its configuration names them.");
}
