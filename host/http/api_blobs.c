/* host/http/api_blobs.c: PUT and HEAD /api/v1/blobs/{sha256}. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"

enum { SWEEP_EVERY_MS = 3600 * 1000, DISCARD_MAX_BYTES = 16 << 20 };

static const char name_hint[] = "name it by the 64 lower-case digits that sha256sum prints";

void sl_api_blobs_sweep(struct sl_http *http)
{
    uint64_t now_ms = uv_now(http->loop);
    if (http->swept_ms != 0 && now_ms - http->swept_ms < SWEEP_EVERY_MS)
        return;
    http->swept_ms = now_ms + 1; /* never 0 */
    size_t count = sl_blobs_sweep(&http->blobs, SL_BLOBS_KEEP_PARTIAL_S);
    if (count > 0)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("partial_uploads_removed"), SL_LOG_NUMBER("count", count));
}

static void refuse_name(struct sl_http_exchange *exchange)
{
    sl_http_problem(exchange, 422, "invalid", name_hint, "'%.80s' is not a SHA-256",
                    exchange->param[0]);
}

static void created(struct sl_http_exchange *exchange, int status)
{
    sl_http_reply_header(exchange, "location", "/api/v1/blobs/%s", exchange->param[0]);
    sl_http_reply_empty(exchange, status, 0);
}

/* Reads the begin of the body, from Upload-Offset, or from Content-Range with the total. */
static int read_offset(const struct sl_http_exchange *exchange, uint64_t *offset, uint64_t *total)
{
    char value[SL_HTTP_VALUE_BYTES];
    unsigned long long first, last, all;
    int used = 0;
    *offset = *total = 0;
    if (sl_http_header(exchange, "upload-offset", value, sizeof(value)) < 0)
        return SL_E_FORMAT;
    if (value[0])
        return sl_http_number(value, offset) ? 0 : SL_E_FORMAT;
    if (sl_http_header(exchange, "content-range", value, sizeof(value)) < 0)
        return SL_E_FORMAT;
    if (!value[0])
        return 0;
    if (strlen(value) > 60 || strchr(value, '-') == NULL ||
        sscanf(value, "bytes %19llu-%19llu/%19llu%n", &first, &last, &all, &used) != 3 ||
        value[used] || last < first || last >= all || last - first + 1 != exchange->body_bytes)
        return SL_E_FORMAT;
    *offset = first;
    *total = all;
    return 0;
}

/* Refused before its body was read: a short one is read away, a long one ends the connection. */
static void skip_body(struct sl_http_exchange *exchange)
{
    if (exchange->expects_continue || exchange->body_bytes > DISCARD_MAX_BYTES)
        exchange->turn.close_after = true;
}

