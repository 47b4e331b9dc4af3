/* host/report/comparison.h: a baseline against a candidate, as JSON and as tables. */
#pragma once

#include <stdbool.h>

#include "host/report/sme2_proof.h"

struct cJSON;
struct sl_agreement;
struct sl_analysis;
struct sl_arms;
struct sl_buf;
struct sl_comparison;
struct sl_divergence;
struct sl_json;
struct sl_kernel_log;
struct sl_style;

/* Everything that one page shows; all of it is borrowed. */
struct sl_comparison_report {
    const struct sl_comparison *comparison;         /* of the two analyses' attributions */
    const struct sl_analysis *baseline, *candidate; /* NULL: pairs from `file` are all there is */
    const char *file;                               /* of the pairs, or NULL */
    const char *experiment;                         /* which of the file's, or NULL */
    const char *runtime; /* whose figures: "ExecuTorch"; NULL: the agent's own, or not known */
    bool own;            /* measured on our runtime and its kernels */
    const char *factor;  /* what was varied: "sme2" */
    const char *baseline_level, *candidate_level; /* "off", "on" */
    const struct sl_agreement *agreement;         /* NULL: outputs were not compared */
    const struct sl_divergence *diverged; /* of both levels; NULL: nobody looked, or none need be */
    const struct sl_kernel_log *log;      /* XNNPACK's, of the candidate's run; NULL: none */
    const struct sl_arms *arms;           /* of two builds; NULL: the comparison is not of two */
    const struct cJSON *estimates;    /* of time, of a counted run (run_estimates.h); NULL: none */
    struct sl_sme2_policies policies; /* of the baseline's and the candidate's manifest */
    const struct cJSON *plugins[2];   /* of two runs both, of one the second (plugin_figures.h) */
    const char *pages;                /* the report's file, said with the grounds; NULL: not said */
    const struct sl_comparison
        *beside;       /* of our kernels, its ratio after the verdict; NULL: none */
    bool emulated;     /* times mean nothing; counts are real */
    unsigned svl_bits; /* of the counted candidate's streaming vectors; 0: of times, not known */
};

/* One object of schema sme2lab.comparison/1; `key` is NULL inside an array and at the top. */
int sl_comparison_json(struct sl_json *json, const char *key,
                       const struct sl_comparison_report *report);

/* Whose figures a headline gives, our kernels not being those that apps ship: "ExecuTorch", "our
 * kernels (not ExecuTorch's)"; NULL: of both runtimes, or not known. Static. */
const char *sl_comparison_whose(const struct sl_comparison_report *report);

/* How outputs agreed, as members of an object that is open. */
void sl_comparison_agreement_json(struct sl_json *json, const struct sl_agreement *agreement);

/* For a terminal, a part at a time. Returns 0, SL_E_LIMIT or -ENOMEM. */
enum sl_comparison_extent {
    SL_COMPARISON_VERDICT,  /* one line */
    SL_COMPARISON_GROUNDS,  /* the figures and reasons behind it, then that line */
    SL_COMPARISON_REASONS,  /* the same without exact figures, which stand in a table above it */
    SL_COMPARISON_DOUBTS,   /* of that the reasons alone */
    SL_COMPARISON_SUMMARY,  /* categories and the largest operators, the next step */
    SL_COMPARISON_STEP,     /* of that the next step alone, for a run beside another runtime's */
    SL_COMPARISON_ANALYSES, /* category shift, operators with their kernels, what proves SME2 */
};
int sl_comparison_text(struct sl_buf *out, const struct sl_style *style,
                       const struct sl_comparison_report *report, int extent);
