/* host/cli/client.h: requests to the daemon, one at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"

struct cJSON;
struct sl_cli;
struct sl_diag;
struct sl_client; /* one thread at a time */

enum { SL_CLIENT_MAX_ANSWER = 64 << 20, SL_CLIENT_PATH_BYTES = 1024 };

/* The daemon that --server and $SME2LAB_SERVER name, with the token in the file that --token-file
 * or $SME2LAB_TOKEN_FILE names; its certificate is to be trusted by those of --cacert or
 * $SME2LAB_CACERT, or else by the system's. Nothing is sent. 0 or a code with `diag` set. */
int sl_client_open(const struct sl_cli *cli, struct sl_client **out, struct sl_diag *diag);

/* The same for a verb about what there is: where no daemon is named and none listens, the private
 * one (private_daemon.h), unless the store of another is there and it has never run; "--server
 * private" is always that one. */
int sl_client_open_any(const struct sl_cli *cli, struct sl_client **out, struct sl_diag *diag);

/* The private daemon, started if need be. */
struct sl_private_daemon;
int sl_client_open_private(const struct sl_cli *cli, const struct sl_private_daemon *daemon,
                           struct sl_client **out, struct sl_diag *diag);

/* A private daemon that is gone is started again: 0 when it listens, SL_E_UNSUPPORTED for any other
 * daemon. */
int sl_client_revive(struct sl_client *client, struct sl_diag *diag);

/* Returns the option that finds this daemon: "" or " --server unix:...". Borrowed. */
const char *sl_client_hint(const struct sl_client *client);
void sl_client_free(struct sl_client *client); /* NULL is a no-op */

struct sl_client_request {
    const char *method;          /* "GET" */
    const char *path;            /* with its query: "/api/v1/jobs?limit=5" */
    const char *json;            /* the body, or NULL */
    const char *idempotency_key; /* NULL: none. With it a lost answer is asked for again */
    int file;                    /* method PUT: the body, from its offset on */
    uint64_t file_bytes;
    uint64_t upload_offset; /* of the file's first byte sent in the blob */
    uint32_t stall_s;       /* the request fails after so long without a byte; 0: a minute */
    void (*progress)(void *user, uint64_t sent, uint64_t total); /* may be NULL */
    void *user;
};

struct sl_answer {
    long status;
    uint64_t upload_offset; /* of the answer's header; 0: none. Filled in any case */
    struct sl_buf body;     /* owned; end it with sl_buf_fini() */
};

/* 0 for a status of 2xx, with `out` filled. Else nothing is left in `out` but the status (0: no
 * answer), and `diag` says why: the problem document's words and sl_problem_code(), or
 * -ECONNREFUSED (not reachable), -ETIMEDOUT, -EPROTO, -EINTR, SL_E_LIMIT, -ENOMEM. */
int sl_client_send(struct sl_client *client, const struct sl_client_request *request,
                   struct sl_answer *out, struct sl_diag *diag);

/* Sends a request that makes something: its number is the answer's "id". `made` is the sentence for
 * an answer without one. */
int sl_client_make(struct sl_client *client, const struct sl_client_request *request,
                   const char *made, uint64_t *out_id, struct sl_diag *diag);

/* GET into a file, from where it stands. 0 with its size, or as sl_client_send(). */
int sl_client_download(struct sl_client *client, const char *path, int file, uint64_t *out_bytes,
                       struct sl_diag *diag);

/* GET: `out_text` (may be NULL) takes the body over; `out` (may be NULL) is the same parsed, to end
 * with cJSON_Delete(). */
int sl_client_get(struct sl_client *client, const char *path, struct sl_buf *out_text,
                  struct cJSON **out, struct sl_diag *diag);

/* Is it the daemon that `sme2lab run` starts for itself? */
bool sl_client_is_private(const struct sl_client *client);

/* As a user would name the daemon. */
const char *sl_client_server(const struct sl_client *client);

/* A fresh easy handle with address, token and limits of time for connecting set; `headers` (struct
 * curl_slist *, moves, may be NULL) are added to. For stream.c. NULL: -ENOMEM. */
struct sl_client_call {
    void *curl;    /* CURL * */
    void *headers; /* struct curl_slist * */
    char path[SL_CLIENT_PATH_BYTES];
};
int sl_client_call_init(struct sl_client_call *call, struct sl_client *client, const char *path);
int sl_client_call_header(struct sl_client_call *call, const char *line);
void sl_client_call_fini(struct sl_client_call *call);
/* The words and the code for a CURLcode that is not CURLE_OK. */
int sl_client_call_failed(const struct sl_client *client, const char *path, int result,
                          struct sl_diag *diag);
