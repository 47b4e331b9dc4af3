/* host/http/reply.c */
#include "host/http/reply.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "host/http/connection.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/pass_file.h"
#include "host/http/range.h"
#include "host/job/lab.h"
#include "host/store/store.h"

enum {
    RETRY_AFTER_S = 1,
    TAG_BYTES = 64,
    PACK_FROM_BYTES = 1024,     /* below it nothing is gained */
    PACK_AT_ONCE = 256 << 10,   /* bytes of a body between two looks at the loop */
    PACK_PIECE_BYTES = 8 << 10, /* of a file */
    PASS_AT_ONCE = 1 << 20,     /* bytes of a file in a turn of the loop: others are served too */
    PASS_LAST = 4 << 10,        /* the end of a file, whose way out is waited for */
    CHUNK_HEAD = 6,             /* "1a2b\r\n" */
    CHUNKS_END = 7,             /* "\r\n0\r\n\r\n" */
};

static void answer(struct sl_http_exchange *exchange, int status, const char *content_type,
                   uint64_t length)
{
    assert(!exchange->turn.answered);
    exchange->turn.answered = true;
    exchange->status = status;
    exchange->content_type = content_type;
    exchange->length = length;
    if (exchange->turn.connection)
        sl_http_connection_write(exchange->turn.connection);
}

static bool is_text(const char *content_type)
{
    static const char *const types[] = {"application/json", "application/openmetrics-text",
                                        "application/yaml", "text/csv",
                                        "text/html",        "text/markdown",
                                        "text/plain"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strncmp(content_type, types[i], strlen(types[i])) == 0)
            return true;
    }
    return false;
}

/* How a body of this type and size goes over the wire. What a client is given once, a token say,
 * answers no GET and is never packed: its size says nothing about it. */
static void choose_coding(struct sl_http_exchange *exchange, const char *content_type,
                          uint64_t size)
{
    char accepted[SL_HTTP_VALUE_BYTES], range[SL_HTTP_VALUE_BYTES];
    if (size < PACK_FROM_BYTES || !is_text(content_type) ||
        !(exchange->method & (SL_HTTP_GET | SL_HTTP_HEAD)))
        return;
    sl_http_reply_header(exchange, "vary", "accept-encoding");
    if (exchange->head.minor == 0 || sl_http_header(exchange, "range", range, sizeof(range)) != 0 ||
        range[0] || sl_http_header(exchange, "accept-encoding", accepted, sizeof(accepted)) < 0)
        return;
    enum sl_http_coding coding = sl_http_coding_choose(accepted);
    struct sl_http *http = exchange->http;
    if (coding == SL_HTTP_PLAIN || http->packers >= SL_HTTP_MAX_PACKERS ||
        sl_http_packer_new(coding, size, &exchange->packer) < 0)
        return;
    http->packers++;
    exchange->coding = coding;
}

void sl_http_reply_buf(struct sl_http_exchange *exchange, int status, const char *content_type,
                       struct sl_buf *body)
{
    sl_buf_fini(&exchange->out);
    exchange->out = *body;
    sl_buf_init(body, 0);
    if (status == 200)
        choose_coding(exchange, content_type, exchange->out.size);
    answer(exchange, status, content_type, exchange->out.size);
}

void sl_http_json_begin(struct sl_http_json *text, size_t limit)
{
    sl_buf_init(&text->body, limit);
    sl_json_init(&text->json, &text->body);
}

void sl_http_reply_page(struct sl_http_exchange *exchange, struct sl_buf *body)
{
    sl_http_reply_header(exchange, "cache-control", "no-store");
    sl_http_reply_header(exchange, "content-security-policy", "frame-ancestors 'none'");
    sl_http_reply_header(exchange, "referrer-policy", "same-origin");
    sl_http_reply_buf(exchange, 200, "text/html; charset=utf-8", body);
}

void sl_http_reply_json(struct sl_http_exchange *exchange, int status, struct sl_http_json *text)
{
    if (text->json.error < 0) {
        sl_buf_fini(&text->body);
        sl_http_problem_of(exchange, text->json.error, NULL);
        return;
    }
    sl_http_reply_buf(exchange, status, "application/json", &text->body);
}

bool sl_http_reply_due(struct sl_http_exchange *exchange, int rc)
{
    if (!sl_http_exchange_settle(exchange))
        return false;
    if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
    return rc >= 0;
}

