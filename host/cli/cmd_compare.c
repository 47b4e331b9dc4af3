/* host/cli/cmd_compare.c: `sme2lab compare`: how much faster one measurement is than another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/analysis/calibration.h"
#include "host/analysis/gain.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/model_plan.h"
#include "host/cli/options.h"
#include "host/cli/stored_run.h"
#include "host/report/categories_file.h"
#include "host/report/combined.h"
#include "host/report/pairs_csv.h"
#include "host/report/style.h"
#include "host/rundir/arms.h"
#include "host/rundir/benchmarks_compared.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/import.h"
#include "host/rundir/noise_keep.h"
#include "host/rundir/rundir.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/paths.h"
#include "host/spec/policy_file.h"

enum { TOP_OPERATORS = 12, MAX_WORDS = 2, MAX_ITERATIONS = 1000000 };
#define MAX_OUTPUT_BYTES ((size_t)1 << 30)
#define MAX_CSV_BYTES ((size_t)1 << 30)

struct request {
    const struct sl_cli *cli;
    const char *words[MAX_WORDS];
    size_t word_count;
    struct sl_stored_run runs[MAX_WORDS + 1]; /* of words that number one, and of floor_of */
    const char *pairs, *factor, *experiment, *variant, *categories_path, *log, *floor_of;
    struct {
        const char *path, *data; /* NULL: not given */
        struct sl_model_origins origins;
    } model;
    int64_t top; /* operators */
    bool calibrate, keep, full;
    double threshold_percent, confidence_percent, minimum_percent, noise_percent;
    int64_t seed, iterations, warmup; /* warmup: -1: found */
    uint32_t cold;                    /* the same, stated */
    struct sl_comparison_options options;
    struct sl_arms arms; /* of two directories */
    struct sl_buf output;
    struct sl_json json;
    int code; /* exit code: the worst of all comparisons */
};

static const char about[] =
    "Compares two measurements. Each is an ETDump, a directory of 'sme2lab run' or the number of\n"
    "a run ('sme2lab runs' lists them). Of one directory or run it compares SME2 off with SME2\n"
    "on. Of two it compares the same variant of both, and what SME2 gains in each.\n"
    "The ratio is BASE / CANDIDATE: above 1 the candidate takes less. The output says how sure\n"
    "that is, and names whatever else differs between the two.";

