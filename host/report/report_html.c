/* host/report/report_html.c: a report as one page: no script, no other file, no network. */
#include <math.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "host/report/page_table.h"
#include "host/report/plot.h"
#include "host/report/report.h"

enum { HTML_OPERATORS = 100, SENTENCE_BYTES = 320 };

static const char style[] =
    ":root{color-scheme:light}"
    "body{font:15px/1.5 system-ui,sans-serif;color:#111;background:#fff;max-width:60rem;"
    "margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.2rem 0 .4rem}"
    ".verdict{border:1px solid #bbb;border-left:8px solid #555;padding:.7rem 1rem;margin:0 0 1rem}"
    ".verdict strong{font-size:1.25rem}.verdict ul{margin:.5rem 0 0;padding-left:1.2rem}"
    ".faster,.equivalent{border-left-color:#0072b2}.slower,.wrong{border-left-color:#d55e00}"
    ".banner{background:#fff4d6;border:1px solid #c79a00;padding:.5rem 1rem;margin:0 0 1rem}"
    ".note{color:#444;font-size:.87rem;margin:.2rem 0 .5rem}";
static const char style_of_tables[] =
    "table{border-collapse:collapse;width:100%;font-size:.87rem}.wide{overflow-x:auto}"
    "th,td{text-align:left;padding:.28rem .6rem;border-bottom:1px solid #ddd;vertical-align:top;"
    "overflow-wrap:anywhere}"
    "th{border-bottom:2px solid #555;white-space:nowrap}"
    ".r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "svg{width:100%;height:auto;margin:.5rem 0 .8rem}"
    "pre{background:#f4f4f4;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font-size:.85rem}"
    "details summary{cursor:pointer;color:#333;margin:.3rem 0}"
    "@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}"
    "svg,tr{break-inside:avoid}}";

typedef void (*plot_fn)(struct sl_markup *m, const struct sl_report *report);

/* A section: title, plot if any, table; ends the table. */
static void put_section(struct sl_markup *m, const struct sl_report *report, plot_fn plot,
                        struct sl_page_table *table)
{
    sl_markup_put(m, "<section id=\"%s\"><h2>%s</h2>\n", table->id, table->title);
    if (plot)
        plot(m, report);
    sl_page_table_html(m, table);
    sl_markup_put(m, "</section>\n");
    sl_page_table_fini(table);
}

static void put_agreement(struct sl_markup *m, const char *what, const struct sl_agreement *a)
{
    if (a)
        sl_markup_put(
            m, "<li>%s: %s; largest difference %.3g, %.3g of the peak (up to %.0e)</li>\n", what,
            a->agree ? "agree" : "<b>differ</b>", a->max_abs, a->max_rel, a->tolerance);
    else
        sl_markup_put(m, "<li>%s: not compared</li>\n", what);
}

static void put_verdict(struct sl_markup *m, const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    char text[SENTENCE_BYTES];
    sl_report_verdict(report, text, sizeof(text));
    sl_markup_put(m, "<div class=\"verdict %s\"><strong>", sl_verdict_name(c->verdict));
    sl_markup_text(m, text);
    sl_markup_put(m, "</strong><ul>\n");
    for (size_t i = 0; i < c->reason_count; i++) {
        sl_markup_put(m, "<li>because ");
        sl_markup_text(m, c->reasons[i]);
        sl_markup_put(m, "</li>\n");
    }
    if (isfinite(c->sign_low))
        sl_markup_put(m, "<li>exact interval by signs: %.3f to %.3f</li>\n", c->sign_low,
                      c->sign_high);
    if (c->method != SL_METHOD_EXACT)
        sl_markup_put(m, "<li>method %s, %u resamples, seed %llu</li>\n",
                      sl_comparison_method_name(c->method), c->iterations,
                      (unsigned long long)c->seed);
    put_agreement(m, "Outputs, on against off", report->comparison->agreement);
    put_agreement(m, "Outputs, off against the portable kernels", report->off_portable);
    put_agreement(m, "Outputs, on against the portable kernels", report->on_portable);
    sl_markup_put(m, "</ul></div>\n");
    sl_report_conditions(report, text, sizeof(text));
    sl_markup_put(m, "<p class=\"%s\">%s</p>\n", report->comparison->emulated ? "banner" : "note",
                  text);
}

static void put_head(struct sl_markup *m, const struct sl_report *report)
{
    sl_markup_put(m, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\">\n<title>SME2 off against on: ");
    sl_markup_text(m, report->model);
    sl_markup_put(m, "</title>\n<style>%s", style);
    sl_markup_put(m, "%s</style></head>\n<body>\n<h1>SME2 off against on: ", style_of_tables);
    sl_markup_text(m, report->model);
    sl_markup_put(m, "</h1>\n");
    put_verdict(m, report);
}

static void put_warnings(struct sl_markup *m, const struct sl_analysis *analysis, const char *level)
{
    for (size_t i = 0; i < analysis->attribution.warning_count; i++) {
        sl_markup_put(m, "<p>Warning, SME2 %s: ", level);
        sl_markup_text(m, analysis->attribution.warnings[i]);
        sl_markup_put(m, "</p>\n");
    }
}

static void put_end(struct sl_markup *m, const struct sl_report *report)
{
    struct sl_next_step step;
    sl_next_step_find(report->comparison, &step);
    sl_markup_put(m, "<section id=\"next\"><h2>Next step</h2><p>");
    sl_markup_text(m, step.text);
    sl_markup_put(m, ". <span class=\"note\">(rule %s)</span></p>\n", step.rule);
    put_warnings(m, report->comparison->baseline, report->comparison->baseline_level);
    put_warnings(m, report->comparison->candidate, report->comparison->candidate_level);
    sl_markup_put(m, "</section>\n<section id=\"reproduce\"><h2>How to reproduce</h2>\n");
    if (report->command) {
        sl_markup_put(m, "<pre>");
        sl_markup_text(m, report->command);
        sl_markup_put(m, "</pre>\n");
    }
    sl_markup_put(m, "<p><code>sme2lab validate DIR</code> computes every number of this directory "
                     "again from its ETDumps.</p></section>\n</body></html>\n");
}

int sl_report_html(struct sl_buf *out, const struct sl_report *report)
{
    struct sl_markup m = {.out = out};
    struct sl_page_table table;
    put_head(&m, report);
    sl_report_figures(report, &table);
    put_section(&m, report, NULL, &table);
    sl_report_shift(report, &table);
    put_section(&m, report, sl_plot_categories, &table);
    sl_report_operators(report, HTML_OPERATORS, &table);
    put_section(&m, report, sl_plot_waterfall, &table);
    sl_report_proof(report, &table);
    put_section(&m, report, NULL, &table);
    sl_report_runs(report, &table);
    put_section(&m, report, sl_plot_runs, &table);
    sl_report_facts(report, &table);
    put_section(&m, report, NULL, &table);
    put_end(&m, report);
    return m.error;
}
