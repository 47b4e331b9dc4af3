/* host/report/lab_doc.c */
#include "host/report/lab_doc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/records.h"
#include "host/report/doc.h"
#include "host/report/record_table.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/spec/columns.h"
#include "host/spec/device_facts.h"
#include "host/spec/names.h"
#include "host/spec/url.h"

enum { HREF_BYTES = 400 };

void sl_lab_doc_begin(struct sl_doc *doc, const char *title)
{
    doc->live = true;
    sl_doc_say(doc, SL_DOC_TITLE, NULL, "%s", title);
    sl_doc_begin(doc, SL_DOC_LINKS, NULL);
    sl_doc_link(doc, "/", "Lab");
    sl_doc_link(doc, "/jobs", "Jobs");
    sl_doc_link(doc, "/runs", "Runs");
    sl_doc_link(doc, "/series", "Series");
}

/* The number of a record, which leads to its page. */
static void put_number(struct sl_table *table, const char *folder, uint64_t id)
{
    char href[64], text[24];
    snprintf(href, sizeof(href), "/%s/%" PRIu64, folder, id);
    snprintf(text, sizeof(text), "%" PRIu64, id);
    if (id != 0)
        sl_table_link(table, href, text);
    else
        sl_table_put(table, NULL);
}

static bool put_device_cell(struct sl_table *table, const void *record, const char *column)
{
    const struct sl_device_record *device = record;
    char text[2 * SL_DETAIL_BYTES];
    if (strcmp(column, "job") == 0)
        put_number(table, "jobs", device->job);
    else if (strcmp(column, "detail") == 0)
        sl_table_put(table, sl_device_detail(text, device->detail, device->model, device->system,
                                             device->no_sme2));
    else
        return false;
    return true;
}

/* The device that it waits for, while none has it; in place of its end how long it took. */
static bool put_job_cell(struct sl_table *table, const void *record, const char *column)
{
    const struct sl_job_record *job = record;
    char text[SL_TIME_TEXT_BYTES];
    if (strcmp(column, "id") == 0)
        put_number(table, "jobs", job->id);
    else if (strcmp(column, "run") == 0)
        put_number(table, "runs", job->run);
    else if (strcmp(column, "ended_ms") == 0)
        sl_table_put(table, sl_span_text(job->started_ms, job->ended_ms, text));
    else if (strcmp(column, "device") == 0 && !job->device[0])
        sl_table_put(table, job->selector);
    else
        return false;
    return true;
}

static void put_model(struct sl_table *table, const struct sl_run_record *run)
{
    char href[HREF_BYTES] = "/runs";
    if (sl_url_query(href, sizeof(href), "model", run->model))
        sl_table_link(table, href, run->model);
    else
        sl_table_put(table, run->model);
}

static bool put_run_cell(struct sl_table *table, const void *record, const char *column)
{
    const struct sl_run_record *run = record;
    if (strcmp(column, "id") == 0)
        put_number(table, "runs", run->id);
    else if (strcmp(column, "model") == 0)
        put_model(table, run);
    else
        return false;
    return true;
}

/* `id` is the section's and the table's. */
static void put_list(struct sl_doc *doc, const char *id, const char *title,
                     const struct sl_columns *columns, const void *records, size_t count,
                     sl_record_cell_fn own, const char *none)
{
    struct sl_table table;
    sl_doc_say(doc, SL_DOC_HEADING, id, "%s", title);
    if (count == 0) {
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "%s", none);
        return;
    }
    sl_record_table(&table, id, columns, records, count, own);
    sl_doc_table(doc, &table);
}

static void put_older(struct sl_doc *doc, const char *older)
{
    if (!older)
        return;
    sl_doc_begin(doc, SL_DOC_LINKS, NULL);
    sl_doc_link(doc, older, "Older ones");
}

void sl_lab_doc_state(struct sl_doc *doc, const struct sl_device_record *devices, size_t count,
                      size_t running, size_t queued, const char *problem)
{
    size_t ready = 0, busy = 0;
    for (size_t i = 0; i < count; i++) {
        ready += devices[i].state == SL_DEVICE_READY;
        busy += devices[i].state == SL_DEVICE_BUSY;
    }
    sl_doc_say(doc, SL_DOC_VERDICT, problem[0] ? "wrong" : "equivalent",
               problem[0] ? "The store cannot do its work" : "The lab takes jobs");
    if (problem[0])
        sl_doc_say(doc, SL_DOC_FACT, "Why", "%s", problem);
    sl_doc_say(doc, SL_DOC_FACT, "Devices", "%zu: %zu ready, %zu busy, %zu out", count, ready, busy,
               count - ready - busy);
    sl_doc_say(doc, SL_DOC_FACT, "Jobs", "%zu running, %zu queued", running, queued);
}

