/* host/cli/runners_show.c */
#include "host/cli/runners_show.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/report/report.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/import.h"
#include "host/rundir/report_files.h"
#include "host/spec/json_value.h"

#define MAX_IMPORT_BYTES ((size_t)1 << 26)

static void tell_failure(const struct sl_cli *cli, const char *directory, const cJSON *failure)
{
    struct sl_diag diag = {.what = ""};
    struct sl_cli words = *cli;
    words.json = false; /* import.json has it */
    sl_diag_hint(&diag, "all that it printed is in %.600s/%.200s", directory,
                 sl_value_text(failure, "log", ""));
    sl_diag_set(&diag, SL_E_UNSUPPORTED, sl_value_text(failure, "experiment", ""),
                "In process %.0f %.200s", sl_value_number(failure, "process", 0),
                sl_value_text(failure, "why", ""));
    sl_say(stderr, "%s\n", sl_value_text(failure, "last_lines", ""));
    sl_cli_fail(&words, SL_EXIT_FAILED, &diag);
}

static int print_pairs(const char *directory, const struct sl_categories *categories,
                       size_t *out_count, struct sl_diag *diag)
{
    struct sl_collection all = {.count = 0};
    struct sl_diag none = {.what = ""};
    int rc = sl_collection_add(&all, directory, NULL, categories, &none);
    for (size_t i = 0; rc == 0 && i < all.count; i++) {
        char title[256], verdict[256];
        sl_report_title(&all.reports[i], title, sizeof(title));
        sl_report_verdict(&all.reports[i], verdict, sizeof(verdict));
        sl_say(stdout, "%s: %s\n", title, verdict);
    }
    *out_count = all.count;
    sl_collection_fini(&all);
    if (rc == SL_E_NOT_FOUND) /* no pair has times */
        return 0;
    if (rc < 0 && diag)
        *diag = none;
    return rc;
}

static int print_json(const char *directory, struct sl_diag *diag)
{
    char path[1100];
    struct sl_buf text;
    sl_path_join(path, sizeof(path), directory, "import.json");
    int rc = sl_buf_read_file(path, MAX_IMPORT_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The file cannot be read (%s)", sl_strerror(rc));
    sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return 0;
}

int sl_runners_show(const struct sl_cli *cli, const char *directory,
                    const struct sl_categories *categories, struct sl_diag *diag)
{
    cJSON *import = NULL;
    const cJSON *failure;
    int rc = sl_import_read(directory, &import);
    if (rc < 0)
        return sl_diag_set(diag, rc, directory, "import.json cannot be read: %s", sl_strerror(rc));
    const cJSON *failures = sl_value(import, "failures");
    int measured = cJSON_GetArraySize(sl_value(import, "runs"));
    size_t pairs = 0;
    cJSON_ArrayForEach(failure, failures) tell_failure(cli, directory, failure);
    if (cli->json)
        rc = print_json(directory, diag);
    else if (!cli->quiet && measured > 0)
        rc = print_pairs(directory, categories, &pairs, diag);
    if (rc == 0 && !cli->json && !cli->quiet)
        sl_say(stdout, "%s: %d of %d experiments measured, %zu pairs compared\n", directory,
               measured, measured + cJSON_GetArraySize(failures), pairs);
    cJSON_Delete(import);
    return rc;
}
