/* host/report/plot.h: a report's plots as SVG elements: colours that the colour-blind tell apart,
 * each area named in words, legible in print. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_markup;
struct sl_table;
struct sl_report;

/* Stacked bars: each category's cost with SME2 off and on, on one scale and as shares. */
void sl_plot_categories(struct sl_markup *m, const struct sl_report *report);
/* From the cost with SME2 off to that with it on, operator by operator, largest change first. */
void sl_plot_waterfall(struct sl_markup *m, const struct sl_report *report);
/* Every run in order, a panel a variant; warm-ups are hollow squares. */
void sl_plot_runs(struct sl_markup *m, const struct sl_report *report);
/* How often which end to end was measured, both sides on one scale; nothing where either side has
 * fewer than 20 runs or all are the same: _wanted() is false. */
void sl_plot_histogram(struct sl_markup *m, const struct sl_report *report);
bool sl_plot_histogram_wanted(const struct sl_report *report);
/* plot_scatter.c: what each operator costs against its multiply-accumulates, both logarithmic; and
 * its table. False where no shape is known: there is nothing to draw, and no table to end. */
bool sl_plot_scatter_wanted(const struct sl_report *report);
void sl_plot_scatter(struct sl_markup *m, const struct sl_report *report);
bool sl_report_scatter(const struct sl_report *report, size_t most, struct sl_table *out);
/* plot_bounds.c: what the estimated time of each silicon is spent on, a bar a side; nothing where
 * nothing is estimated. */
void sl_plot_bounds(struct sl_markup *m, const struct sl_report *report);
/* plot_time.c: both sides over the time of the run, a point for each of its pieces; nothing where
 * sl_report_sustained() has no table. */
void sl_plot_time(struct sl_markup *m, const struct sl_report *report);
