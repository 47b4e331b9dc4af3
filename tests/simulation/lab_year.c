/* tests/simulation/lab_year.c: a year of a lab of 100 phones under the queue's clock, with the code
 * of host/job/queue. All phones could be busy all the time: does anything starve, and how much of
 * their time do jobs that end well use?
 *   lab_year [DAYS]   with a fixed seed; prints one object of JSON; exit 1 where a job is lost,
 *                     ends twice, starves, or where less than 95 % of the phones' time is used
 *
 * By day two programs of priority 10 keep the queue full, as CI does; somebody of the least
 * priority always has jobs that any phone can run; ten people submit what they like, for any phone,
 * for one of five models or for one phone. Phones leave and come back, attempts fail, the wall
 * clock is set, and the daemon is started again with what its store has. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "host/analysis/random.h"
#include "host/job/queue.h"

enum {
    PHONES = 100,
    MODELS = 5,
    PEOPLE = 10,
    CI = 2,
    SUBMITTERS = PEOPLE + CI + 1,    /* the last one has always something for the night */
    SELECTORS = 1 + MODELS + PHONES, /* any phone, one of a model, one alone */
    SHARES = SUBMITTERS * SELECTORS
};
#define MINUTE_MS UINT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define BEAT_MS (SL_LEASE_MS / 2)
#define STARVED_MS DAY_MS /* nobody of a share begins for so long, though its phones are there */
#define LEAST_USED 0.95

struct phone {
    char name[SL_NAME_BYTES];
    bool ready;
    uint64_t job;                /* 0: none */
    uint64_t began_ms, ends_ms;  /* of its attempt */
    uint64_t leaves_ms, back_ms; /* by the steady clock */
    uint64_t ready_since_ms;
};

/* Jobs of one submitter for one selector. */
struct share {
    unsigned waiting;
    uint64_t since_ms; /* one began, or the first of them came, or their phone came back */
};

struct job {
    uint16_t share;
    uint8_t minutes;
    bool waits, ended;
};

struct year {
    struct sl_queue *queue;
    struct sl_random random;
    uint64_t now_ms, end_ms; /* steady; the queue's clock is ahead */
    int64_t ahead_ms;
    struct phone phones[PHONES];
    struct share shares[SHARES];
    struct job *jobs; /* by id */
    uint64_t next, room, first_open;
    uint64_t done, failed, ended_twice, attempts_lost, restarts, jumps;
    uint64_t ready_ms, used_ms, longest_ms, starved;
};

static uint64_t draw(struct year *year, uint64_t below)
{
    return sl_random_below(&year->random, (size_t)below);
}

static uint64_t wall_ms(const struct year *year)
{
    return year->now_ms + (uint64_t)year->ahead_ms;
}

static void on_changed(void *user, const struct sl_job_record *record)
{
    struct year *year = user;
    struct job *job = &year->jobs[record->id];
    struct share *share = &year->shares[job->share];
    bool waits = record->state == SL_JOB_QUEUED;
    if (waits && !job->waits && share->waiting++ == 0)
        share->since_ms = year->now_ms;
    else if (job->waits && !waits)
        share->waiting--;
    job->waits = waits;
    if (record->state == SL_JOB_QUEUED || record->state == SL_JOB_RUNNING)
        return;
    year->ended_twice += job->ended;
    job->ended = true;
    year->done += record->state == SL_JOB_DONE;
    year->failed += record->state != SL_JOB_DONE;
}

static void must(int rc, const char *what)
{
    if (rc < 0) {
        fprintf(stderr, "lab_year: %s: %d\n", what, rc);
        exit(6);
    }
}

/* --- jobs --- */

static int priority_of(unsigned who)
{
    return who < PEOPLE ? (int)who - PEOPLE / 2 : who < PEOPLE + CI ? 10 : -10;
}

/* Most jobs are short: 1 to 30 minutes, 8 on average. */
static uint8_t draw_minutes(struct year *year)
{
    return (uint8_t)(draw(year, 4) > 0 ? 1 + draw(year, 8) : 1 + draw(year, 30));
}

static void submit(struct year *year, unsigned who, unsigned selector)
{
    if (year->next == year->room) {
        year->room *= 2;
        year->jobs = realloc(year->jobs, year->room * sizeof(*year->jobs));
        must(year->jobs ? 0 : -1, "memory");
    }
    uint16_t share = (uint16_t)(who * SELECTORS + selector);
    year->jobs[year->next] = (struct job){.share = share, .minutes = draw_minutes(year)};
    struct sl_job_record record = {
        .id = year->next++, .priority = priority_of(who), .submitted_ms = wall_ms(year)};
    snprintf(record.owner, sizeof(record.owner), "submitter-%u", who);
    if (selector > MODELS)
        snprintf(record.selector, sizeof(record.selector), "phone-%u", selector - MODELS - 1);
    else if (selector > 0)
        snprintf(record.selector, sizeof(record.selector), "tag=model-%u", selector - 1);
    must(sl_queue_add(year->queue, &record), "add");
}

