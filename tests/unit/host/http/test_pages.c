/* tests/unit/host/http/test_pages.c */
#include "host/http/pages.h"

#include <string.h>

#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(...) sl_http_case_curl(__VA_ARGS__, (char *)NULL)

static void has(const struct sl_http_case *bench, const char *text)
{
    if (!strstr(bench->output, text))
        fail_msg("no '%s' in: %s", text, bench->output);
}

TEST(an_empty_lab_says_how_to_begin)
{
    static struct sl_http_case bench;
    sl_http_case_open(&bench, 0, 0);
    assert_int_equal(CURL(&bench, false, "/"), 200);
    has(&bench, "content-type: text/html; charset=utf-8");
    has(&bench, "frame-ancestors 'none'");
    has(&bench, "The lab takes jobs");
    has(&bench, "sme2lab submit MODEL.pte");
    has(&bench, "sme2lab run MODEL.pte");
    assert_int_equal(CURL(&bench, false, "/series"), 200);
    has(&bench, "Each run of a model joins or begins one.");
    sl_http_case_close(&bench);
}

TEST(a_queued_job_has_a_page)
{
    static struct sl_http_case bench;
    sl_http_case_open(&bench, 0, 0);
    assert_int_equal(CURL(&bench, false, "/api/v1/jobs", "-H", "Content-Type: application/json",
                          "-d", "{\"model\":\"" SL_HTTP_CASE_MODEL "\"}"),
                     201);
    assert_int_equal(CURL(&bench, false, "/jobs"), 200);
    has(&bench, "<a href=\"/jobs/1\">1</a>");
    assert_int_equal(CURL(&bench, false, "/jobs?state=done"), 200);
    has(&bench, "None.");
    assert_int_equal(CURL(&bench, false, "/jobs/1"), 200);
    has(&bench, SL_HTTP_CASE_MODEL);
    assert_int_equal(CURL(&bench, false, "/jobs/2"), 404);
    assert_int_equal(CURL(&bench, false, "/runs/1"), 404);
    assert_int_equal(CURL(&bench, false, "/runs?cursor=a"), 400);
    assert_int_equal(CURL(&bench, false, "/series/0123456789abcdef"), 404);
    assert_int_equal(CURL(&bench, true, "/"), 401);
    has(&bench, "www-authenticate: Basic realm=");
    sl_http_case_close(&bench);
}