static const char notes[] =
    "Runs that were measured in turns are compared pair by pair, counted instructions exactly,\n"
    "anything else as two samples. Processes of 'run --processes' are taken together.\n"
    "\n"
    "A run that 'import' made of another tool's benchmark is compared with another, or with a run\n"
    "of ours whose model has that name, by the times of its repetitions. Fewer than six of them "
    "on\n"
    "a side make no claim: the ratio is told, and the verdict is inconclusive.\n"
    "\n"
    "The file of --pairs has columns baseline_ns,candidate_ns or off_ns,on_ns and a row for each\n"
    "pair, in the order measured. Each value of a column 'experiment' is compared by itself. With\n"
    "a column 'process' (a number) each process counts once, however many pairs it has.\n"
    "\n"
    "Exit codes: 0 faster, equivalent, or slower within --threshold; 1 wrong (the outputs\n"
    "differ); 2 command line or files; 3 slower beyond --threshold; 4 inconclusive, unfit or\n"
    "incomparable.";

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    const struct sl_option options[] = {
        {"--pairs", 0, SL_OPTION_TEXT, &r->pairs, "FILE.csv", "compare the times in this file"},
        {"--threshold", 0, SL_OPTION_REAL, &r->threshold_percent, "PCT",
         "exit with 3 only where the candidate is slower by more (0)"},
        {"--full", 0, SL_OPTION_FLAG, &r->full, NULL,
         "print every category, operators, kernels and proof of SME2 too"},
        {"--top", 0, SL_OPTION_COUNT, &r->top, "N",
         "with --full: show N operators (12); -v shows all"},
        {"--factor", 0, SL_OPTION_TEXT, &r->factor, "NAME",
         "what you changed on purpose: sme2, model, inputs, threads, concurrency, cpus, device, "
         "power, "
         "runtime or build"},
        {"--variant", 0, SL_OPTION_TEXT, &r->variant, "off|on",
         "the variant that is compared of two directories (on)"},
        {"--experiment", 0, SL_OPTION_TEXT, &r->experiment, "NAME",
         "the experiment, where a directory has several"},
        {"--confidence", 0, SL_OPTION_REAL, &r->confidence_percent, "PCT",
         "how sure the intervals are (95)"},
        {"--minimum-effect", 0, SL_OPTION_REAL, &r->minimum_percent, "PCT",
         "smaller differences are called equivalent (1)"},
        {"--noise-floor", 0, SL_OPTION_REAL, &r->noise_percent, "PCT",
         "equal runs differ by so much on this device: a smaller difference cannot be told"},
        {"--noise-floor-of", 0, SL_OPTION_TEXT, &r->floor_of, "PATH",
         "a directory or ETDump of equal runs, to find that figure in"},
        {"--calibrate", 0, SL_OPTION_FLAG, &r->calibrate, NULL,
         "find how much equal runs differ: compares the runs of one variant with each other"},
        {"--keep", 0, SL_OPTION_FLAG, &r->keep, NULL,
         "with --calibrate: remember the figure for the device, by which its later runs are "
         "judged"},
        {"--warmup", 0, SL_OPTION_COUNT, &r->warmup, "N",
         "leave out the first N runs, or pairs (as many as the runs themselves show)"},
        {"--seed", 0, SL_OPTION_COUNT, &r->seed, "N",
         "seed of the random draws behind the intervals (1)"},
        {"--iterations", 0, SL_OPTION_COUNT, &r->iterations, "N", "how many such draws (10000)"},
        {"--log", 0, SL_OPTION_TEXT, &r->log, "FILE",
         "XNNPACK's log of the candidate (the one beside its ETDump)"},
        {"--model", 0, SL_OPTION_TEXT, &r->model.path, "FILE.pte",
         "the program that ran: its operators' types and shapes say which of them SME2 is for"},
        {"--data-path", 0, SL_OPTION_TEXT, &r->model.data, "FILE",
         "external weights of --model (.ptd)"},
        {"--categories", 0, SL_OPTION_TEXT, &r->categories_path, "FILE",
         "rules in place of the built-in ones"},
    };
    const struct sl_usage usage = {.verb = "compare",
                                   .synopsis =
                                       "BASE CANDIDATE | DIR | RUN | --pairs FILE.csv [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true,
                                   .notes = notes};
    return sl_options_parse(&usage, argc, argv, r->words, MAX_WORDS, &r->word_count, diag);
}

static int refuse(struct sl_diag *diag, const char *option, const char *what)
{
    sl_diag_hint(diag, "'sme2lab compare --help' lists the options");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, option, "%s", what);
}

static int check_options(struct request *r, struct sl_diag *diag)
{
    if (!(r->confidence_percent >= 50 && r->confidence_percent < 100))
        return refuse(diag, "--confidence", "a confidence is from 50 to below 100 per cent");
    if (r->iterations < 100 || r->iterations > MAX_ITERATIONS)
        return refuse(diag, "--iterations", "resamples are from 100 to 1000000");
    if (r->threshold_percent < 0 || r->minimum_percent <= 0 || r->noise_percent < 0)
        return refuse(diag, "command line", "a percentage is negative or 0");
    if (r->factor && sl_condition_parse(r->factor) == SL_CONDITION_NONE)
        return refuse(diag, "--factor", "there is no such factor");
    if (r->variant && strcmp(r->variant, "off") != 0 && strcmp(r->variant, "on") != 0)
        return refuse(diag, "--variant", "a variant is off or on");
    if (r->pairs && r->word_count > 0)
        return refuse(diag, "command line", "--pairs takes no other file");
    if (r->calibrate && r->word_count != 1)
        return refuse(diag, "--calibrate", "one directory or ETDump is calibrated");
    if (r->keep && !r->calibrate)
        return refuse(diag, "--keep", "it keeps what --calibrate finds");
    if (r->model.data && !r->model.path)
        return refuse(diag, "--data-path",
                      "external weights belong to a program: --model FILE.pte");
    if (r->floor_of && r->noise_percent > 0)
        return refuse(diag, "--noise-floor-of", "--noise-floor says it already");
    if (!r->pairs && r->word_count == 0)
        return refuse(diag, "command line",
                      "nothing was named: two ETDump files or directories, one directory, or "
                      "--pairs FILE.csv");
    r->cold = (uint32_t)r->warmup;
    r->options = (struct sl_comparison_options){
        .seed = (uint64_t)r->seed,
        .iterations = (uint32_t)r->iterations,
        .confidence = r->confidence_percent / 100,
        .margin = r->minimum_percent / 100,
        .noise_floor = r->noise_percent > 0 ? r->noise_percent / 100 : NAN};
    return 0;
}

