/* host/device/blob_put.h: a list of blobs onto one device: linked by a thread where a file system
 * is shared, else sent over the session, from where the device has each.
 *
 * On the loop's thread. `done` comes once, from the loop; then it is freed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_blob_put;
struct sl_channel;
struct sl_diag;
struct sl_transport_ops;

enum {
    SL_BLOB_PUT_MAX = 290,           /* those of external runners (plan.h), or of a run */
    SL_BLOB_CHUNK_BYTES = 256 << 10, /* in a message */
    SL_BLOB_WINDOW_BYTES = 2 << 20,  /* sent and not acknowledged */
    SL_BLOB_STALL_MS = 120000,       /* an agent that says nothing for longer is given up */
};

struct sl_blob_put_list {
    const char *store;        /* the folder that has them */
    const char *const *names; /* SHA-256 */
    size_t count;
};

/* The device's answer about the blob that was offered. Texts are borrowed. */
struct sl_blob_put_state {
    const char *sha256, *refusal;
    uint64_t offset;
    bool complete, damaged;
};

typedef void (*sl_blob_put_fn)(void *user, int rc, const struct sl_diag *diag);

/* Everything is copied but the operations. 0, SL_E_LIMIT or -ENOMEM. */
int sl_blob_put_start(uv_loop_t *loop, const struct sl_transport_ops *ops, const char *workdir,
                      const struct sl_blob_put_list *list, sl_blob_put_fn done, void *user,
                      struct sl_blob_put **out);

/* The link came up (offers are made again), or went down (NULL). */
void sl_blob_put_link(struct sl_blob_put *put, struct sl_channel *channel);
void sl_blob_put_state(struct sl_blob_put *put, const struct sl_blob_put_state *state);
void sl_blob_put_writable(struct sl_blob_put *put);

/* `done` follows, with -ECANCELED. Idempotent. */
void sl_blob_put_stop(struct sl_blob_put *put);
