/* tests/unit/host/http/test_api_hosts.c: who shares the store, over HTTP. */
#include <string.h>

#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)

static struct sl_http_case bench;

static int open_case(void **state)
{
    *state = &bench;
    sl_http_case_open(&bench, 0, 0);
    return 0;
}

static int close_case(void **state)
{
    *state = NULL;
    sl_http_case_close(&bench);
    return 0;
}

TEST_WITH(the_host_that_answers_is_there_and_its_devices_are_its_own, open_case, close_case)
{
    assert_int_equal(CURL("/api/v1/hosts"), 200);
    assert_non_null(strstr(bench.body, "{\"hosts\":[{\"name\":\"this\","));
    assert_non_null(strstr(bench.body, "\"here\":true,\"alive\":true}]}"));
    assert_int_equal(CURL("/metrics"), 200);
    assert_non_null(strstr(bench.body, "sme2lab_host_beats_total{answer=\"ok\"} 1\n"));
    assert_non_null(strstr(bench.body, "sme2lab_jobs_taken_over_total 0\n"));
}

TEST_WITH(nothing_can_be_written_there, open_case, close_case)
{
    assert_int_equal(CURL("/api/v1/hosts", "-X", "POST", "-d", "{}"), 405);
    assert_int_equal(CURL("/api/v1/hosts/x"), 404);
}
