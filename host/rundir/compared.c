/* host/rundir/compared.c */
#include "host/rundir/compared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/report/sme2_proof.h"
#include "host/rundir/cross_outputs.h"
#include "host/rundir/divergence_file.h"
#include "host/spec/json_value.h"
#include "host/spec/path_stem.h"

static int find_etdump(struct sl_compared_side *side, const struct sl_compared_source *source,
                       struct sl_diag *diag)
{
    int rc = sl_rundir_open(source->path, source->experiment, &side->directory, diag);
    if (rc < 0)
        return rc;
    side->has_directory = true;
    side->level = source->level;
    const struct cJSON *result = sl_rundir_result(&side->directory, source->level);
    if (!result)
        return sl_diag_set(diag, SL_E_NOT_FOUND, source->path,
                           "the manifest has no run with SME2 %s", source->level ? "on" : "off");
    return sl_rundir_file(&side->directory, sl_value_text(result, "etdump", NULL), side->path,
                          diag);
}

int sl_compared_open(struct sl_compared *compared, int side_index,
                     const struct sl_compared_source *source,
                     const struct sl_categories *categories, struct sl_diag *diag)
{
    struct sl_compared_side *side = &compared->sides[side_index];
    struct stat info;
    int rc = 0;
    if (stat(source->path, &info) == 0 && S_ISDIR(info.st_mode))
        rc = find_etdump(side, source, diag);
    else
        snprintf(side->path, sizeof(side->path), "%s", source->path);
    if (rc < 0)
        return rc;
    struct sl_etdump_request request = {
        .path = side->path, .categories = categories, .only_run = -1, .cold = compared->cold};
    rc = compared->plans ? sl_etdump_file_open_planned(&request, compared->plans, &side->file, diag)
                         : sl_etdump_file_open(&request, &side->file, diag);
    if (rc < 0)
        return rc;
    side->opened = true;
    if (!side->has_directory)
        side->has_directory =
            sl_rundir_find(side->path, side->file.analysis.sha256, &side->directory, &side->level);
    if (!side->has_directory)
        return 0;
    sl_rundir_conditions(&side->directory, side->level, &side->conditions);
    double process = sl_value_number(side->directory.manifest, "process", 0);
    if (process > 0)
        snprintf(side->process, sizeof(side->process), "%.0f", process);
    side->file.analysis.readings = side->readings;
    side->file.analysis.reading_count =
        sl_rundir_readings(&side->directory, side->readings, SL_ANALYSIS_MAX_READINGS);
    return 0;
}

/* Are both of the same recording, so that their runs were interleaved? Or their processes? */
static bool same_recording(const struct sl_compared *compared)
{
    const struct sl_etdump_file *a = &compared->sides[0].file;
    const struct sl_etdump_file *b = &compared->sides[1].file;
    if (compared->import.interleaved)
        return true;
    return a->traced && b->traced && a->trace.bytes.size == b->trace.bytes.size &&
           memcmp(a->trace.bytes.data, b->trace.bytes.data, a->trace.bytes.size) == 0;
}

static bool alike(const struct sl_compared *compared, int condition)
{
    const char *a = compared->sides[0].conditions.values[condition];
    return a[0] && strcmp(a, compared->sides[1].conditions.values[condition]) == 0;
}

/* Do two runs of the same model with the same inputs write the same? */
static bool find_across(struct sl_compared *compared)
{
    const struct sl_compared_side *sides = compared->sides;
    const struct sl_rundir *const directories[2] = {&sides[0].directory, &sides[1].directory};
    const int levels[2] = {sides[0].level, sides[1].level};
    return sides[0].has_directory && sides[1].has_directory &&
           alike(compared, SL_CONDITION_MODEL) && alike(compared, SL_CONDITION_INPUTS) &&
           sl_cross_outputs(directories, levels, &compared->agreement);
}

/* The agreement of outputs that gates the verdict: the worst of both runs' own and, with `across`,
 * that of the one run with the other. */
static bool find_worst(struct sl_compared *compared, bool across)
{
    bool found = compared->import.has_agreement || across;
    if (compared->import.has_agreement)
        compared->agreement = compared->import.agreement;
    if (found)
        compared->worst = compared->agreement;
    for (int i = 0; i < 2; i++) {
        struct sl_agreement one;
        const struct sl_compared_side *side = &compared->sides[i];
        if (!side->has_directory || !sl_rundir_agreement(&side->directory, SL_RUNDIR_WORST, &one))
            continue;
        if (!found || (compared->worst.agree && !one.agree))
            compared->worst = one;
        found = true;
    }
    return found;
}