void sl_lab_doc_devices(struct sl_doc *doc, const struct sl_device_record *devices, size_t count)
{
    put_list(doc, "devices", "Devices", &sl_device_columns, devices, count, put_device_cell,
             "There is no device. Plug a phone in, or name one in the daemon's configuration.");
}

void sl_lab_doc_jobs(struct sl_doc *doc, const char *title, const struct sl_job_record *jobs,
                     size_t count, const char *older)
{
    put_list(doc, "jobs", title, &sl_job_columns, jobs, count, put_job_cell,
             "None. 'sme2lab submit MODEL.pte' adds one.");
    put_older(doc, older);
}

void sl_lab_doc_runs(struct sl_doc *doc, const char *title, const struct sl_run_record *runs,
                     size_t count, const char *older)
{
    put_list(doc, "runs", title, &sl_run_columns, runs, count, put_run_cell,
             "None. 'sme2lab run MODEL.pte' makes one.");
    put_older(doc, older);
}

void sl_lab_doc_series(struct sl_doc *doc, const struct sl_run_record *newest, size_t count,
                       const char *older)
{
    static const char *const heads[] = {"SERIES",  "~MODEL",  "~DEVICE", "RUNTIME", ">NEWEST RUN",
                                        "STARTED", ">OFF/ON", "VERDICT", NULL};
    struct sl_table table;
    char text[SL_TIME_TEXT_BYTES];
    sl_doc_say(doc, SL_DOC_HEADING, "series", "Series: one model on one device over time");
    if (count == 0)
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "None. Each run of a model joins or begins one.");
    sl_table_init(&table, "series", "series", heads);
    for (size_t i = 0; i < count; i++) {
        char href[64];
        snprintf(href, sizeof(href), "/series/%s", newest[i].series);
        sl_table_link(&table, href, newest[i].series);
        sl_table_put(&table, newest[i].model);
        sl_table_put(&table, newest[i].device);
        sl_table_put(&table, newest[i].runtime);
        put_number(&table, "runs", newest[i].id);
        sl_table_put(&table, sl_time_text(newest[i].started_ms, text));
        sl_table_ratio(&table, newest[i].ratio, 1, 3);
        sl_table_put(&table, newest[i].verdict);
    }
    if (count > 0)
        sl_doc_table(doc, &table);
    else
        sl_table_fini(&table);
    put_older(doc, older);
}

void sl_lab_doc_job(struct sl_doc *doc, const struct sl_job_record *job, const char *config_json)
{
    char text[SL_TIME_TEXT_BYTES], href[64];
    bool failed = job->state == SL_JOB_FAILED;
    sl_doc_say(doc, SL_DOC_VERDICT, failed ? "wrong" : "equivalent", "%s",
               sl_job_state_name(job->state));
    if (job->detail[0])
        sl_doc_say(doc, SL_DOC_FACT, failed ? "Why" : "Detail", "%s", job->detail);
    sl_doc_say(doc, SL_DOC_FACT, "Wants", "%s", job->selector[0] ? job->selector : "any device");
    sl_doc_say(doc, SL_DOC_FACT, "Device", "%s", job->device[0] ? job->device : "none yet");
    sl_doc_say(doc, SL_DOC_FACT, "Submitted", "%s%s%s", sl_time_text(job->submitted_ms, text),
               job->owner[0] ? " by " : "", job->owner);
    sl_doc_say(doc, SL_DOC_FACT, "Took", "%s", sl_span_text(job->started_ms, job->ended_ms, text));
    sl_doc_say(doc, SL_DOC_FACT, "Attempts", "%" PRIu32, job->attempts);
    if (job->run != 0) {
        sl_doc_begin(doc, SL_DOC_LINKS, NULL);
        snprintf(href, sizeof(href), "/runs/%" PRIu64, job->run);
        sl_doc_link(doc, href, "Its run");
    }
    sl_doc_say(doc, SL_DOC_HEADING, "config", "Configuration");
    sl_doc_say(doc, SL_DOC_COMMAND, NULL, "%s", config_json);
}

