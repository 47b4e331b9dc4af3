/* host/cli/ci.c */
#include "host/cli/ci.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "common/base/utf8.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/cli/exit_code.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/rundir/collection.h"
#include "host/rundir/verdict_exit.h"

enum { MAX_FILE_BYTES = 16 << 20, MAX_KEY_BYTES = 4096 };

void sl_ci_options(struct sl_ci_wish *wish, struct sl_option out[SL_CI_OPTIONS])
{
    const struct sl_option options[] = {
        {"--fail-on", 0, SL_OPTION_TEXT, &wish->fail_on, "LIST",
         "the only results that fail a finished run: slower:PCT%, more-instructions:PCT%, "
         "regression:PCT% (against --baseline), wrong"},
        {"--junit", 0, SL_OPTION_TEXT, &wish->junit, "FILE", "write JUnit XML of all that ran"},
        {"--comment", 0, SL_OPTION_TEXT, &wish->comment, "FILE",
         "write a comment for the pull request, in Markdown"},
        {"--codequality", 0, SL_OPTION_TEXT, &wish->codequality, "FILE",
         "write what fails as GitLab's code quality report"},
    };
    memcpy(out, options, sizeof(options));
}

/* Can a file of that name be made? */
static int check_place(const char *option, const char *path, struct sl_diag *diag)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *folder = slash ? sl_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
    if (!path)
        return 0;
    int rc = slash && !folder ? -ENOMEM
             : access(folder ? folder : ".", W_OK | X_OK) == 0 ? 0
                                                               : -errno;
    sl_free(folder);
    if (rc == 0)
        return 0;
    sl_diag_hint(diag, "say %s with a file in a folder that is there", option);
    return sl_diag_set(diag, rc, path, "%s cannot be written (%s)", option, sl_strerror(rc));
}

int sl_ci_take(struct sl_ci *ci, const struct sl_ci_wish *wish, bool has_baseline,
               struct sl_diag *diag)
{
    *ci = (struct sl_ci){.wish = *wish};
    int rc = wish->fail_on ? sl_fail_on_parse(wish->fail_on, &ci->fail_on, diag) : 0;
    if (rc == 0 && ci->fail_on.has[SL_FAIL_REGRESSION] && !has_baseline) {
        sl_diag_hint(diag, "say --baseline with a run or a directory");
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "--fail-on",
                         "A regression is one against a baseline, and there is none");
    }
    if (rc == 0)
        rc = check_place("--junit", wish->junit, diag);
    if (rc == 0)
        rc = check_place("--comment", wish->comment, diag);
    return rc < 0 ? rc : check_place("--codequality", wish->codequality, diag);
}

void sl_ci_add(struct sl_ci *ci, size_t experiment, const char *name, int code, const char *format,
               ...)
{
    va_list args;
    if (code == SL_EXIT_DONE || ci->count == SL_CI_MAX_CASES)
        return;
    struct sl_ci_case *added = &ci->cases[ci->count++];
    *added = (struct sl_ci_case){.experiment = experiment, .name = name, .code = code};
    va_start(args, format);
    vsnprintf(added->text, sizeof(added->text), format, args);
    va_end(args);
    sl_utf8_clean(added->text, "");
}

/* "toy_cnn, threads-4" */
static const char *title_of(const struct sl_plan *plan, size_t experiment, char *out, size_t size)
{
    char model[SL_NAME_BYTES];
    sl_spec_model_title(&plan->specs[experiment], model, sizeof(model));
    bool several = plan->count > 1;
    snprintf(out, size, "%s%s%s", model, several ? ", " : "",
             several ? plan->specs[experiment].name : "");
    return out;
}

/* --- JUnit --- */

static int code_of(const struct sl_ci *ci, const struct sl_plan *plan,
                   const struct sl_comparison *c)
{
    bool counted = c->unit == SL_TRACE_INSTRUCTIONS;
    enum sl_fail_kind kind = counted ? SL_FAIL_MORE_INSTRUCTIONS : SL_FAIL_SLOWER;
    return sl_fail_on_code(&ci->fail_on, kind,
                           sl_verdict_exit_code(c, plan->specs[0].threshold_percent));
}

static int put_junit(struct sl_buf *out, const struct sl_ci *ci, const struct sl_plan *plan,
                     const struct sl_collection *all)
{
    struct {
        struct sl_report_case others[SL_CI_MAX_CASES];
        char titles[SL_CI_MAX_CASES][2 * SL_NAME_BYTES + 8];
        int codes[SL_COLLECTION_MAX];
    } *t = sl_calloc(1, sizeof(*t));
    size_t count = 0;
    if (!t)
        return -ENOMEM;
    for (size_t i = 0; i < all->count; i++)
        t->codes[i] = code_of(ci, plan, all->reports[i].comparison->comparison);
    for (size_t i = 0; i < ci->count; i++) {
        const struct sl_ci_case *one = &ci->cases[i];
        if (strcmp(one->name, "verdict") == 0) /* the report has it */
            continue;
        t->others[count] = (struct sl_report_case){
            title_of(plan, one->experiment, t->titles[count], sizeof(t->titles[count])), one->name,
            one->text, strcmp(one->name, "run") == 0};
        count++;
    }
    int rc = sl_report_junit_gated(out, all->reports, t->codes, all->count, t->others, count);
    sl_free(t);
    return rc;
}

/* --- comment --- */

