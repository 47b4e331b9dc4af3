/* host/cli/cmd_inspect.c: `sme2lab inspect`: what a model holds and which kernels it would run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/inspect_text.h"
#include "host/cli/model_plan.h"
#include "host/cli/options.h"
#include "host/inspect/graph.h"
#include "host/inspect/inspect.h"
#include "host/inspect/inspect_json.h"
#include "host/report/style.h"

#define MAX_MODEL_BYTES (UINT64_C(4) << 30)
#define MAX_OUTPUT_BYTES (UINT64_C(1) << 29)

struct request {
    const struct sl_cli *cli;
    const char *model, *data, *graph, *method;
    int64_t svl;
    bool offline;
    int64_t only; /* a method's index, or -1 */
};

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    size_t count = 0;
    const struct sl_option options[] = {
        {"--data-path", 0, SL_OPTION_TEXT, &r->data, "FILE",
         "the program's external weights (.ptd), for the agent"},
        {"--method", 0, SL_OPTION_TEXT, &r->method, "NAME", "only this method"},
        {"--graph", 0, SL_OPTION_TEXT, &r->graph, "FILE",
         "also draw the method's operators: FILE.svg, or FILE.dot for Graphviz"},
        {"--svl", 0, SL_OPTION_COUNT, &r->svl, "BITS",
         "streaming vector length of the CPU that is asked about (512)"},
        {"--no-agent", 0, SL_OPTION_FLAG, &r->offline, NULL,
         "only read the file: no kernels and no prediction"},
    };
    const struct sl_usage usage = {
        .verb = "inspect",
        .synopsis = "MODEL.pte|MODEL.bpte [option...]",
        .about =
            "Says what a program holds: methods, inputs, outputs, memory plan, delegates and\n"
            "every operator with its shape, multiply-accumulates and weights. The agent says\n"
            "which kernels it would run with SME2 off and on, which operators SME2 serves and\n"
            "why not the others; the instructions these kernels will take are predicted.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .notes = "Nothing is executed: 'sme2lab run MODEL.pte' measures. Exit code 1: the agent\n"
                 "cannot load a method; the output then says why."};
    int rc = sl_options_parse(&usage, argc, argv, &r->model, 1, &count, diag);
    if (rc == 0 && count == 0) {
        sl_diag_hint(diag, "'sme2lab inspect MODEL.pte'");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "no model was named");
    }
    return rc;
}

static int find_method(struct request *r, const struct sl_inspect *inspect, struct sl_diag *diag)
{
    r->only = -1;
    for (uint32_t i = 0; r->method && i < inspect->method_count; i++)
        if (strcmp(inspect->methods[i].plan->name, r->method) == 0)
            r->only = (int64_t)i;
    if (!r->method || r->only >= 0)
        return 0;
    sl_diag_hint(diag, "its first method is '%.60s'",
                 inspect->method_count > 0 ? inspect->methods[0].plan->name : "");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "--method", "the program has no method '%.60s'",
                       r->method);
}

/* The drawing is of one method: the named one, or the first. */
static int write_graph(const struct request *r, const struct sl_inspect *inspect,
                       struct sl_diag *diag)
{
    const struct sl_inspect_method *method = &inspect->methods[r->only < 0 ? 0 : r->only];
    size_t len = strlen(r->graph);
    bool svg = len > 4 && strcmp(r->graph + len - 4, ".svg") == 0;
    struct sl_buf drawing;
    if (!svg && (len <= 4 || strcmp(r->graph + len - 4, ".dot") != 0)) {
        sl_diag_hint(diag, "end the name in .svg or .dot");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--graph", "'%.100s' is no kind of drawing",
                           r->graph);
    }
    sl_buf_init(&drawing, MAX_OUTPUT_BYTES);
    int rc =
        svg ? sl_inspect_svg(&drawing, inspect, method) : sl_inspect_dot(&drawing, inspect, method);
    if (rc == SL_E_LIMIT)
        sl_diag_set(diag, rc, "--graph", "the method has more than %d operators to draw",
                    SL_INSPECT_MAX_DRAWN);
    else if (rc == 0)
        rc = sl_buf_write_file(r->graph, drawing.data, drawing.size);
    sl_buf_fini(&drawing);
    if (rc < 0 && diag->what[0] == '\0')
        sl_diag_set(diag, rc, r->graph, "the drawing cannot be written: %s", sl_strerror(rc));
    return rc;
}

static int print(const struct request *r, const struct sl_inspect *inspect, struct sl_diag *diag)
{
    const struct sl_style style = {r->cli->width, r->cli->color, SL_INSPECT_MAX_NODES,
                                   r->cli->unicode};
    struct sl_buf out;
    struct sl_json json;
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    sl_json_init(&json, &out);
    int rc = 0;
    if (r->cli->json) {
        sl_inspect_json(&json, inspect, r->model, r->only);
        rc = json.error ? json.error : sl_buf_append(&out, "\n", 1);
    } else {
        rc = sl_inspect_text(&out, &style, inspect, r->model, r->only);
    }
    if (rc == 0)
        sl_say_page(stdout, &out);
    sl_buf_fini(&out);
    return rc < 0 ? sl_diag_set(diag, rc, NULL, "the result cannot be made: %s", sl_strerror(rc))
                  : 0;
}

static bool loads(const struct request *r, const struct sl_inspect *inspect)
{
    bool all = true;
    for (uint32_t i = 0; i < inspect->method_count; i++)
        if (inspect->methods[i].asked && (r->only < 0 || r->only == (int64_t)i))
            all = all && inspect->methods[i].loads;
    return all;
}

static int inspect_bytes(struct request *r, const struct sl_buf *file, int *out_exit,
                         struct sl_diag *diag)
{
    struct sl_inspect *inspect = NULL;
    int rc = sl_inspect_new((struct sl_bytes){file->data, file->size}, &inspect, diag);
    if (rc < 0) {
        sl_inspect_name_file(r->model, diag);
        return rc;
    }
    rc = find_method(r, inspect, diag);
    if (rc == 0 && !r->offline)
        rc = sl_model_plan_ask(r->cli, r->model, r->data, (unsigned)r->svl, inspect, diag);
    if (rc == 0 && r->graph)
        rc = write_graph(r, inspect, diag);
    if (rc == 0)
        rc = print(r, inspect, diag);
    *out_exit = loads(r, inspect) ? SL_EXIT_DONE : SL_EXIT_FAILED;
    sl_inspect_free(inspect);
    return rc;
}

int sl_cmd_inspect(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli, .svl = 512};
    struct sl_diag diag = {.what = ""};
    struct sl_buf file;
    int exit_code = SL_EXIT_DONE;
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc > 0)
        return SL_EXIT_DONE;
    if (rc < 0)
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    rc = sl_buf_read_file(r.model, MAX_MODEL_BYTES, &file);
    if (rc < 0) {
        sl_diag_hint(&diag, "name a .pte file that can be read");
        sl_diag_set(&diag, rc, r.model, "The model cannot be read (%s)", sl_strerror(rc));
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    rc = inspect_bytes(&r, &file, &exit_code, &diag);
    sl_buf_fini(&file);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, NULL, "%s", sl_strerror(rc));
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : exit_code;
}
