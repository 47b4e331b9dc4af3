/* host/report/combined.h: many comparisons side by side: models, devices, numbers of threads,
 * experiments. Pure: the same data give the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_buf;
struct sl_comparison;
struct sl_comparison_report;
struct sl_style;
struct sl_contention;
struct sl_json;
struct sl_markup;
struct sl_table;
struct sl_report;
struct sl_sweep;

/* In the order in which they are shown; borrowed. */
struct sl_combined {
    const struct sl_report *reports;
    size_t count;
};

/* Markdown: summary, a line for each comparison, category shares, next steps. All of these return
 * 0, SL_E_LIMIT or -ENOMEM. */
int sl_combined_md(struct sl_buf *out, const struct sl_combined *combined);
/* The same as one page, with the ratios and the shares drawn. */
int sl_combined_html(struct sl_buf *out, const struct sl_combined *combined);
/* {"schema":"sme2lab.combined/1","comparisons":[{"model","device","threads","experiment",
 * "comparison":{...}}]} */
int sl_combined_json(struct sl_buf *out, const struct sl_combined *combined);
/* model,device,threads,experiment,time_unit,baseline,candidate,ratio,low,high,verdict: a line each;
 * baseline and candidate are medians of end to end in the unit of the line. */
int sl_combined_csv(struct sl_buf *out, const struct sl_combined *combined);

/* "resnet18.pte, 2 threads, pixel": what tells one of them from the others; "" where there is one.
 * `size` of at least 256. */
void sl_combined_label(const struct sl_combined *combined, size_t index, char *out, size_t size);
/* "3 comparisons of 2 models on 2 devices: 2 faster, 1 inconclusive". The same size. */
void sl_combined_summary(const struct sl_combined *combined, char *out, size_t size);

/* The tables that both pages share; end each with sl_table_fini(). */
void sl_combined_figures(const struct sl_combined *combined, struct sl_table *out);
void sl_combined_shares(const struct sl_combined *combined, struct sl_table *out);
void sl_combined_steps(const struct sl_combined *combined, struct sl_table *out);

/* The comparisons that differ in nothing but their number of threads from the one at `index`, which
 * is the first of them: false for another or for a single one. How many such there are. What a
 * sweep says, in `size` of at least 512. */
bool sl_combined_sweep(const struct sl_combined *combined, size_t index, struct sl_sweep *out);
size_t sl_combined_sweep_count(const struct sl_combined *combined);
void sl_combined_sweep_words(const struct sl_sweep *sweep, char *out, size_t size);
void sl_combined_sweeps(const struct sl_combined *combined, struct sl_table *out);
/* The array "sweeps". */
void sl_combined_sweeps_json(struct sl_json *json, const struct sl_combined *combined);

/* The experiment's name without its number of threads, and, unless `concurrency` keeps it, without
 * its number of processes at a time; the same without its process alone. How many processes ran at
 * a time: "1" where nothing says so. */
enum { SL_COMBINED_NAME_BYTES = 128 };
void sl_combined_base(const struct sl_report *report, bool concurrency,
                      char out[SL_COMBINED_NAME_BYTES]);
void sl_combined_experiment(const struct sl_report *report, char out[SL_COMBINED_NAME_BYTES]);
const char *sl_combined_concurrency(const struct sl_report *report);

/* combined_contention.c: the comparisons that differ in nothing but threads and processes from the
 * one at `index`, which is the first of them: false for another, or where there is one number of
 * processes. The rest as of sweeps. */
bool sl_combined_contention(const struct sl_combined *combined, size_t index,
                            struct sl_contention *out);
size_t sl_combined_contention_count(const struct sl_combined *combined);
void sl_combined_contention_words(const struct sl_contention *map, char *out, size_t size);
void sl_combined_contentions(const struct sl_combined *combined, struct sl_table *out);
/* The array "contention_maps". */
void sl_combined_contentions_json(struct sl_json *json, const struct sl_combined *combined);
/* plot_contention.c: a heat map of each. */
void sl_plot_contention(struct sl_markup *m, const struct sl_combined *combined);

/* combined_processes.c: the comparisons of the processes that repeated the experiment at `index`,
 * which is the first of them, as one comparison: how many they are; 0 for another, or where there
 * is one. End `out` with sl_comparison_fini(). How many such there are; what one says, in `size` of
 * at least 512, with the experiment's name; the array "processes". */
size_t sl_combined_processes(const struct sl_combined *combined, size_t index,
                             struct sl_comparison *out);
/* The same as one comparison's report, which borrows `name` and `out`. */
size_t sl_combined_processes_report(const struct sl_combined *combined, size_t index,
                                    char name[SL_COMBINED_NAME_BYTES], struct sl_comparison *out,
                                    struct sl_comparison_report *out_report);
size_t sl_combined_processes_count(const struct sl_combined *combined);
size_t sl_combined_processes_words(const struct sl_combined *combined, size_t index,
                                   char name[SL_COMBINED_NAME_BYTES], char *out, size_t size);
void sl_combined_processes_table(const struct sl_combined *combined, struct sl_table *out);
int sl_combined_processes_json(struct sl_json *json, const struct sl_combined *combined);

/* combined_cost.c: a clean arm (whole executions alone were recorded) beside the profiled one of
 * the same model, device and threads: what recording every operator costs. How many such pairs
 * there are; their table; the array "profiling_cost". */
/* Writes the words for the clean arm at `index`, false if it has no profiled one; `size` of at
 * least 256. */
bool sl_combined_cost_words(const struct sl_combined *combined, size_t index, char *out,
                            size_t size);
size_t sl_combined_cost_count(const struct sl_combined *combined);
void sl_combined_costs(const struct sl_combined *combined, struct sl_table *out);
void sl_combined_costs_json(struct sl_json *json, const struct sl_combined *combined);

/* combined_plugins.c: how many comparisons have figures of plug-ins; these, by comparison. */
size_t sl_combined_plugins_count(const struct sl_combined *combined);
void sl_combined_plugins(const struct sl_combined *combined, struct sl_table *out);

/* combined_findings.c: what the sweeps, the maps and the clean arms say, a line each; with a style
 * also the table of two runtimes (runtime_gap.h); nothing where there are none. */
int sl_combined_findings(struct sl_buf *out, const struct sl_style *style,
                         const struct sl_combined *combined);

/* The ratio of each with its interval, on a scale of doublings. */
void sl_plot_ratios(struct sl_markup *m, const struct sl_combined *combined);
/* Off and on by threads, a panel a sweep. */
void sl_plot_sweeps(struct sl_markup *m, const struct sl_combined *combined);
/* Category shares of both sides of each, bar above bar. */
void sl_plot_shares(struct sl_markup *m, const struct sl_combined *combined);
