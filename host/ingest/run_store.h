/* host/ingest/run_store.h: the streams of one run on disk while they come in: appended at once,
 * synced in groups off the loop, and only then said to be here.
 *
 * <directory>/streams/ holds trace, log, output, files, and `synced`: how much of each survives a
 * crash of this machine. A directory of an earlier daemon is reopened at those lengths. On the
 * loop's thread; no event comes inside the call that asked for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_histogram;
struct sl_ingest;

enum { SL_INGEST_STREAMS = 4 }; /* trace, log, output, files */

struct sl_ingest_events {
    /* More of the streams is durable: sl_ingest_ack() says what. */
    void (*synced)(void *user);
    /* The disk failed: nothing more is taken, nothing of it was said to be here. */
    void (*failed)(void *user, int rc);
};

/* `directory` exists. 0, -ENOMEM, -ENAMETOOLONG or the files' -errno. */
int sl_ingest_open(uv_loop_t *loop, const char *directory, const struct sl_ingest_events *events,
                   void *user, struct sl_ingest **out);

/* From now on, how long bytes took from coming in to being durable, the oldest of each group, goes
 * into `lag`, borrowed until it is closed. NULL: nowhere. */
void sl_ingest_measure(struct sl_ingest *store, struct sl_histogram *lag);

/* Takes a stretch of a stream; what is known already is passed over. SL_E_MISMATCH for a gap or
 * bytes past a declared end, SL_E_LIMIT, SL_E_STATE after a failure, or the file's -errno. */
int sl_ingest_take(struct sl_ingest *store, int stream, uint64_t offset, const void *bytes,
                   size_t len);

/* Declares the lengths of all streams; what is still missing is waited for. SL_E_MISMATCH. */
int sl_ingest_end(struct sl_ingest *store, const uint64_t lengths[SL_INGEST_STREAMS]);

/* True when there is something new to acknowledge. */
bool sl_ingest_ack(struct sl_ingest *store, int stream, uint64_t *out_offset);

/* Returns the durable bytes of each stream. */
void sl_ingest_synced(const struct sl_ingest *store, uint64_t out[SL_INGEST_STREAMS]);

bool sl_ingest_full(const struct sl_ingest *store);     /* the link should not be read */
bool sl_ingest_complete(const struct sl_ingest *store); /* all declared ends are durable */

/* The file of a stream. */
void sl_ingest_path(const char *directory, int stream, char *out, size_t size);

/* Waits for a sync under way, closes the files, then calls `closed`. They stay. */
void sl_ingest_close(struct sl_ingest *store, void (*closed)(void *user), void *user);