/* A run of the store is called by its number, not by where it was put. */
static void name_run(const struct request *r, size_t word, struct sl_compared_side *side)
{
    if (word < r->word_count && r->runs[word].directory[0])
        side->file.analysis.file = r->runs[word].name;
}

static int put_gate(struct request *r, int code)
{
    static const char *const words[] = {
        [SL_EXIT_DONE] = "passed: not slower by more than",
        [SL_EXIT_FAILED] = "not passed: the outputs are wrong; asked was",
        [SL_EXIT_REGRESSION] = "not passed: slower by more than",
        [SL_EXIT_INCONCLUSIVE] = "cannot tell whether it is slower by more than"};
    if (r->cli->json || !(r->threshold_percent > 0))
        return 0;
    return sl_buf_printf(&r->output, "gate: %s %g %%\n", words[code], r->threshold_percent);
}

/* Adds one comparison to the output. */
static int put(struct request *r, const struct sl_comparison_report *report)
{
    const struct sl_style style = {r->cli->width, r->cli->color,
                                   r->cli->verbose ? SIZE_MAX : (size_t)r->top, r->cli->unicode};
    int code = sl_verdict_exit_code(report->comparison, r->threshold_percent);
    if (report->arms)
        code = sl_verdict_exit_louder(code, sl_arms_exit_code(report->arms, r->threshold_percent));
    int extent = r->full || r->cli->verbose ? SL_COMPARISON_ANALYSES : SL_COMPARISON_SUMMARY;
    int rc = r->cli->json    ? sl_comparison_json(&r->json, NULL, report)
             : r->cli->quiet ? 0
                             : sl_comparison_text(&r->output, &style, report, extent);
    if (rc == 0 && !r->cli->json && !r->cli->quiet && extent == SL_COMPARISON_SUMMARY &&
        report->baseline)
        rc = sl_buf_printf(&r->output, "every operator, its kernels and proof of SME2: --full\n");
    if (rc == 0 && !r->cli->json)
        rc = sl_comparison_text(&r->output, &style, report,
                                r->cli->quiet ? SL_COMPARISON_VERDICT : SL_COMPARISON_GROUNDS);
    if (rc == 0)
        rc = put_gate(r, code);
    r->code = sl_verdict_exit_louder(r->code, code);
    return rc;
}

static int compare_experiment(struct request *r, const struct sl_pairs_file *file, size_t i)
{
    const struct sl_pairs_experiment *experiment = &file->experiments[i];
    struct sl_comparison comparison;
    int rc = sl_comparison_make_pairs(file->pairs + experiment->first, experiment->count,
                                      &r->options, &comparison);
    if (rc < 0)
        return rc;
    struct sl_comparison_report report = {.comparison = &comparison,
                                          .file = r->pairs,
                                          .experiment = experiment->name,
                                          .factor = file->off_on ? "sme2" : "run",
                                          .baseline_level = file->off_on ? "off" : "baseline",
                                          .candidate_level = file->off_on ? "on" : "candidate"};
    rc = put(r, &report);
    sl_comparison_fini(&comparison);
    return rc;
}

