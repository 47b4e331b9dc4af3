/* host/cli/cmd_baseline.c: `sme2lab baseline`: counts kept in a file of a repository, and later
 * runs held against them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/conditions.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/stored_run.h"
#include "host/report/analysis.h"
#include "host/report/baseline.h"
#include "host/report/categories_file.h"
#include "host/report/report.h"
#include "host/report/run_estimates.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_value.h"

enum { MAX_WORDS = 64, NAMES = MAX_WORDS + 2 };

struct request {
    const struct sl_cli *cli;
    const char *words[NAMES];
    size_t count;
    double threshold_percent;
    struct sl_stored_run runs[NAMES];
    struct sl_baseline kept, measured;
    struct sl_buf text; /* of the answer */
    struct sl_json json;
    size_t regressions, improvements, equal, missing, added;
    bool wrong; /* a run computed wrong outputs: its counts are of no use */
};

static const char about[] =
    "Keeps what models execute in a file of your repository, and holds later builds against it,\n"
    "with no phone: counts are the same on every machine. 'write' puts the counted runs of\n"
    "directories (sme2lab run MODEL.pte --device counted --out DIR), or of runs in the daemon's\n"
    "store by their numbers, into FILE. 'check' compares such runs with FILE, whole and operator\n"
    "by operator, and with them the estimated time on the silicon that the runs were estimated "
    "for.";

static const char notes[] =
    "Models are known by their names ('run --name'), each experiment, runtime, number of threads\n"
    "and vector length on its own. Exit codes: 0 written, or nothing grew; 1 a run's output is\n"
    "wrong; 2 command line, no counted run, or a file that is no baseline; 3 a figure grew beyond\n"
    "the threshold; 4 a model of the file was not measured.";

/* --- what was measured --- */

static int add_operator(struct sl_baseline_arm *arm, const struct sl_operator *one, size_t runs)
{
    char name[SL_BASELINE_NAME_BYTES];
    uint64_t insns = runs > 0 && one->total > 0 ? (uint64_t)one->total / runs : 0;
    snprintf(name, sizeof(name), "%.*s", (int)one->name_len, one->name);
    for (size_t i = 0; i < arm->operator_count; i++) {
        if (strcmp(arm->operators[i].name, name) == 0) {
            arm->operators[i].insns += insns;
            return 0;
        }
    }
    if (arm->operator_count == SL_BASELINE_MAX_OPERATORS)
        return SL_E_LIMIT;
    struct sl_baseline_operator *at = &arm->operators[arm->operator_count++];
    snprintf(at->name, sizeof(at->name), "%s", name);
    at->insns = insns;
    return 0;
}

static void add_estimates(struct sl_baseline_arm *arm, const cJSON *estimates)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, estimates)
    {
        const cJSON *side = sl_value(one, arm->on ? "on" : "off");
        const cJSON *mid = sl_value(side, "mid_ns");
        const cJSON *name = sl_value(one, "profile");
        const cJSON *hash = sl_value(one, "profile_sha256");
        struct sl_baseline_estimate *to = &arm->estimates[arm->estimate_count];
        if (!cJSON_IsNumber(mid) || !cJSON_IsString(name) || !cJSON_IsString(hash) ||
            arm->estimate_count == SL_BASELINE_MAX_ESTIMATES)
            continue;
        snprintf(to->profile, sizeof(to->profile), "%s", name->valuestring);
        snprintf(to->profile_sha256, sizeof(to->profile_sha256), "%s", hash->valuestring);
        to->mid_ns = round(mid->valuedouble);
        arm->estimate_count++;
    }
}

