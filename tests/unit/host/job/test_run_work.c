/* tests/unit/host/job/test_run_work.c: how a task's answer comes to rest, and what becomes of a run
 * that cannot be written. Other runs are tests/integration/test_results.py's. */
#include "host/job/run_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/tree_remove.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/ingest/run_store.h"
#include "host/job/kit.h"
#include "host/job/task.h"
#include "host/spec/spec.h"
#include "host/store/answers.h"
#include "tests/support/unit.h"

enum { JOB = 7, NOBODY = 65534 };

static char home[64], directory[80], streams[96];
static uid_t user;

/* Without root's rights, before which no folder is closed. */
static int setup(void **unused)
{
    char path[160];
    (void)unused;
    user = geteuid();
    if (user == 0 && seteuid(NOBODY) < 0)
        return -1;
    snprintf(home, sizeof(home), "/tmp/sl-work-XXXXXX");
    if (!mkdtemp(home))
        return -1;
    snprintf(directory, sizeof(directory), "%s/run", home);
    snprintf(streams, sizeof(streams), "%s/streams", directory);
    int rc = mkdir(directory, 0700) < 0 || mkdir(streams, 0700) < 0 ? -errno : 0;
    for (int i = 0; i < SL_INGEST_STREAMS && rc == 0; i++) {
        sl_ingest_path(directory, i, path, sizeof(path));
        rc = sl_buf_write_file(path, "{}\n", 3);
    }
    snprintf(path, sizeof(path), "%s/config.json", directory);
    return rc == 0 ? sl_buf_write_file(path, "{}", 2) : rc;
}

static int teardown(void **unused)
{
    (void)unused;
    chmod(streams, 0700);
    sl_tree_remove(home);
    return user == 0 ? seteuid(user) : 0;
}

static const char *runs_are_gone(void *unused)
{
    (void)unused;
    return "runs";
}

/* Finishes a task whose process ended so; `gone`: while the directory of runs is not mounted. */
static struct sl_job_run_work finish_task(int task, const struct sl_link_result *result,
                                          const struct sl_device *device, bool gone)
{
    const struct sl_job_kit kit = {.gone = gone ? runs_are_gone : NULL};
    struct sl_spec spec;
    sl_spec_init(&spec);
    spec.task = task;
    struct sl_job_run_work work = {.state_dir = home,
                                   .directory = directory,
                                   .spec = &spec,
                                   .device = device,
                                   .device_name = "board",
                                   .kit = &kit,
                                   .job = JOB,
                                   .attempt = 1,
                                   .parts = {result}};
    sl_job_run_work_finish(&work);
    sl_spec_fini(&spec);
    work.spec = NULL; /* its end alone is looked at */
    work.kit = NULL;
    return work;
}

/* Finishes a probe that has answered. */
static int finish(struct sl_device *device, struct sl_diag *diag)
{
    const struct sl_link_result result = {.outcome = SL_OUTCOME_DONE};
    struct sl_job_run_work work = finish_task(SL_TASK_PROBE, &result, device, false);
    *diag = work.diag;
    return work.rc;
}

static bool is_there(const char *folder, const char *name)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

TEST_WITH(an_answer_that_lasts_is_all_that_stays, setup, teardown)
{
    struct sl_device device = {.probe_json = "{}"};
    struct sl_diag diag;
    assert_int_equal(finish(&device, &diag), 0);
    assert_false(is_there(home, "run"));
    assert_true(is_there(home, SL_TASK_FOLDER "/7.json"));
}

TEST_WITH(what_an_answer_was_made_of_stays_until_it_is_synced, setup, teardown)
{
    struct sl_device device = {.probe_json = "{}"};
    struct sl_diag diag;
    assert_int_equal(chmod(streams, 0300), 0); /* written to, but not opened to be synced */
    assert_int_equal(finish(&device, &diag), -EACCES);
    assert_true(is_there(directory, "config.json"));
}

TEST_WITH(the_answer_of_a_device_that_nobody_knows_is_none, setup, teardown)
{
    struct sl_device device = {.traits = {.needs_push = true}};
    struct sl_diag diag;
    assert_int_equal(finish(&device, &diag), SL_E_STATE);
    assert_string_equal(diag.what, "The agent has not said what its device is");
    assert_false(is_there(home, SL_TASK_FOLDER "/7.json"));
    device.probe_json = "{}";
    assert_int_equal(finish(&device, &diag), 0);
    assert_true(is_there(home, SL_TASK_FOLDER "/7.json"));
}