static int compare_pairs(struct request *r, struct sl_diag *diag)
{
    struct sl_buf bytes;
    struct sl_pairs_file file;
    int rc = sl_buf_read_file(r->pairs, MAX_CSV_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, r->pairs, "the pairs cannot be read: %s", sl_strerror(rc));
    rc = sl_pairs_parse((struct sl_bytes){bytes.data, bytes.size}, r->pairs, &file, diag);
    sl_buf_fini(&bytes);
    if (rc < 0)
        return rc;
    bool several = file.experiments[0].name != NULL;
    if (several && r->cli->json)
        sl_json_open_array(&r->json, NULL);
    for (size_t i = 0; rc == 0 && i < file.experiment_count; i++)
        rc = compare_experiment(r, &file, i);
    if (several && r->cli->json)
        sl_json_close_array(&r->json);
    sl_pairs_file_fini(&file);
    return rc;
}

static int open_sides(struct request *r, struct sl_compared *compared,
                      const struct sl_categories *categories, struct sl_diag *diag)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < 2; i++) {
        int level = r->variant && strcmp(r->variant, "off") == 0 ? 0 : 1;
        struct sl_compared_source source = {r->words[i], r->experiment, level};
        rc = sl_compared_open(compared, i, &source, categories, diag);
    }
    return rc;
}

static struct sl_compared *new_compared(const struct request *r)
{
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    if (compared && r->warmup >= 0)
        compared->cold = &r->cold;
    if (compared && r->model.path)
        compared->plans = r->model.origins.plans;
    return compared;
}

/* A against A of one variant of `path`. */
static int calibrate(struct request *r, const char *path, struct sl_comparison *out,
                     struct sl_diag *diag)
{
    struct sl_categories categories;
    bool off = r->variant && strcmp(r->variant, "off") == 0;
    struct sl_compared_source source = {path, r->experiment, off ? 0 : 1};
    int rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc < 0)
        return rc;
    struct sl_compared *compared = new_compared(r);
    if (!compared)
        rc = sl_diag_set(diag, SL_E_LIMIT, NULL, "memory is short");
    else
        rc = sl_compared_open(compared, 0, &source, &categories, diag);
    if (rc == 0)
        rc = sl_calibration_make(&compared->sides[0].file.analysis.attribution, &r->options, out);
    if (compared)
        sl_compared_close(compared);
    sl_free(compared);
    sl_categories_fini(&categories);
    return rc;
}

/* One experiment, shown. */
static int calibrate_one(struct request *r, struct sl_noise_calibration *out, struct sl_diag *diag)
{
    struct sl_comparison found;
    int rc = calibrate(r, r->words[0], &found, diag);
    if (rc < 0)
        return rc;
    out->on = !r->variant || strcmp(r->variant, "off") != 0;
    out->floor = found.noise_floor;
    out->pairs = found.blocks;
    const struct sl_comparison_report report = {.comparison = &found,
                                                .file = r->words[0],
                                                .experiment = r->experiment,
                                                .factor = "none",
                                                .baseline_level = "A",
                                                .candidate_level = "A"};
    rc = put(r, &report);
    if (rc == 0 && !r->cli->json && isfinite(found.noise_floor))
        rc = sl_buf_printf(&r->output,
                           "noise floor: %.2f %%; a difference below it is not told from none\n",
                           100 * found.noise_floor);
    sl_comparison_fini(&found);
    return rc;
}

static int keep_floor(struct request *r, const struct sl_noise_calibration *found, size_t count,
                      struct sl_diag *diag)
{
    char state[SL_PATH_BYTES], path[SL_PATH_BYTES];
    double floor;
    int rc = sl_paths_state(state, diag);
    if (rc == 0)
        rc = sl_noise_keep(state, r->words[0], found, count, &floor, path, diag);
    return rc < 0 || r->cli->json ? rc
                                  : sl_buf_printf(&r->output, "the largest is kept in %s\n", path);
}

