/* host/cli/kernels_log.c */
#include "host/cli/kernels_log.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/categories_file.h"
#include "host/report/doc.h"
#include "host/report/kernel_log.h"
#include "host/report/sme2_proof.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/rundir/etdump_file.h"
#include "host/rundir/output_file.h"
#include "host/spec/path_stem.h"

enum { MAX_LOG_BYTES = 1 << 30, MAX_OUTPUT_BYTES = 1 << 26 };

struct request {
    const struct sl_cli *cli;
    const char *log_path, *off_path, *etdump_path, *csv_path, *view_path;
    struct sl_kernel_log log, off;
    struct sl_categories categories;
    struct sl_etdump_file file;
    bool has_log, has_off, has_categories, has_file, force;
};

bool sl_kernels_log_asked(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log") == 0 || strncmp(argv[i], "--log=", 6) == 0)
            return true;
    }
    return false;
}

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    size_t count = 0;
    const struct sl_option options[] = {
        {"--log", 0, SL_OPTION_TEXT, &r->log_path, "FILE", "a verbose XNNPACK log, or a logcat"},
        {"--off-log", 0, SL_OPTION_TEXT, &r->off_path, "FILE",
         "the log of the arm with SME2 off, to compare with"},
        {"--etdump", 0, SL_OPTION_TEXT, &r->etdump_path, "FILE",
         "an ETDump of the same run: says for each operator how far SME2 is proven"},
        {"--csv", 0, SL_OPTION_TEXT, &r->csv_path, "FILE", "write the kernels as the kit's table"},
        {"--view", 0, SL_OPTION_TEXT, &r->view_path, "FILE",
         "write the kit's kernel_view_gemm.md (needs --off-log)"},
        {"--force", 0, SL_OPTION_FLAG, &r->force, NULL, "overwrite other files of these names"},
    };
    const struct sl_usage usage = {
        .verb = "kernels",
        .synopsis = "--log FILE [option...]",
        .about = "Lists the micro-kernels that an XNNPACK log names. A line of the log says that\n"
                 "a kernel was available and chosen for this CPU, not that an operator ran it:\n"
                 "the evidence is \"executed\" (the run's own trace names the kernel),\n"
                 "\"log-available\" or \"not proven\", never more.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0])};
    int rc = sl_options_parse(&usage, argc, argv, NULL, 0, &count, diag);
    if (rc == 0 && r->view_path && !r->off_path)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--view", "the view needs --off-log as well");
    return rc;
}

static int read_log(const char *path, struct sl_kernel_log *out, bool *has, struct sl_diag *diag)
{
    struct sl_buf bytes;
    if (!path)
        return 0;
    int rc = sl_buf_read_file(path, MAX_LOG_BYTES, &bytes);
    if (rc < 0) {
        sl_diag_hint(diag, "name XNNPACK's own log, as executor_runner writes it");
        return sl_diag_set(diag, rc, path, "the log cannot be read: %s", sl_strerror(rc));
    }
    snprintf(diag->where, sizeof(diag->where), "%s", path);
    rc = sl_kernel_log_parse((struct sl_bytes){bytes.data, bytes.size}, out, diag);
    sl_buf_fini(&bytes);
    *has = rc == 0;
    return rc;
}

static int open_all(struct request *r, struct sl_diag *diag)
{
    int rc = read_log(r->log_path, &r->log, &r->has_log, diag);
    if (rc == 0)
        rc = read_log(r->off_path, &r->off, &r->has_off, diag);
    if (rc < 0 || !r->etdump_path)
        return rc;
    rc = sl_categories_load(NULL, &r->categories, diag);
    r->has_categories = rc == 0;
    struct sl_etdump_request request = {
        .path = r->etdump_path, .categories = &r->categories, .only_run = -1};
    if (rc == 0)
        rc = sl_etdump_file_open(&request, &r->file, diag);
    r->has_file = rc == 0;
    return rc;
}

static void close_all(struct request *r)
{
    if (r->has_file)
        sl_etdump_file_close(&r->file);
    if (r->has_categories)
        sl_categories_fini(&r->categories);
    if (r->has_log)
        sl_kernel_log_fini(&r->log);
    if (r->has_off)
        sl_kernel_log_fini(&r->off);
}

