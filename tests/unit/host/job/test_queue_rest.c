/* tests/unit/host/job/test_queue_rest.c: host/job/queue.c after failures of the lab */
#include "host/job/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/job/rest.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

static struct sl_job_record last;

static void note(void *user, const struct sl_job_record *job)
{
    (void)user;
    last = *job;
}

static struct sl_queue *queue_with(const char *devices, uint64_t jobs)
{
    struct sl_queue *queue = NULL;
    assert_int_equal(sl_queue_new(note, NULL, &queue), 0);
    for (uint64_t id = 1; id <= jobs; id++) {
        const struct sl_job_record job = {.id = id, .submitted_ms = 1};
        assert_int_equal(sl_queue_add(queue, &job), 0);
    }
    for (; *devices; devices++) {
        const struct sl_device_record device = {.name = {*devices}, .kind = SL_DEVICE_LOCAL};
        assert_int_equal(sl_queue_device_is(queue, &device), 0);
        assert_int_equal(sl_queue_device_ready(queue, device.name), 0);
    }
    return queue;
}

/* "2a": job 2 on device a; "": none. */
static const char *begun(struct sl_queue *queue, uint64_t now_ms)
{
    static char text[32];
    char device[SL_NAME_BYTES];
    uint64_t job;
    text[0] = '\0';
    if (sl_queue_assign(queue, now_ms, &job, device))
        snprintf(text, sizeof(text), "%u%.8s", (unsigned)job, device);
    return text;
}

static void lose(struct sl_queue *queue, uint64_t job, const char *device, uint64_t now_ms)
{
    assert_int_equal(sl_queue_finish(queue, job, device, SL_CAUSE_LAB, 0, "no link", now_ms), 0);
    assert_int_equal(last.state, SL_JOB_QUEUED);
}

TEST(a_device_counts_the_jobs_that_wait_and_could_go_to_it_and_those_at_rest_do_not)
{
    struct sl_queue *queue = queue_with("ab", 2);
    const struct sl_job_record for_a = {.id = 3, .submitted_ms = 1, .selector = "a"};
    assert_int_equal(sl_queue_add(queue, &for_a), 0);
    assert_int_equal(sl_queue_waiting_for(queue, "a"), 3);
    assert_int_equal(sl_queue_waiting_for(queue, "b"), 2);
    assert_int_equal(sl_queue_waiting_for(queue, "c"), 0);
    assert_string_equal(begun(queue, 100), "1a");
    assert_int_equal(sl_queue_waiting_for(queue, "a"), 2);
    assert_int_equal(sl_queue_cancel(queue, 2, 100), 0);
    assert_int_equal(sl_queue_waiting_for(queue, "b"), 0);
    lose(queue, 1, "a", 200);
    assert_int_equal(sl_queue_waiting_for(queue, "b"), 1);
    sl_queue_device_gone(queue, "b");
    assert_string_equal(begun(queue, 200), "3a"); /* 1 rests: a has failed it */
    assert_int_equal(sl_queue_waiting_for(queue, "a"), 0);
    assert_int_equal(sl_queue_cancel(queue, 1, 300), 0);
    sl_queue_free(queue);
}

TEST(a_job_rests_before_the_device_that_failed_it_gets_it_again_and_others_pass_it)
{
    struct sl_queue *queue = queue_with("a", 2);
    assert_string_equal(begun(queue, 100), "1a");
    lose(queue, 1, "a", 200);
    assert_string_equal(begun(queue, 200), "2a");
    assert_int_equal(sl_queue_finish(queue, 2, "a", SL_CAUSE_NONE, 1, "", 300), 0);
    assert_string_equal(begun(queue, 300), "");
    assert_int_equal(sl_queue_next_tick_ms(queue), 200 + SL_REST_MS);
    assert_int_equal(sl_queue_count(queue, SL_JOB_QUEUED), 1);
    assert_string_equal(begun(queue, 199 + SL_REST_MS), "");
    assert_string_equal(begun(queue, 200 + SL_REST_MS), "1a");
    assert_string_equal(last.detail, "no link");
    lose(queue, 1, "a", 5000);
    assert_string_equal(begun(queue, 4999 + (uint64_t)sl_rest_ms(2)), "");
    assert_string_equal(begun(queue, 5000 + (uint64_t)sl_rest_ms(2)), "1a");
    assert_int_equal(sl_rest_ms(2), 4 * SL_REST_MS);
    assert_int_equal(sl_rest_ms(UINT32_MAX), 16 * SL_REST_MS);
    sl_queue_free(queue);
}

