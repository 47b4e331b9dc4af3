/* host/store/adder.c */
#include "host/store/adder.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/job_table.h"
#include "host/store/postgres.h"
#include "host/store/request.h"
#include "host/store/request_queue.h"
#include "host/store/statement.h"

/* A batch waits until 1/EXPECTED_PART of the expected jobs are there (1/EXPECTED_PART_BESIDE while
 * another batch is under way), at most 1/GATHER_PART of the last transaction's time and GATHER_MS.
 */
enum { EXPECTED_PART = 2, EXPECTED_PART_BESIDE = 3, GATHER_PART = 2, GATHER_MS = 5 };

enum { AGAIN_MS = 10000, LOOK_MS = 1000 };

#define NS_A_MS UINT64_C(1000000)

/* One connection. */
struct line {
    struct sl_adder *adder;
    struct sl_database *db; /* owned; NULL: there is none */
    uv_poll_t *poll;        /* owned; of its socket */
    uv_timer_t timer;       /* until it is connected again; a server that hangs is noticed */
    uv_work_t work;         /* connects it */
    struct sl_database *made;
    struct sl_diag diag;
    int rc; /* of that */
    bool connecting, writes;
    struct sl_request *batch; /* NULL: it is free */
    size_t count;
    bool asks; /* for the time, before the batch is sent */
    uint64_t began_ns;
    struct sl_statement adds[SL_STATEMENTS_TOGETHER];
};

struct sl_adder {
    struct sl_adder_options options;
    uv_loop_t *loop;
    struct line lines[SL_ADDER_LINES];
    struct sl_request_queue waiting;
    size_t waits, under_way, expected;
    uint64_t took_ns;  /* the last transaction */
    uv_timer_t gather; /* those that wait go off when it ends */
    int open_handles;  /* and connections that a thread of the pool makes */
    bool closing;
    void (*closed)(void *user);
    void *closed_user;
};

static void connect_more(struct sl_adder *adder);
static void send_batch(struct line *line);
static void feed(struct sl_adder *adder);

static void end_one(struct sl_adder *adder)
{
    if (--adder->open_handles > 0)
        return;
    void (*closed)(void *) = adder->closed;
    void *user = adder->closed_user;
    sl_free(adder);
    closed(user);
}

static void on_closed(uv_handle_t *handle)
{
    end_one(handle->data);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct sl_adder *adder = handle->data;
    sl_free(handle);
    end_one(adder);
}

/* --- a connection's life --- */

static void on_timer(uv_timer_t *timer);
static void on_ready(uv_poll_t *poll, int status, int events);

/* There is no batch: its statements are the connection's. */
static void disconnect(struct line *line)
{
    assert(!line->batch);
    if (line->poll) { /* first: its socket goes with the connection */
        line->poll->data = line->adder;
        uv_close((uv_handle_t *)line->poll, on_poll_closed);
    }
    line->poll = NULL;
    sl_database_close(line->db);
    line->db = NULL;
}

static void on_work(uv_work_t *work)
{
    struct line *line = work->data;
    const struct sl_adder_options *options = &line->adder->options;
    line->rc = sl_postgres_open_beside(options->where, options->store,
                                       1 + (unsigned)(line - line->adder->lines), &line->made,
                                       &line->diag);
}

static int begin_polling(struct line *line)
{
    bool unsent;
    line->poll = sl_calloc(1, sizeof(*line->poll));
    if (!line->poll)
        return -ENOMEM;
    int rc = uv_poll_init(line->adder->loop, line->poll, line->db->kind->socket(line->db, &unsent));
    if (rc < 0) {
        sl_free(line->poll);
        line->poll = NULL;
        return rc;
    }
    line->adder->open_handles++;
    line->poll->data = line;
    line->writes = false;
    return uv_poll_start(line->poll, UV_READABLE, on_ready);
}

/* Once the adder closes, and the line has nothing to wait for any more. */
static void end_line(struct line *line)
{
    if (!line->adder->closing || line->connecting || line->batch ||
        uv_is_closing((uv_handle_t *)&line->timer))
        return;
    disconnect(line);
    line->timer.data = line->adder;
    uv_close((uv_handle_t *)&line->timer, on_closed);
}

static void after_work(uv_work_t *work, int status)
{
    struct line *line = work->data;
    struct sl_adder *adder = line->adder;
    int rc = status < 0 ? status : line->rc;
    line->connecting = false;
    line->db = line->made;
    line->made = NULL;
    rc = rc < 0 ? rc : begin_polling(line);
    if (rc < 0) {
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_adder_failed"),
               SL_LOG_REASON(line->diag.what[0] ? line->diag.what : sl_strerror(rc)));
        disconnect(line);
        uv_timer_start(&line->timer, on_timer, AGAIN_MS, 0);
    } else if (!adder->closing) {
        adder->options.connected(adder->options.user);
        feed(adder);
        connect_more(adder);
    }
    end_line(line);
    end_one(adder);
}