static void put_kernels_json(struct sl_json *json, const char *key, const struct sl_kernel_log *log)
{
    sl_json_open_array(json, key);
    for (size_t i = 0; i < log->count; i++) {
        const struct sl_logged_kernel *k = &log->kernels[i];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "kernel", k->name);
        sl_json_text(json, "category", k->category);
        sl_json_text(json, "types", k->parts.types);
        sl_json_text(json, "operation", k->parts.operation);
        sl_json_text(json, "isa", k->parts.isa);
        sl_json_text(json, "architecture", sl_kernel_architecture(&k->parts));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static int put_json(const struct request *r, struct sl_buf *out)
{
    struct sl_json json;
    const char *kernel = NULL;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.kernel_log/1");
    put_kernels_json(&json, "kernels", &r->log);
    if (r->has_off) {
        put_kernels_json(&json, "off_kernels", &r->off);
        sl_json_u64(&json, "off_sme1_kernels", sl_kernel_log_sme1(&r->off));
    }
    if (r->has_file) {
        const struct sl_attribution *a = &r->file.analysis.attribution;
        sl_json_open_array(&json, "sme2_proof");
        for (size_t i = 0; i < a->operator_count; i++) {
            char text[SL_TEXT_SIZE];
            const struct sl_operator *op = &a->operators[i];
            if (!sl_sme2_matters(op))
                continue;
            const char *evidence = sl_sme2_evidence_of(op, &r->log, false, &kernel);
            sl_json_open_object(&json, NULL);
            sl_json_text(&json, "operator", sl_text_copy(text, op->name, op->name_len));
            sl_json_text(&json, "kernel", kernel);
            sl_json_text(&json, "evidence", evidence);
            sl_json_close_object(&json);
        }
        sl_json_close_array(&json);
    }
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

static void open_table(struct sl_table *t, const char *first, const char *second)
{
    const char *const heads[] = {first, second, NULL};
    sl_table_init(t, "kernels", "Kernels", heads);
    sl_table_widths(t, (const struct sl_table_column[]){{0, 0}, {19, 1}});
}

/* The operators that SME2 is for, and how far its use is proven. */
static void put_proof(const struct request *r, struct sl_doc *doc)
{
    const struct sl_attribution *a = &r->file.analysis.attribution;
    struct sl_table t;
    const char *kernel = NULL;
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    open_table(&t, "operator", "SME2");
    for (size_t i = 0; i < a->operator_count; i++) {
        if (!sl_sme2_matters(&a->operators[i]))
            continue;
        sl_table_cell(&t, a->operators[i].name, a->operators[i].name_len);
        sl_table_text(&t, sl_sme2_evidence_of(&a->operators[i], &r->log, false, &kernel));
    }
    sl_doc_table(doc, &t);
}

static int put_text(const struct request *r, struct sl_buf *out)
{
    const struct sl_style style = {r->cli->width, r->cli->color, 0, r->cli->unicode};
    struct sl_table t;
    struct sl_doc doc;
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    open_table(&t, "kernel (available, not proven to run)", "architecture");
    for (size_t i = 0; i < r->log.count; i++) {
        sl_table_text(&t, r->log.kernels[i].name);
        sl_table_text(&t, sl_kernel_architecture(&r->log.kernels[i].parts));
    }
    sl_doc_table(&doc, &t);
    if (r->has_off && sl_kernel_log_sme1(&r->off) > 0) {
        sl_doc_begin(&doc, SL_DOC_LINE, NULL);
        sl_doc_say(&doc, SL_DOC_LINE, NULL,
                   "warning: the off arm still has %zu kernels of SME1; only SME2 was switched",
                   sl_kernel_log_sme1(&r->off));
        sl_doc_say(&doc, SL_DOC_LINE, NULL, "  off in its build, so it is no baseline without SME");
    }
    if (r->has_file)
        put_proof(r, &doc);
    int rc = sl_doc_text(out, &style, &doc);
    sl_doc_fini(&doc);
    return rc;
}

/* One of the kit's files. */
static int write_file(const struct request *r, const char *path, bool view, struct sl_diag *diag)
{
    char stem[256];
    struct sl_buf text;
    if (!path)
        return 0;
    sl_path_stem(r->log_path, stem, sizeof(stem));
    sl_buf_init(&text, MAX_OUTPUT_BYTES);
    int rc = view ? sl_kernel_log_view(&text, &r->log, &r->off, false)
                  : sl_kernel_log_csv(&text, &r->log, stem);
    if (rc == 0)
        rc = sl_output_write(path, &text, r->force, diag);
    else
        sl_diag_set(diag, rc, path, "the file cannot be made: %s", sl_strerror(rc));
    sl_buf_fini(&text);
    return rc;
}

int sl_kernels_log(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli};
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    rc = open_all(&r, &diag);
    if (rc == 0)
        rc = write_file(&r, r.csv_path, false, &diag);
    if (rc == 0)
        rc = write_file(&r, r.view_path, true, &diag);
    if (rc == 0)
        rc = cli->json ? put_json(&r, &out) : put_text(&r, &out);
    if (rc == 0)
        sl_say_page(stdout, &out);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, r.log_path, "the log cannot be shown: %s", sl_strerror(rc));
    sl_buf_fini(&out);
    close_all(&r);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
