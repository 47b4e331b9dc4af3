/* tests/unit/host/job/test_queue.c */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/job/queue.h"
#include "host/job/rest.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

static uint64_t random_state = 4711;

static uint64_t draw(uint64_t below)
{
    return sl_random_below(&random_state, below);
}

/* The store that the queue's owner would keep. */
enum { MAX_JOBS = 1100, MAX_WAIT_MS = 50000 };
struct store {
    struct sl_job_record jobs[MAX_JOBS + 3]; /* by id; the last are never submitted */
};

static void keep(void *user, const struct sl_job_record *job)
{
    struct store *store = user;
    assert_true(job->id >= 1 && job->id <= MAX_JOBS);
    int before = store->jobs[job->id].state; /* what has ended never changes */
    assert_true(before <= SL_JOB_RUNNING || before == SL_JOB_DETACHED);
    assert_true(job->attempts <= SL_MAX_ATTEMPTS);
    store->jobs[job->id] = *job;
}

static struct sl_job_record job_of(uint64_t id, int priority, const char *selector)
{
    struct sl_job_record job = {.id = id, .priority = priority, .submitted_ms = 10 * id};
    snprintf(job.selector, sizeof(job.selector), "%s", selector);
    return job;
}

static struct store store;

static struct sl_queue *fresh_queue(void)
{
    struct sl_queue *queue = NULL;
    memset(&store, 0, sizeof(store));
    assert_int_equal(sl_queue_new(keep, &store, &queue), 0);
    return queue;
}

static void add(struct sl_queue *queue, uint64_t id, int priority, const char *selector)
{
    struct sl_job_record job = job_of(id, priority, selector);
    assert_int_equal(sl_queue_add(queue, &job), 0);
}

/* A device of which no more than its name is known. */
static int device_ready(struct sl_queue *queue, const char *name)
{
    struct sl_device_record device = {.kind = SL_DEVICE_LOCAL};
    snprintf(device.name, sizeof(device.name), "%s", name);
    int rc = sl_queue_device_is(queue, &device);
    return rc < 0 ? rc : sl_queue_device_ready(queue, name);
}

static uint64_t assign(struct sl_queue *queue, uint64_t now_ms)
{
    uint64_t job = 0;
    char device[SL_NAME_BYTES];
    return sl_queue_assign(queue, now_ms, &job, device) ? job : 0;
}

TEST(higher_priority_goes_first_then_the_older)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    add(queue, 3, 5, "");
    add(queue, 2, 5, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    const uint64_t order[] = {2, 3, 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(assign(queue, 0), order[i]);
        assert_int_equal(assign(queue, 0), 0); /* one job a device */
        assert_int_equal(sl_queue_finish(queue, order[i], "a", SL_CAUSE_NONE, 9, "", 1), 0);
        assert_int_equal(store.jobs[order[i]].state, SL_JOB_DONE);
        assert_int_equal(store.jobs[order[i]].run, 9);
    }
    sl_queue_free(queue);
}

TEST(jobs_that_come_out_of_order_go_by_age)
{
    struct sl_queue *queue = fresh_queue();
    for (const char *id = "3514276"; *id; id++)
        add(queue, (uint64_t)(*id - '0'), 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    for (uint64_t id = 1; id <= 7; id++)
        assert_true(assign(queue, 0) == id &&
                    sl_queue_finish(queue, id, "a", SL_CAUSE_NONE, id, "", 1) == 0);
    sl_queue_free(queue);
}

TEST(a_job_waits_for_the_device_it_names)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 9, "b");
    add(queue, 2, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 2); /* overtakes: the better one cannot run on "a" */
    assert_int_equal(device_ready(queue, "b"), 0);
    assert_int_equal(assign(queue, 0), 1);
    sl_queue_free(queue);
}

static void ignore(void *user, const struct sl_job_record *job)
{
    (void)user;
    (void)job;
}

static void add_of(struct sl_queue *queue, uint64_t id, const char *owner, int priority,
                   const char *selector)
{
    struct sl_job_record job = job_of(id, priority, selector);
    snprintf(job.owner, sizeof(job.owner), "%s", owner);
    assert_int_equal(sl_queue_add(queue, &job), 0);
}

TEST(submitters_take_turns_however_many_jobs_each_has)
{
    static const uint64_t order[] = {1, 4, 6, 2, 5, 3};
    struct sl_queue *queue = fresh_queue();
    assert_int_equal(sl_queue_oldest_ms(queue), 0);
    for (uint64_t id = 1; id <= 3; id++)
        add_of(queue, id, "ann", 0, "");
    for (uint64_t id = 4; id <= 5; id++)
        add_of(queue, id, "bob", 0, "");
    add_of(queue, 6, "cat", 0, "a"); /* another selector, the same turn */
    assert_int_equal(device_ready(queue, "a"), 0);
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        assert_int_equal(sl_queue_oldest_ms(queue), i == 0 ? 10 : i < 4 ? 20 : 30);
        assert_int_equal(assign(queue, 0), order[i]);
        assert_int_equal(sl_queue_finish(queue, order[i], "a", SL_CAUSE_NONE, 1, "", 1), 0);
    }
    add_of(queue, 7, "ann", 5, ""); /* priority goes before turns */
    add_of(queue, 8, "bob", 0, "");
    assert_int_equal(assign(queue, 0), 7);
    sl_queue_free(queue);
}