TEST(another_device_gets_it_at_once_the_first_time)
{
    struct sl_queue *queue = queue_with("ab", 1);
    assert_string_equal(begun(queue, 100), "1a");
    lose(queue, 1, "a", 100);
    assert_string_equal(begun(queue, 100), "1b");
    lose(queue, 1, "b", 200);
    assert_string_equal(begun(queue, 200), "");
    sl_queue_device_gone(queue, "a");
    assert_string_equal(begun(queue, 200 + (uint64_t)sl_rest_ms(2)), "1b"); /* no other */
    sl_queue_free(queue);
}

/* Another host put it back, or an earlier daemon: the queue does not know when. */
TEST(a_job_that_comes_with_failures_rests_from_when_it_could_begin)
{
    struct sl_queue *queue = queue_with("a", 0);
    struct sl_job_record job = {.id = 7, .attempts = 1, .device = "a", .host = "elsewhere"};
    assert_int_equal(sl_queue_add(queue, &job), 0);
    assert_string_equal(begun(queue, 900), "7a"); /* a device of another host */
    sl_queue_drop(queue, 7);
    job.attempts = 2;
    assert_int_equal(sl_queue_add(queue, &job), 0);
    assert_string_equal(begun(queue, 1000), "");
    assert_string_equal(begun(queue, 1000 + (uint64_t)sl_rest_ms(2)), "7a");
    sl_queue_free(queue);
}

/* Its host died, and a living one has a device behind a link of the name "a". */
static const struct sl_job_record meant = {.id = 7,
                                           .attempts = 1,
                                           .device = "a",
                                           .host = "dead",
                                           .written_ms = 500,
                                           .lease_until_ms = 2500};

TEST(a_job_of_a_dead_host_goes_at_once_to_the_device_of_its_name)
{
    struct sl_queue *queue = queue_with("ba", 0);
    assert_int_equal(sl_queue_add(queue, &meant), 0);
    assert_string_equal(begun(queue, 100), "7a");
    lose(queue, 7, "a", 200);
    assert_string_equal(begun(queue, 200), ""); /* it rests as any other does */
    assert_string_equal(begun(queue, 200 + (uint64_t)sl_rest_ms(2)), "7b");
    sl_queue_free(queue);
}

TEST(a_job_of_a_dead_host_goes_to_another_device_only_after_a_time)
{
    struct sl_queue *queue = queue_with("b", 0);
    const struct sl_job_record other = {.id = 8, .submitted_ms = 1};
    assert_int_equal(sl_queue_add(queue, &meant), 0);
    assert_int_equal(sl_queue_add(queue, &other), 0);
    assert_string_equal(begun(queue, 100000), "8b"); /* it keeps nobody from a device */
    assert_int_equal(sl_queue_finish(queue, 8, "b", SL_CAUSE_NONE, 1, "", 100001), 0);
    assert_int_equal(sl_queue_next_tick_ms(queue), 100000 + SL_REST_LOOK_MS);
    for (uint64_t now_ms = 100001; now_ms < 102000; now_ms += 250)
        assert_string_equal(begun(queue, now_ms), "");
    assert_string_equal(begun(queue, 102500), "7b");
    sl_queue_free(queue);
}

TEST(a_job_of_a_dead_host_begins_when_the_device_of_its_name_is_free)
{
    struct sl_queue *queue = queue_with("b", 0);
    assert_int_equal(sl_queue_add(queue, &meant), 0);
    assert_string_equal(begun(queue, 1000), "");
    const struct sl_device_record device = {.name = "a", .kind = SL_DEVICE_TCP};
    assert_int_equal(sl_queue_device_is(queue, &device), 0);
    assert_int_equal(sl_queue_device_ready(queue, "a"), 0);
    assert_string_equal(begun(queue, 1000 + SL_REST_LOOK_MS), "7a");
    sl_queue_free(queue);
}

