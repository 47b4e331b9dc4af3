/* tests/unit/host/http/test_auth.c */
#include <string.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/auth.h"
#include "tests/support/unit.h"

static uint32_t scopes_of(const struct sl_auth *auth, const char *header, uint64_t now_ms)
{
    const struct sl_token_record *token = sl_auth_find(auth, header, false, now_ms);
    return token ? sl_auth_scopes(token) : 0;
}

TEST(a_token_is_the_one_of_its_digest_alone)
{
    char token[SL_AUTH_TOKEN_BYTES], sha256[SL_DIGEST_BYTES], other[SL_DIGEST_BYTES], header[128];
    sl_auth_make(token, other);
    sl_auth_make(token, sha256);
    snprintf(header, sizeof(header), "Bearer %s", token);
    assert_true(sl_auth_is(header, sha256));
    assert_false(sl_auth_is(header, other));
    assert_false(sl_auth_is(header, ""));
    assert_false(sl_auth_is(token, sha256));
    assert_false(sl_auth_is("Bearer ", ""));
}

TEST(a_made_token_gives_its_scopes_until_it_expires)
{
    struct sl_auth auth = {0};
    struct sl_token_record tokens[2] = {{.role = SL_TOKEN_ADMIN},
                                        {.scopes = "read,cancel-any", .expires_ms = 1000}};
    char text[2][SL_AUTH_TOKEN_BYTES], header[128];
    for (size_t i = 0; i < 2; i++)
        sl_auth_make(text[i], tokens[i].sha256);
    assert_string_not_equal(text[0], text[1]);
    assert_false(auth.loaded);
    assert_int_equal(sl_auth_set(&auth, tokens, 2), 0);
    assert_true(auth.loaded);
    snprintf(header, sizeof(header), "Bearer %s", text[0]);
    assert_int_equal(scopes_of(&auth, header, 5000), sl_scopes_of_role(SL_TOKEN_ADMIN));
    snprintf(header, sizeof(header), "bearer  %s", text[1]);
    assert_int_equal(scopes_of(&auth, header, 999), SL_SCOPE_READ | SL_SCOPE_CANCEL_ANY);
    assert_int_equal(scopes_of(&auth, header, 1000), 0);
    snprintf(header, sizeof(header), "Bearer %s", tokens[0].sha256); /* the hash is no key */
    assert_int_equal(scopes_of(&auth, header, 0), 0);
    snprintf(header, sizeof(header), "Basic %s", text[0]);
    assert_int_equal(scopes_of(&auth, header, 0), 0);
    snprintf(header, sizeof(header), "Bearer %.60s", text[0]);
    assert_int_equal(scopes_of(&auth, header, 0), 0);
    assert_int_equal(scopes_of(&auth, "", 0), 0);
    assert_int_equal(sl_auth_set(&auth, NULL, 0), 0);
    snprintf(header, sizeof(header), "Bearer %s", text[0]);
    assert_int_equal(scopes_of(&auth, header, 5000), 0);
    sl_auth_fini(&auth);
}

TEST(a_browser_may_send_the_token_as_its_password)
{
    struct sl_auth auth = {0};
    struct sl_token_record token = {.scopes = "read"};
    const char *known = "sl_7e57";
    sl_sha256_hex(known, strlen(known), token.sha256);
    assert_int_equal(sl_auth_set(&auth, &token, 1), 0);
    static const struct {
        const char *header;
        bool known;
    } tries[] = {
        {"Basic bWU6c2xfN2U1Nw==", true},  /* me:sl_7e57 */
        {"basic  OnNsXzdlNTc=", true},     /* :sl_7e57 */
        {"Basic bWU6c2xfN2U1OA==", false}, /* me:sl_7e58 */
        {"Basic c2xfN2U1Nw==", false},     /* no colon */
        {"Basic bWU6c2xfN2U1NwB4", false}, /* what follows a NUL */
        {"Basic bWU6c2xfN2U1Nw", false},   /* not padded */
        {"Basic", false},
        {"Basic !", false},
    };
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        assert_int_equal(sl_auth_find(&auth, tries[i].header, true, 1) != NULL, tries[i].known);
        assert_null(sl_auth_find(&auth, tries[i].header, false, 1));
    }
    assert_non_null(sl_auth_find(&auth, "Bearer sl_7e57", true, 1));
    sl_auth_fini(&auth);
}

TEST(too_many_tokens_or_no_memory_leave_the_old_ones)
{
    struct sl_auth auth = {0};
    struct sl_token_record one = {.role = SL_TOKEN_READ};
    assert_int_equal(sl_auth_set(&auth, &one, 1), 0);
    assert_int_equal(sl_auth_set(&auth, &one, SL_AUTH_MAX_TOKENS + 1), SL_E_LIMIT);
    sl_mem_fail_nth(1);
    assert_true(sl_auth_set(&auth, &one, 1) < 0);
    assert_int_equal(auth.count, 1);
    sl_auth_fini(&auth);
}