TEST(who_sends_jobs_one_by_one_is_served_no_oftener)
{
    struct sl_queue *queue = fresh_queue();
    unsigned single = 0;
    for (uint64_t id = 1; id <= 100; id++)
        add_of(queue, id, id % 2 == 0 ? "ann" : "bob", 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    add_of(queue, 1000, "cat", 0, "");
    for (int i = 0; i < 30; i++) {
        uint64_t job = assign(queue, 0);
        assert_int_equal(sl_queue_finish(queue, job, "a", SL_CAUSE_NONE, 1, "", 1), 0);
        if (job < 1000)
            continue;
        single++;
        add_of(queue, job + 1, "cat", 0, ""); /* its next comes when its last has ended */
    }
    assert_int_equal(single, 10);
    sl_queue_free(queue);
}

static void add_held(struct sl_queue *queue, uint64_t id, uint64_t begin_ms, const char *after)
{
    struct sl_job_record job = job_of(id, 0, "");
    job.begin_ms = begin_ms;
    job.detail[0] = '?';
    snprintf(job.after_jobs, sizeof(job.after_jobs), "%s", after);
    assert_int_equal(sl_queue_add(queue, &job), 0);
}

TEST(a_job_begins_no_sooner_than_it_may)
{
    struct sl_queue *queue = fresh_queue();
    add_held(queue, 1, 500, "");
    add_held(queue, 2, 300, "");
    assert_int_equal(device_ready(queue, "a") + device_ready(queue, "b"), 0);
    assert_int_equal(assign(queue, 299), 0);
    assert_int_equal(sl_queue_next_tick_ms(queue), 300);
    assert_int_equal(sl_queue_oldest_ms(queue), 0); /* neither waits for a device */
    assert_int_equal(assign(queue, 300), 2);
    assert_string_equal(store.jobs[2].detail, "");
    sl_queue_cancel(queue, 1, 310);
    assert_int_equal(assign(queue, 500) + sl_queue_count(queue, SL_JOB_QUEUED), 0);
    sl_queue_free(queue);
}

TEST(a_job_comes_after_others_that_end_well_and_ends_with_one_that_does_not)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 2, 0, "");
    add(queue, 3, 0, "");
    add_held(queue, 4, 0, "2,3");
    add_held(queue, 5, 0, "4");
    add_held(queue, 6, 0, "1,4"); /* 1 ended long ago */
    add_held(queue, 7, 4000, "2");
    add_held(queue, 8, 0, "9"); /* one that is yet to come would be a guess */
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 10), 2);
    sl_queue_ended(queue, 1, true);
    assert_int_equal(sl_queue_finish(queue, 2, "a", SL_CAUSE_LAB, 0, "link lost", 20), 0);
    assert_int_equal(assign(queue, 20), 3);
    assert_int_equal(sl_queue_finish(queue, 3, "a", SL_CAUSE_NONE, 2, "", 30), 0);
    assert_int_equal(assign(queue, 30), 0);
    assert_int_equal(assign(queue, 2020), 2); /* that was no end */
    assert_int_equal(sl_queue_finish(queue, 2, "a", SL_CAUSE_NONE, 1, "", 2030), 0);
    assert_int_equal(assign(queue, 2040), 4);
    assert_int_equal(sl_queue_finish(queue, 4, "a", SL_CAUSE_RESULT, 0, "crashed", 2050), 0);
    assert_int_equal(assign(queue, 2060), 0);
    for (uint64_t id = 5; id <= 8; id++)
        assert_int_equal(store.jobs[id].cause, id == 7 ? SL_CAUSE_NONE : SL_CAUSE_DEPENDENCY);
    assert_non_null(
        strstr(store.jobs[5].detail, "job 4, which it comes after, failed or is not there"));
    assert_int_equal(store.jobs[7].state, SL_JOB_QUEUED); /* its time has not come */
    assert_int_equal(assign(queue, 4000), 7);
    sl_queue_free(queue);
}

