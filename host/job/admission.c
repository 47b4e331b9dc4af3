/* host/job/admission.c */
#include "host/job/admission.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/job/device_list.h"
#include "host/job/queue.h"
#include "host/records.h"
#include "host/spec/moment.h"
#include "host/spec/selector.h"
#include "host/spec/spec.h"

/* In its detail, until it may begin. */
static void say_what_it_waits_for(struct sl_job_record *job)
{
    char time[SL_CLOCK_TEXT_BYTES];
    bool after = job->after_jobs[0] != '\0', begin = job->begin_ms != 0;
    snprintf(job->detail, sizeof(job->detail), "%s%s%s%s%s", after ? "begins after job " : "",
             job->after_jobs, after && begin ? ", " : "", begin ? "begins no sooner than " : "",
             begin ? sl_clock_format(job->begin_ms, time) : "");
}

/* A device of another host is as good; of its own the words are, where none fits. */
static int find_device(const struct sl_selector *selector, const char *text,
                       const struct sl_admission_devices *devices, struct sl_diag *diag)
{
    struct sl_diag of_others = {.what = ""};
    bool elsewhere =
        devices->other_count > 0 &&
        sl_selector_find(selector, text, devices->others, devices->other_count, &of_others) == 0;
    return elsewhere
               ? 0
               : sl_selector_find(selector, text, devices->own->records, devices->own->count, diag);
}

int sl_admission_check(const struct sl_queue *queue, const struct sl_admission_devices *devices,
                       const struct sl_spec *spec, uint64_t now_ms, struct sl_job_record *out,
                       struct sl_diag *diag)
{
    const char *text = spec->device ? spec->device : "";
    struct sl_job_record job = {.priority = spec->priority, .submitted_ms = now_ms};
    struct sl_selector selector;
    int rc = sl_selector_read(text, &selector, diag);
    if (rc == 0)
        rc = find_device(&selector, text, devices, diag);
    if (rc == 0 && sl_queue_room(queue, text) < 0)
        rc = sl_diag_set(diag, SL_E_FULL, "queue",
                         "the queue holds %d jobs already, or jobs of %d different devices",
                         (int)SL_QUEUE_MAX_JOBS, (int)SL_QUEUE_MAX_SELECTORS);
    if (rc == 0 && spec->deadline)
        rc = sl_moment_read(spec->deadline, "deadline", now_ms, &job.deadline_ms, diag);
    if (rc == 0 && spec->begin)
        rc = sl_moment_read(spec->begin, "begin", now_ms, &job.begin_ms, diag);
    if (rc == 0 && job.deadline_ms != 0 && job.deadline_ms <= job.begin_ms) {
        sl_diag_hint(diag, "say a deadline that is later than begin");
        rc = sl_diag_set(diag, SL_E_FORMAT, "deadline", "it is before the job may begin");
    }
    if (rc < 0)
        return rc;
    snprintf(job.selector, sizeof(job.selector), "%s", text);
    snprintf(job.after_jobs, sizeof(job.after_jobs), "%s", spec->after ? spec->after : "");
    say_what_it_waits_for(&job);
    *out = job;
    return 0;
}
