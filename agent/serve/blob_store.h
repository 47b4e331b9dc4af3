/* agent/serve/blob_store.h: the blobs of a working directory, and those that a host is sending.
 *
 * A blob lies in <workdir>/blobs under its SHA-256, and only there once all its bytes were found to
 * have it; until then it is NAME.part, which survives a lost link, the agent and a crash. The
 * directory is bounded: the blobs that were used longest ago give way, never one that was offered
 * since the last sl_blob_store_release(). On the loop's thread; hashing is not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct Sme2lab__Proto__BlobChunk Sme2lab__Proto__BlobChunk;
typedef struct Sme2lab__Proto__BlobOffer Sme2lab__Proto__BlobOffer;
typedef struct Sme2lab__Proto__BlobState Sme2lab__Proto__BlobState;
struct sl_blob_store;

enum {
    SL_BLOB_NAME_BYTES = 65,
    SL_BLOB_CHUNK_BYTES = 256 << 10, /* at most, in a message */
    SL_BLOB_MAX_HELD = 128,          /* offered names that do not give way */
};

/* Takes a state to tell the host, borrowed for the call. It is called from within offer and take,
 * or from the loop. */
typedef void (*sl_blob_state_fn)(void *user, const Sme2lab__Proto__BlobState *state);

/* `workdir` is copied; its folder blobs exists. 0, -ENOMEM or -ENAMETOOLONG. */
int sl_blob_store_new(uv_loop_t *loop, const char *workdir, uint64_t max_bytes,
                      sl_blob_state_fn state, void *user, struct sl_blob_store **out);

/* Both are answered by a state: what is here, or why it cannot be taken. */
void sl_blob_store_offer(struct sl_blob_store *store, const Sme2lab__Proto__BlobOffer *offer);
void sl_blob_store_take(struct sl_blob_store *store, const Sme2lab__Proto__BlobChunk *chunk);

/* NULL is a no-op to both. The link is lost, or another host's: what was begun stays for an offer
 * to come. */
void sl_blob_store_stop(struct sl_blob_store *store);
/* Is a file of that name in blobs/ for a job that was offered it and is not over? */
bool sl_blob_store_needs(const struct sl_blob_store *store, const char *name);
/* The job that the offers were for is over. */
void sl_blob_store_release(struct sl_blob_store *store);

/* Ends it; `closed` comes last, from the loop or at once. NULL: `closed` alone. */
void sl_blob_store_close(struct sl_blob_store *store, void (*closed)(void *user), void *user);
