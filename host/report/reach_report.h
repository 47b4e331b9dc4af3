/* host/report/reach_report.h: what is left to gain, operator by operator: time now beside our best
 * kernel's time for the same shape on the same device, and the device's roofline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_analysis;
struct sl_doc;
struct sl_json;
struct sl_table;
struct sl_reach;

/* All of it is borrowed. */
struct sl_reach_report {
    const struct sl_reach *reach;
    int unit;           /* of the kernels' figures; the analysis has its own */
    char device[160];   /* on what the kernels were measured, in words */
    char roofline[200]; /* which one, or why there is none */
    char refused[256];  /* why nothing was measured; "": something was */
    char note[320];     /* what else the reader must know; "" */
};

/* Member `headroom`. `unit`: of the analysis. */
void sl_reach_json(struct sl_json *json, const struct sl_reach_report *report, int unit);
/* In words and as a table for a terminal. */
void sl_reach_doc(struct sl_doc *doc, const struct sl_reach_report *report, int unit);
/* The `most` rows with the largest gain; end it with sl_table_fini(). */
void sl_reach_table(const struct sl_reach_report *report, int unit, size_t most,
                    struct sl_table *out);
/* "2.7 M now; 1.9 M with our best kernel for every operator (29.6 % less)". `size` of at least
 * 320. */
void sl_reach_words(const struct sl_reach_report *report, int unit, char *out, size_t size);