/* Every experiment of the directory, or the one that was named. */
static int show_calibration(struct request *r, struct sl_diag *diag)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    struct sl_noise_calibration found[SL_NOISE_MAX_CALIBRATIONS];
    size_t count = 0;
    if (!r->experiment && sl_rundir_list(r->words[0], names, &count, NULL) < 0)
        count = 0;
    bool several = count > 1;
    count = several ? count : 1;
    int rc = count > SL_NOISE_MAX_CALIBRATIONS ? SL_E_LIMIT : 0;
    if (several && r->cli->json)
        sl_json_open_array(&r->json, NULL);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        r->experiment = several ? names[i] : r->experiment;
        found[i] = (struct sl_noise_calibration){.floor = NAN};
        snprintf(found[i].experiment, sizeof(found[i].experiment), "%s",
                 r->experiment ? r->experiment : "");
        rc = calibrate_one(r, &found[i], diag);
    }
    if (several && r->cli->json)
        sl_json_close_array(&r->json);
    return rc < 0 || !r->keep ? rc : keep_floor(r, found, count, diag);
}

static int find_floor(struct request *r, struct sl_diag *diag)
{
    struct sl_comparison found;
    int rc = r->floor_of ? calibrate(r, r->floor_of, &found, diag) : 0;
    if (rc < 0 || !r->floor_of)
        return rc;
    r->options.noise_floor = found.noise_floor;
    if (!isfinite(found.noise_floor))
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, r->floor_of, "too few runs to tell a noise floor");
    sl_comparison_fini(&found);
    return rc;
}

/* Every pair that an imported directory declares. */
static int compare_imported(struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_collection all = {.plans = r->model.path ? r->model.origins.plans : NULL};
    int rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc < 0)
        return rc;
    rc = sl_collection_add(&all, r->words[0], r->experiment, &categories, diag);
    bool several = rc == 0 && all.count > 1;
    if (several && r->cli->json)
        sl_json_open_array(&r->json, NULL);
    for (size_t i = 0; rc == 0 && i < all.count; i++) {
        struct sl_comparison_report report = all.compared[i]->report;
        const struct sl_compared_import *import = &all.compared[i]->import;
        if (!r->cli->json && import->names[0][0]) { /* people know them by these */
            report.baseline_level = import->names[0];
            report.candidate_level = import->names[1];
        }
        rc = put(r, &report);
    }
    if (several && r->cli->json)
        sl_json_close_array(&r->json);
    sl_collection_fini(&all);
    sl_categories_fini(&categories);
    return rc;
}

/* The processes that repeated the directory's only experiment: 1, or 0 where it has others. */
static int compare_processes(struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_collection all = {.count = 0};
    struct sl_comparison found;
    struct sl_comparison_report report;
    char name[SL_COMBINED_NAME_BYTES];
    int rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc < 0)
        return rc;
    rc = sl_collection_add(&all, r->words[0], NULL, &categories, diag);
    const struct sl_combined combined = {all.reports, all.count};
    size_t count = rc == 0 && all.count > 1
                       ? sl_combined_processes_report(&combined, 0, name, &found, &report)
                       : 0;
    if (count > 0) {
        rc = count == all.count ? put(r, &report) : 0;
        rc = rc == 0 ? count == all.count : rc;
        sl_comparison_fini(&found);
    }
    sl_collection_fini(&all);
    sl_categories_fini(&categories);
    return rc;
}

static bool has_several(const struct request *r)
{
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    size_t count = 0;
    return r->word_count == 1 && !r->experiment &&
           sl_rundir_list(r->words[0], names, &count, NULL) == 0 && count > 1;
}

static bool is_import(const struct request *r)
{
    return r->word_count == 1 && sl_import_check(r->words[0], NULL) == 0;
}

static bool has_benchmark(const struct request *r)
{
    return r->word_count == 2 &&
           (sl_is_benchmark_run(r->words[0]) || sl_is_benchmark_run(r->words[1]));
}