static int add_arm(struct request *r, const struct sl_report *report,
                   const struct sl_compared *compared, int side, struct sl_diag *diag)
{
    const struct sl_compared_side *from = &compared->sides[side];
    const struct sl_attribution *attribution = &from->file.analysis.attribution;
    const struct sl_comparison *comparison = &compared->comparison;
    struct sl_baseline_arm arm = {
        .on = from->level != 0,
        .svl_bits = compared->report.svl_bits,
        .threads = report->threads ? (uint32_t)strtoul(report->threads, NULL, 10) : 0,
        .insns = (uint64_t)(side ? comparison->candidate : comparison->baseline)};
    snprintf(arm.model, sizeof(arm.model), "%s", compared->title);
    snprintf(arm.experiment, sizeof(arm.experiment), "%s",
             report->experiment ? report->experiment : "");
    snprintf(arm.runtime, sizeof(arm.runtime), "%s", from->conditions.values[SL_CONDITION_RUNTIME]);
    snprintf(arm.model_sha256, sizeof(arm.model_sha256), "%s",
             from->conditions.values[SL_CONDITION_MODEL]);
    arm.operators = sl_calloc(attribution->operator_count + 1, sizeof(*arm.operators));
    int rc = arm.operators ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < attribution->operator_count; i++)
        rc = add_operator(&arm, &attribution->operators[i], attribution->measured_count);
    add_estimates(&arm, compared->report.estimates);
    if (rc == 0)
        return sl_baseline_add(&r->measured, &arm, diag);
    sl_free(arm.operators);
    return rc;
}

static int add_comparison(struct request *r, const struct sl_report *report,
                          const struct sl_compared *compared, struct sl_diag *diag)
{
    const struct sl_comparison *comparison = &compared->comparison;
    const char *path = compared->sides[0].path;
    if (comparison->unit != SL_TRACE_INSTRUCTIONS) {
        sl_diag_hint(diag, "measure with --device counted");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, path,
                           "times differ from run to run: a baseline is of counted instructions");
    }
    if (comparison->verdict == SL_VERDICT_UNFIT)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, path, "this run has no count to keep: %s",
                           comparison->reason_count ? comparison->reasons[0] : "it is unfit");
    r->wrong = r->wrong || comparison->verdict == SL_VERDICT_WRONG;
    int rc = add_arm(r, report, compared, 0, diag);
    return rc == 0 ? add_arm(r, report, compared, 1, diag) : rc;
}

static int take_runs(struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_collection all = {.count = 0};
    int rc = sl_categories_load(NULL, &categories, diag);
    if (rc < 0)
        return rc;
    for (size_t i = 2; rc == 0 && i < r->count; i++)
        rc = sl_collection_add(&all, r->words[i], NULL, &categories, diag);
    for (size_t i = 0; rc == 0 && i < all.count; i++)
        rc = add_comparison(r, &all.reports[i], all.compared[i], diag);
    sl_collection_fini(&all);
    sl_categories_fini(&categories);
    return rc;
}

/* --- write --- */

static int write_file(struct request *r, struct sl_diag *diag)
{
    struct sl_buf text;
    sl_buf_init(&text, 2 * SL_JSON_DOC_MAX_BYTES);
    int rc = sl_baseline_write(&r->measured, &text);
    if (rc == 0)
        rc = sl_buf_write_file(r->words[1], text.data, text.size);
    sl_buf_fini(&text);
    if (rc < 0)
        return sl_diag_set(diag, rc, r->words[1], "it cannot be written: %s", sl_strerror(rc));
    sl_json_text(&r->json, "file", r->words[1]);
    sl_json_u64(&r->json, "arms", r->measured.count);
    if (!r->cli->json && !r->cli->quiet)
        sl_say(stdout,
               "%s: what %zu arms execute; 'sme2lab baseline check %s DIR...' holds runs "
               "against it\n",
               r->words[1], r->measured.count, r->words[1]);
    return 0;
}

/* --- check --- */

static const char *unit_of(const struct sl_baseline_change *change)
{
    return change->profile ? "ns" : "instructions";
}

static double growth(double before, double now)
{
    return before > 0 ? now / before - 1 : now > 0 ? INFINITY : 0;
}

static void say_operator(const struct sl_baseline_change *change)
{
    double by = change->operator_now - change->operator_before;
    if (change->operator_name)
        sl_say(stdout, "; %s %+.0f (%.0f, %.0f before)", change->operator_name, by,
               change->operator_now, change->operator_before);
}

