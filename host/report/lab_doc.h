/* host/report/lab_doc.h: what the dashboard shows: the daemon's records as documents. Each function
 * adds a section to a page that sl_lab_doc_begin() began; all that is handed in is borrowed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_device_record;
struct sl_doc;
struct sl_job_record;
struct sl_run_record;

/* The title and where else to go. */
void sl_lab_doc_begin(struct sl_doc *doc, const char *title);

/* How the lab is, in a line: devices, jobs, and `problem` of the store ("": none). */
void sl_lab_doc_state(struct sl_doc *doc, const struct sl_device_record *devices, size_t count,
                      size_t running, size_t queued, const char *problem);
void sl_lab_doc_devices(struct sl_doc *doc, const struct sl_device_record *devices, size_t count);

/* A list under `title`; without rows a sentence in its place. `older`: the path of the next page,
 * NULL for none. */
void sl_lab_doc_jobs(struct sl_doc *doc, const char *title, const struct sl_job_record *jobs,
                     size_t count, const char *older);
void sl_lab_doc_runs(struct sl_doc *doc, const char *title, const struct sl_run_record *runs,
                     size_t count, const char *older);
/* Each series by its newest run. */
void sl_lab_doc_series(struct sl_doc *doc, const struct sl_run_record *newest, size_t count,
                       const char *older);

void sl_lab_doc_job(struct sl_doc *doc, const struct sl_job_record *job, const char *config_json);

struct sl_lab_file {
    char *path; /* below the run's directory */
    uint64_t bytes;
};
/* `other`: a run of the same program on the other runtime (sl_lab_doc_pairs()); NULL: none. */
void sl_lab_doc_run(struct sl_doc *doc, const struct sl_run_record *run,
                    const struct sl_run_record *other, const struct sl_lab_file *files,
                    size_t count);
/* Is it of one of the two runtimes that are shown side by side? */
bool sl_lab_doc_pairs(const struct sl_run_record *run);