/* A file is another one when it was written again: under a new inode, or at another time. Its bytes
 * on the wire are others in each coding. */
static void tag_of(const struct stat *info, enum sl_http_coding coding, char out[TAG_BYTES])
{
    snprintf(out, TAG_BYTES, "\"%llx-%llx-%llx%s%s\"", (unsigned long long)info->st_ino,
             (unsigned long long)info->st_size,
             (unsigned long long)info->st_mtim.tv_sec * 1000000000ull +
                 (unsigned long long)info->st_mtim.tv_nsec,
             coding == SL_HTTP_PLAIN ? "" : "-", sl_http_coding_name(coding));
}

/* The part that is asked for, unless it is of another file than the client has the rest of. */
static enum sl_http_range part_of(struct sl_http_exchange *exchange, const char *tag, uint64_t size,
                                  uint64_t *first, uint64_t *last)
{
    char range[SL_HTTP_VALUE_BYTES], held[SL_HTTP_VALUE_BYTES];
    if (exchange->method != SL_HTTP_GET ||
        sl_http_header(exchange, "range", range, sizeof(range)) < 0 ||
        sl_http_header(exchange, "if-range", held, sizeof(held)) < 0 ||
        (held[0] && strcmp(held, tag) != 0))
        return SL_HTTP_RANGE_ALL;
    return sl_http_range_read(range, size, first, last);
}

void sl_http_reply_file(struct sl_http_exchange *exchange, const char *content_type, int file,
                        uint64_t size)
{
    char tag[TAG_BYTES] = "", held[SL_HTTP_VALUE_BYTES];
    uint64_t first = 0, last = 0;
    struct stat info;
    exchange->file = file;
    choose_coding(exchange, content_type, size);
    if (fstat(file, &info) == 0)
        tag_of(&info, exchange->coding, tag);
    if (tag[0])
        sl_http_reply_header(exchange, "etag", "%s", tag);
    sl_http_reply_header(exchange, "accept-ranges", "bytes");
    if (tag[0] && sl_http_header(exchange, "if-none-match", held, sizeof(held)) == 0 &&
        sl_http_tag_is_in(held, tag)) {
        answer(exchange, 304, NULL, size);
        return;
    }
    switch (part_of(exchange, tag, size, &first, &last)) {
    case SL_HTTP_RANGE_PART:
        exchange->file_first = first;
        sl_http_reply_header(exchange, "content-range", "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
                             first, last, size);
        answer(exchange, 206, content_type, last - first + 1);
        return;
    case SL_HTTP_RANGE_NONE:
        close(file);
        exchange->file = -1;
        sl_http_reply_header(exchange, "content-range", "bytes */%" PRIu64, size);
        sl_http_problem(exchange, 416, "no-such-range", "ask for less, or for all",
                        "the file has %" PRIu64 " bytes", size);
        return;
    default:
        answer(exchange, 200, content_type, size);
    }
}

void sl_http_reply_empty(struct sl_http_exchange *exchange, int status, uint64_t length)
{
    answer(exchange, status, NULL, length);
}

void sl_http_reply_header(struct sl_http_exchange *exchange, const char *name, const char *value,
                          ...)
{
    char text[SL_PATH_BYTES];
    va_list args;
    va_start(args, value);
    vsnprintf(text, sizeof(text), value, args);
    va_end(args);
    for (char *c = text; *c; c++) {
        if (*c < ' ' || *c > '~')
            *c = '?'; /* nothing may end the line early */
    }
    sl_buf_printf(&exchange->headers, "%s: %s\r\n", name, text);
}

const char *sl_http_status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].status == status)
            return texts[i].text;
    }
    return "Error";
}

