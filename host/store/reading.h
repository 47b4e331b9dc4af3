/* host/store/reading.h: a thread and a connection that answer questions beside the store's own, so
 * that these wait for no commit. What was committed before the question is in the answer. */
#pragma once

struct sl_database;
struct sl_reading;
struct sl_request;

/* Both callbacks come on the thread, and take the request over. */
struct sl_reading_options {
    const char *where;               /* as sl_schema_open() takes it; borrowed */
    const struct sl_database *store; /* the store's own connection; borrowed */
    void (*answered)(void *user, struct sl_request *request);
    /* The database could not be read: the store's own connection is to try it. */
    void (*failed)(void *user, struct sl_request *request);
    void *user;
};

/* Starts the thread, which connects. 0 or a negative code. */
int sl_reading_new(const struct sl_reading_options *options, struct sl_reading **out);

/* Takes the request over until it gives it back; it is one that sl_request_only_reads(). */
void sl_reading_ask(struct sl_reading *reading, struct sl_request *request);

/* Begins no other question. NULL is a no-op, here and below. */
void sl_reading_stop(struct sl_reading *reading);

/* Waits for the question under way, and gives back as failed what was not begun. */
void sl_reading_close(struct sl_reading *reading);
