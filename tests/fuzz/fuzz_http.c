/* tests/fuzz/fuzz_http.c: what the HTTP handlers read from clients: bodies of POST /jobs and
 * /tokens, paths, numbers and Authorization. The first byte chooses. */
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/auth.h"
#include "host/http/router.h"
#include "host/http/submission.h"

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
    if (sl_auth_role(&auth, text, 1) != 0 && !strstr(text, "foo"))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_http_submission submission;
    struct sl_http_token_wish wish;
    struct sl_diag diag = {0};
    if (size == 0)
        return 0;
    struct sl_bytes rest = {data + 1, size - 1};
    char *text = sl_strndup((const char *)rest.data, rest.size);
    switch (data[0]) {
    case 'j':
        if (sl_http_submission_read(rest, &submission, &diag) == SL_E_FORMAT && !diag.what[0])
            __builtin_trap();
        break;
    case 't':
        if (sl_http_token_wish_read(rest, &wish, &diag) == 0 && (wish.role == 0 || !wish.name[0]))
            __builtin_trap();
        break;
    case 'p':
        read_path(text);
        break;
    default:
        read_authorization(text);
    }
    sl_free(text);
    return 0;
}
