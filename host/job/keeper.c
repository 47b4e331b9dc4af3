/* host/job/keeper.c */
#include "host/job/keeper.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/store/run_removal.h"
#include "host/store/store.h"

enum {
    LOOK_MS = 5000,          /* at the disk */
    MEASURE_MS = 600 * 1000, /* from one measuring of the state directory to the next, at least */
    MEASURE_PART = 20,       /* ... and so many times as long as it took */
    CLOCK_SLACK_MS = 60 * 1000, /* that the wall clock may be set without being doubted */
    DAY_MS = 24 * 3600 * 1000,
    DOUBT_MS = 3600 * 1000, /* at least, after the wall clock was set */
    KEEP_FILES_DAYS = 7,    /* files that nothing uses, where no age of runs is given */
};

struct sl_keeper {
    uv_loop_t *loop;
    struct sl_keeper_options options;
    uv_timer_t disk, round;
    uv_work_t work; /* measuring */
    enum sl_disk_state state;
    uint64_t state_bytes, free_then; /* as measured, and what was free of the disk then */
    uint64_t measured, free_before;  /* the same of the measuring under way */
    uint64_t awaited_bytes;          /* let in, and not written yet */
    uint64_t took_ms, measured_ms;   /* by the loop's clock */
    uint64_t wall_ms, steady_ms;     /* at the latest round */
    uint64_t doubt_until_ms; /* the wall clock is not believed before this time of the loop */
    uint64_t freed_ms;       /* the loop's time of the latest look for unused files */
    uint64_t expired, gone;  /* in all; in this round */
    /* A round: the page of runs that go, one after another. */
    struct sl_run_record page[SL_STORE_PAGE_ROWS];
    size_t count, at;
    uint64_t cursor, before_ms;
    bool busy, measuring, closing;
    bool away, stopped; /* runs or blobs; the intake, as it was told */
    int open_handles;
    void (*closed)(void *user);
    void *closed_user;
};

static void end(struct sl_keeper *keeper)
{
    if (!keeper->closing || keeper->busy || keeper->measuring || keeper->open_handles > 0)
        return;
    void (*closed)(void *) = keeper->closed;
    void *user = keeper->closed_user;
    sl_free(keeper);
    closed(user);
}

/* --- the disk --- */

static uint64_t free_bytes(const struct sl_keeper *keeper)
{
    struct statvfs disk;
    return statvfs(keeper->options.state_dir, &disk) < 0
               ? UINT64_MAX /* who cannot say is not full */
               : (uint64_t)disk.f_frsize * disk.f_bavail;
}

/* The state is taken to have grown by all that came to the disk since it was measured. */
static struct sl_disk_look look_now(const struct sl_keeper *keeper)
{
    struct sl_disk_look look = {free_bytes(keeper), keeper->state_bytes};
    if (look.state_bytes != 0 && look.free_bytes < keeper->free_then)
        look.state_bytes += keeper->free_then - look.free_bytes;
    return look;
}

static void say_why(const struct sl_keeper *keeper, enum sl_disk_state state,
                    const struct sl_disk_look *look, char out[SL_KEEPER_WHY_BYTES])
{
    const struct sl_disk_limits *limits = &keeper->options.limits;
    if (state == SL_DISK_RESERVE)
        snprintf(out, SL_KEEPER_WHY_BYTES,
                 "%" PRIu64 " MiB of the disk are free, and %" PRIu64 " MiB are kept in reserve",
                 look->free_bytes >> 20, limits->reserve_bytes >> 20);
    else if (state == SL_DISK_BUDGET)
        snprintf(out, SL_KEEPER_WHY_BYTES,
                 "the state directory has %" PRIu64 " MiB, and its budget is %" PRIu64 " MiB",
                 look->state_bytes >> 20, limits->budget_bytes >> 20);
    else
        out[0] = '\0';
}

static void begin_round(struct sl_keeper *keeper);

