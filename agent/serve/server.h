/* agent/serve/server.h: the agent as a server: one host at a time, one job at a time, finished jobs
 * until they are delivered.
 *
 * A host connects (or is connected to), both prove themselves (and seal what follows, but on a Unix
 * socket), the host says what it has of earlier jobs, and everything that it lacks of these is
 * sent. Jobs that it does not name are another daemon's, or of a state that was lost: they are
 * kept, and it is told of them, until it sends the same job again or says that one may be
 * forgotten. A lost link changes nothing but the sending. A new proven connection replaces the one
 * before. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_address;
struct sl_diag;
struct sl_server;

enum { SL_SERVER_SECRET_FILE_BYTES = 512 }; /* of the path, terminated */

struct sl_server_options {
    const char *workdir;    /* holds blobs/ and jobs/; made if absent */
    const char *self;       /* this program's path */
    const char *probe_json; /* told to a host that has proven itself, and the next three */
    const char *program, *program_sha256;
    bool emulated;         /* the CPU */
    const uint8_t *secret; /* SL_SECRET_BYTES */
    /* Fits into SL_SERVER_SECRET_FILE_BYTES; read again for each connection. NULL: the secret
     * stays. */
    const char *secret_file;
    uint64_t spool_bytes; /* bounds each stream of a job */
    uint64_t blob_bytes;  /* bounds all blobs together */
};

/* Options are copied. Opens the jobs that an earlier agent left. */
int sl_server_new(uv_loop_t *loop, const struct sl_server_options *options, struct sl_server **out,
                  struct sl_diag *diag);

/* Listens; `bound` (may be NULL) is the address that the system chose. Or connects out, again after
 * each loss, with backoff. */
int sl_server_listen(struct sl_server *server, const struct sl_address *address,
                     struct sl_address *bound);
int sl_server_connect(struct sl_server *server, const struct sl_address *address);

/* No host is connected and no job runs: ending it now costs nobody anything. */
bool sl_server_is_idle(const struct sl_server *server);

/* Ends the connection and the running job (which gets its result), then calls `closed` last. */
void sl_server_close(struct sl_server *server, void (*closed)(void *user), void *user);
