/* host/report/report.h: a run as pages for people and files for other programs. Pure: the same data
 * give the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_agreement;
struct sl_buf;
struct sl_comparison_report;
struct sl_conditions;
struct sl_runtime_outputs;
struct sl_table;

enum { SL_REPORT_MAX_FACTS = 24, SL_REPORT_MAX_ARTIFACTS = 8 };

/* The fact that a page shows first. */
#define SL_REPORT_VECTORS "Streaming vector length"

struct sl_report_fact {
    const char *name; /* static */
    char value[256];
};

/* All of it is borrowed. */
struct sl_report {
    const char *model, *experiment;
    bool clean;                   /* whole executions alone were recorded */
    const char *device, *threads; /* "" or NULL: not known */
    const char *process;   /* which of those that repeat the experiment; "" or NULL: there is one */
    const char *directory; /* it was read from; NULL: none */
    const char *concurrency; /* processes at a time; "" or NULL: the measured one alone */
    char names[2][96];       /* of the sides; "": "SME2 off", "SME2 on" */
    const struct sl_conditions *conditions;        /* of the baseline's side; NULL: not known */
    const char *command;                           /* that made the run; NULL: not known */
    const struct sl_comparison_report *comparison; /* of two analyses */
    const struct sl_agreement *off_portable, *on_portable; /* NULL: not compared */
    const struct sl_agreement *off_expected, *on_expected; /* NULL: nothing was expected */
    const struct sl_runtime_outputs *outputs; /* of ExecuTorch's run and ours; NULL: not compared */
    struct sl_report_fact facts[SL_REPORT_MAX_FACTS]; /* conditions, for the reader */
    size_t fact_count;
    struct sl_report_fact artifacts[SL_REPORT_MAX_ARTIFACTS]; /* files, relative to the directory */
    size_t artifact_count;
};

/* The name of a side: "SME2 off", or that of an imported experiment. */
const char *sl_report_side(const struct sl_report *report, int side);

/* Markdown: what was measured, verdict with reasons, figures, shift, operators, kernels, one next
 * step, how to reproduce. All of these return 0, SL_E_LIMIT or -ENOMEM. */
int sl_report_md(struct sl_buf *out, const struct sl_report *report);
/* The same with plots as one page that needs no other file and no script. */
int sl_report_html(struct sl_buf *out, const struct sl_report *report);
/* A comment on a change: verdict, what moved most, next step; 25 lines at most. */
int sl_report_comment(struct sl_buf *out, const struct sl_report *report);
/* JUnit XML: verdict, agreement of outputs and proof of SME2 as three cases; of several reports a
 * suite for each. */
int sl_report_junit(struct sl_buf *out, const struct sl_report *report);
int sl_report_junit_all(struct sl_buf *out, const struct sl_report *reports, size_t count);
/* A failure beside the reports, for JUnit: a run that did not come to its end, a baseline. */
struct sl_report_case {
    const char *model, *name, *text;
    bool error; /* nothing was measured: an error in place of a failure */
};
/* The same where a gate decides in place of the verdicts: codes[i] is 0 passed, 1 or 3 failed, 4
 * nothing was shown. NULL: the verdicts decide. */
int sl_report_junit_gated(struct sl_buf *out, const struct sl_report *reports, const int *codes,
                          size_t count, const struct sl_report_case *others, size_t other_count);
/* category,{off}_ms,{on}_ms,speedup,{off}_pct,{on}_pct; _insns on the counted clock. */
int sl_report_csv(struct sl_buf *out, const struct sl_report *report);
/* Sentences that pages share: what came out, and what that is of. `size` of at least 256. */
void sl_report_verdict(const struct sl_report *report, char *out, size_t size);
void sl_report_conditions(const struct sl_report *report, char *out, size_t size);
/* "SME2 off against on", or the names of an imported pair. The same size. */
void sl_report_title(const struct sl_report *report, char *out, size_t size);

/* The tables that pages share; end each with sl_table_fini(). */
void sl_report_facts(const struct sl_report *report, struct sl_table *out);
void sl_report_artifacts(const struct sl_report *report, struct sl_table *out);
void sl_report_figures(const struct sl_report *report, struct sl_table *out);
void sl_report_shift(const struct sl_report *report, struct sl_table *out);
void sl_report_operators(const struct sl_report *report, size_t most, struct sl_table *out);
/* Every next step, what saves most first; of one alone no rows. */
void sl_report_steps(const struct sl_report *report, struct sl_table *out);
void sl_report_proof(const struct sl_report *report, struct sl_table *out);
/* report_looks.c: the looks of the stopping rule; false, and no table, without one. */
bool sl_report_looks(const struct sl_report *report, struct sl_table *out);
/* report_sustained.c: the run in ten pieces; false, and no table to end, for few runs or for sides
 * that were not recorded together. */
bool sl_report_sustained(const struct sl_report *report, struct sl_table *out);
void sl_report_runs(const struct sl_report *report, struct sl_table *out);
