/* tests/unit/host/http/test_pages.c */
#include "host/http/pages.h"

#include <stdio.h>
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

/* Runs of one program and device: three of our runtime in one series, one of ExecuTorch's. */
static void add_runs(struct sl_http_case *bench)
{
    for (int i = 0; i < 4; i++) {
        struct sl_run_record run = {.started_ms = 1795392000000 + (uint64_t)i * 3600000,
                                    .device_kind = SL_DEVICE_LOCAL,
                                    .ratio = 2};
        snprintf(run.model, sizeof(run.model), "net");
        snprintf(run.model_sha256, sizeof(run.model_sha256), "%s", SL_HTTP_CASE_MODEL);
        snprintf(run.device, sizeof(run.device), "phone");
        snprintf(run.series, sizeof(run.series), "%016x", i < 3 ? 1 : 2);
        snprintf(run.runtime, sizeof(run.runtime), i < 3 ? "own" : "executorch");
        snprintf(run.verdict, sizeof(run.verdict), "faster");
        assert_int_equal(sl_http_case_add_run(bench, &run, NULL), i + 1);
    }
}

TEST(runs_have_pages_and_lists_that_go_on)
{
    static struct sl_http_case bench;
    sl_http_case_open(&bench, 0, 0);
    add_runs(&bench);
    assert_int_equal(CURL(&bench, false, "/"), 200);
    has(&bench, "Latest runs");
    has(&bench, "<a href=\"/runs/4\">4</a>");
    assert_int_equal(CURL(&bench, false, "/runs?limit=2&device=phone"), 200);
    has(&bench, "<a href=\"/runs/4\">4</a>");
    has(&bench, "device=phone");
    assert_null(strstr(bench.output, "<a href=\"/runs/2\">2</a>"));
    assert_int_equal(CURL(&bench, false, "/runs?cursor=3&limit=2&device=phone"), 200);
    has(&bench, "<a href=\"/runs/2\">2</a>");
    assert_null(strstr(bench.output, "<a href=\"/runs/4\">4</a>"));
    assert_int_equal(CURL(&bench, false, "/series"), 200);
    has(&bench, "/series/0000000000000001");
    has(&bench, "/series/0000000000000002");
    assert_int_equal(CURL(&bench, false, "/series/0000000000000001"), 200);
    has(&bench, "net on phone");
    assert_int_equal(CURL(&bench, false, "/series/x"), 404);
    sl_http_case_close(&bench);
}

TEST(a_run_has_its_files_and_the_run_on_the_other_runtime)
{
    static struct sl_http_case bench;
    char command[192];
    sl_http_case_open(&bench, 0, 0);
    add_runs(&bench);
    assert_int_equal(CURL(&bench, false, "/runs/3"), 200);
    has(&bench, "agent.log");
    has(&bench, "/combined?runs=4,3");
    assert_int_equal(CURL(&bench, false, "/runs/4"), 200);
    has(&bench, "/combined?runs=4,3"); /* the nearest of ours */
    snprintf(command, sizeof(command), "rm -r %s/runs/2026-11-23/*-3", bench.folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(CURL(&bench, false, "/runs/3"), 200); /* it has a page all the same */
    assert_null(strstr(bench.output, "agent.log"));
    assert_int_equal(CURL(&bench, false, "/runs/x"), 404);
    sl_http_case_close(&bench);
}