TEST(a_job_that_waits_at_its_deadline_ends_and_one_that_runs_goes_on)
{
    struct sl_queue *queue = fresh_queue();
    for (uint64_t id = 1; id <= 4; id++) {
        struct sl_job_record job = job_of(id, 0, "");
        job.deadline_ms = id < 4 ? 100 * id : 150;
        job.begin_ms = id < 4 ? 0 : 1000;
        job.detail[0] = id < 4 ? '\0' : '?'; /* as it says what it waits for */
        assert_int_equal(sl_queue_add(queue, &job), 0);
    }
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 50), 1);
    assert_int_equal(sl_queue_next_tick_ms(queue), 150);
    sl_queue_tick(queue, 199);
    assert_string_equal(store.jobs[4].detail, "it could not begin by its deadline");
    assert_int_equal(store.jobs[2].state, SL_JOB_QUEUED);
    sl_queue_tick(queue, 200);
    assert_int_equal(store.jobs[1].state, SL_JOB_RUNNING);
    assert_int_equal(store.jobs[2].state, SL_JOB_CANCELLED);
    assert_int_equal(store.jobs[2].cause, SL_CAUSE_DEADLINE);
    assert_int_equal(store.jobs[2].ended_ms, 200);
    assert_null(sl_queue_find(queue, 2));
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_LAB, 0, "link lost", 250), 0);
    assert_int_equal(assign(queue, 250), 3); /* the first has no time left for another attempt */
    assert_int_equal(store.jobs[1].cause, SL_CAUSE_DEADLINE);
    assert_string_equal(store.jobs[1].detail,
                        "no device was free by its deadline; before: link lost");
    assert_int_equal(sl_queue_cancel(queue, 3, 260), 0);
    sl_queue_tick(queue, 400);
    assert_int_equal(store.jobs[3].state, SL_JOB_RUNNING);
    sl_queue_free(queue);
}

/* Submitters with more work than there are devices, some for one device alone, at random times. */
enum { SUBMITTERS = 7, TURNS = 20000 };

static void keep_waiting(struct sl_queue *queue, uint64_t *next, unsigned *waiting, unsigned s)
{
    static const char *const owners[SUBMITTERS] = {"a", "b", "c", "d", "e", "f", ""};
    while (waiting[s] < 1 + draw(20)) { /* never none */
        add_of(queue, (*next)++, owners[s], 0, s % 3 == 2 ? "device-1" : "");
        waiting[s]++;
    }
}

static unsigned submitter_of(const struct sl_queue *queue, uint64_t job)
{
    const char *owner = sl_queue_find(queue, job)->owner;
    return owner[0] ? (unsigned)(owner[0] - 'a') : SUBMITTERS - 1;
}

TEST(nobody_who_waits_is_passed_over_more_than_once_a_round)
{
    struct sl_queue *queue = NULL;
    unsigned waiting[SUBMITTERS] = {0}, begun[SUBMITTERS] = {0};
    uint64_t next = 1, job, held[2] = {0}, passed[SUBMITTERS][SUBMITTERS] = {{0}};
    char name[SL_NAME_BYTES];
    assert_int_equal(sl_queue_new(ignore, NULL, &queue), 0);
    assert_int_equal(device_ready(queue, "device-0"), 0);
    assert_int_equal(device_ready(queue, "device-1"), 0);
    for (int turn = 0; turn < TURNS; turn++) {
        for (unsigned s = 0; s < SUBMITTERS; s++)
            keep_waiting(queue, &next, waiting, s);
        unsigned free_one = (unsigned)draw(2);
        if (held[free_one]) {
            snprintf(name, sizeof(name), "device-%u", free_one);
            sl_queue_finish(queue, held[free_one], name, SL_CAUSE_NONE, 1, "", 1);
            held[free_one] = 0;
        }
        while (sl_queue_assign(queue, 0, &job, name)) {
            unsigned s = submitter_of(queue, job);
            held[name[7] - '0'] = job;
            waiting[s]--;
            begun[s]++;
            for (unsigned other = 0; other < SUBMITTERS; other++) {
                passed[s][other] = 0;
                /* those of the same selector, and those of one device when it was that one */
                bool could = other % 3 != 2 || name[7] == '1';
                if (other != s && could)
                    assert_in_range(++passed[other][s], 0, 1);
            }
            keep_waiting(queue, &next, waiting, s);
        }
    }
    for (unsigned s = 0; s < SUBMITTERS; s++) { /* those of any device are equal to one job */
        for (unsigned other = 0; other < s && s % 3 != 2; other++) {
            if (other % 3 != 2)
                assert_in_range(begun[s] + 1 - begun[other], 0, 2);
        }
    }
    sl_queue_free(queue);
}

/* A lab that those of priority 10 keep busy for a month, with others of six priorities below, some
 * for one device alone. A minute a step. */
enum {
    DAY_MS = 86400000,
    PHONES = 3,
    LOW = 6,
    HIGH = 3,
    MINUTE_MS = 60000,
    LONGEST = 10,
    SHARES = LOW * 2 + HIGH
};
enum { MOST_MINUTES = SL_QUEUE_AGED_MS / MINUTE_MS + (SHARES + 1) * SL_QUEUE_AGED_TURN * LONGEST };

struct month {
    struct sl_queue *queue;
    uint64_t next, now_ms, job[PHONES], ends_ms[PHONES];
    unsigned waiting[LOW + HIGH][2];
    uint64_t since_ms[LOW + HIGH][2]; /* one was served, or waits at all */
    unsigned begun[2];                /* low, high */
    uint64_t ahead_ms;                /* of the wall clock, which is the queue's */
};

static uint64_t wall_ms(const struct month *month)
{
    return month->now_ms + month->ahead_ms;
}

