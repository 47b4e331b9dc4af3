/* host/http/exchange.h: one request and its answer. It outlives its connection when the store or a
 * worker thread still owes it something. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "host/http/chunked.h"
#include "host/http/coding.h"
#include "host/http/connection.h"
#include "host/http/head.h"
#include "host/http/target.h"
#include "host/records.h"

struct cJSON;
struct sl_blob_upload;
struct sl_diag;
struct sl_http_route;

enum sl_http_method {
    SL_HTTP_UNKNOWN = 0,
    SL_HTTP_GET = 1,
    SL_HTTP_HEAD = 2,
    SL_HTTP_POST = 4,
    SL_HTTP_PUT = 8,
    SL_HTTP_DELETE = 16,
    SL_HTTP_OTHER = 32, /* known, and nothing here takes it */
};

enum { SL_HTTP_PARAM_BYTES = 512, SL_HTTP_VALUE_BYTES = 160 };

/* An answer that is written while it is sent; with a length of 0 it has no end of its own. */
struct sl_http_stream_source {
    /* Copies as much as is there and fits into `room`; returns the bytes, and whether they are the
     * last. */
    size_t (*take)(void *user, uint8_t *at, size_t room, bool *out_last);
    void (*free)(void *user);
};

/* Who asks. */
struct sl_http_who {
    uint32_t scopes;          /* SL_SCOPE_ bits */
    uint32_t max_jobs;        /* open at a time; 0: any number */
    char name[SL_NAME_BYTES]; /* a token's, or "uid:N"; "": not known */
};

struct sl_http_exchange {
    struct sl_http_turn turn; /* first: what its connection sees of it */
    struct sl_http_who who;
    struct sl_http *http; /* borrowed */
    uint64_t number;      /* in the log, and in the answer's head */
    unsigned owed;        /* answers of store and worker that still come */
    bool finished;
    bool has_place; /* by the name of `who` */
    /* the request */
    char *head_text; /* owned; `head` and `query` point into it */
    struct sl_http_head head;
    int method; /* enum sl_http_method */
    char path[SL_HTTP_PATH_BYTES];
    const char *query; /* NULL: none */
    const struct sl_http_route *route;
    char param[2][SL_HTTP_PARAM_BYTES]; /* of the route's pattern */
    bool has_body, has_length, chunked; /* the body's length is known beforehand, or not */
    bool expects_continue;
    uint64_t body_bytes, body_left; /* in all (in chunks: so far); still to come */
    struct sl_http_chunks chunks;
    uint64_t started_ms;           /* of the loop's clock */
    struct sl_buf body;            /* JSON only */
    struct sl_blob_upload *upload; /* owned; NULL but while a blob comes */
    uint64_t upload_total;         /* 0: the body is all that is missing */
    /* the answer */
    int status;
    const char *content_type;   /* static; NULL: no body */
    struct sl_buf headers, out; /* further header lines, each with its CRLF; the body */
    int file;                   /* -1, or the body's, owned */
    uint64_t file_first;        /* where in it the body begins */
    uint64_t length, sent;      /* of the body */
    bool head_sent;
    enum sl_http_coding coding;                 /* of the body on the wire */
    struct sl_http_packer *packer;              /* owned; NULL: as it is */
    const struct sl_http_stream_source *source; /* NULL: the answer is all there */
    void *source_user;                          /* owned */
};

/* A request begins. NULL when memory is short. */
struct sl_http_exchange *sl_http_exchange_new(struct sl_http *http,
                                              struct sl_http_connection *connection);

/* The client has gone or all is said. Frees it at once, or when nothing is owed any more. */
void sl_http_exchange_end(struct sl_http_exchange *exchange);

/* Between these two the exchange is not freed. `settle` gives false when the client has gone: touch
 * nothing after it then. */
void sl_http_exchange_owe(struct sl_http_exchange *exchange);
bool sl_http_exchange_settle(struct sl_http_exchange *exchange);

/* A header's value, 0 and "" when absent; -1: too long, not printable, or there twice. `name` is
 * lower-case. */
int sl_http_header(const struct sl_http_exchange *exchange, const char *name, char *out,
                   size_t size);
/* A parameter of the query, the same way. */
int sl_http_query(const struct sl_http_exchange *exchange, const char *name, char *out,
                  size_t size);

/* Does the query name the parameter, with a value or without? */
bool sl_http_query_names(const struct sl_http_exchange *exchange, const char *name);
/* A parameter that is a number up to INT64_MAX: true, and `out` stays as it is when absent. */
bool sl_http_query_number(const struct sl_http_exchange *exchange, const char *name, uint64_t *out);

/* The body as a JSON document, to end with sl_json_doc_free(); errors as of sl_json_doc_parse(). */
int sl_http_body_json(const struct sl_http_exchange *exchange, struct cJSON **out,
                      struct sl_diag *diag);

/* Decimal digits and nothing else: true, and the number. */
bool sl_http_number(const char *text, uint64_t *out);