/* No job begins without room, nor without the directories of runs and blobs. */
static void tell_stopped(struct sl_keeper *keeper)
{
    bool stopped = keeper->state != SL_DISK_ROOM || keeper->away;
    if (stopped != keeper->stopped && keeper->options.stopped)
        keeper->options.stopped(keeper->options.user, stopped);
    keeper->stopped = stopped;
}

static void look_for_runs(struct sl_keeper *keeper)
{
    bool was_away = keeper->away;
    const char *gone = sl_store_gone_directory(keeper->options.store);
    keeper->away = gone != NULL;
    if (keeper->away != was_away)
        sl_log(
            gone ? SL_LOG_ERROR : SL_LOG_INFO,
            SL_LOG_EVENT(gone ? "state_directory_gone" : "state_directory_back"),
            SL_LOG_TEXT("state", keeper->options.state_dir),
            SL_LOG_TEXT("directory", gone ? gone : ""),
            SL_LOG_REASON(gone ? "no job begins until it is mounted again" : "jobs begin again"));
    tell_stopped(keeper);
}

/* Returns what it saw of the disk. */
static struct sl_disk_look judge(struct sl_keeper *keeper, char out_why[SL_KEEPER_WHY_BYTES])
{
    struct sl_disk_look look = look_now(keeper);
    enum sl_disk_state before = keeper->state;
    keeper->state = sl_disk_judge(&keeper->options.limits, before, &look);
    say_why(keeper, keeper->state, &look, out_why);
    if ((before != SL_DISK_ROOM) == (keeper->state != SL_DISK_ROOM))
        return look;
    if (keeper->state != SL_DISK_ROOM)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("intake_stopped"), SL_LOG_REASON(out_why));
    else
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("intake_goes_on"),
               SL_LOG_NUMBER("free_mib", look.free_bytes >> 20));
    tell_stopped(keeper);
    if (keeper->state != SL_DISK_ROOM) {
        keeper->freed_ms = 0; /* the next round looks for unused files */
        begin_round(keeper);
    }
    return look;
}

static void do_measure(uv_work_t *work)
{
    struct sl_keeper *keeper = work->data;
    keeper->measured = sl_disk_use(keeper->options.state_dir);
}

static void after_measure(uv_work_t *work, int status)
{
    struct sl_keeper *keeper = work->data;
    char why[SL_KEEPER_WHY_BYTES];
    (void)status;
    keeper->measuring = false;
    keeper->state_bytes = keeper->measured;
    keeper->free_then = keeper->free_before;
    keeper->took_ms = uv_now(keeper->loop) - keeper->measured_ms;
    keeper->measured_ms = uv_now(keeper->loop);
    if (!keeper->closing)
        judge(keeper, why); /* at once: what others write on the disk meanwhile would count */
    end(keeper);
}

static void measure(struct sl_keeper *keeper)
{
    uint64_t pause = keeper->took_ms * MEASURE_PART;
    uint64_t now = uv_now(keeper->loop);
    if (keeper->options.limits.budget_bytes == 0 || keeper->measuring ||
        (keeper->state_bytes != 0 && keeper->state != SL_DISK_BUDGET &&
         now - keeper->measured_ms < (pause > MEASURE_MS ? pause : MEASURE_MS)))
        return;
    keeper->measured_ms = now;
    keeper->free_before = free_bytes(keeper);
    keeper->measuring = uv_queue_work(keeper->loop, &keeper->work, do_measure, after_measure) == 0;
}

static void on_disk(uv_timer_t *timer)
{
    struct sl_keeper *keeper = timer->data;
    char why[SL_KEEPER_WHY_BYTES];
    measure(keeper);
    judge(keeper, why);
    look_for_runs(keeper);
}