static bool is_connecting(const struct sl_adder *adder)
{
    for (size_t i = 0; i < SL_ADDER_LINES; i++)
        if (adder->lines[i].connecting)
            return true;
    return false;
}

/* One at a time: a server that hangs holds one thread of the loop's pool, not two. */
static void connect_line(struct line *line)
{
    if (is_connecting(line->adder)) {
        uv_timer_start(&line->timer, on_timer, LOOK_MS, 0);
        return;
    }
    line->diag = (struct sl_diag){.what = ""};
    line->work.data = line;
    line->connecting = uv_queue_work(line->adder->loop, &line->work, on_work, after_work) == 0;
    if (line->connecting)
        line->adder->open_handles++;
    else
        uv_timer_start(&line->timer, on_timer, AGAIN_MS, 0);
}

/* The server is well: the others need not wait for their timers. */
static void connect_more(struct sl_adder *adder)
{
    for (size_t i = 0; i < SL_ADDER_LINES; i++)
        if (!adder->lines[i].db)
            connect_line(&adder->lines[i]);
}

/* --- a batch --- */

/* A job that was added in spite of a lost connection is found by its key. No client's key begins
 * like one that is made here. */
static bool give_key(struct sl_request *add)
{
    unsigned char bytes[16];
    if (add->key)
        return true;
    add->key = sl_malloc(2 * sizeof(bytes) + 2, 1);
    if (!add->key)
        return false;
    add->own_key = true;
    add->key[0] = '\x01'; /* not printable */
    sl_random_bytes(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(add->key + 1 + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void give_back(struct sl_adder *adder, struct sl_request *request, bool failed)
{
    while (request) {
        struct sl_request *next = request->next;
        if (failed || request->rc < 0) {
            sl_request_reset(request);
            adder->options.failed(adder->options.user, request);
        } else {
            adder->options.added(adder->options.user, request);
        }
        request = next;
    }
}

/* The batch is over: `rc` is take_posted()'s. */
static void end_batch(struct line *line, int rc)
{
    struct sl_adder *adder = line->adder;
    struct sl_request *batch = line->batch;
    uint64_t took_ns = sl_clock_ns() - line->began_ns;
    size_t count = line->count;
    uv_timer_stop(&line->timer);
    if (!line->asks)
        sl_job_table_end_adds(batch, count, line->adds);
    if (rc == 1 && line->asks) {
        send_batch(line);
        return;
    }
    line->batch = NULL;
    adder->expected = adder->under_way + adder->waits;
    adder->under_way -= count;
    adder->took_ns = took_ns;
    if (rc == 1)
        adder->options.took(adder->options.user, took_ns);
    give_back(adder, batch, rc < 0);
}

/* Asks the socket for what is needed. A lost connection is made anew after a pause, since a server
 * may let in and close at once. */
static void look_after(struct line *line)
{
    bool writes;
    if (!line->db)
        return;
    int socket = line->db->kind->socket(line->db, &writes);
    while (socket < 0 && line->batch) /* it was lost while it was asked */
        end_batch(line, line->db->kind->take_posted(line->db));
    if (socket < 0) {
        disconnect(line);
        uv_timer_start(&line->timer, on_timer, LOOK_MS, 0);
    } else if (writes != line->writes) {
        line->writes = writes;
        uv_poll_start(line->poll, writes ? UV_READABLE | UV_WRITABLE : UV_READABLE, on_ready);
    }
}

static void go_on(struct line *line)
{
    struct sl_adder *adder = line->adder;
    int rc = line->db->kind->take_posted(line->db);
    while (rc != 0 && line->batch) {
        end_batch(line, rc);
        rc = line->batch ? line->db->kind->take_posted(line->db) : 0;
    }
    if (adder->closing)
        end_line(line);
    else
        look_after(line);
    feed(adder);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status; /* a failure shows in what is read */
    (void)events;
    go_on(poll->data);
}

static void on_timer(uv_timer_t *timer)
{
    struct line *line = timer->data;
    if (line->db)
        go_on(line);
    else if (!line->connecting)
        connect_line(line);
}

/* Sends the line's batch, or asks for the time by which it is added. */
static void send_batch(struct line *line)
{
    struct sl_database *db = line->db;
    uint64_t now_ms = 0;
    bool asked = line->asks;
    db->kind->begin_posted(db, &now_ms);
    line->asks = now_ms == 0 && !asked;
    for (struct sl_request *add = line->batch; add; add = add->next) {
        add->host = line->adder->options.host;
        add->now_ms = now_ms;
        add->again = add->again || !line->asks;
        add->rc = now_ms == 0 && asked ? -EAGAIN : give_key(add) ? 0 : -ENOMEM;
    }
    if (!line->asks)
        sl_job_table_begin_adds(line->batch, line->count, db, line->adds);
    db->kind->send_posted(db, !line->asks);
    uv_timer_start(&line->timer, on_timer, LOOK_MS, LOOK_MS);
}

/* --- those that wait --- */

static bool is_free(const struct line *line)
{
    return line->db && !line->batch;
}

/* The connections that are free share what waits: one sends while the server syncs for another. */
static size_t share(const struct sl_adder *adder)
{
    size_t lines = 0;
    for (size_t i = 0; i < SL_ADDER_LINES; i++)
        lines += is_free(&adder->lines[i]);
    size_t jobs = (adder->waits + lines - 1) / lines;
    return jobs < SL_STATEMENTS_TOGETHER ? jobs : SL_STATEMENTS_TOGETHER;
}

static void begin_batch(struct line *line)
{
    struct sl_adder *adder = line->adder;
    line->batch = sl_request_queue_take_first(&adder->waiting, share(adder), &line->count);
    adder->waits -= line->count;
    adder->under_way += line->count;
    line->asks = false;
    line->began_ns = sl_clock_ns();
    send_batch(line);
    look_after(line); /* the answer is read when the loop says that it is there */
}

static struct line *free_line(struct sl_adder *adder)
{
    for (size_t i = 0; i < SL_ADDER_LINES; i++)
        if (is_free(&adder->lines[i]))
            return &adder->lines[i];
    return NULL;
}

static void on_gathered(uv_timer_t *timer)
{
    struct sl_adder *adder = timer->data;
    struct line *line = adder->waits > 0 ? free_line(adder) : NULL;
    if (line)
        begin_batch(line);
    feed(adder);
}

/* Clients that the last batch answered come back at once, and the first of them would begin the
 * next one without the others: a sync costs the same for one as for all. */
static bool are_enough(const struct sl_adder *adder)
{
    size_t part = adder->under_way > 0 ? EXPECTED_PART_BESIDE : EXPECTED_PART;
    return adder->waits >= (adder->expected + part - 1) / part;
}

static uint64_t gather_ms(const struct sl_adder *adder)
{
    uint64_t part_ms = adder->took_ns / GATHER_PART / NS_A_MS;
    return part_ms < 1 ? 1 : part_ms < GATHER_MS ? part_ms : GATHER_MS;
}

/* Begins a batch after this turn of the loop if enough jobs wait, else in a while. */
static void gather(struct sl_adder *adder)
{
    bool enough = are_enough(adder);
    if (enough || !uv_is_active((uv_handle_t *)&adder->gather))
        uv_timer_start(&adder->gather, on_gathered, enough ? 0 : gather_ms(adder), 0);
}

/* Begins batches where connections are free; gives all back where there is none. */
static void feed(struct sl_adder *adder)
{
    struct line *line = NULL;
    if (!sl_adder_is_there(adder)) {
        adder->waits = 0;
        give_back(adder, sl_request_queue_take_all(&adder->waiting), true);
    }
    while (adder->waits > 0 && (line = free_line(adder)) != NULL && are_enough(adder)) {
        uv_timer_stop(&adder->gather);
        begin_batch(line);
    }
    if (adder->waits > 0 && line)
        gather(adder);
}

bool sl_adder_is_there(const struct sl_adder *adder)
{
    for (size_t i = 0; i < SL_ADDER_LINES; i++)
        if (adder->lines[i].db)
            return true;
    return false;
}

void sl_adder_add(struct sl_adder *adder, struct sl_request *request)
{
    sl_request_queue_append(&adder->waiting, request);
    adder->waits++;
    gather(adder); /* and begins nothing here: the answer may be there at once */
}

/* --- life --- */

int sl_adder_new(uv_loop_t *loop, const struct sl_adder_options *options, struct sl_adder **out)
{
    struct sl_adder *adder = sl_calloc(1, sizeof(*adder));
    if (!adder)
        return -ENOMEM;
    adder->options = *options;
    adder->loop = loop;
    sl_request_queue_init(&adder->waiting);
    uv_timer_init(loop, &adder->gather); /* cannot fail */
    adder->gather.data = adder;
    adder->open_handles = 1 + SL_ADDER_LINES;
    for (size_t i = 0; i < SL_ADDER_LINES; i++) {
        adder->lines[i].adder = adder;
        uv_timer_init(loop, &adder->lines[i].timer);
        adder->lines[i].timer.data = &adder->lines[i];
        connect_line(&adder->lines[i]);
    }
    *out = adder;
    return 0;
}

void sl_adder_close(struct sl_adder *adder, void (*closed)(void *user), void *user)
{
    adder->closing = true;
    adder->closed = closed;
    adder->closed_user = user;
    adder->waits = 0;
    give_back(adder, sl_request_queue_take_all(&adder->waiting), true);
    uv_close((uv_handle_t *)&adder->gather, on_closed);
    for (size_t i = 0; i < SL_ADDER_LINES; i++)
        end_line(&adder->lines[i]);
}