TEST(a_job_whose_daemon_ended_does_not_rest)
{
    struct sl_queue *queue = queue_with("a", 1);
    const struct sl_job_record job = {
        .id = 2, .state = SL_JOB_RUNNING, .attempts = 1, .device = "a", .priority = 1};
    assert_int_equal(sl_queue_add(queue, &job), 0);
    sl_queue_tick(queue, 1000);
    assert_int_equal(last.state, SL_JOB_QUEUED);
    assert_string_equal(begun(queue, 1000), "2a");
    lose(queue, 2, "a", 1001);
    assert_string_equal(begun(queue, 1001), "1a");
    sl_queue_free(queue);
}

TEST(a_clock_that_jumps_makes_no_rest_longer)
{
    const int64_t day_ms = 86400000;
    struct sl_queue *queue = queue_with("a", 1);
    assert_string_equal(begun(queue, 2 * (uint64_t)day_ms), "1a");
    lose(queue, 1, "a", 2 * (uint64_t)day_ms);
    assert_string_equal(begun(queue, 2 * (uint64_t)day_ms), "");
    sl_queue_shift(queue, -day_ms);
    assert_string_equal(begun(queue, (uint64_t)day_ms + SL_REST_MS - 1), "");
    assert_string_equal(begun(queue, (uint64_t)day_ms + SL_REST_MS), "1a");
    sl_queue_free(queue);
}

TEST(a_job_that_rests_is_cancelled_dropped_and_late_like_any_other)
{
    struct sl_queue *queue = queue_with("a", 2);
    struct sl_job_record late = {.id = 3, .submitted_ms = 1, .deadline_ms = 500};
    assert_int_equal(sl_queue_add(queue, &late), 0);
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(begun(queue, 100)[0] - '0', id);
        lose(queue, id, "a", 100);
    }
    assert_string_equal(begun(queue, 100), "");
    assert_int_equal(sl_queue_cancel(queue, 1, 150), 0);
    assert_int_equal(last.state, SL_JOB_CANCELLED);
    sl_queue_drop(queue, 2);
    sl_queue_tick(queue, 500);
    assert_int_equal(last.cause, SL_CAUSE_DEADLINE);
    assert_string_equal(begun(queue, 1000000), "");
    assert_int_equal(sl_queue_next_tick_ms(queue), UINT64_MAX);
    sl_queue_free(queue);
}

/* Three devices, two of three starts fail; jobs come as they end. */
enum { JOBS = 40, STEPS = 200000 };

TEST(no_job_is_tried_again_too_soon_and_none_is_forgotten)
{
    static struct {
        char device;
        unsigned failed;
        uint64_t at_ms;
    } known[STEPS + JOBS + 1];
    struct sl_queue *queue = queue_with("abc", JOBS);
    uint64_t now_ms = 1, next = JOBS + 1, held[3] = {0}, random = 5, ended = 0;
    for (unsigned step = 0; step < STEPS; step++, now_ms += sl_random_below(&random, 200)) {
        unsigned d = (unsigned)sl_random_below(&random, 3);
        const char device[2] = {(char)('a' + d), '\0'};
        if (held[d] != 0) {
            bool fails = sl_random_below(&random, 3) != 0;
            int cause = fails ? SL_CAUSE_LAB : SL_CAUSE_NONE;
            assert_int_equal(sl_queue_finish(queue, held[d], device, cause, 0, "", now_ms), 0);
            known[held[d]].device = device[0];
            known[held[d]].at_ms = now_ms;
            known[held[d]].failed++;
            held[d] = 0;
            if (last.state >= SL_JOB_DONE) {
                const struct sl_job_record more = {.id = next++, .submitted_ms = now_ms};
                assert_int_equal(sl_queue_add(queue, &more), 0);
                ended++;
            }
        }
        for (const char *text; (text = begun(queue, now_ms))[0] != '\0';) {
            uint64_t job = strtoull(text, NULL, 10);
            unsigned failed = known[job].failed;
            bool at_once = failed == 0 || (failed == 1 && known[job].device != last.device[0]);
            if (!at_once)
                assert_true(now_ms - known[job].at_ms >= (uint64_t)sl_rest_ms(failed));
            held[last.device[0] - 'a'] = job;
        }
        assert_int_equal(
            sl_queue_count(queue, SL_JOB_QUEUED) + sl_queue_count(queue, SL_JOB_RUNNING), JOBS);
    }
    assert_true(ended > STEPS / 100);
    sl_queue_free(queue);
}