void sl_http_problem(struct sl_http_exchange *exchange, int status, const char *type,
                     const char *hint, const char *detail, ...)
{
    char words[512], name[96];
    struct sl_buf body;
    struct sl_json json;
    va_list args;
    va_start(args, detail);
    vsnprintf(words, sizeof(words), detail, args);
    va_end(args);
    snprintf(name, sizeof(name), "urn:sme2lab:problem:%s", type);
    sl_buf_init(&body, 8192);
    sl_json_init(&json, &body);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "type", name);
    sl_json_text(&json, "title", sl_http_status_text(status));
    sl_json_i64(&json, "status", status);
    sl_json_text(&json, "detail", words);
    if (hint[0])
        sl_json_text(&json, "hint", hint);
    sl_json_close_object(&json);
    if (exchange->turn.close_after || status == 401 || status == 403)
        sl_http_refusal_tell(&exchange->http->clients.refusals, uv_now(exchange->http->loop),
                             status, exchange->path, words);
    if (status == 429 || status == 503)
        sl_http_reply_header(exchange, "retry-after", "%d", RETRY_AFTER_S);
    if (status == 401) {
        sl_http_reply_header(exchange, "www-authenticate", "Bearer realm=\"sme2lab\"");
        if (exchange->method & (SL_HTTP_GET | SL_HTTP_HEAD)) /* a browser asks its user */
            sl_http_reply_header(exchange, "www-authenticate",
                                 "Basic realm=\"sme2lab: any name, a token as the password\"");
    }
    sl_http_reply_buf(exchange, status, "application/problem+json", &body);
}

/* A file system that was made read-only stops uploads before the store has anything to write. Each
 * change is logged once. */
static int look_at_state(struct sl_http *http)
{
    const char *state = sl_lab_state_dir(http->lab);
    int rc = access(state, W_OK) < 0 ? -errno : 0;
    if (rc < 0 && rc != http->state_trouble)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("state_not_writable"), SL_LOG_TEXT("path", state),
               SL_LOG_REASON(sl_strerror(rc)));
    else if (rc == 0 && http->state_trouble < 0)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("state_writable_again"), SL_LOG_TEXT("path", state));
    http->state_trouble = rc;
    return rc;
}

bool sl_http_store_problem(struct sl_http_exchange *exchange)
{
    char why[SL_STORE_WHY_BYTES];
    int health = sl_store_health(sl_lab_store(exchange->http->lab), why);
    int state = look_at_state(exchange->http);
    if (health < 0)
        sl_http_problem(exchange, 503, "not-ready",
                        health == SL_E_FORMAT ? "start sme2labd once with --rebuild"
                        : health == -ENOTCONN ? "start the store's server; the daemon looks for it"
                                              : "read the daemon's log",
                        "the store cannot do its work: %s", why);
    else if (state < 0)
        sl_http_problem(exchange, 503, "not-ready",
                        "make the daemon's state directory writable again",
                        "the state cannot be written: %s", sl_strerror(state));
    return health < 0 || state < 0;
}

const char sl_http_room_hint[] =
    "'sme2lab gc --older-than 4w' removes old runs; or give the disk more room, or change "
    "\"disk\" or \"retention\" in the daemon's configuration";

bool sl_http_directory_problem(struct sl_http_exchange *exchange)
{
    const char *gone = sl_store_gone_directory(sl_lab_store(exchange->http->lab));
    if (gone)
        sl_http_problem(exchange, 503, strcmp(gone, "runs") == 0 ? "runs-gone" : "blobs-gone",
                        "mount it again",
                        "'%s' of the state directory is not the directory that this daemon began "
                        "with",
                        gone);
    return gone != NULL;
}

void sl_http_problem_absent(struct sl_http_exchange *exchange)
{
    static const char root[] = "/api/v1/";
    bool api = strncmp(exchange->path, root, sizeof(root) - 1) == 0; /* else it is a page's path */
    const char *kind = exchange->path + (api ? sizeof(root) - 1 : 1);
    int len = (int)strcspn(kind, "/");
    bool many = len > 1 && kind[len - 1] == 's' && strncmp(kind, "series", (size_t)len) != 0;
    char hint[SL_HTTP_PATH_BYTES + 32];
    snprintf(hint, sizeof(hint), "GET %s%.*s lists them", root, len, kind);
    sl_http_problem(exchange, 404, "not-found", hint, "there is no %.*s %.80s", len - many, kind,
                    exchange->param[0]);
}

