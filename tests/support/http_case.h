/* tests/support/http_case.h: a server over a real lab and a real store in a fresh directory, and
 * clients of it: curl, and bare sockets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "host/http/server.h"
#include "host/job/lab.h"
#include "host/store/store.h"

#define SL_CASE_OTHER_TOKEN "sl_other" /* the other host shows it */

enum {
    SL_CASE_OUTPUT_BYTES = 1 << 20,
    SL_CASE_MAX_ARGS = 32,
    SL_CASE_PATIENCE_MS = 30000 /* for what must come, on however busy a machine */
};

/* A digest that may be a model's. */
#define SL_HTTP_CASE_MODEL "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

struct sl_http_case {
    uv_loop_t loop;
    struct sl_store *store;
    struct sl_lab *lab;
    struct sl_http *http;
    char folder[64], socket[96], url[64]; /* url: of the TCP listener */
    bool opened, http_closed, lab_closed, store_closed;
    uint64_t started_job;      /* by the runner */
    struct sl_kept_list *kept; /* see sl_http_case_keep() */
    int reached;               /* what a device that is asked to forget gives */
    int cancelled;
    /* curl's last answer */
    int status; /* of HTTP; 0: none */
    int exit_code;
    char *output; /* headers and body, terminated */
    size_t output_size;
    const char *body; /* in output */
};

/* Asserts on failure. `max_blob_bytes` and `timeout_s` as in struct sl_http_options. */
void sl_http_case_open(struct sl_http_case *bench, uint64_t max_blob_bytes, unsigned timeout_s);
/* The same beside the host "other", which is reached there and has the runs 7 and 8, whose
 * directories are not here. */
void sl_http_case_open_beside(struct sl_http_case *bench, const char *url);
/* The same, and it asks others over TLS alone. */
void sl_http_case_open_sealed(struct sl_http_case *bench, const char *url);
/* Until then a server answers 503 where it asks for a token; that of the case has got there. */
void sl_http_case_await_tokens(struct sl_http_case *bench, const struct sl_http *http);
/* Closes all; asserts that the loop has no handle left. */
void sl_http_case_close(struct sl_http_case *bench);
void sl_http_case_close_http(struct sl_http_case *bench); /* the server alone; before the rest */

/* Runs curl with the arguments (up to NULL) and the loop until it ends. `path` is joined to the
 * socket's address, or to the TCP one. Gives the status. */
int sl_http_case_curl(struct sl_http_case *bench, bool tcp, const char *path, ...);

/* Puts an ended job and a run of it into the store, and a copy of the files below `folder` (NULL: a
 * log alone) into the run's directory. Returns the run's number. */
uint64_t sl_http_case_add_run(struct sl_http_case *bench, const struct sl_run_record *run,
                              const char *folder);

/* From here on each device keeps results 7, of which it is known what was asked for, and 8, until
 * they are forgotten. */
void sl_http_case_keep(struct sl_http_case *bench);

/* A connection of its own to the Unix socket, not blocking. */
int sl_http_case_connect(struct sl_http_case *bench);
/* Runs the loop until `fd` has brought `wanted` (terminated text, somewhere in all it brought,
 * which is kept in bench->output), or its end, or the time is up: 1, 0 or -1. */
int sl_http_case_await(struct sl_http_case *bench, int fd, const char *wanted, unsigned timeout_ms);
void sl_http_case_send(int fd, const char *text);
void sl_http_case_spin(struct sl_http_case *bench, unsigned ms);
/* Runs the loop until it is so; false when that takes longer than SL_CASE_PATIENCE_MS. */
bool sl_http_case_until(struct sl_http_case *bench, bool (*is_so)(void));
