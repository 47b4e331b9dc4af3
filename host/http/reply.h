/* host/http/reply.h: answers, from their wording to their last byte on the wire. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/json.h"

struct sl_diag;
struct sl_http_exchange;

/* A body being written. */
struct sl_http_json {
    struct sl_buf body;
    struct sl_json json;
};
void sl_http_json_begin(struct sl_http_json *text, size_t limit);

/* The store has answered what was owed to the exchange. true: it waits for its answer. false: its
 * client has gone, or `rc` was a failure and is answered. */
bool sl_http_reply_due(struct sl_http_exchange *exchange, int rc);

/* Each exchange is answered exactly once by one of the following; sending goes on from the loop. */

/* Text of 1024 bytes and more goes out packed (coding.h), with another ETag, to a GET that accepts
 * it; parts of files and streams of events do not. */

/* Takes the text over from `body` (also when it fails to be sent). */
void sl_http_reply_buf(struct sl_http_exchange *exchange, int status, const char *content_type,
                       struct sl_buf *body);
/* The same for a page of the dashboard: it is not kept, not framed, and links from it stay here. */
void sl_http_reply_page(struct sl_http_exchange *exchange, struct sl_buf *body);
/* Answers with the written text, or with a problem if writing failed. Takes the text over. */
void sl_http_reply_json(struct sl_http_exchange *exchange, int status, struct sl_http_json *text);
/* Takes the descriptor over. With an ETag; 304 where the client has it, 206 where it asks for a
 * part, 416 where there is no such part. */
void sl_http_reply_file(struct sl_http_exchange *exchange, const char *content_type, int file,
                        uint64_t size);
/* No body; `length` is what HEAD says of one. */
void sl_http_reply_empty(struct sl_http_exchange *exchange, int status, uint64_t length);

/* A problem document (RFC 9457). `type` is a word, `hint` may be "". */
__attribute__((format(printf, 5, 6))) void sl_http_problem(struct sl_http_exchange *exchange,
                                                           int status, const char *type,
                                                           const char *hint, const char *detail,
                                                           ...);
/* Answers 503 if the store cannot do its work, or the state's directory cannot be written; false:
 * all is well, and nothing is answered. */
bool sl_http_store_problem(struct sl_http_exchange *exchange);
/* The fix where the disk has no room. */
extern const char sl_http_room_hint[];
/* Answers 503 if STATE/runs or STATE/blobs is not the directory of the start; false as above. */
bool sl_http_directory_problem(struct sl_http_exchange *exchange);
/* 404: what the path names first is not there, and the list of its kind. */
void sl_http_problem_absent(struct sl_http_exchange *exchange);
/* The problem that an error code stands for; `diag` (may be NULL) has its words, without which
 * SL_E_NOT_FOUND is sl_http_problem_absent(). */
void sl_http_problem_of(struct sl_http_exchange *exchange, int rc, const struct sl_diag *diag);

/* A further header line; before the answer. */
__attribute__((format(printf, 3, 4))) void
sl_http_reply_header(struct sl_http_exchange *exchange, const char *name, const char *value, ...);

/* The next bytes of the answer, to `at`: how many, and whether they are its last; 0 and not the
 * last: a stream has no news. -errno, SL_E_LIMIT or SL_E_TRUNCATED: the connection must be closed.
 * `room` is enough for a head. */
int sl_http_reply_next(struct sl_http_exchange *exchange, uint8_t *at, size_t room, bool *out_last);

/* Passes what the socket has room for of a file that goes out as it is, once its head was sent. The
 * last bytes are left to sl_http_reply_next(), and so is every failure. Returns how many were
 * passed. */
size_t sl_http_reply_pass(struct sl_http_exchange *exchange, int socket);

const char *sl_http_status_text(int status);