void sl_http_problem_of(struct sl_http_exchange *exchange, int rc, const struct sl_diag *diag)
{
    static const struct {
        int code, status;
        const char *type;
    } codes[] = {
        {SL_E_NOT_FOUND, 404, "not-found"},
        {SL_E_FORMAT, 422, "invalid"},
        {SL_E_LIMIT, 413, "too-large"},
        {SL_E_FULL, 503, "busy"},
        {SL_E_STATE, 503, "not-now"},
        {SL_E_MISMATCH, 409, "mismatch"},
        {SL_E_UNSUPPORTED, 422, "unsupported"},
        {-ENOSPC, 507, "disk-full"},
        {-EDQUOT, 507, "disk-full"},
        {-EROFS, 503, "not-ready"},
        {-ENOTCONN, 503, "not-ready"},
        {-EAGAIN, 503, "busy"},
        {-ENOMEM, 503, "busy"},
    };
    /* A damaged store is not the client's fault. */
    bool of_store = !(diag && diag->what[0]) &&
                    (rc == SL_E_FORMAT || rc == -EIO || rc == -EROFS || rc == -ENOTCONN);
    if (of_store && sl_http_store_problem(exchange))
        return;
    if (rc == SL_E_NOT_FOUND && !(diag && diag->what[0])) {
        sl_http_problem_absent(exchange);
        return;
    }
    const char *detail = diag && diag->what[0] ? diag->what : sl_strerror(rc);
    const char *where = diag ? diag->where : "", *hint = diag ? diag->hint : "";
    int status = 500;
    const char *type = "internal";
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (codes[i].code == rc) {
            status = codes[i].status;
            type = codes[i].type;
        }
    }
    sl_http_problem(exchange, status, type, hint, "%s%s%s", where, where[0] ? ": " : "", detail);
}

/* The status line and headers into `head`. */
static int write_head(struct sl_http_exchange *exchange, struct sl_buf *head)
{
    int rc = sl_buf_printf(
        head, "HTTP/1.1 %d %s\r\nserver: sme2labd/" SL_VERSION "\r\nrequest-id: %" PRIu64 "\r\n",
        exchange->status, sl_http_status_text(exchange->status), exchange->number);
    if (rc == 0 && exchange->content_type)
        rc = sl_buf_printf(head, "content-type: %s\r\n", exchange->content_type);
    bool endless = exchange->source && exchange->length == 0;
    if (rc == 0 && endless)
        rc = sl_buf_printf(head, "cache-control: no-store\r\n");
    if (rc == 0 && exchange->packer && exchange->content_type)
        rc = sl_buf_printf(head, "content-encoding: %s\r\ntransfer-encoding: chunked\r\n",
                           sl_http_coding_name(exchange->coding));
    else if (rc == 0 && !endless && exchange->status != 204 && exchange->status != 304)
        rc = sl_buf_printf(head, "content-length: %" PRIu64 "\r\n", exchange->length);
    if (rc == 0 && (exchange->turn.close_after || exchange->turn.client_closes))
        rc = sl_buf_printf(head, "connection: close\r\n");
    if (rc == 0)
        rc = sl_buf_printf(head, "x-content-type-options: nosniff\r\n");
    if (rc == 0 && exchange->headers.size > 0)
        rc = sl_buf_append(head, exchange->headers.data, exchange->headers.size);
    return rc == 0 ? sl_buf_append(head, "\r\n", 2) : rc;
}

/* Up to `room` bytes of the body to `at`: how many, or -errno. */
static ssize_t read_body(struct sl_http_exchange *exchange, uint8_t *at, size_t room)
{
    uint64_t left = exchange->length - exchange->sent;
    size_t wanted = left < room ? (size_t)left : room;
    if (exchange->file < 0) {
        if (wanted > 0)
            memcpy(at, exchange->out.data + exchange->sent, wanted);
        return (ssize_t)wanted;
    }
    ssize_t n = pread(exchange->file, at, wanted, (off_t)(exchange->file_first + exchange->sent));
    if (n < 0)
        return -errno;
    return n == 0 && wanted > 0 ? SL_E_TRUNCATED : n; /* the file shrank: the client must see it */
}

/* The next bytes of the body and, as PACK_END or not, whether they are its last; or -errno. */
static int peek_body(struct sl_http_exchange *exchange, uint8_t piece[PACK_PIECE_BYTES],
                     struct sl_bytes *out, enum sl_http_pack *out_how)
{
    uint64_t left = exchange->length - exchange->sent;
    ssize_t n = left < PACK_AT_ONCE ? (ssize_t)left : PACK_AT_ONCE;
    if (exchange->file >= 0)
        n = read_body(exchange, piece, PACK_PIECE_BYTES);
    if (n < 0)
        return (int)n;
    *out = (struct sl_bytes){exchange->file >= 0 ? piece : exchange->out.data + exchange->sent,
                             (size_t)n};
    *out_how = (uint64_t)n == left ? SL_HTTP_PACK_END : SL_HTTP_PACK_MORE;
    return 0;
}