/* Submitter and selector are in the owner's name: "3d" is for one device. */
static void submit_one(struct month *month, unsigned who, bool one_device)
{
    struct sl_job_record job = {.id = month->next++,
                                .priority = who < LOW ? (int)who - LOW : 10,
                                .submitted_ms = wall_ms(month)};
    snprintf(job.owner, sizeof(job.owner), "%u%s", who, one_device ? "d" : "");
    snprintf(job.selector, sizeof(job.selector), "%s", one_device ? "phone-2" : "");
    assert_int_equal(sl_queue_add(month->queue, &job), 0);
    if (month->waiting[who][one_device]++ == 0)
        month->since_ms[who][one_device] = month->now_ms;
}

static void begin_all(struct month *month)
{
    uint64_t id;
    char name[SL_NAME_BYTES];
    while (sl_queue_assign(month->queue, wall_ms(month), &id, name)) {
        const char *owner = sl_queue_find(month->queue, id)->owner;
        unsigned who = (unsigned)(owner[0] - '0'), d = (unsigned)(name[6] - '0');
        bool one_device = owner[1] == 'd';
        month->job[d] = id;
        month->ends_ms[d] = month->now_ms + (1 + draw(LONGEST)) * MINUTE_MS;
        month->waiting[who][one_device]--;
        month->since_ms[who][one_device] = month->now_ms;
        month->begun[who >= LOW]++;
    }
}

TEST(nothing_starves_however_much_of_higher_priority_comes)
{
    struct month month = {.next = 1, .ahead_ms = UINT64_C(10000) * DAY_MS};
    char name[SL_NAME_BYTES];
    uint64_t longest_ms = 0;
    assert_int_equal(sl_queue_new(ignore, NULL, &month.queue), 0);
    for (unsigned d = 0; d < PHONES; d++) {
        snprintf(name, sizeof(name), "phone-%u", d);
        assert_int_equal(device_ready(month.queue, name), 0);
    }
    for (int minute = 0; minute < 30 * 24 * 60; minute++, month.now_ms += MINUTE_MS) {
        if (draw(2000) == 0) { /* a wall clock that is set is no reason to wait or to begin */
            int64_t jump_ms = ((int64_t)draw(7) - 3) * DAY_MS;
            month.ahead_ms += (uint64_t)jump_ms;
            sl_queue_shift(month.queue, jump_ms);
        }
        for (unsigned d = 0; d < PHONES; d++) {
            snprintf(name, sizeof(name), "phone-%u", d);
            if (month.job[d] != 0 && month.ends_ms[d] <= month.now_ms) {
                int rc = sl_queue_finish(month.queue, month.job[d], name, SL_CAUSE_NONE, 1, "",
                                         wall_ms(&month));
                assert_int_equal(rc, 0);
                month.job[d] = 0;
            }
        }
        for (unsigned who = LOW; who < LOW + HIGH; who++) {
            while (month.waiting[who][0] < 3)
                submit_one(&month, who, false);
        }
        if (draw(120) == 0)
            submit_one(&month, (unsigned)draw(LOW), draw(2) == 0);
        begin_all(&month);
        for (unsigned who = 0; who < LOW; who++) {
            for (int kind = 0; kind < 2; kind++) {
                uint64_t waits_ms = month.now_ms - month.since_ms[who][kind];
                if (month.waiting[who][kind] > 0 && waits_ms > longest_ms)
                    longest_ms = waits_ms;
            }
        }
    }
    assert_in_range(longest_ms / MINUTE_MS, SL_QUEUE_AGED_MS / MINUTE_MS, MOST_MINUTES);
    assert_true(month.begun[0] > 200); /* of 360 */
    assert_in_range(month.begun[0], 0, (month.begun[0] + month.begun[1]) / SL_QUEUE_AGED_TURN);
    sl_queue_free(month.queue);
}

TEST(one_turn_in_eight_is_for_those_passed_over_once_an_hour_has_gone)
{
    struct sl_queue *queue = NULL;
    uint64_t job, hour = SL_QUEUE_AGED_MS;
    char name[SL_NAME_BYTES];
    assert_int_equal(sl_queue_new(ignore, NULL, &queue), 0);
    assert_int_equal(device_ready(queue, "device-0"), 0);
    for (uint64_t id = 1; id <= 2; id++)
        add_of(queue, id, "low", -1, "");
    for (uint64_t id = 3; id < 60; id++)
        add_of(queue, id, "high", 1, "");
    for (int turn = 1; turn <= 24; turn++) {
        uint64_t now = turn <= 9 ? hour / 2 : turn < 20 ? 2 * hour : 4 * hour;
        assert_true(sl_queue_assign(queue, now, &job, name));
        assert_int_equal(job == 1, turn == 10); /* the first after an hour, its turn having come */
        assert_int_equal(job == 2, turn == 20); /* an hour after that */
        assert_int_equal(sl_queue_finish(queue, job, name, SL_CAUSE_NONE, 1, "", now), 0);
    }
    sl_queue_free(queue);
}