static bool by_day(const struct year *year)
{
    uint64_t hour = year->now_ms / HOUR_MS % 24;
    return hour >= 8 && hour < 18;
}

/* Somebody submits a batch of up to 40 jobs, more often by day. */
static void people_submit(struct year *year)
{
    if (draw(year, by_day(year) ? 80 : 400) != 0)
        return;
    unsigned who = (unsigned)draw(year, PEOPLE), kind = (unsigned)draw(year, 4);
    for (uint64_t left = 1 + draw(year, 40); left > 0; left--) {
        unsigned selector = kind == 0   ? 1 + MODELS + (unsigned)draw(year, PHONES)
                            : kind == 1 ? 1 + (unsigned)draw(year, MODELS)
                                        : 0;
        submit(year, who, selector);
    }
}

static void keep_waiting(struct year *year, unsigned who, unsigned selector, unsigned count)
{
    while (year->shares[who * SELECTORS + selector].waiting < count)
        submit(year, who, selector);
}

static void keep_full(struct year *year)
{
    keep_waiting(year, SUBMITTERS - 1, 0, PHONES);
    for (unsigned who = PEOPLE; who < PEOPLE + CI && by_day(year); who++) {
        keep_waiting(year, who, 0, 20);
        for (unsigned model = 0; model < MODELS; model++)
            keep_waiting(year, who, 1 + model, 2);
    }
}

static void begin_all(struct year *year)
{
    uint64_t id;
    char name[SL_NAME_BYTES];
    while (sl_queue_assign(year->queue, wall_ms(year), &id, name)) {
        struct phone *phone = &year->phones[strtoul(name + strlen("phone-"), NULL, 10)];
        struct share *share = &year->shares[year->jobs[id].share];
        phone->job = id;
        phone->began_ms = year->now_ms;
        phone->ends_ms = year->now_ms + year->jobs[id].minutes * MINUTE_MS;
        share->since_ms = year->now_ms;
    }
}

/* One attempt in 200 fails for the lab's sake. */
static void end_attempt(struct year *year, struct phone *phone)
{
    uint64_t id = phone->job;
    bool fails = draw(year, 200) == 0;
    phone->job = 0;
    int rc = sl_queue_finish(year->queue, id, phone->name, fails ? SL_CAUSE_LAB : SL_CAUSE_NONE,
                             fails ? 0 : id, "", wall_ms(year));
    must(rc, "finish");
    if (!fails)
        year->used_ms += year->now_ms - phone->began_ms;
    year->attempts_lost += fails;
}

/* --- phones --- */

static void describe(struct year *year, struct phone *phone)
{
    struct sl_device_record device = {.kind = SL_DEVICE_ADB};
    snprintf(device.name, sizeof(device.name), "%s", phone->name);
    snprintf(device.tags, sizeof(device.tags), "model-%u",
             (unsigned)((phone - year->phones) % MODELS));
    must(sl_queue_device_is(year->queue, &device), "device");
    if (phone->ready)
        must(sl_queue_device_ready(year->queue, phone->name), "device ready");
}

static void leave(struct year *year, struct phone *phone)
{
    phone->ready = false;
    year->ready_ms += year->now_ms - phone->ready_since_ms;
    phone->back_ms = year->now_ms + 2 * MINUTE_MS + draw(year, 2 * HOUR_MS);
    sl_queue_device_gone(year->queue, phone->name);
    if (phone->job) { /* its lease ends, and somebody else has it */
        year->attempts_lost++;
        phone->job = 0;
    }
}

static void come_back(struct year *year, struct phone *phone)
{
    unsigned selector = 1 + MODELS + (unsigned)(phone - year->phones);
    phone->ready = true;
    phone->ready_since_ms = year->now_ms;
    phone->leaves_ms = year->now_ms + draw(year, 6 * DAY_MS);
    must(sl_queue_device_ready(year->queue, phone->name), "device ready");
    for (unsigned who = 0; who < SUBMITTERS; who++)
        year->shares[who * SELECTORS + selector].since_ms = year->now_ms;
}

/* --- time --- */

/* Another daemon reads what the first one stored. */
static void restart(struct year *year)
{
    struct sl_queue *before = year->queue;
    must(sl_queue_new(on_changed, year, &year->queue), "queue");
    while (year->first_open < year->next && year->jobs[year->first_open].ended)
        year->first_open++;
    for (uint64_t id = year->first_open; id < year->next; id++) {
        if (!year->jobs[id].ended)
            must(sl_queue_add(year->queue, sl_queue_find(before, id)), "add again");
    }
    for (unsigned i = 0; i < PHONES; i++)
        describe(year, &year->phones[i]);
    sl_queue_free(before);
    year->restarts++;
}

static void look_for_starved(struct year *year)
{
    for (unsigned i = 0; i < SHARES; i++) {
        struct share *share = &year->shares[i];
        unsigned selector = i % SELECTORS;
        bool away = selector > MODELS && !year->phones[selector - MODELS - 1].ready;
        if (share->waiting == 0 || away)
            continue;
        uint64_t waits_ms = year->now_ms - share->since_ms;
        if (waits_ms > year->longest_ms)
            year->longest_ms = waits_ms;
        if (waits_ms > STARVED_MS) {
            year->starved++;
            share->since_ms = year->now_ms;
        }
    }
}

