/* tests/unit/host/http/test_api_labels.c: labels and pin of a stored run over HTTP. */
#include <stdio.h>
#include <string.h>

#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)

static struct sl_http_case bench;
static uint64_t run_id;

static void on_run(void *user, int rc, uint64_t id)
{
    *(uint64_t *)user = id;
    assert_int_equal(rc, 0);
}

static bool has_run(void)
{
    return run_id != 0;
}

/* With run 1, which has no files. */
static int open_case(void **state)
{
    struct sl_run_record run = {.job = 1, .started_ms = 1000, .device_kind = 3};
    *state = &bench;
    sl_http_case_open(&bench, 0, 0);
    snprintf(run.model, sizeof(run.model), "net");
    snprintf(run.directory, sizeof(run.directory), "runs/2026-11-23/000000.100-1");
    run_id = 0;
    assert_int_equal(sl_store_add_run(bench.store, &run, on_run, &run_id), 0);
    assert_true(sl_http_case_until(&bench, has_run));
    return 0;
}

static int close_case(void **state)
{
    *state = NULL;
    sl_http_case_close(&bench);
    return 0;
}

static int post(const char *path, const char *body)
{
    return CURL(path, "-H", "Content-Type: application/json", "-d", body);
}

TEST_WITH(labels_and_pin_are_changed_and_read, open_case, close_case)
{
    static const char path[] = "/api/v1/runs/1/labels";
    assert_int_equal(CURL(path), 200);
    assert_string_equal(bench.body, "{\"run\":1,\"pinned\":false,\"labels\":{}}");
    assert_int_equal(post(path, "{\"labels\":{\"a\":\"b\",\"c\":\"d\"},\"pinned\":true}"), 200);
    assert_int_equal(post(path, "{\"labels\":{\"a\":null}}"), 200);
    assert_string_equal(bench.body, "{\"run\":1,\"pinned\":true,\"labels\":{\"c\":\"d\"}}");
    assert_int_equal(CURL("/api/v1/runs?label=c=d"), 200);
    assert_non_null(strstr(bench.body, "\"pinned\":true"));
}

TEST_WITH(a_pinned_run_is_not_removed_before_it_is_let_go, open_case, close_case)
{
    assert_int_equal(post("/api/v1/runs/1/labels", "{\"pinned\":true}"), 200);
    assert_int_equal(CURL("/api/v1/runs/1", "-X", "DELETE"), 409);
    assert_non_null(strstr(bench.body, "urn:sme2lab:problem:pinned"));
    assert_int_equal(post("/api/v1/runs/1/labels", "{\"pinned\":false}"), 200);
    assert_int_equal(CURL("/api/v1/runs/1", "-X", "DELETE"), 204);
    assert_int_equal(CURL("/api/v1/runs/1", "-X", "DELETE"), 404);
}

/* They could be given, but not be looked for. */
TEST_WITH(labels_in_any_script_are_found, open_case, close_case)
{
    assert_int_equal(post("/api/v1/runs/1/labels", "{\"labels\":{\"Zustand\":\"geprüft\"}}"), 200);
    assert_int_equal(CURL("/api/v1/runs?label=Zustand=gepr%C3%BCft"), 200);
    assert_non_null(strstr(bench.body, "\"id\":1,"));
    assert_int_equal(CURL("/api/v1/runs?label=Zustand=gepr%C3%BC"), 200);
    assert_string_equal(bench.body, "{\"runs\":[],\"next_cursor\":null}");
    assert_int_equal(CURL("/api/v1/runs?label=a=%C3"), 400);
    assert_int_equal(CURL("/api/v1/runs?label=a=%0A"), 400);
    assert_int_equal(CURL("/api/v1/runs?label=a=%E2%80%AE"), 400);
}

TEST_WITH(what_is_no_label_is_refused_with_its_place, open_case, close_case)
{
    static const char *const bad[] = {"{\"labels\":{\"\":\"b\"}}",
                                      "{\"labels\":{\"a\":\"\"}}",
                                      "{\"labels\":{\"a\":1}}",
                                      "{\"labels\":{\"a\\nb\":\"c\"}}",
                                      "{\"labels\":{\"a\":\"\\u001b[31m\"}}",
                                      "{\"labels\":[]}",
                                      "{\"pinned\":1}",
                                      "{\"label\":{}}",
                                      "[]"};
    char many[1024];
    int used = snprintf(many, sizeof(many), "{\"labels\":{\"a\":\"b\"");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(post("/api/v1/runs/1/labels", bad[i]), 422);
    for (int i = 0; i < SL_STORE_MAX_LABELS; i++)
        used += snprintf(many + used, sizeof(many) - (size_t)used, ",\"k%d\":\"v\"", i);
    snprintf(many + used, sizeof(many) - (size_t)used, "}}");
    assert_int_equal(post("/api/v1/runs/1/labels", many), 422);
    assert_non_null(strstr(bench.body, "32 labels at most"));
    assert_int_equal(post("/api/v1/runs/9/labels", "{}"), 404);
    assert_int_equal(post("/api/v1/runs/x/labels", "{}"), 404);
}