TEST(a_job_goes_to_a_device_that_meets_its_conditions_once_that_is_known)
{
    struct sl_queue *queue = fresh_queue();
    struct sl_device_record device = {.name = "a", .kind = SL_DEVICE_ADB};
    add(queue, 1, 9, "sme2,svl>=256");
    add(queue, 2, 0, "tag=bench");
    assert_int_equal(device_ready(queue, "x"), 0);
    assert_int_equal(sl_queue_device_is(queue, &device), 0);
    assert_int_equal(sl_queue_device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 0); /* it has not said what it is */
    snprintf(device.tags, sizeof(device.tags), "bench");
    assert_int_equal(sl_queue_device_is(queue, &device), 0);
    assert_int_equal(assign(queue, 0), 2);
    device.sme2 = SL_MAYBE_YES;
    device.svl_bits = 512;
    assert_int_equal(sl_queue_device_is(queue, &device), 0);
    assert_int_equal(assign(queue, 0), 0); /* it has its job */
    assert_int_equal(sl_queue_finish(queue, 2, "a", SL_CAUSE_NONE, 1, "", 1), 0);
    assert_int_equal(assign(queue, 0), 1);
    assert_string_equal(store.jobs[1].device, "a");
    sl_queue_free(queue);
}

TEST(different_selectors_have_a_limit_and_leave_with_their_last_job)
{
    struct sl_queue *queue = fresh_queue();
    char selector[64];
    for (uint64_t id = 1; id <= SL_QUEUE_MAX_SELECTORS; id++) {
        assert_int_equal(sl_queue_room(queue, "sme2"), 0);
        snprintf(selector, sizeof(selector), "memory>=%u", (unsigned)id);
        add(queue, id, 0, selector);
    }
    assert_int_equal(sl_queue_room(queue, "sme2"), SL_E_FULL);
    assert_int_equal(sl_queue_room(queue, "memory>=7"), 0);
    assert_int_equal(sl_queue_cancel(queue, 9, 1), 0);
    assert_int_equal(sl_queue_room(queue, "sme2"), 0);
    assert_int_equal(sl_queue_room(queue, "memory>=9"), 0);
    sl_queue_free(queue);
}

TEST(lab_failures_are_tried_again_up_to_the_limit)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    uint64_t now_ms = 5;
    for (uint32_t attempt = 1; attempt <= SL_MAX_ATTEMPTS; attempt++) {
        assert_int_equal(assign(queue, now_ms), 1);
        assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_LAB, 0, "link lost", now_ms), 0);
        now_ms += (uint64_t)sl_rest_ms(attempt);
    }
    assert_int_equal(store.jobs[1].state, SL_JOB_FAILED);
    assert_int_equal(store.jobs[1].cause, SL_CAUSE_LAB);
    assert_string_equal(store.jobs[1].detail, "link lost");
    assert_int_equal(assign(queue, now_ms), 0);
    sl_queue_free(queue);
}

TEST(a_job_that_was_run_again_says_why)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 1);
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_LAB, 0, "link lost", 1), 0);
    assert_int_equal(assign(queue, 1 + SL_REST_MS), 1);
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_NONE, 1, "", 1), 0);
    assert_int_equal(store.jobs[1].state, SL_JOB_DONE);
    assert_string_equal(store.jobs[1].detail, "run again, attempt 2: link lost");
    sl_queue_free(queue);
}

TEST(a_result_is_never_tried_again)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 1);
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_RESULT, 0, "SIGSEGV", 1), 0);
    assert_int_equal(store.jobs[1].state, SL_JOB_FAILED);
    assert_null(sl_queue_find(queue, 1));
    sl_queue_free(queue);
}

TEST(a_cancelled_job_ends_cancelled_whatever_it_finishes_with)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    add(queue, 2, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 1);
    assert_int_equal(sl_queue_cancel(queue, 1, 5), 0);
    assert_int_equal(sl_queue_cancel(queue, 2, 5), 0);
    assert_int_equal(store.jobs[2].state, SL_JOB_CANCELLED);
    assert_true(store.jobs[1].cancel_wanted);
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_LAB, 0, "", 6), 0);
    assert_int_equal(store.jobs[1].state, SL_JOB_CANCELLED);
    assert_int_equal(sl_queue_cancel(queue, 1, 7), SL_E_NOT_FOUND);
    sl_queue_free(queue);
}