static void say_change(const struct sl_baseline_change *change, const char *what)
{
    const struct sl_baseline_arm *arm = change->arm;
    sl_say(stdout, "%-10s %s, %s, SME2 %s%s%s: %.0f %s, %.0f before", what, arm->model,
           arm->experiment[0] ? arm->experiment : "-", arm->on ? "on" : "off",
           change->profile ? ", estimated for " : "", change->profile ? change->profile : "",
           change->now, unit_of(change), change->before);
    if (change->before > 0)
        sl_say(stdout, " (%+.2f %%)", 100 * growth(change->before, change->now));
    say_operator(change);
    sl_say(stdout, "\n");
}

static void put_change(struct sl_json *json, const struct sl_baseline_change *change,
                       const char *what)
{
    sl_json_open_object(json, NULL);
    sl_baseline_put_key(json, change->arm);
    sl_json_text(json, "unit", unit_of(change));
    sl_json_text(json, "profile", change->profile);
    sl_json_bool(json, "estimated", change->profile != NULL);
    sl_json_f64(json, "before", change->before);
    sl_json_f64(json, "now", change->now);
    sl_json_text(json, "outcome", what);
    if (change->operator_name) {
        sl_json_open_object(json, "operator");
        sl_json_text(json, "name", change->operator_name);
        sl_json_f64(json, "before", change->operator_before);
        sl_json_f64(json, "now", change->operator_now);
        sl_json_close_object(json);
    } else {
        sl_json_null(json, "operator");
    }
    sl_json_close_object(json);
}

static void judge(struct request *r, const struct sl_baseline_change *change)
{
    double by = growth(change->before, change->now);
    bool grew = by > r->threshold_percent / 100, fell = by < 0;
    bool moved = change->operator_name != NULL || by != 0;
    const char *what = grew ? "more" : fell ? "fewer" : moved ? "moved" : "equal";
    r->regressions += grew;
    r->improvements += fell;
    r->equal += !grew && !fell;
    put_change(&r->json, change, what);
    if (!r->cli->json && (grew || (moved && !r->cli->quiet)))
        say_change(change, what);
}

static void check_arm(struct request *r, const struct sl_baseline_arm *before)
{
    struct sl_baseline_change changes[SL_BASELINE_MAX_CHANGES];
    const struct sl_baseline_arm *now = sl_baseline_find(&r->measured, before);
    if (!now) {
        r->missing++;
        sl_json_open_object(&r->json, NULL);
        sl_baseline_put_key(&r->json, before);
        sl_json_text(&r->json, "outcome", "missing");
        sl_json_close_object(&r->json);
        if (!r->cli->json)
            sl_say(stdout, "%-10s %s, %s, %s, %u threads, SVL %u, SME2 %s: not measured\n",
                   "missing", before->model, before->experiment[0] ? before->experiment : "-",
                   before->runtime, before->threads, before->svl_bits, before->on ? "on" : "off");
        return;
    }
    if (strcmp(before->model_sha256, now->model_sha256) != 0 && !r->cli->json && !r->cli->quiet)
        sl_say(stdout, "%-10s %s: the model's file is another than the baseline's\n", "note",
               before->model);
    size_t count = sl_baseline_compare(before, now, changes);
    for (size_t i = 0; i < count; i++)
        judge(r, &changes[i]);
}

static void say_end(const struct request *r)
{
    if (r->cli->json)
        return;
    sl_say(stdout, "%zu figures as before or within the threshold, %zu lower, %zu higher", r->equal,
           r->improvements, r->regressions);
    if (r->missing > 0)
        sl_say(stdout, ", %zu arms not measured", r->missing);
    if (r->added > 0)
        sl_say(stdout, ", %zu arms that the file does not have", r->added);
    sl_say(stdout, "%s\n",
           r->improvements > 0 && r->regressions == 0
               ? "; 'sme2lab baseline write' keeps the lower ones"
               : "");
}

static int read_kept(struct request *r, struct sl_diag *diag)
{
    struct sl_buf text;
    int rc = sl_buf_read_file(r->words[1], SL_JSON_DOC_MAX_BYTES, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "'sme2lab baseline write %s DIR...' makes one", r->words[1]);
        return sl_diag_set(diag, rc, r->words[1], "the baseline cannot be read: %s",
                           sl_strerror(rc));
    }
    rc = sl_baseline_read((struct sl_bytes){text.data, text.size}, r->words[1], &r->kept, diag);
    sl_buf_fini(&text);
    return rc;
}

