/* host/rundir/report_files.h: the report of a run directory, made of its files and written into
 * one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

struct sl_categories;
struct sl_combined;
struct sl_compared;
struct sl_diag;
struct sl_report;

enum { SL_REPORT_MAX_FILES = 40 };

struct sl_report_file {
    char name[160]; /* "report.md" ... */
    struct sl_buf text;
};

struct sl_report_files {
    struct sl_report_file files[SL_REPORT_MAX_FILES];
    size_t count;
};

/* Fills a report from both variants of one run directory; it borrows from `compared`. */
void sl_report_of(const struct sl_compared *compared, struct sl_report *out);

/* Makes the files of one format: "md", "html", "svg" (three or four), "perfetto" (two), "junit",
 * "json", "csv", "comment" (Markdown, 25 lines at most). Returns 0, SL_E_UNSUPPORTED or another
 * negative code with `diag` set. End `out`, which was all zero at first, with
 * sl_report_files_fini() in all cases. */
int sl_report_files_add(struct sl_report_files *out, const struct sl_report *report,
                        const char *suffix, const char *format, struct sl_diag *diag);
/* The same of several comparisons: combined_report.md ...; no "perfetto", no "comment", for which
 * sl_report_files_combines() is false. */
bool sl_report_files_combines(const char *format);
int sl_report_files_add_combined(struct sl_report_files *out, const struct sl_combined *combined,
                                 const char *format, struct sl_diag *diag);
void sl_report_files_fini(struct sl_report_files *files);

/* Writes all below `folder`, which is made if need be. A file that is there with other bytes is
 * refused with -EEXIST before anything is written, unless `force`. */
int sl_report_files_write(const struct sl_report_files *files, const char *folder, bool force,
                          struct sl_diag *diag);

/* The pages that every finished run gets, report.md and report.html: made, or also written over
 * older ones into the directory. 0 or a negative code with `diag` set. */
int sl_report_pages(const struct sl_compared *compared, struct sl_report_files *out,
                    struct sl_diag *diag);
int sl_report_write_pages(const struct sl_compared *compared, const char *directory,
                          struct sl_diag *diag);