bool sl_keeper_is_full(struct sl_keeper *keeper, uint64_t wanted_bytes,
                       char out_why[SL_KEEPER_WHY_BYTES])
{
    struct sl_disk_look then = judge(keeper, out_why);
    if (keeper->state != SL_DISK_ROOM || wanted_bytes == 0)
        return keeper->state != SL_DISK_ROOM;
    char why[SL_KEEPER_WHY_BYTES];
    wanted_bytes += keeper->awaited_bytes;
    then.free_bytes -= wanted_bytes < then.free_bytes ? wanted_bytes : then.free_bytes;
    if (then.state_bytes != 0)
        then.state_bytes += wanted_bytes;
    enum sl_disk_state state = sl_disk_judge(&keeper->options.limits, SL_DISK_ROOM, &then);
    say_why(keeper, state, &then, why);
    if (state != SL_DISK_ROOM)
        snprintf(out_why, SL_KEEPER_WHY_BYTES, "with %s %" PRIu64 " MiB %.130s",
                 keeper->awaited_bytes == 0 ? "these" : "these and what is on its way, in all",
                 wanted_bytes >> 20, why);
    return state != SL_DISK_ROOM;
}

void sl_keeper_await(struct sl_keeper *keeper, uint64_t bytes)
{
    keeper->awaited_bytes += bytes;
}

void sl_keeper_came(struct sl_keeper *keeper, uint64_t bytes)
{
    keeper->awaited_bytes -= bytes;
}

struct sl_keeper_report sl_keeper_report(struct sl_keeper *keeper)
{
    return (struct sl_keeper_report){.limits = keeper->options.limits,
                                     .state_bytes = keeper->state_bytes,
                                     .expired = keeper->expired,
                                     .is_full = keeper->state != SL_DISK_ROOM};
}

/* --- old runs --- */

static void end_round(struct sl_keeper *keeper, int rc)
{
    if (keeper->gone > 0)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("runs_expired"), SL_LOG_NUMBER("count", keeper->gone));
    if (rc < 0 && rc != SL_E_STATE)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("retention_failed"), SL_LOG_REASON(sl_strerror(rc)));
    keeper->busy = false;
    end(keeper);
}

static void on_checked(void *user, int rc, const struct sl_store_finding *rows, size_t count,
                       uint64_t more)
{
    (void)rows;
    (void)count;
    (void)more;
    end_round(user, rc);
}

/* 0 where there were fewer days by now. */
static uint64_t days_ago_ms(uint64_t now_ms, uint64_t days)
{
    return days * DAY_MS < now_ms ? now_ms - days * DAY_MS : 0;
}

/* Removes what no run and no job needs: once a day, where runs went or the disk is full. */
static void free_files(struct sl_keeper *keeper)
{
    uint64_t now = uv_now(keeper->loop), days = keeper->options.days;
    bool due = keeper->freed_ms == 0 || now - keeper->freed_ms > DAY_MS;
    struct sl_store_check wish = {.mend = true};
    int rc = 0;
    if ((keeper->gone > 0 || keeper->state != SL_DISK_ROOM) && due &&
        now >= keeper->doubt_until_ms) {
        keeper->freed_ms = now;
        wish.free_before_ms = days_ago_ms(sl_clock_utc_ms(), days != 0 ? days : KEEP_FILES_DAYS);
        rc = sl_store_check(keeper->options.store, &wish, on_checked, keeper);
        if (rc == 0)
            return;
    }
    end_round(keeper, rc);
}

static void remove_next(struct sl_keeper *keeper);

static void on_page(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct sl_keeper *keeper = user;
    if (rc < 0) {
        end_round(keeper, rc);
        return;
    }
    keeper->count = count;
    keeper->at = 0;
    keeper->cursor = next_cursor;
    if (count > 0)
        memcpy(keeper->page, rows, count * sizeof(rows[0]));
    remove_next(keeper);
}

static int ask_page(struct sl_keeper *keeper)
{
    keeper->options.rules.before_ms = keeper->before_ms;
    keeper->options.rules.cursor = keeper->cursor;
    return sl_store_list_expired(keeper->options.store, &keeper->options.rules, on_page, keeper);
}

static void on_gone(void *user, int rc)
{
    struct sl_keeper *keeper = user;
    const struct sl_run_record *run = &keeper->page[keeper->at++];
    if (rc == 0) {
        keeper->gone++;
        keeper->expired++;
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("run_expired"), SL_LOG_NUMBER("run", run->id));
    } else if (rc != SL_E_NOT_FOUND && rc != -EBUSY) { /* its row may be there in the next round */
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("run_not_removed"), SL_LOG_NUMBER("run", run->id),
               SL_LOG_REASON(sl_strerror(rc)));
    }
    remove_next(keeper);
}