static int put_comment(struct sl_buf *out, const struct sl_ci *ci, const struct sl_plan *plan,
                       const struct sl_collection *all)
{
    char title[2 * SL_NAME_BYTES + 8];
    struct sl_markup m = {.out = out};
    if (ci->wish.fail_on)
        sl_markup_put(&m, "%s: `--fail-on %s`\n\n", ci->count == 0 ? "Passed" : "**Not passed**",
                      ci->wish.fail_on);
    for (size_t i = 0; i < ci->count; i++) {
        sl_markup_put(&m, "- ");
        sl_markup_md(&m, title_of(plan, ci->cases[i].experiment, title, sizeof(title)));
        sl_markup_put(&m, ", %s: ", ci->cases[i].name);
        sl_markup_md(&m, ci->cases[i].text);
        sl_markup_put(&m, "\n");
    }
    if (ci->count > 0)
        sl_markup_put(&m, "\n");
    for (size_t i = 0; m.error == 0 && i < all->count; i++) {
        m.error = sl_report_comment(out, &all->reports[i]);
        if (i + 1 < all->count)
            sl_markup_put(&m, "\n");
    }
    return m.error;
}

/* --- annotations --- */

/* Told apart by what failed, not by its figures: the server sees that it is the one of before. */
static void fingerprint(const char *title, const char *name, char out[SL_SHA256_HEX_SIZE])
{
    char key[MAX_KEY_BYTES];
    int len = snprintf(key, sizeof(key), "sme2lab/%s/%s", title, name);
    sl_sha256_hex(key, (size_t)len < sizeof(key) ? (size_t)len : sizeof(key) - 1, out);
}

static int put_codequality(struct sl_buf *out, const struct sl_ci *ci, const struct sl_plan *plan,
                           const struct sl_collection *all)
{
    (void)all;
    struct sl_json json;
    char title[2 * SL_NAME_BYTES + 8], digest[SL_SHA256_HEX_SIZE];
    sl_json_init(&json, out);
    sl_json_open_array(&json, NULL);
    for (size_t i = 0; i < ci->count; i++) {
        const struct sl_ci_case *one = &ci->cases[i];
        char text[sizeof(title) + SL_CI_TEXT_BYTES + 32];
        title_of(plan, one->experiment, title, sizeof(title));
        snprintf(text, sizeof(text), "%s, %s: %s", title, one->name, one->text);
        fingerprint(title, one->name, digest);
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "description", text);
        sl_json_text(&json, "check_name", "sme2lab");
        sl_json_text(&json, "fingerprint", digest);
        sl_json_text(&json, "severity", one->code == SL_EXIT_INCONCLUSIVE ? "minor" : "major");
        sl_json_open_object(&json, "location");
        sl_json_text(&json, "path", plan->specs[one->experiment].model);
        sl_json_open_object(&json, "lines");
        sl_json_u64(&json, "begin", 1);
        sl_json_close_object(&json);
        sl_json_close_object(&json);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    return json.error < 0 ? json.error : sl_buf_printf(out, "\n");
}

/* GitHub reads them from what a step prints; a line end would end one. */
static void annotate(const struct sl_ci *ci, const struct sl_plan *plan)
{
    const char *there = getenv("GITHUB_ACTIONS");
    if (!there || strcmp(there, "true") != 0)
        return;
    for (size_t i = 0; i < ci->count; i++) {
        const struct sl_ci_case *one = &ci->cases[i];
        char title[2 * SL_NAME_BYTES + 8], line[3 * (sizeof(title) + SL_CI_TEXT_BYTES)];
        char text[sizeof(title) + SL_CI_TEXT_BYTES + 32];
        size_t used = 0;
        snprintf(text, sizeof(text), "%s, %s: %s",
                 title_of(plan, one->experiment, title, sizeof(title)), one->name, one->text);
        for (const char *at = text; *at && used + 4 < sizeof(line); at++) {
            bool escaped = *at == '%' || *at == '\n' || *at == '\r';
            used += (size_t)snprintf(line + used, sizeof(line) - used, escaped ? "%%%02X" : "%c",
                                     (unsigned char)*at);
        }
        sl_say(stderr, "::%s title=sme2lab::%s\n",
               one->code == SL_EXIT_INCONCLUSIVE ? "warning" : "error", line);
    }
}

typedef int (*put_fn)(struct sl_buf *out, const struct sl_ci *ci, const struct sl_plan *plan,
                      const struct sl_collection *all);

static int write_one(const char *path, put_fn put, const struct sl_ci *ci,
                     const struct sl_plan *plan, const struct sl_collection *all,
                     struct sl_diag *diag)
{
    struct sl_buf text;
    if (!path)
        return 0;
    sl_buf_init(&text, MAX_FILE_BYTES);
    int rc = put(&text, ci, plan, all);
    if (rc == 0)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    if (rc == 0)
        return 0;
    sl_diag_hint(diag, "make room there, or name another file");
    return sl_diag_set(diag, rc, path, "The file cannot be written (%s)", sl_strerror(rc));
}

int sl_ci_write(const struct sl_ci *ci, const struct sl_plan *plan, const char *directory,
                const struct sl_categories *categories, struct sl_diag *diag)
{
    struct sl_collection all = {.count = 0};
    bool reads = directory && (ci->wish.junit || ci->wish.comment);
    int rc = reads ? sl_collection_add(&all, directory, NULL, categories, diag) : 0;
    if (rc == 0)
        rc = write_one(ci->wish.junit, put_junit, ci, plan, &all, diag);
    if (rc == 0)
        rc = write_one(ci->wish.comment, put_comment, ci, plan, &all, diag);
    if (rc == 0)
        rc = write_one(ci->wish.codequality, put_codequality, ci, plan, &all, diag);
    sl_collection_fini(&all);
    annotate(ci, plan);
    return rc;
}