/* Packs until there is something to send and either the room or a turn of the loop is used up. */
static int pack_body(struct sl_http_exchange *exchange, uint8_t *at, size_t room, bool *out_last)
{
    uint8_t piece[PACK_PIECE_BYTES];
    uint64_t first = exchange->sent;
    size_t used = 0;
    while (used < room && !*out_last && (used == 0 || exchange->sent - first < PACK_AT_ONCE)) {
        struct sl_bytes plain;
        enum sl_http_pack how;
        bool done = false;
        int rc = peek_body(exchange, piece, &plain, &how);
        if (rc < 0)
            return rc;
        size_t there = plain.size;
        if (how == SL_HTTP_PACK_MORE && exchange->sent - first >= PACK_AT_ONCE)
            how = SL_HTTP_PACK_FLUSH;
        rc = sl_http_packer_take(exchange->packer, &plain, how, at + used, room - used, &done);
        if (rc < 0)
            return rc;
        used += (size_t)rc;
        exchange->sent += there - plain.size;
        *out_last = done && how == SL_HTTP_PACK_END;
    }
    return (int)used;
}

/* The same as a chunk of the body, of which the last ends it. */
static int next_packed(struct sl_http_exchange *exchange, uint8_t *at, size_t room, bool *out_last)
{
    char head[CHUNK_HEAD + 1];
    if (room < 4 * CHUNKS_END)
        return 0; /* the head took it all */
    int len = pack_body(exchange, at + CHUNK_HEAD, room - CHUNK_HEAD - CHUNKS_END, out_last);
    if (len < 0)
        return len;
    assert(len > 0); /* an empty chunk would be the body's end */
    snprintf(head, sizeof(head), "%04x\r\n", (unsigned)len);
    memcpy(at, head, CHUNK_HEAD);
    size_t end = *out_last ? CHUNKS_END : 2;
    memcpy(at + CHUNK_HEAD + len, "\r\n0\r\n\r\n", end);
    return CHUNK_HEAD + len + (int)end;
}

int sl_http_reply_next(struct sl_http_exchange *exchange, uint8_t *at, size_t room, bool *out_last)
{
    size_t used = 0;
    if (!exchange->head_sent) {
        struct sl_buf head;
        sl_buf_init(&head, room);
        int rc = write_head(exchange, &head);
        used = head.size;
        if (rc == 0)
            memcpy(at, head.data, used);
        sl_buf_fini(&head);
        if (rc < 0)
            return rc;
        exchange->head_sent = true;
    }
    if (exchange->method == SL_HTTP_HEAD || (!exchange->content_type && !exchange->source)) {
        *out_last = true;
        return (int)used;
    }
    if (exchange->source)
        return (int)(used + exchange->source->take(exchange->source_user, at + used, room - used,
                                                   out_last));
    if (exchange->packer) {
        int len = next_packed(exchange, at + used, room - used, out_last);
        return len < 0 ? len : (int)used + len;
    }
    ssize_t n = read_body(exchange, at + used, room - used);
    if (n < 0)
        return (int)n;
    exchange->sent += (uint64_t)n;
    *out_last = exchange->sent == exchange->length;
    return (int)(used + (size_t)n);
}

size_t sl_http_reply_pass(struct sl_http_exchange *exchange, int socket)
{
    uint64_t left = exchange->length - exchange->sent;
    if (exchange->file < 0 || exchange->packer || exchange->source || !exchange->head_sent ||
        exchange->method == SL_HTTP_HEAD || left <= PASS_LAST)
        return 0;
    size_t most = left - PASS_LAST < PASS_AT_ONCE ? (size_t)(left - PASS_LAST) : PASS_AT_ONCE;
    int64_t n =
        sl_http_pass_file(socket, exchange->file, exchange->file_first + exchange->sent, most);
    if (n <= 0)
        return 0;
    exchange->sent += (uint64_t)n;
    return (size_t)n;
}
