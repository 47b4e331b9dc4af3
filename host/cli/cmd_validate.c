/* host/cli/cmd_validate.c: `sme2lab validate`: checks a run directory against itself. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/categories_file.h"
#include "host/rundir/armkit.h"
#include "host/rundir/import.h"
#include "host/rundir/rundir.h"
#include "host/rundir/validation.h"

#define MAX_OUTPUT_BYTES ((size_t)1 << 24)

static const char about[] =
    "Checks a directory that 'sme2lab run' made. Every promised file must be there, and each\n"
    "ETDump must be what its trace gives. Every number of summaries, manifests and CSV files is\n"
    "computed again from the ETDumps and the outputs, and must be the same.";

static int put_json(const struct sl_validation *v, const char *path)
{
    struct sl_buf text;
    struct sl_json json;
    size_t kept = v->differences < SL_VALIDATION_MAX_DIFFERENCES ? v->differences
                                                                 : SL_VALIDATION_MAX_DIFFERENCES;
    sl_buf_init(&text, MAX_OUTPUT_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.validation/1");
    sl_json_text(&json, "directory", path);
    sl_json_bool(&json, "valid", v->differences == 0);
    sl_json_u64(&json, "files", v->files);
    sl_json_u64(&json, "numbers", v->numbers);
    sl_json_u64(&json, "difference_count", v->differences);
    sl_json_open_array(&json, "differences");
    for (size_t i = 0; i < kept; i++) {
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "where", v->list[i].where);
        sl_json_text(&json, "what", v->list[i].what);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int rc = json.error ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return rc;
}

static void put_text(const struct sl_cli *cli, const struct sl_validation *v, const char *path)
{
    for (size_t i = 0; i < v->differences && i < SL_VALIDATION_MAX_DIFFERENCES; i++)
        sl_say(stdout, "%s: %s\n", v->list[i].where, v->list[i].what);
    if (v->differences > SL_VALIDATION_MAX_DIFFERENCES)
        sl_say(stdout, "... and %zu more\n", v->differences - SL_VALIDATION_MAX_DIFFERENCES);
    if (v->differences > 0)
        sl_say(stdout, "%s: %zu difference%s; %zu files and %zu numbers were checked\n", path,
               v->differences, v->differences == 1 ? "" : "s", v->files, v->numbers);
    else if (!cli->quiet)
        sl_say(stdout, "%s: valid; %zu files are there, %zu numbers come out the same\n", path,
               v->files, v->numbers);
}

/* Every experiment of the directory, or the one that was named. */
static int validate_all(const char *path, const char *experiment,
                        const struct sl_categories *categories, struct sl_validation *v,
                        struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    cJSON *import = NULL;
    if (sl_import_read(path, &import) == 0) {
        cJSON_Delete(import);
        return sl_validate_kit(path, categories, v);
    }
    int rc = experiment ? sl_validate(path, experiment, categories, v, diag)
                        : sl_rundir_list(path, names, &count, diag);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sl_validate(path, names[i][0] ? names[i] : NULL, categories, v, diag);
    return rc < 0 ? rc : sl_validate_kit(path, categories, v);
}

int sl_cmd_validate(const struct sl_cli *cli, int argc, char **argv)
{
    const char *word = NULL;
    const char *experiment = NULL;
    size_t count = 0;
    struct sl_diag diag = {.what = ""};
    const struct sl_option options[] = {
        {"--experiment", 0, SL_OPTION_TEXT, &experiment, "NAME", "only this one of several"},
    };
    const struct sl_usage usage = {
        .verb = "validate",
        .synopsis = "DIR [option...]",
        .about = about,
        .options = options,
        .option_count = 1,
        .notes =
            "Exit codes: 0 all is right; 1 something is missing or differs, each of it named;\n"
            "2 there is no run in the directory."};
    int rc = sl_options_parse(&usage, argc, argv, &word, 1, &count, &diag);
    if (rc == 0 && count == 0) {
        sl_diag_hint(&diag, "'sme2lab validate DIR'");
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "no directory was named");
    }
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    struct sl_categories categories;
    struct sl_validation *v = sl_calloc(1, sizeof(*v));
    rc = v ? sl_categories_load(NULL, &categories, &diag) : SL_E_LIMIT;
    if (rc == 0) {
        rc = validate_all(word, experiment, &categories, v, &diag);
        sl_categories_fini(&categories);
    }
    if (rc == 0 && cli->json)
        rc = put_json(v, word);
    else if (rc == 0)
        put_text(cli, v, word);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, word, "the directory cannot be checked: %s", sl_strerror(rc));
    int code = rc < 0                ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag)
               : v->differences == 0 ? SL_EXIT_DONE
                                     : SL_EXIT_FAILED;
    sl_free(v);
    return code;
}