static void check_runs(struct request *r)
{
    sl_json_text(&r->json, "file", r->words[1]);
    sl_json_f64(&r->json, "threshold_percent", r->threshold_percent);
    sl_json_open_array(&r->json, "figures");
    for (size_t i = 0; i < r->kept.count; i++)
        check_arm(r, &r->kept.arms[i]);
    sl_json_close_array(&r->json);
    for (size_t i = 0; i < r->measured.count; i++)
        r->added += sl_baseline_find(&r->kept, &r->measured.arms[i]) == NULL;
    sl_json_u64(&r->json, "higher", r->regressions);
    sl_json_u64(&r->json, "lower", r->improvements);
    sl_json_u64(&r->json, "missing", r->missing);
    sl_json_u64(&r->json, "not_in_file", r->added);
    say_end(r);
}

/* --- the verb --- */

static int parse(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    const struct sl_option options[] = {
        {"--threshold", 0, SL_OPTION_REAL, &r->threshold_percent, "PCT",
         "check: let figures grow by this many percent (0)"},
    };
    const struct sl_usage usage = {.verb = "baseline",
                                   .synopsis = "write|check FILE DIR|RUN... [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = notes};
    int rc = sl_options_parse(&usage, argc, argv, r->words, NAMES, &r->count, diag);
    if (rc != 0)
        return rc;
    bool known =
        r->count > 0 && (strcmp(r->words[0], "write") == 0 || strcmp(r->words[0], "check") == 0);
    sl_diag_hint(diag, "'sme2lab baseline write FILE DIR', then 'sme2lab baseline check FILE DIR'");
    if (!known)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                           "the first word is write or check");
    if (r->count < 3)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                           "a file and a directory of a counted run are needed");
    if (!(r->threshold_percent >= 0 && r->threshold_percent <= 1000))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--threshold", "0 to 1000 percent are possible");
    return 0;
}

static int carry_out(struct request *r, struct sl_diag *diag)
{
    bool writes = strcmp(r->words[0], "write") == 0;
    int rc = writes ? 0 : read_kept(r, diag);
    if (rc == 0)
        rc = sl_stored_runs_fetch(r->cli, r->words + 2, r->count - 2, r->runs, diag);
    if (rc == 0)
        rc = take_runs(r, diag);
    if (rc < 0)
        return rc;
    if (r->wrong)
        return sl_diag_set(diag, SL_E_MISMATCH, r->words[2],
                           "a run's outputs are wrong: what it executes is of no use");
    sl_json_open_object(&r->json, NULL);
    sl_json_text(&r->json, "schema",
                 writes ? "sme2lab.baseline_written/1" : "sme2lab.baseline_check/1");
    if (writes)
        rc = write_file(r, diag);
    else
        check_runs(r);
    sl_json_close_object(&r->json);
    if (rc == 0)
        rc = r->json.error;
    if (rc == 0 && r->cli->json)
        sl_buf_print_line(&r->text);
    return rc;
}

int sl_cmd_baseline(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli};
    struct sl_diag diag = {.what = ""};
    int rc = parse(&r, argc, argv, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    sl_diag_hint(&diag, "%s", "");
    sl_buf_init(&r.text, 1 << 24);
    sl_json_init(&r.json, &r.text);
    rc = carry_out(&r, &diag);
    sl_stored_runs_remove(r.runs, NAMES);
    sl_baseline_fini(&r.kept);
    sl_baseline_fini(&r.measured);
    sl_buf_fini(&r.text);
    if (rc < 0)
        return sl_cli_fail(cli, r.wrong ? SL_EXIT_FAILED : sl_exit_for_error(rc), &diag);
    return r.regressions > 0 ? SL_EXIT_REGRESSION
           : r.missing > 0   ? SL_EXIT_INCONCLUSIVE
                             : SL_EXIT_DONE;
}