TEST(what_the_device_alone_has_stays_there_unless_it_is_useless_or_unwanted)
{
    static const struct sl_link_result result = {.outcome = SL_OUTCOME_DONE};
    static const struct {
        bool kept, collected, came, has_record;
        int cause, rc;
        bool leaves;
    } ends[] = {
        {.cause = SL_CAUSE_LAB}, /* it was measured here */
        {true, true, true, true, SL_CAUSE_NONE, 0, false},
        {true, true, false, false, SL_CAUSE_NONE, 0, true}, /* cancelled: only collecting it */
        {true, true, true, false, SL_CAUSE_LAB, -ENOSPC, true},
        {true, false, true, true, SL_CAUSE_NONE, 0, false},
        {true, false, false, false, SL_CAUSE_NONE, 0, false}, /* the job is cancelled */
        {true, false, false, false, SL_CAUSE_LAB, 0, true},
        {true, false, true, false, SL_CAUSE_LAB, -ENOSPC, true},
        {true, false, true, false, SL_CAUSE_LAB, 0, false}, /* the agent lost bytes */
    };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct sl_job_run_work work = {.kept = ends[i].kept,
                                       .collected = ends[i].collected,
                                       .parts = {ends[i].came ? &result : NULL},
                                       .has_record = ends[i].has_record,
                                       .cause = ends[i].cause,
                                       .rc = ends[i].rc};
        assert_int_equal(sl_job_run_work_leaves(&work), ends[i].leaves);
    }
}

TEST_WITH(a_run_that_cannot_be_written_has_no_row_and_stays_on_a_device_behind_a_link, setup,
          teardown)
{
    static const struct {
        int outcome;
        uint64_t dropped_bytes;
        bool leaves;
    } ends[] = {
        {SL_OUTCOME_DONE, 0, true},    {SL_OUTCOME_FAILED, 0, true},
        {SL_OUTCOME_CRASHED, 0, true}, {SL_OUTCOME_TIMED_OUT, 0, true},
        {SL_OUTCOME_DONE, 9, false}, /* it is not whole */
        {SL_OUTCOME_LOST, 0, false},   {SL_OUTCOME_CANCELLED, 0, false},
    };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const struct sl_link_result result = {.outcome = ends[i].outcome,
                                              .dropped_bytes = ends[i].dropped_bytes};
        for (int linked = 0; linked < 2; linked++) {
            const struct sl_device device = {.traits = {.needs_push = linked}, .probe_json = "{}"};
            struct sl_job_run_work work = finish_task(SL_TASK_RUN, &result, &device, true);
            assert_int_equal(work.rc, -ENODEV);
            assert_int_equal(work.cause, SL_CAUSE_LAB);
            assert_false(work.has_record);
            assert_int_equal(sl_job_run_work_leaves(&work), ends[i].leaves && linked);
        }
        assert_false(is_there(directory, "result.json"));
    }
}

TEST_WITH(a_run_of_a_device_that_does_not_say_what_it_is_does_not_stay_there, setup, teardown)
{
    static const struct sl_link_result result = {.outcome = SL_OUTCOME_DONE};
    const struct sl_device device = {.traits = {.needs_push = true}};
    struct sl_job_run_work work = finish_task(SL_TASK_RUN, &result, &device, false);
    assert_int_equal(work.rc, SL_E_STATE);
    assert_int_equal(work.cause, SL_CAUSE_LAB);
    assert_false(sl_job_run_work_leaves(&work));
}

TEST_WITH(a_run_that_failed_has_a_row_where_its_files_could_be_written, setup, teardown)
{
    static const struct sl_link_result result = {.outcome = SL_OUTCOME_FAILED};
    const struct sl_device device = {.traits = {.needs_push = true}, .probe_json = "{}"};
    assert_int_equal(chmod(streams, 0500), 0); /* the result cannot be kept */
    struct sl_job_run_work work = finish_task(SL_TASK_RUN, &result, &device, false);
    assert_int_equal(work.rc, -EACCES);
    assert_int_equal(work.cause, SL_CAUSE_LAB);
    assert_false(work.has_record);
    assert_true(sl_job_run_work_leaves(&work));
    assert_int_equal(chmod(streams, 0700), 0);
    work = finish_task(SL_TASK_RUN, &result, &device, false);
    assert_int_equal(work.cause, SL_CAUSE_RESULT);
    assert_true(work.has_record);
    assert_string_equal(work.record.directory, "run");
    assert_false(sl_job_run_work_leaves(&work));
}

/* Finishing it again, as after the daemon was killed within it, gives the same. */
TEST_WITH(the_trace_of_a_timed_run_is_the_stream_under_another_name, setup, teardown)
{
    static const struct sl_link_result result = {.outcome = SL_OUTCOME_CRASHED};
    const struct sl_device device = {.traits = {.needs_push = true}, .probe_json = "{}"};
    char path[160];
    struct stat stream, trace;
    sl_ingest_path(directory, 0, path, sizeof(path));
    assert_int_equal(stat(path, &stream), 0);
    snprintf(path, sizeof(path), "%s/trace.sltrace", directory);
    for (int i = 0; i < 2; i++) {
        struct sl_job_run_work work = finish_task(SL_TASK_RUN, &result, &device, false);
        assert_int_equal(work.cause, SL_CAUSE_RESULT);
        assert_int_equal(stat(path, &trace), 0);
        assert_int_equal(trace.st_ino, stream.st_ino);
    }
}
