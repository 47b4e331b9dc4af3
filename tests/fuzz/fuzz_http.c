/* tests/fuzz/fuzz_http.c: what the HTTP server reads from clients: heads, targets, chunks, bodies
 * of POST /tokens, paths, numbers and Authorization. The first byte chooses. */
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/auth.h"
#include "host/http/chunked.h"
#include "host/http/coding.h"
#include "host/http/head.h"
#include "host/http/range.h"
#include "host/http/router.h"
#include "host/http/target.h"
#include "host/http/token_wish.h"

static void read_range(const char *text)
{
    for (uint64_t size = 0; size < 200; size += 50) {
        uint64_t first = 0, last = 0;
        if (sl_http_range_read(text, size, &first, &last) == SL_HTTP_RANGE_PART &&
            (last < first || last >= size))
            __builtin_trap();
    }
    if (sl_http_tag_is_in(text, "\"tag\"") && !strstr(text, "\"tag\"") && strcmp(text, "*") != 0)
        __builtin_trap();
    if (sl_http_coding_choose(text) == SL_HTTP_ZSTD && !strpbrk(text, "zZ"))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_path(const char *text)
{
    char param[2][SL_HTTP_PARAM_BYTES];
    int methods;
    uint64_t number;
    for (int method = SL_HTTP_GET; method <= SL_HTTP_DELETE; method *= 2) {
        const struct sl_http_route *route = sl_http_find_route(method, text, param, &methods);
        if (route && (strlen(param[0]) >= SL_HTTP_PARAM_BYTES || !route->handler))
            __builtin_trap();
    }
    sl_http_number(text, &number);
}

static void read_authorization(const char *text)
{
    static const char known[] =
        "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"; /* of "foo" */
    struct sl_token_record token = {.role = SL_TOKEN_READ};
    struct sl_auth auth = {.tokens = &token, .count = 1, .loaded = true};
    memcpy(token.sha256, known, sizeof(known));
    if (sl_auth_find(&auth, text, false, 1) && !strstr(text, "foo"))
        __builtin_trap();
    sl_auth_find(&auth, text, true, 1);
}

static void read_target(const char *method, const char *target)
{
    char path[SL_HTTP_PATH_BYTES], value[32];
    const char *query = NULL, *why = NULL;
    int rc = sl_http_target_read(method, target, path, &query, &why);
    if (rc == -400 && !why)
        __builtin_trap();
    if (rc == 0 && sl_http_query_find(query, "a", value, sizeof(value)) >= (int)sizeof(value))
        __builtin_trap();
}

/* However the bytes come, byte by byte or at once, their head is the same one. */
static void read_head(struct sl_bytes bytes)
{
    struct sl_http_head_scan slow = {0}, fast = {0};
    struct sl_http_head head;
    const char *why = NULL;
    int at_once = sl_http_head_find(&fast, bytes.data, bytes.size), rc = 0;
    for (size_t i = 1; rc == 0 && i <= bytes.size; i++)
        rc = sl_http_head_find(&slow, bytes.data, i);
    if (rc != at_once || rc > (int)bytes.size)
        __builtin_trap();
    if (rc <= 0)
        return;
    char *text = sl_strndup((const char *)bytes.data, (size_t)rc);
    rc = sl_http_head_read(text, (size_t)rc, &head, &why);
    if (rc < 0 && !why)
        __builtin_trap();
    if (rc == 0)
        read_target(head.method, head.target);
    for (size_t i = 0; rc == 0 && i < head.count; i++)
        sl_http_head_field(&head, head.fields[i].name);
    sl_free(text);
}

/* The same for a body: *out_sum tells one content from another. */
static int read_chunks(struct sl_bytes bytes, size_t step, uint64_t *out_sum)
{
    struct sl_http_chunks chunks = {0};
    struct sl_bytes piece;
    size_t at = 0;
    *out_sum = 0;
    while (at < bytes.size && !chunks.ended) {
        size_t left = bytes.size - at;
        struct sl_bytes some = {bytes.data + at, left < step ? left : step};
        int taken = sl_http_chunks_take(&chunks, some, &piece);
        if (taken < 0)
            return -1;
        if (taken == 0 || (size_t)taken > some.size || piece.size > (size_t)taken)
            __builtin_trap();
        for (size_t i = 0; i < piece.size; i++)
            *out_sum = *out_sum * 31 + piece.data[i] + 1;
        at += (size_t)taken;
    }
    return chunks.ended;
}

static void read_body(struct sl_bytes bytes)
{
    uint64_t slow, fast;
    int rc = read_chunks(bytes, 1, &slow);
    if (read_chunks(bytes, bytes.size, &fast) != rc || (rc >= 0 && slow != fast))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_http_token_wish wish;
    struct sl_diag diag = {0};
    if (size == 0)
        return 0;
    struct sl_bytes rest = {data + 1, size - 1};
    char *text = sl_strndup((const char *)rest.data, rest.size);
    switch (data[0]) {
    case 't':
        if (sl_http_token_wish_read(rest, &wish, &diag) == 0 && (wish.scopes == 0 || !wish.name[0]))
            __builtin_trap();
        break;
    case 'p':
        read_path(text);
        break;
    case 'h':
        read_head(rest);
        break;
    case 'g':
        read_target("GET", text);
        break;
    case 'c':
        read_body(rest);
        break;
    case 'r':
        read_range(text);
        break;
    default:
        read_authorization(text);
    }
    sl_free(text);
    return 0;
}