TEST(the_open_jobs_of_a_group_are_found_whether_they_wait_or_run)
{
    struct sl_queue *queue = fresh_queue();
    uint64_t *jobs = NULL;
    size_t count = 0;
    for (uint64_t id = 1; id <= 4; id++) {
        struct sl_job_record job = job_of(id, 0, "");
        job.group_id = id == 2 ? 0 : 7;
        assert_int_equal(sl_queue_add(queue, &job), 0);
    }
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 1);
    assert_int_equal(sl_queue_group(queue, 7, &jobs, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(jobs[0] + jobs[1] + jobs[2], 8);
    sl_free(jobs);
    assert_int_equal(sl_queue_group(queue, 8, &jobs, &count) + (int)count, 0);
    sl_free(jobs);
    sl_queue_free(queue);
}

TEST(a_lease_that_ran_out_shuts_the_late_device_out)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 0), 1);
    sl_queue_device_gone(queue, "a");
    assert_int_equal(sl_queue_next_tick_ms(queue), SL_LEASE_MS);
    sl_queue_tick(queue, SL_LEASE_MS - 1);
    assert_int_equal(store.jobs[1].state, SL_JOB_RUNNING);
    sl_queue_tick(queue, SL_LEASE_MS);
    assert_int_equal(store.jobs[1].state, SL_JOB_QUEUED);
    assert_int_equal(device_ready(queue, "b"), 0);
    assert_int_equal(assign(queue, SL_LEASE_MS), 1);
    assert_int_equal(sl_queue_renew(queue, 1, "a", SL_LEASE_MS), SL_E_NOT_FOUND);
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_NONE, 1, "", 9), SL_E_NOT_FOUND);
    assert_int_equal(sl_queue_renew(queue, 1, "b", SL_LEASE_MS), 0);
    sl_queue_free(queue);
}

TEST(a_clock_that_jumps_ends_no_lease)
{
    const uint64_t day_ms = 86400000;
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, day_ms), 1);
    sl_queue_shift(queue, (int64_t)day_ms);
    sl_queue_tick(queue, 2 * day_ms + SL_LEASE_MS - 1);
    assert_int_equal(store.jobs[1].state, SL_JOB_RUNNING);
    sl_queue_shift(queue, -2 * (int64_t)day_ms);
    assert_int_equal(sl_queue_next_tick_ms(queue), SL_LEASE_MS);
    sl_queue_shift(queue, -(int64_t)day_ms); /* before 1970 there is nothing */
    sl_queue_tick(queue, 1);
    assert_int_equal(store.jobs[1].state, SL_JOB_QUEUED);
    sl_queue_free(queue);
}

TEST(a_detached_job_keeps_its_device_and_burns_no_attempt)
{
    struct sl_queue *queue = fresh_queue();
    add(queue, 1, 0, "");
    add(queue, 2, 0, "");
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(sl_queue_detach(queue, 1, "a", true), SL_E_NOT_FOUND);
    assert_int_equal(assign(queue, 0), 1);
    sl_queue_device_gone(queue, "a");
    assert_int_equal(sl_queue_detach(queue, 1, "b", true), SL_E_NOT_FOUND);
    assert_int_equal(sl_queue_detach(queue, 1, "a", true), 0);
    assert_int_equal(sl_queue_detach(queue, 1, "a", true), 0);
    assert_int_equal(sl_queue_count(queue, SL_JOB_RUNNING), 0);
    assert_int_equal(sl_queue_count(queue, SL_JOB_DETACHED), 1);
    assert_int_equal(sl_queue_renew(queue, 1, "a", 5), 0);
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(assign(queue, 6), 0); /* it has its job still */
    assert_int_equal(sl_queue_detach(queue, 1, "a", false), 0);
    assert_int_equal(sl_queue_count(queue, SL_JOB_RUNNING), 1);
    assert_int_equal(sl_queue_detach(queue, 1, "a", true), 0);
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_NONE, 9, "", 7), 0);
    assert_int_equal(sl_queue_count(queue, SL_JOB_DETACHED), 0);
    assert_int_equal(assign(queue, 8), 2);
    sl_queue_free(queue);
}

TEST(a_restart_gives_a_running_job_back_to_its_device)
{
    struct sl_queue *queue = fresh_queue();
    struct sl_job_record job = job_of(1, 0, "");
    job.state = SL_JOB_RUNNING;
    job.lease_until_ms = 100;
    snprintf(job.device, sizeof(job.device), "a");
    assert_int_equal(sl_queue_add(queue, &job), 0);
    assert_int_equal(device_ready(queue, "a"), 0);
    add(queue, 2, 0, "");
    assert_int_equal(assign(queue, 0), 0); /* "a" is busy with job 1 */
    assert_int_equal(sl_queue_finish(queue, 1, "a", SL_CAUSE_NONE, 1, "", 9), 0);
    assert_int_equal(assign(queue, 0), 2);
    sl_queue_free(queue);
}

TEST(bad_jobs_and_devices_are_refused)
{
    struct sl_queue *queue = fresh_queue();
    struct sl_job_record job = job_of(0, 0, "");
    assert_int_equal(sl_queue_add(queue, &job), -EINVAL);
    job.id = 1;
    job.state = SL_JOB_DONE;
    assert_int_equal(sl_queue_add(queue, &job), -EINVAL);
    add(queue, 1, 0, "");
    job.state = SL_JOB_QUEUED;
    assert_int_equal(sl_queue_add(queue, &job), -EEXIST);
    assert_int_equal(device_ready(queue, ""), -EINVAL);
    assert_int_equal(sl_queue_device_ready(queue, "b"), SL_E_NOT_FOUND);
    job = job_of(2, 0, "svl>=");
    assert_int_equal(sl_queue_add(queue, &job), SL_E_FORMAT);
    assert_int_equal(device_ready(queue, "a"), 0);
    assert_int_equal(device_ready(queue, "a"), -EEXIST);
    sl_queue_free(queue);
}