static void begin(struct sl_http_exchange *exchange, uint64_t offset)
{
    sl_api_blobs_sweep(exchange->http);
    int rc = sl_blob_upload_new(&exchange->http->blobs, exchange->param[0], offset,
                                exchange->http->max_blob_bytes, &exchange->upload);
    if (rc == 0)
        return;
    skip_body(exchange);
    if (rc == SL_E_STATE)
        sl_http_problem(exchange, 409, "conflict", "wait for it, or ask with HEAD when it is there",
                        "another upload of this blob is under way");
    else if (rc == SL_E_MISMATCH)
        sl_http_problem(exchange, 409, "wrong-offset", "ask for Upload-Offset with HEAD",
                        "fewer than %" PRIu64 " bytes of this blob are here", offset);
    else
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_blob_put(struct sl_http_exchange *exchange)
{
    uint64_t size, offset, limit = exchange->http->max_blob_bytes;
    const char *name = exchange->param[0];
    if (!sl_blobs_name_ok(name)) {
        skip_body(exchange);
        refuse_name(exchange);
    } else if (sl_blobs_touch(&exchange->http->blobs, name, &size) == 0) {
        skip_body(exchange);
        created(exchange, 200);
    } else if (sl_http_directory_problem(exchange)) {
        skip_body(exchange);
    } else if (read_offset(exchange, &offset, &exchange->upload_total) < 0) {
        skip_body(exchange);
        sl_http_problem(exchange, 400, "bad-header",
                        "send Upload-Offset: N, or Content-Range: bytes FIRST-LAST/ALL",
                        "it is not clear where this part of the blob begins");
    } else if (offset > limit || exchange->body_bytes > limit - offset ||
               exchange->upload_total > limit) {
        skip_body(exchange);
        sl_http_problem(exchange, 413, "too-large", "", "a blob may have %" PRIu64 " bytes at most",
                        limit);
    } else {
        begin(exchange, offset);
    }
}

void sl_api_blob_piece(struct sl_http_exchange *exchange, const void *bytes, size_t len)
{
    int rc = sl_blob_upload_append(exchange->upload, bytes, len);
    if (rc < 0) {
        exchange->turn.close_after = true;
        sl_http_problem_of(exchange, rc, NULL);
    }
}

struct finishing {
    uv_work_t work;
    struct sl_http_exchange *exchange;
    struct sl_blob_upload *upload; /* owned meanwhile */
    int rc;
};

static void finish_work(uv_work_t *work)
{
    struct finishing *finishing = work->data;
    finishing->rc = sl_blob_upload_finish(finishing->upload);
}

static void finish_done(uv_work_t *work, int status)
{
    struct finishing *finishing = work->data;
    struct sl_http_exchange *exchange = finishing->exchange;
    int rc = status < 0 ? status : finishing->rc;
    sl_blob_upload_free(finishing->upload);
    sl_free(finishing);
    if (!sl_http_exchange_settle(exchange))
        return;
    if (rc == 0)
        created(exchange, 201);
    else if (rc == SL_E_MISMATCH)
        sl_http_problem(exchange, 422, "wrong-digest", "send the file again from its start",
                        "the bytes are not those of this SHA-256; they were removed");
    else
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_blob_end(struct sl_http_exchange *exchange)
{
    uint64_t offset = sl_blob_upload_offset(exchange->upload);
    if (exchange->upload_total > offset) {
        sl_http_reply_header(exchange, "upload-offset", "%" PRIu64, offset);
        sl_http_reply_empty(exchange, 202, 0);
        return;
    }
    struct finishing *finishing = sl_calloc(1, sizeof(*finishing));
    int rc = -ENOMEM;
    if (finishing) {
        *finishing = (struct finishing){.exchange = exchange, .upload = exchange->upload};
        finishing->work.data = finishing;
        rc = uv_queue_work(exchange->http->loop, &finishing->work, finish_work, finish_done);
    }
    if (rc < 0) {
        sl_free(finishing);
        sl_http_problem_of(exchange, rc, NULL);
        return;
    }
    exchange->upload = NULL;
    sl_http_exchange_owe(exchange);
}

void sl_api_blob_head(struct sl_http_exchange *exchange)
{
    uint64_t size;
    const struct sl_blobs *blobs = &exchange->http->blobs;
    if (!sl_blobs_name_ok(exchange->param[0])) {
        refuse_name(exchange);
        return;
    }
    if (sl_blobs_touch(blobs, exchange->param[0], &size) == 0) {
        sl_http_reply_header(exchange, "upload-offset", "%" PRIu64, size);
        sl_http_reply_empty(exchange, 200, size);
        return;
    }
    if (sl_blobs_size(blobs, exchange->param[0], true, &size) == 0)
        sl_http_reply_header(exchange, "upload-offset", "%" PRIu64, size);
    sl_http_problem(exchange, 404, "not-found", "PUT it", "no blob of this SHA-256 is here");
}

void sl_api_blob_get(struct sl_http_exchange *exchange)
{
    char path[SL_PATH_BYTES];
    uint64_t size = 0;
    const struct sl_blobs *blobs = &exchange->http->blobs;
    if (!sl_blobs_name_ok(exchange->param[0])) {
        refuse_name(exchange);
        return;
    }
    int rc = sl_blobs_touch(blobs, exchange->param[0], &size);
    if (rc == 0)
        rc = sl_blobs_path(blobs, exchange->param[0], path);
    int file = rc < 0 ? rc : open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (rc == SL_E_NOT_FOUND)
        sl_http_problem(exchange, 404, "not-found", "PUT it", "no blob of this SHA-256 is here");
    else if (file < 0)
        sl_http_problem_of(exchange, rc < 0 ? rc : -errno, NULL);
    else
        sl_http_reply_file(exchange, "application/octet-stream", file, size);
}
