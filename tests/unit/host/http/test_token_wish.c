/* tests/unit/host/http/test_token_wish.c */
#include "host/http/token_wish.h"

#include "common/base/error.h"
#include "tests/support/unit.h"

static struct sl_diag diag;

static int read_wish(const char *body, struct sl_http_token_wish *out)
{
    diag = (struct sl_diag){.what = ""};
    return sl_http_token_wish_read((struct sl_bytes){(const uint8_t *)body, strlen(body)}, out,
                                   &diag);
}

TEST(a_wish_is_read_and_its_role_is_read_where_none_is_named)
{
    struct sl_http_token_wish wish;
    assert_int_equal(read_wish("{\"name\":\"ci\",\"role\":\"submit\",\"expires_in_s\":60}", &wish),
                     0);
    assert_string_equal(wish.name, "ci");
    assert_int_equal(wish.scopes, SL_SCOPE_READ | SL_SCOPE_SUBMIT);
    assert_int_equal(wish.expires_in_s, 60);
    assert_int_equal(read_wish("{\"name\":\"a\"}", &wish), 0);
    assert_int_equal(wish.scopes, SL_SCOPE_READ);
    assert_int_equal(wish.max_jobs, 0);
    assert_int_equal(
        read_wish("{\"name\":\"a\",\"scopes\":\"cancel-any,read\",\"max_jobs\":3}", &wish), 0);
    assert_int_equal(wish.scopes, SL_SCOPE_READ | SL_SCOPE_CANCEL_ANY);
    assert_int_equal(wish.max_jobs, 3);
    assert_int_equal(wish.expires_in_s, 0);
}

TEST(what_is_no_wish_is_refused_with_its_place_and_leaves_the_output_alone)
{
    static const struct {
        const char *body, *where, *what;
    } cases[] = {
        {"", "body:1:1", "no JSON"},
        {"[]", "/", "object"},
        {"{}", "/name", "needs a name"},
        {"{\"name\":\"\"}", "/name", "not empty"},
        {"{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123\"}", "/name",
         "64 bytes, more than 63"},
        {"{\"name\":\"a\",\"role\":\"root\"}", "/role", "read, submit or admin"},
        {"{\"name\":\"a\",\"role\":\"administrators!!\"}", "/role", "more than 15"},
        {"{\"name\":\"a\",\"expires_in_s\":0}", "/expires_in_s", "from 1 to"},
        {"{\"name\":\"a\",\"expires_in_s\":1.5}", "/expires_in_s", "whole"},
        {"{\"name\":\"a\",\"scope\":1}", "/scope", "no key"},
        {"{\"name\":\"a\",\"scopes\":\"read,all\"}", "/scopes", "runner-code"},
        {"{\"name\":\"a\",\"role\":\"read\",\"scopes\":\"read\"}", "/scopes", "not both"},
        {"{\"name\":\"a\\nb\"}", "/name", "control characters"},
        {"{\"name\":\"uid:0\"}", "/name", "Unix socket"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_http_token_wish wish = {.scopes = 77};
        assert_int_equal(read_wish(cases[i].body, &wish), SL_E_FORMAT);
        if (strcmp(diag.where, cases[i].where) != 0 || !strstr(diag.what, cases[i].what))
            fail_msg("%s: %s: %s", cases[i].body, diag.where, diag.what);
        assert_int_equal(wish.scopes, 77);
    }
}