TEST(add_survives_each_failed_allocation)
{
    struct sl_queue *queue = fresh_queue();
    struct sl_job_record job = job_of(1, 0, "");
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        sl_mem_fail_nth(nth);
        rc = sl_queue_add(queue, &job);
        assert_int_equal(sl_queue_count(queue, SL_JOB_QUEUED), rc == 0);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
    sl_queue_free(queue);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 100,000 jobs wait, of as many selectors as may be; most of them for what is not there. */
TEST(a_full_queue_assigns_finishes_and_cancels_in_less_than_a_millisecond_each)
{
    enum { STEPS = SL_SANITIZED ? 2000 : 20000 };
    struct sl_queue *queue = NULL;
    char name[SL_NAME_BYTES], owner[SL_NAME_BYTES];
    uint64_t job, assigned = 0;
    assert_int_equal(sl_queue_new(ignore, NULL, &queue), 0);
    for (uint64_t id = 1; id <= SL_QUEUE_MAX_JOBS; id++) {
        snprintf(name, sizeof(name), "sme2,memory>=%dg", (int)(id % (SL_QUEUE_MAX_SELECTORS - 1)));
        snprintf(owner, sizeof(owner), "u%d", (int)draw(100));
        add_of(queue, id, owner, (int)draw(100), id % 4 == 0 ? "" : name);
    }
    struct sl_job_record one_more = job_of(SL_QUEUE_MAX_JOBS + 1, 0, "");
    assert_int_equal(sl_queue_add(queue, &one_more), SL_E_FULL);
    for (int d = 0; d < 256; d++) {
        snprintf(name, sizeof(name), "device-%d", d);
        assert_int_equal(device_ready(queue, name), 0);
    }
    double begin = now_s();
    while (assigned < STEPS && sl_queue_assign(queue, assigned, &job, name)) {
        assigned++;
        assert_int_equal(sl_queue_finish(queue, job, name, SL_CAUSE_NONE, 1, "", assigned), 0);
    }
    assert_int_equal(assigned, STEPS);
    for (uint64_t id = 1; id <= STEPS; id++)
        sl_queue_cancel(queue, id, assigned);
    assert_true((now_s() - begin) / (double)STEPS < (SL_SANITIZED ? 1e-2 : 1e-3));
    sl_queue_free(queue);
}

/* A world of devices that hold what they were told to run until they hear otherwise, and daemons
 * that die. */
enum { DEVICES = 4 };
struct world {
    struct sl_queue *queue;
    uint64_t now_ms, next_id, finished;
    struct {
        char name[SL_NAME_BYTES];
        bool ready;
        uint64_t job, lease_until_ms; /* what it believes to hold */
    } devices[DEVICES];
};

/* At any time a job is believed to be held, under a lease that still runs, by one device at most.
 */
static void check(const struct world *world)
{
    for (int a = 0; a < DEVICES; a++) {
        for (int b = a + 1; b < DEVICES; b++) {
            bool both = world->devices[a].job != 0 &&
                        world->devices[a].job == world->devices[b].job &&
                        world->devices[a].lease_until_ms > world->now_ms &&
                        world->devices[b].lease_until_ms > world->now_ms;
            assert_false(both);
        }
    }
}

/* Adds a job, and tells the queue of the job that it comes after where that one had ended. */
static void add_and_tell(struct sl_queue *queue, const struct sl_job_record *job)
{
    uint64_t first = strtoull(job->after_jobs, NULL, 10);
    assert_int_equal(sl_queue_add(queue, job), 0);
    if (first != 0 && !sl_queue_find(queue, first))
        sl_queue_ended(queue, first, store.jobs[first].state == SL_JOB_DONE);
}

static void restart_the_daemon(struct world *world)
{
    sl_queue_free(world->queue);
    assert_int_equal(sl_queue_new(keep, &store, &world->queue), 0);
    for (uint64_t id = 1; id < world->next_id; id++) {
        struct sl_job_record job = store.jobs[id];
        if (job.state == SL_JOB_RUNNING) /* the store does not see each renewal: a restart grants a
                                            whole lease */
            job.lease_until_ms = world->now_ms + SL_LEASE_MS;
        if (job.state == SL_JOB_QUEUED || job.state == SL_JOB_RUNNING)
            add_and_tell(world->queue, &job);
    }
    for (int d = 0; d < DEVICES; d++)
        world->devices[d].ready = false;
}

/* The queue may hear what a device is at the start, or later. */
static int comes(struct sl_queue *queue, int d, const char *name)
{
    struct sl_device_record device = {.kind = SL_DEVICE_LOCAL};
    snprintf(device.name, sizeof(device.name), "%s", name);
    snprintf(device.tags, sizeof(device.tags), "%s", d % 2 == 0 ? "even" : "odd");
    assert_int_equal(sl_queue_device_is(queue, &device), 0);
    return sl_queue_device_ready(queue, name);
}

static void device_acts(struct world *world, int d)
{
    const char *name = world->devices[d].name;
    uint64_t job = world->devices[d].job;
    if (job == 0 || !world->devices[d].ready) {
        if (!world->devices[d].ready && draw(3) == 0)
            world->devices[d].ready = comes(world->queue, d, name) == 0;
        return;
    }
    if (draw(3) != 0) {
        if (sl_queue_renew(world->queue, job, name, world->now_ms) == 0)
            world->devices[d].lease_until_ms = world->now_ms + SL_LEASE_MS;
        else
            world->devices[d].job = 0; /* told to drop it */
        return;
    }
    static const int causes[] = {SL_CAUSE_NONE, SL_CAUSE_NONE, SL_CAUSE_RESULT, SL_CAUSE_LAB};
    sl_queue_finish(world->queue, job, name, causes[draw(4)], 1, "", world->now_ms);
    world->devices[d].job = 0;
}

static void submit_any(struct world *world, const char *device)
{
    static const char *const any[] = {"", "kind=local", "tag=even", "kind=local,tag=odd"};
    struct sl_job_record job =
        job_of(world->next_id, (int)draw(3), draw(4) == 0 ? device : any[draw(4)]);
    snprintf(job.owner, sizeof(job.owner), "%c", (int)('a' + draw(3)));
    job.deadline_ms = draw(4) == 0 ? world->now_ms + 1 + draw(100000) : 0;
    job.begin_ms = draw(4) == 0 ? world->now_ms + draw(MAX_WAIT_MS) : 0;
    uint64_t first = 1 + draw(world->next_id + 1); /* may be itself, or none: it never begins */
    if (draw(4) == 0)
        snprintf(job.after_jobs, sizeof(job.after_jobs), "%u", (unsigned)first);
    add_and_tell(world->queue, &job);
}

static void step(struct world *world)
{
    uint64_t job;
    char name[SL_NAME_BYTES];
    int d = (int)draw(DEVICES);
    world->now_ms += draw(2000);
    sl_queue_tick(world->queue, world->now_ms);
    switch (draw(12)) {
    case 0:
        if (world->next_id <= MAX_JOBS) {
            submit_any(world, world->devices[d].name);
            world->next_id++;
        }
        break;
    case 1:
        sl_queue_cancel(world->queue, 1 + draw(MAX_JOBS), world->now_ms);
        break;
    case 2:
        sl_queue_device_gone(world->queue, world->devices[d].name);
        world->devices[d].ready = false;
        break;
    case 3:
        if (draw(50) == 0)
            restart_the_daemon(world);
        break;
    default:
        device_acts(world, d);
    }
    while (sl_queue_assign(world->queue, world->now_ms, &job, name)) {
        for (int i = 0; i < DEVICES; i++) {
            if (strcmp(world->devices[i].name, name) == 0) {
                world->devices[i].job = job;
                world->devices[i].lease_until_ms = world->now_ms + SL_LEASE_MS;
            }
        }
    }
    check(world);
}

/* Nothing more comes in and every device does its work: then every job comes to an end. */
static void run_out(struct world *world)
{
    uint64_t job;
    char name[SL_NAME_BYTES];
    world->now_ms += SL_LEASE_MS + MAX_WAIT_MS;
    sl_queue_tick(world->queue, world->now_ms); /* whatever a device still holds is taken back */
    for (int d = 0; d < DEVICES; d++)
        (void)comes(world->queue, d, world->devices[d].name);
    for (int rest = 0; rest < 2; rest++, world->now_ms += (uint64_t)sl_rest_ms(2))
        while (sl_queue_assign(world->queue, world->now_ms, &job, name))
            assert_int_equal(
                sl_queue_finish(world->queue, job, name, SL_CAUSE_NONE, 1, "", world->now_ms), 0);
    for (uint64_t id = 1; id < world->next_id; id++)
        assert_true(store.jobs[id].state >= SL_JOB_DONE);
}

TEST(a_million_random_steps_lose_and_double_no_job)
{
    unsigned long steps = 0;
    while (steps < 1000000) {
        struct world world = {.queue = fresh_queue(), .next_id = 1};
        for (int d = 0; d < DEVICES; d++)
            snprintf(world.devices[d].name, SL_NAME_BYTES, "device-%d", d);
        for (unsigned i = 0; i < 20000; i++, steps++)
            step(&world);
        size_t open = 0;
        for (uint64_t id = 1; id < world.next_id;
             id++) { /* each submitted job is somewhere, exactly once */
            int where = store.jobs[id].state;
            bool queued = where == SL_JOB_QUEUED || where == SL_JOB_RUNNING;
            assert_int_equal(store.jobs[id].id, id);
            assert_int_equal(queued, sl_queue_find(world.queue, id) != NULL);
            open += queued;
        }
        assert_int_equal(open, sl_queue_count(world.queue, SL_JOB_QUEUED) +
                                   sl_queue_count(world.queue, SL_JOB_RUNNING));
        run_out(&world);
        sl_queue_free(world.queue);
    }
}