static bool file_href(char out[HREF_BYTES], uint64_t run, const char *path)
{
    snprintf(out, HREF_BYTES, "/api/v1/runs/%" PRIu64 "/files/", run);
    return sl_url_path(out, HREF_BYTES, path);
}

static void put_files(struct sl_doc *doc, uint64_t run, const struct sl_lab_file *files,
                      size_t count)
{
    static const char *const heads[] = {"FILE", ">BYTES", NULL};
    struct sl_table table;
    char href[HREF_BYTES];
    sl_doc_say(doc, SL_DOC_FOLDED, "files", "%zu files", count);
    sl_table_init(&table, "files", "files", heads);
    for (size_t i = 0; i < count; i++) {
        if (file_href(href, run, files[i].path))
            sl_table_link(&table, href, files[i].path);
        else
            sl_table_put(&table, files[i].path);
        sl_table_printf(&table, "%" PRIu64, files[i].bytes);
    }
    sl_doc_table(doc, &table);
}

static bool is_of_executorch(const struct sl_run_record *run)
{
    return strcmp(run->runtime, "executorch") == 0;
}

bool sl_lab_doc_pairs(const struct sl_run_record *run)
{
    return is_of_executorch(run) || strcmp(run->runtime, "own") == 0;
}

/* The pages of a run's own, and its events for the Perfetto UI. */
static void put_reports(struct sl_doc *doc, const struct sl_run_record *run,
                        const struct sl_run_record *other, const struct sl_lab_file *files,
                        size_t count)
{
    static const char end[] = "report.html";
    char href[HREF_BYTES];
    sl_doc_begin(doc, SL_DOC_LINKS, NULL);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(files[i].path);
        bool page =
            len >= sizeof(end) - 1 && strcmp(files[i].path + len - (sizeof(end) - 1), end) == 0;
        if (page && file_href(href, run->id, files[i].path))
            sl_doc_link(doc, href, strcmp(files[i].path, end) == 0 ? "Report" : files[i].path);
    }
    if (other) {
        bool first = is_of_executorch(run); /* what users ship */
        snprintf(href, sizeof(href), "/combined?runs=%" PRIu64 ",%" PRIu64,
                 first ? run->id : other->id, first ? other->id : run->id);
        sl_doc_link(doc, href, "ExecuTorch and our own runtime, side by side");
    }
    snprintf(href, sizeof(href), "/api/v1/runs/%" PRIu64 "/trace.perfetto", run->id);
    sl_doc_link(doc, href, "Trace for ui.perfetto.dev");
    snprintf(href, sizeof(href), "/jobs/%" PRIu64, run->job);
    sl_doc_link(doc, href, "Its job");
    snprintf(href, sizeof(href), "/series/%s", run->series);
    if (run->series[0])
        sl_doc_link(doc, href, "Its series");
}

/* The verdict as a page colours it; the record's own text never becomes markup. */
static const char *class_of(const char *verdict)
{
    static const char *const known[] = {"faster", "slower", "equivalent", "wrong"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i], verdict) == 0)
            return known[i];
    return NULL;
}

void sl_lab_doc_run(struct sl_doc *doc, const struct sl_run_record *run,
                    const struct sl_run_record *other, const struct sl_lab_file *files,
                    size_t count)
{
    char text[SL_TIME_TEXT_BYTES];
    bool counted = sl_device_kind_traits(run->device_kind).counted;
    sl_doc_say(doc, SL_DOC_VERDICT, class_of(run->verdict), "%s",
               run->verdict[0] ? run->verdict : "no verdict");
    if (run->ratio > 0)
        sl_doc_say(doc, SL_DOC_FACT, "SME2 off / on", "%.3f (%s)", run->ratio,
                   counted ? "executed instructions, not speed" : "time");
    sl_doc_say(doc, SL_DOC_FACT, "Model", "%s", run->model);
    sl_doc_say(doc, SL_DOC_FACT, "Device", "%s (%s)", run->device,
               sl_device_kind_name(run->device_kind));
    if (sl_lab_doc_pairs(run))
        sl_doc_say(doc, SL_DOC_FACT, "Runtime", "%s",
                   is_of_executorch(run) ? "ExecuTorch's" : "our own");
    sl_doc_say(doc, SL_DOC_FACT, "Started", "%s", sl_time_text(run->started_ms, text));
    sl_doc_say(doc, SL_DOC_FACT, "Took", "%s", sl_span_text(run->started_ms, run->ended_ms, text));
    put_reports(doc, run, other, files, count);
    put_files(doc, run->id, files, count);
}