static void remove_next(struct sl_keeper *keeper)
{
    int rc = 0;
    if (keeper->closing) {
        end_round(keeper, 0);
        return;
    }
    if (keeper->at < keeper->count)
        rc = sl_run_removal_start(keeper->loop, keeper->options.store, keeper->options.state_dir,
                                  &keeper->page[keeper->at], &keeper->options.rules, on_gone,
                                  keeper);
    else if (keeper->cursor != 0)
        rc = ask_page(keeper);
    else
        free_files(keeper);
    if (rc < 0)
        end_round(keeper, rc);
}

/* A wall clock that was set makes runs older than they are: it is believed again when it has gone
 * right for a time between two rounds, at least an hour. */
static bool clock_is_doubted(struct sl_keeper *keeper)
{
    uint64_t wall = sl_clock_utc_ms(), steady = uv_now(keeper->loop);
    uint64_t pause = (uint64_t)keeper->options.every_seconds * 1000;
    int64_t drift = (int64_t)(wall - keeper->wall_ms) - (int64_t)(steady - keeper->steady_ms);
    keeper->wall_ms = wall;
    keeper->steady_ms = steady;
    if (drift >= CLOCK_SLACK_MS || drift <= -CLOCK_SLACK_MS)
        keeper->doubt_until_ms = steady + (pause > DOUBT_MS ? pause : DOUBT_MS);
    return steady < keeper->doubt_until_ms;
}

static void begin_round(struct sl_keeper *keeper)
{
    const struct sl_keeper_options *options = &keeper->options;
    if (keeper->busy || keeper->closing || (options->days == 0 && options->rules.per_series == 0))
        return;
    bool doubted = clock_is_doubted(keeper);
    if (doubted)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("retention_waits"),
               SL_LOG_REASON("the wall clock was set"));
    keeper->before_ms =
        doubted || options->days == 0 ? 0 : days_ago_ms(keeper->wall_ms, options->days);
    keeper->gone = keeper->cursor = 0;
    keeper->busy = true;
    int rc = ask_page(keeper);
    if (rc < 0)
        end_round(keeper, rc);
}

static void on_round(uv_timer_t *timer)
{
    begin_round(timer->data);
}

/* --- beginning and end --- */

int sl_keeper_new(uv_loop_t *loop, const struct sl_keeper_options *options, struct sl_keeper **out)
{
    struct sl_keeper *keeper = sl_calloc(1, sizeof(*keeper));
    if (!keeper)
        return -ENOMEM;
    keeper->loop = loop;
    keeper->options = *options;
    keeper->wall_ms = sl_clock_utc_ms();
    keeper->steady_ms = uv_now(loop);
    uv_timer_init(loop, &keeper->disk);
    uv_timer_init(loop, &keeper->round);
    keeper->disk.data = keeper->round.data = keeper->work.data = keeper;
    keeper->open_handles = 2;
    if (options->limits.budget_bytes != 0 || options->limits.reserve_bytes != 0 ||
        sl_store_is_shared(options->store))
        uv_timer_start(&keeper->disk, on_disk, 0, LOOK_MS);
    if (options->days != 0 || options->rules.per_series != 0)
        uv_timer_start(&keeper->round, on_round, (uint64_t)options->every_seconds * 1000,
                       (uint64_t)options->every_seconds * 1000);
    *out = keeper;
    return 0;
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_keeper *keeper = handle->data;
    keeper->open_handles--;
    end(keeper);
}

void sl_keeper_close(struct sl_keeper *keeper, void (*closed)(void *user), void *user)
{
    keeper->closing = true;
    keeper->closed = closed;
    keeper->closed_user = user;
    uv_close((uv_handle_t *)&keeper->disk, on_handle_closed);
    uv_close((uv_handle_t *)&keeper->round, on_handle_closed);
}