static void check_emulation(struct sl_compared *compared)
{
    bool times = compared->import.emulated;
    compared->report.emulated = times;
    for (int i = 0; i < 2; i++) {
        bool of_side = false;
        if (compared->sides[i].has_directory &&
            sl_rundir_emulated(&compared->sides[i].directory, &of_side))
            compared->report.emulated = true;
        times = times || of_side;
    }
    if (times)
        sl_comparison_overrule(
            &compared->comparison, SL_VERDICT_UNFIT,
            "times of an emulated CPU mean nothing; --device counted counts instructions");
}

enum { MAX_LOG_BYTES = 1 << 28 };

static int read_log(struct sl_compared *compared, const char *path, struct sl_diag *diag)
{
    struct sl_buf bytes;
    int rc = sl_buf_read_file(path, MAX_LOG_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the log cannot be read: %s", sl_strerror(rc));
    rc = sl_kernel_log_parse((struct sl_bytes){bytes.data, bytes.size}, &compared->log, diag);
    sl_buf_fini(&bytes);
    if (rc < 0 && diag && !diag->where[0])
        snprintf(diag->where, sizeof(diag->where), "%.180s", path);
    compared->has_log = rc == 0;
    return rc;
}

int sl_compared_read_log(struct sl_compared *compared, const char *path, struct sl_diag *diag)
{
    static const char *const endings[] = {"_xnntrace.log", ".xnntrace.log", "_latency.log"};
    const char *etdump = compared->sides[1].path;
    const char *dot = strrchr(etdump, '.');
    if (path)
        return read_log(compared, path, diag);
    /* A trace names the kernels that ran: no log says more. */
    if (!dot || compared->sides[1].file.traced)
        return 0;
    for (size_t i = 0; !compared->has_log && i < sizeof(endings) / sizeof(endings[0]); i++) {
        char beside[SL_RUNDIR_PATH_BYTES + 16];
        struct stat info;
        snprintf(beside, sizeof(beside), "%.*s%s", (int)(dot - etdump), etdump, endings[i]);
        int rc = stat(beside, &info) == 0 ? read_log(compared, beside, NULL) : 0;
        if (rc < 0 && rc != SL_E_NOT_FOUND)
            return sl_diag_set(diag, rc, beside, "the log beside the ETDump cannot be read: %s",
                               sl_strerror(rc));
    }
    return 0;
}

/* A baseline with SME2 off that used SME all the same is none. */
static void note_leftovers(struct sl_compared *compared)
{
    const struct sl_attribution *off = &compared->sides[0].file.analysis.attribution;
    const struct sl_operator *first = NULL;
    size_t count = sl_sme2_leftovers(off);
    if (count == 0 || strcmp(compared->report.baseline_level, "off") != 0)
        return;
    for (size_t i = 0; !first && i < off->operator_count; i++)
        first = sl_sme2_leftover(&off->operators[i]) ? &off->operators[i] : NULL;
    sl_comparison_note(
        &compared->comparison,
        "the off arm is no baseline without SME: %zu of its operators used it (%.*s)", count,
        (int)(first->name_len < 80 ? first->name_len : 80), first->name);
}

/* Is the operator's own rounding wrong, which limits for whole programs may be too wide to show? */
static bool is_wrong_alone(const struct sl_divergence *one)
{
    return one->found &&
           (one->first.kind == SL_DIVERGENCE_ROUNDED || one->first.kind == SL_DIVERGENCE_STEPS);
}

/* The first operator of each level that is at fault, by itself, where a run's outputs are wrong. */
static void find_diverged(struct sl_compared *compared)
{
    struct sl_comparison *comparison = &compared->comparison;
    bool found = false;
    if (!compared->sides[0].has_directory)
        return;
    sl_divergence_read(compared->sides[0].directory.manifest, compared->diverged);
    if (!compared->diverged[0].known || !compared->diverged[1].known)
        return;
    if (is_wrong_alone(&compared->diverged[0]) || is_wrong_alone(&compared->diverged[1]))
        sl_comparison_overrule(comparison, SL_VERDICT_WRONG,
                               "an operator rounds wrongly from equal inputs, however near the "
                               "whole program's outputs are");
    if (comparison->verdict != SL_VERDICT_WRONG)
        return;
    compared->report.diverged = compared->diverged;
    for (int i = 0; i < SL_RUNDIR_LEVELS; i++) {
        char text[SL_DIVERGENCE_TEXT_BYTES];
        const struct sl_divergence *one = &compared->diverged[i];
        found = found || one->found;
        if (!one->found)
            continue;
        sl_comparison_note(comparison, "first wrong operator, %s: %s", sl_rundir_levels[i],
                           sl_divergence_text(&one->first, text));
        sl_comparison_note(comparison, "%s ran %.52s; compared with %.52s on equal inputs",
                           sl_rundir_levels[i], one->first.kernel ? one->first.kernel : "no kernel",
                           one->first.reference ? one->first.reference : "no kernel");
    }
    if (!found)
        sl_comparison_note(comparison,
                           "no operator alone is wrong: from equal inputs each of %.0f is as near "
                           "to the portable kernels as its type promises",
                           compared->diverged[1].compared);
}

/* Only our agent's own runs say whose kernels they had; files and runners of others do not. */
static bool is_own(const struct sl_compared_side *side)
{
    return side->conditions.values[SL_CONDITION_BUILD][0] &&
           strcmp(side->conditions.values[SL_CONDITION_RUNTIME], "own") == 0;
}

static void name_sides(struct sl_compared *compared, int factor)
{
    struct sl_comparison_report *report = &compared->report;
    const struct sl_compared_side *sides = compared->sides;
    if (strcmp(sides[0].conditions.values[SL_CONDITION_RUNTIME], "executorch") == 0 &&
        strcmp(sides[1].conditions.values[SL_CONDITION_RUNTIME], "executorch") == 0)
        report->runtime = "ExecuTorch";
    report->own = is_own(&sides[0]) && is_own(&sides[1]);
    report->factor = sl_condition_name(factor);
    report->baseline_level = "baseline";
    report->candidate_level = "candidate";
    if (factor == SL_CONDITION_SME2) {
        report->baseline_level = sides[0].has_directory && sides[0].level ? "on" : "off";
        report->candidate_level = sides[1].has_directory && !sides[1].level ? "off" : "on";
    }
}

/* Uses the user's name for the model, else the one from its import or its path. */
static void find_title(struct sl_compared *compared)
{
    const struct cJSON *manifest = compared->sides[0].directory.manifest;
    const char *asked = sl_value_text(manifest, "title", NULL);
    const char *path = sl_value_text(manifest, "model", NULL);
    if (asked)
        snprintf(compared->title, sizeof(compared->title), "%s", asked);
    else if (compared->import.model[0])
        snprintf(compared->title, sizeof(compared->title), "%s", compared->import.model);
    else
        sl_path_title(path ? path : "unknown model", compared->title, sizeof(compared->title));
}

/* The vector length of the side that streams. Counted instructions depend on it; times need none.
 */
static unsigned svl_of(const struct sl_compared *compared)
{
    const struct sl_compared_side *side = &compared->sides[1];
    if (!side->has_directory || compared->comparison.unit != SL_TRACE_INSTRUCTIONS)
        return 0;
    const cJSON *report = sl_value(side->directory.manifest, "agent_report");
    const cJSON *device = sl_value(side->directory.manifest, "device");
    const cJSON *probe = sl_value(device, "probe");
    double bytes = sl_value_number(report, "svl_bytes", 0);
    if (bytes == 0) /* ExecuTorch's libraries do not say */
        bytes = sl_value_number(probe, "svl_bytes", 0);
    return bytes >= 16 && bytes <= 256 ? 8 * (unsigned)bytes : 0;
}

/* Both of two runs have theirs, however equal their traces are; of one alone the second side does.
 */
static void find_plugins(struct sl_compared *compared)
{
    const struct sl_rundir *one = &compared->sides[0].directory;
    const struct sl_rundir *other = &compared->sides[1].directory;
    bool both = compared->sides[0].has_directory && compared->sides[1].has_directory;
    bool same =
        both && strcmp(one->path, other->path) == 0 && strcmp(one->suffix, other->suffix) == 0;
    if (compared->sides[0].has_directory && !same)
        compared->report.plugins[0] = sl_value(one->manifest, "plugins");
    if (compared->sides[1].has_directory)
        compared->report.plugins[1] = sl_value(other->manifest, "plugins");
}

int sl_compared_make(struct sl_compared *compared, int factor,
                     const struct sl_comparison_options *options, struct sl_diag *diag)
{
    struct sl_comparison_options own = *options;
    const struct sl_compared_side *sides = compared->sides;
    struct sl_etdump_file *const files[2] = {&compared->sides[0].file, &compared->sides[1].file};
    bool together = same_recording(compared);
    struct sl_stopping_rule rule;
    int rc = together ? sl_etdump_files_align(files, diag) : 0;
    if (rc < 0)
        return rc;
    own.separate = !together;
    if (together && sides[0].has_directory && sl_rundir_rule(&sides[0].directory, &rule)) {
        rule.spent = sl_trace_budget_spent(&sides[0].file.trace.trace);
        own.rule = &rule;
    }
    /* Counted runs of one variant are equal to the byte, and yet two. */
    bool off_on = together && sides[0].level != sides[1].level;
    bool across = !off_on && find_across(compared);
    if (find_worst(compared, across))
        own.agreement = &compared->worst;
    rc = sl_comparison_make(&sides[0].file.analysis.attribution,
                            &sides[1].file.analysis.attribution, &own, &compared->comparison);
    if (rc < 0)
        return sl_diag_set(diag, rc, NULL, "the two cannot be compared: %s", sl_strerror(rc));
    compared->compared = true;
    if (factor == SL_COMPARED_FIND_FACTOR)
        factor = sl_conditions_factor(&sides[0].conditions, &sides[1].conditions);
    compared->report = (struct sl_comparison_report){.comparison = &compared->comparison,
                                                     .baseline = &sides[0].file.analysis,
                                                     .candidate = &sides[1].file.analysis};
    compared->report.log = compared->has_log ? &compared->log : NULL;
    compared->report.svl_bits = svl_of(compared);
    if (off_on && sides[1].has_directory)
        compared->report.estimates = sl_value(sides[1].directory.manifest, "estimates");
    if (sides[0].has_directory)
        compared->report.policies.before = sl_value(sides[0].directory.manifest, "policy");
    if (sides[1].has_directory)
        compared->report.policies.now = sl_value(sides[1].directory.manifest, "policy");
    find_plugins(compared);
    name_sides(compared, factor);
    find_title(compared);
    for (int i = 0; i < 2; i++)
        compared->has_portable[i] =
            sides[i].has_directory &&
            sl_rundir_agreement(&sides[i].directory,
                                sides[i].level ? SL_ON_VS_PORTABLE : SL_OFF_VS_PORTABLE,
                                &compared->portable[i]);
    check_emulation(compared);
    sl_conditions_check(&sides[0].conditions, &sides[1].conditions, factor, &compared->comparison);
    note_leftovers(compared);
    if (off_on && sides[0].has_directory &&
        sl_rundir_agreement(&sides[0].directory, SL_ON_VS_OFF, &compared->agreement))
        compared->report.agreement = &compared->agreement;
    if (compared->import.has_agreement || across)
        compared->report.agreement = &compared->agreement;
    if (together)
        find_diverged(compared);
    return 0;
}

void sl_compared_close(struct sl_compared *compared)
{
    if (compared->compared)
        sl_comparison_fini(&compared->comparison);
    if (compared->has_log)
        sl_kernel_log_fini(&compared->log);
    for (int i = 0; i < 2; i++) {
        if (compared->sides[i].opened)
            sl_etdump_file_close(&compared->sides[i].file);
        if (compared->sides[i].has_directory)
            sl_rundir_close(&compared->sides[i].directory);
    }
    *compared = (struct sl_compared){.compared = false};
}

int sl_compared_open_directory(struct sl_compared *compared, const char *path,
                               const char *experiment, const struct sl_categories *categories,
                               struct sl_diag *diag)
{
    int rc = 0;
    for (int level = 0; rc == 0 && level < 2; level++) {
        struct sl_compared_source source = {path, experiment, level};
        rc = sl_compared_open(compared, level, &source, categories, diag);
    }
    return rc;
}

int sl_compared_make_directory(struct sl_compared *compared, double confidence,
                               struct sl_diag *diag)
{
    const struct sl_rundir *directory = &compared->sides[0].directory;
    const cJSON *schedule = sl_value(directory->manifest, "schedule");
    double seed = sl_value_number(schedule, "seed", 1);
    double kept = sl_value_number(directory->manifest, "noise_floor", NAN);
    struct sl_comparison_options options = {
        .seed = seed >= 0 && seed < 9e15 ? (uint64_t)seed : 1,
        .confidence = confidence > 0 && confidence < 1 ? confidence : 0.95,
        .noise_floor = compared->noise_floor > 0 ? compared->noise_floor : kept,
    };
    int rc = sl_compared_read_log(compared, NULL, diag);
    if (rc == 0)
        rc = sl_compared_make(compared, SL_CONDITION_SME2, &options, diag);
    if (rc == 0 && compared->sides[0].process[0] && compared->comparison.method != SL_METHOD_EXACT)
        sl_comparison_note(&compared->comparison,
                           "process %s of %.0f: the interval is of this one alone; the combined "
                           "report has that from process to process",
                           compared->sides[0].process,
                           sl_value_number(directory->manifest, "processes", 1));
    return rc;
}

int sl_compared_directory(struct sl_compared *compared, const char *path, const char *experiment,
                          const struct sl_categories *categories, struct sl_diag *diag)
{
    int rc = sl_compared_open_directory(compared, path, experiment, categories, diag);
    if (rc < 0)
        return rc;
    const cJSON *made = sl_value(compared->sides[0].directory.summary, "comparison");
    return sl_compared_make_directory(compared, sl_value_number(made, "confidence", 0.95), diag);
}
