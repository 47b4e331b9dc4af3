/* tests/unit/host/job/test_admission.c */
#include "host/job/admission.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/job/device_list.h"
#include "host/job/queue.h"
#include "host/spec/spec.h"
#include "tests/support/test.h"

static void ignore(void *user, const struct sl_job_record *job)
{
    (void)user;
    (void)job;
}

static struct sl_device_list own;
static struct sl_device_record of_another;
static struct sl_admission_devices devices = {&own, &of_another, 0};

static int admit(const struct sl_queue *queue, const char *device, const char *deadline,
                 struct sl_job_record *out, struct sl_diag *diag)
{
    const struct sl_spec spec = {.device = device, .deadline = deadline, .priority = -3};
    return sl_admission_check(queue, &devices, &spec, 1780000000000, out, diag);
}

TEST(a_job_comes_in_as_it_was_asked_for_or_not_at_all)
{
    struct sl_queue *queue = NULL;
    struct sl_job_record job = {.id = 0}, other;
    struct sl_diag diag = {0};
    assert_int_equal(sl_queue_new(ignore, NULL, &queue), 0);
    assert_int_equal(sl_device_list_add(&own, "a", SL_DEVICE_COUNTED), 0);
    assert_int_equal(admit(queue, "kind=counted", "2h", &job, &diag), 0);
    assert_string_equal(job.selector, "kind=counted");
    assert_int_equal(job.priority, -3);
    assert_int_equal(job.submitted_ms, 1780000000000);
    assert_int_equal(job.deadline_ms, 1780007200000);
    assert_int_equal(admit(queue, NULL, NULL, &other, NULL), 0);
    assert_string_equal(other.selector, "");
    assert_int_equal(other.deadline_ms, 0);
    assert_int_equal(admit(queue, "kind=", NULL, &other, &diag), SL_E_FORMAT);
    assert_int_equal(admit(queue, "b", NULL, &other, &diag), SL_E_NOT_FOUND);
    assert_int_equal(admit(queue, "a", "2026-05-28T20:26Z", &other, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "has passed"));
    const struct sl_spec held = {.begin = "2h", .deadline = "3h", .after = "4,5"},
                         late = {.begin = "2h", .deadline = "2h"},
                         past = {.begin = "1970-01-02T00:00Z"};
    assert_int_equal(sl_admission_check(queue, &devices, &held, 1780000000000, &other, &diag), 0);
    assert_int_equal(other.begin_ms, 1780007200000);
    assert_string_equal(other.after_jobs, "4,5");
    assert_string_equal(other.detail,
                        "begins after job 4,5, begins no sooner than 2026-05-28T22:26:40.000Z");
    assert_int_equal(sl_admission_check(queue, &devices, &late, 1780000000000, &other, &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "deadline");
    assert_int_equal(sl_admission_check(queue, &devices, &past, 1780000000000, &other, &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "begin");
    for (job.id = 1; job.id <= SL_QUEUE_MAX_SELECTORS; job.id++) {
        snprintf(job.selector, sizeof(job.selector), "memory>=%u", (unsigned)job.id);
        assert_int_equal(sl_queue_add(queue, &job), 0);
    }
    assert_int_equal(admit(queue, "a", NULL, &other, &diag), SL_E_FULL);
    assert_int_equal(admit(queue, "memory>=7", NULL, &other, &diag), 0);
    sl_queue_free(queue);
}