/* Times of another tool, against another's or ours. */
static int compare_benchmarks(struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_benchmarks_compared made;
    int rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc < 0)
        return rc;
    const struct sl_benchmarks_request request = {
        .paths = {r->words[0], r->words[1]},
        .experiment = r->experiment,
        .level = r->variant && strcmp(r->variant, "off") == 0 ? 0 : 1,
        .categories = &categories,
        .options = r->options};
    rc = sl_benchmarks_compare(&request, &made, diag);
    sl_categories_fini(&categories);
    if (rc < 0)
        return rc;
    const struct sl_comparison_report report = {
        .comparison = &made.comparison,
        .experiment = made.names[1],
        .factor = "run",
        .baseline_level = r->runs[0].directory[0] ? r->runs[0].name : r->words[0],
        .candidate_level = r->runs[1].directory[0] ? r->runs[1].name : r->words[1]};
    rc = put(r, &report);
    sl_comparison_fini(&made.comparison);
    return rc;
}

static int compare_words(struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    struct sl_compared *compared;
    if (has_benchmark(r))
        return compare_benchmarks(r, diag);
    if (is_import(r))
        return compare_imported(r, diag);
    bool own_options = r->options.noise_floor > 0 || r->warmup >= 0;
    int rc = has_several(r) && !own_options ? compare_processes(r, diag) : 0;
    if (rc != 0)
        return rc < 0 ? rc : 0;
    rc = sl_categories_load(r->categories_path, &categories, diag);
    if (rc < 0)
        return rc;
    compared = new_compared(r);
    int factor = r->factor ? sl_condition_parse(r->factor) : SL_COMPARED_FIND_FACTOR;
    if (!compared) {
        rc = sl_diag_set(diag, SL_E_LIMIT, NULL, "memory is short");
    } else if (r->word_count == 1) {
        compared->noise_floor = r->options.noise_floor > 0 ? r->options.noise_floor : 0;
        rc = sl_compared_directory(compared, r->words[0], r->experiment, &categories, diag);
    } else {
        rc = open_sides(r, compared, &categories, diag);
        if (rc == 0)
            rc = sl_compared_read_log(compared, r->log, diag);
        if (rc == 0)
            rc = sl_compared_make(compared, factor, &r->options, diag);
        if (rc == 0)
            rc = sl_arms_find(compared, r->experiment, &r->options, &categories, &r->arms, diag);
        compared->report.arms = &r->arms;
    }
    for (size_t i = 0; rc == 0 && i < MAX_WORDS; i++)
        name_run(r, r->word_count == 1 ? 0 : i, &compared->sides[i]);
    if (rc == 0)
        rc = put(r, &compared->report);
    if (compared)
        sl_compared_close(compared);
    sl_free(compared);
    sl_categories_fini(&categories);
    return rc;
}

int sl_cmd_compare(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli,
                        .top = TOP_OPERATORS,
                        .confidence_percent = 95,
                        .minimum_percent = 1,
                        .seed = 1,
                        .iterations = 10000,
                        .warmup = -1};
    struct sl_diag diag = {.what = ""};
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc == 0)
        rc = check_options(&r, &diag);
    if (rc != 0)
        return rc > 0 ? SL_EXIT_DONE : sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    sl_buf_init(&r.output, MAX_OUTPUT_BYTES);
    sl_json_init(&r.json, &r.output);
    rc = sl_stored_runs_fetch(cli, r.words, r.word_count, r.runs, &diag);
    if (rc == 0 && r.floor_of)
        rc = sl_stored_runs_fetch(cli, &r.floor_of, 1, &r.runs[MAX_WORDS], &diag);
    if (rc == 0 && r.model.path)
        rc = sl_model_origins_read(cli, r.model.path, r.model.data, &r.model.origins, &diag);
    if (rc == 0)
        rc = find_floor(&r, &diag);
    if (rc == 0)
        rc = r.pairs       ? compare_pairs(&r, &diag)
             : r.calibrate ? show_calibration(&r, &diag)
                           : compare_words(&r, &diag);
    if (rc == 0 && cli->json)
        rc = sl_buf_printf(&r.output, "\n");
    if (rc == 0)
        sl_say_page(stdout, &r.output);
    sl_buf_fini(&r.output);
    sl_model_origins_fini(&r.model.origins);
    sl_stored_runs_remove(r.runs, MAX_WORDS + 1);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, NULL, "the comparison cannot be made: %s", sl_strerror(rc));
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : r.code;
}