/* Twice in a lease: who has a job says so, what is due is done, people submit. */
static void beat(struct year *year)
{
    for (unsigned i = 0; i < PHONES; i++) {
        struct phone *phone = &year->phones[i];
        if (phone->job)
            must(sl_queue_renew(year->queue, phone->job, phone->name, wall_ms(year)), "renew");
        if (phone->ready && phone->leaves_ms <= year->now_ms)
            leave(year, phone);
        else if (!phone->ready && phone->back_ms <= year->now_ms)
            come_back(year, phone);
    }
    people_submit(year);
    if (draw(year, 7 * DAY_MS / BEAT_MS) == 0) {
        int64_t jump_ms = ((int64_t)draw(year, 7) - 3) * (int64_t)DAY_MS;
        year->ahead_ms += jump_ms;
        sl_queue_shift(year->queue, jump_ms);
        year->jumps++;
    }
    if (draw(year, 12 * DAY_MS / BEAT_MS) == 0)
        restart(year);
    sl_queue_tick(year->queue, wall_ms(year));
    if (year->now_ms % (10 * MINUTE_MS) == 0)
        look_for_starved(year);
}

/* When the next attempt ends; no later than the next beat. */
static uint64_t next_ms(const struct year *year)
{
    uint64_t next = (year->now_ms / BEAT_MS + 1) * BEAT_MS;
    for (unsigned i = 0; i < PHONES; i++) {
        const struct phone *phone = &year->phones[i];
        if (phone->job && phone->ends_ms < next)
            next = phone->ends_ms;
    }
    return next;
}

static void go(struct year *year)
{
    for (unsigned i = 0; i < PHONES; i++) {
        struct phone *phone = &year->phones[i];
        snprintf(phone->name, sizeof(phone->name), "phone-%u", i);
        describe(year, phone);
        come_back(year, phone);
    }
    for (; year->now_ms < year->end_ms; year->now_ms = next_ms(year)) {
        for (unsigned i = 0; i < PHONES; i++) {
            struct phone *phone = &year->phones[i];
            if (phone->job && phone->ends_ms <= year->now_ms)
                end_attempt(year, phone);
        }
        if (year->now_ms % BEAT_MS == 0)
            beat(year);
        keep_full(year);
        begin_all(year);
    }
    for (unsigned i = 0; i < PHONES; i++) {
        struct phone *phone = &year->phones[i];
        if (phone->ready)
            year->ready_ms += year->now_ms - phone->ready_since_ms;
        if (phone->job) /* its part of this year */
            year->used_ms += year->now_ms - phone->began_ms;
    }
}

/* Jobs that are neither ended nor in the queue. */
static uint64_t count_lost(const struct year *year)
{
    uint64_t lost = 0;
    for (uint64_t id = 1; id < year->next; id++)
        lost += !year->jobs[id].ended && !sl_queue_find(year->queue, id);
    return lost;
}

int main(int argc, char **argv)
{
    static struct year year = {.random = {1}, .next = 1, .first_open = 1, .room = 1 << 20};
    unsigned long days = argc > 1 ? strtoul(argv[1], NULL, 10) : 365;
    if (argc > 2 || days < 1 || days > 3650) {
        fprintf(stderr, "usage: lab_year [DAYS]\n");
        return 2;
    }
    year.end_ms = days * DAY_MS;
    year.ahead_ms = 10000 * (int64_t)DAY_MS;
    year.jobs = malloc(year.room * sizeof(*year.jobs));
    must(year.jobs ? 0 : -1, "memory");
    must(sl_queue_new(on_changed, &year, &year.queue), "queue");
    uint64_t began_ns = sl_clock_ns();
    go(&year);
    double used = (double)year.used_ms / (double)year.ready_ms;
    uint64_t lost = count_lost(&year);
    printf("{\"days\":%lu,\"phones\":%d,\"seconds\":%.1f,\"submitted\":%" PRIu64
           ",\"done\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"lost\":%" PRIu64
           ",\"ended_twice\":%" PRIu64 ",\"attempts_lost\":%" PRIu64 ",\"restarts\":%" PRIu64
           ",\"clock_set\":%" PRIu64 ",\"used\":%.4f,\"starved\":%" PRIu64
           ",\"longest_passed_over_minutes\":%" PRIu64 "}\n",
           days, PHONES, (double)(sl_clock_ns() - began_ns) / 1e9, year.next - 1, year.done,
           year.failed, lost, year.ended_twice, year.attempts_lost, year.restarts, year.jumps, used,
           year.starved, year.longest_ms / MINUTE_MS);
    sl_queue_free(year.queue);
    free(year.jobs);
    return lost == 0 && year.ended_twice == 0 && year.starved == 0 && used >= LEAST_USED ? 0 : 1;
}
