/* tests/unit/host/http/test_api_compare.c: runs of the store compared over HTTP, by the daemon's
 * own comparison of finished run directories. */
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/daemon/compare_runs.h"
#include "host/daemon/job_kit.h"
#include "host/http/context.h"
#include "tests/support/http_case.h"
#include "tests/support/run_case.h"
#include "tests/support/unit.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)
#define CALIBRATE(device, body)                                                                    \
    CURL("/api/v1/devices/" device "/calibrate", "-H", "Content-Type: application/json", "-d", body)

static struct sl_http_case bench;
static struct sl_kit kit;
static void *run_case;

/* With runs 1 and 2, of "phone", and run 3, whose files are gone. */
static int open_all(void **state)
{
    struct sl_diag diag = {.what = ""};
    struct sl_run_record run = {.started_ms = 1795392000000, .device_kind = SL_DEVICE_LOCAL};
    *state = &bench;
    sl_http_case_open(&bench, 0, 0);
    assert_int_equal(sl_kit_init(&kit, "lab", &diag), 0);
    bench.http->compare = (struct sl_http_comparer){sl_compare_runs, &kit};
    assert_int_equal(sl_run_case_begin_finished(&run_case), 0);
    const char *folder = ((struct sl_run_case *)run_case)->folder;
    snprintf(run.model, sizeof(run.model), "net");
    snprintf(run.device, sizeof(run.device), "phone");
    assert_int_equal(sl_http_case_add_run(&bench, &run, folder), 1);
    assert_int_equal(sl_http_case_add_run(&bench, &run, folder), 2);
    assert_int_equal(sl_http_case_add_run(&bench, &run, NULL), 3);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sl_run_case_end(&run_case);
    sl_http_case_close(&bench);
    sl_kit_fini(&kit);
    return 0;
}

TEST_GROUP(open_all, close_all);

static void says(const char *text)
{
    if (!strstr(bench.body, text))
        fail_msg("no '%s' in: %s", text, bench.output);
}

TEST(two_runs_are_compared_by_the_variant_that_is_asked_for)
{
    assert_int_equal(CURL("/api/v1/compare?baseline=1&candidate=2"), 200);
    says("\"schema\":\"sme2lab.comparison/");
    says("runs/1"); /* and not where its files lie */
    assert_null(strstr(bench.body, bench.folder));
    assert_int_equal(CURL("/api/v1/compare?baseline=1&candidate=2&variant=off"), 200);
    says("\"schema\":\"sme2lab.comparison/");
}

TEST(one_run_is_off_against_on)
{
    assert_int_equal(CURL("/api/v1/compare?baseline=1&candidate=1"), 200);
    says("\"factor\":{\"name\":\"sme2\",");
    says("\"ratio\":4,");
}

TEST(a_comparison_of_what_is_no_run_names_the_side)
{
    static const struct {
        const char *path;
        int status;
        const char *word;
    } cases[] = {
        {"/api/v1/compare?baseline=1&candidate=9", 404, "candidate: there is no run 9"},
        {"/api/v1/compare?baseline=9&candidate=1", 404, "baseline: there is no run 9"},
        {"/api/v1/compare?baseline=1", 400, "say ?baseline=ID&candidate=ID"},
        {"/api/v1/compare?baseline=0&candidate=1", 400, "numbers of runs"},
        {"/api/v1/compare?baseline=1&candidate=18446744073709551615", 400, "numbers of runs"},
        {"/api/v1/compare?baseline=1&candidate=2&variant=both", 400, "variant is off or on"},
        {"/api/v1/combined?runs=1", 400, "say ?runs=ID,ID"},
        {"/api/v1/combined?runs=1,1", 400, "the numbers of two runs"},
        {"/api/v1/combined?runs=1,9", 404, "there is no run 9"},
        {"/api/v1/runs/9/trace.perfetto", 404, "there is no run 9"},
        {"/api/v1/runs/x/trace.perfetto", 404, "not-found"},
        {"/api/v1/runs/1/trace.perfetto?variant=both", 400, "variant is off or on"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(CURL(cases[i].path), cases[i].status);
        says(cases[i].word);
    }
    assert_int_equal(CURL("/api/v1/compare?baseline=1&candidate=3"), 404);
}

TEST(two_runs_stand_side_by_side_as_json_and_as_a_page)
{
    assert_int_equal(CURL("/api/v1/combined?runs=1,2"), 200);
    says("\"schema\":\"sme2lab.");
    assert_int_equal(CURL("/combined?runs=1,2"), 200);
    assert_non_null(strstr(bench.output, "content-type: text/html"));
    says("<title>Combined report</title>");
    says("4.000");
}

TEST(a_trace_is_of_the_variant_that_is_asked_for)
{
    assert_int_equal(CURL("/api/v1/runs/1/trace.perfetto"), 200);
    assert_non_null(strstr(bench.output, "content-type: application/octet-stream"));
    size_t on = bench.output_size;
    assert_int_equal(CURL("/api/v1/runs/1/trace.perfetto?variant=off"), 200);
    assert_true(on > 200 && bench.output_size > 200);
}

TEST(a_noise_floor_is_of_a_run_of_that_very_device)
{
    assert_int_equal(CALIBRATE("phone", "{\"run\":1}"), 404); /* it was never probed */
    says("the manifest does not say which device this is of");
    assert_int_equal(CALIBRATE("box", "{\"run\":1}"), 422);
    says("run 1 is of the device phone");
    assert_int_equal(CALIBRATE("phone", "{\"run\":9}"), 404);
    says("there is no run 9");
    assert_int_equal(CALIBRATE("phone", "{\"run\":\"1\"}"), 422);
    assert_int_equal(CALIBRATE("phone", "{}"), 422);
    assert_int_equal(CALIBRATE("nobody", "{\"run\":1}"), 404);
}

TEST(a_server_without_a_comparison_says_so)
{
    const struct sl_http_comparer own = bench.http->compare;
    bench.http->compare.call = NULL;
    assert_int_equal(CURL("/api/v1/compare?baseline=1&candidate=2"), 503);
    assert_int_equal(CURL("/api/v1/combined?runs=1,2"), 503);
    assert_int_equal(CURL("/api/v1/runs/1/trace.perfetto"), 503);
    bench.http->compare = own;
}

TEST(the_files_of_a_run_are_listed_with_their_digests_where_that_is_asked)
{
    assert_int_equal(CURL("/api/v1/runs/1/files?sha256=1"), 200);
    const char *digest = strstr(bench.body, "\"sha256\":\"");
    assert_non_null(digest);
    assert_int_equal(strspn(digest + 10, "0123456789abcdef"), 64);
    assert_int_equal(CURL("/api/v1/runs/1/files?sha256=0"), 200);
    assert_null(strstr(bench.body, "sha256"));
    assert_int_equal(CURL("/api/v1/runs/1/files?sha256=2"), 400);
    assert_int_equal(CURL("/api/v1/runs/1/files?sha256=yes"), 400);
    assert_int_equal(CURL("/api/v1/runs/9/files?sha256=1"), 404);
}

TEST(two_lists_with_digests_are_made_at_a_time)
{
    bench.http->digesting = 2;
    assert_int_equal(CURL("/api/v1/runs/1/files?sha256=1"), 503);
    says("2 lists of files with digests are under way already");
    assert_int_equal(CURL("/api/v1/runs/1/files"), 200);
    bench.http->digesting = 1;
    assert_int_equal(CURL("/api/v1/runs/1/files?sha256=1"), 200);
    assert_int_equal(bench.http->digesting, 1);
    bench.http->digesting = 0;
}
