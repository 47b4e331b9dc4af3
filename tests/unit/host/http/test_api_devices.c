/* tests/unit/host/http/test_api_devices.c: what is asked of and done to devices over HTTP. The lab
 * is real; where only the daemon can reach a device, the test says what came of it (the daemon's
 * own answers: host/daemon). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/http/context.h"
#include "host/spec/device_kind.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

#define CURL(...) sl_http_case_curl(&bench, false, __VA_ARGS__, (char *)NULL)
#define POST_EMPTY(path) CURL(path, "-X", "POST", "-H", "Content-Length: 0")

static struct sl_http_case bench;
static int reached; /* what the daemon's own functions give */

static int add(void *user, struct sl_bytes text, char out_name[SL_NAME_BYTES], struct sl_diag *diag)
{
    (void)user;
    if (reached < 0)
        return sl_diag_set(diag, reached, "svl", "There are no vectors of %zu bytes", text.size);
    snprintf(out_name, SL_NAME_BYTES, "box");
    return 0;
}

static int drop(void *user, const char *name, struct sl_diag *diag)
{
    (void)user;
    return reached < 0 ? sl_diag_set(diag, reached, name, "It is of the configuration") : 0;
}

static int clean(void *user, const char *name, sl_devices_cleaned_fn done, void *done_user)
{
    const struct sl_devices_cleaned cleaned = {.files = 3, .bytes = 4096};
    (void)user, (void)name;
    if (reached < 0)
        return reached;
    done(done_user, 0, &cleaned);
    return 0;
}

static int open_case(void **state)
{
    *state = &bench;
    reached = 0;
    sl_http_case_open(&bench, 0, 0);
    bench.http->devices = (struct sl_http_devices){.add = add, .remove = drop, .clean = clean};
    sl_http_case_keep(&bench);
    return 0;
}

static int close_case(void **state)
{
    sl_http_case_close(&bench);
    *state = NULL;
    return 0;
}

static int post(const char *path, const char *body)
{
    return CURL(path, "-H", "Content-Type: application/json", "-d", body);
}

static void says(const char *text)
{
    if (!strstr(bench.body, text))
        fail_msg("no '%s' in: %s", text, bench.output);
}

TEST_WITH(devices_are_listed_and_one_is_told, open_case, close_case)
{
    assert_int_equal(CURL("/api/v1/devices"), 200);
    says("{\"devices\":[{\"name\":\"box\",\"kind\":\"counted\"");
    says("\"name\":\"phone\",\"kind\":\"local\"");
    assert_int_equal(CURL("/api/v1/devices/phone"), 200);
    says("{\"name\":\"phone\",\"kind\":\"local\"");
    assert_int_equal(CURL("/api/v1/devices/nobody"), 404);
    says("there is no device nobody");
}

TEST_WITH(what_is_done_to_a_device_is_in_the_answer, open_case, close_case)
{
    assert_int_equal(post("/api/v1/devices/box/quarantine", "{\"reason\":\"smells\"}"), 200);
    says("\"state\":\"quarantined\"");
    says("smells");
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/release"), 200);
    says("\"state\":\"ready\"");
    assert_int_equal(post("/api/v1/devices/box/reserve", "{\"seconds\":60,\"who\":\"ada\"}"), 200);
    says("ada");
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/release"), 200);
    says("\"state\":\"ready\"");
    assert_null(strstr(bench.body, "ada"));
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/quarantine"), 200);
    says("taken out by hand");
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/probe"), 200);
    assert_int_equal(POST_EMPTY("/api/v1/devices/nobody/probe"), 404);
    says("there is no device nobody");
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/polish"), 404);
    says("nothing called polish can be done with a device");
}

TEST_WITH(a_wish_out_of_bounds_changes_nothing, open_case, close_case)
{
    static const char *const wrong[] = {"{\"seconds\":0}",
                                        "{\"seconds\":604801}",
                                        "{\"seconds\":\"1\"}",
                                        "{\"for\":\"ada\"}",
                                        "[]",
                                        "{\"reason\":7}",
                                        "{"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(post("/api/v1/devices/box/reserve", wrong[i]), 422);
    assert_int_equal(CURL("/api/v1/devices/box"), 200);
    says("\"state\":\"ready\"");
}

TEST_WITH(devices_come_and_go_where_the_daemon_takes_them, open_case, close_case)
{
    assert_int_equal(post("/api/v1/devices", "{\"name\":\"box\"}"), 201);
    says("\"kind\":\"counted\"");
    assert_int_equal(CURL("/api/v1/devices/box", "-X", "DELETE"), 204);
    reached = SL_E_UNSUPPORTED;
    assert_int_equal(post("/api/v1/devices", "{}"), 422);
    says("There are no vectors of 2 bytes");
    assert_int_equal(CURL("/api/v1/devices/box", "-X", "DELETE"), 422);
    says("It is of the configuration");
    bench.http->devices = (struct sl_http_devices){.add = NULL};
    assert_int_equal(post("/api/v1/devices", "{\"name\":\"box\"}"), 503);
    assert_int_equal(CURL("/api/v1/devices/box", "-X", "DELETE"), 503);
    assert_int_equal(CURL("/api/v1/devices/box/results"), 404);
}

TEST_WITH(a_device_is_cleaned_or_it_is_said_why_not, open_case, close_case)
{
    static const struct {
        int rc, status;
        const char *type;
    } cases[] = {{-EBUSY, 409, "busy"},
                 {SL_E_NOT_FOUND, 404, "not-found"},
                 {-ETIMEDOUT, 503, "no-answer"},
                 {SL_E_STATE, 409, "out-of-reach"}};
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/clean"), 200);
    assert_string_equal(bench.body, "{\"name\":\"box\",\"files\":3,\"bytes\":4096}");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reached = cases[i].rc;
        assert_int_equal(POST_EMPTY("/api/v1/devices/box/clean"), cases[i].status);
        says(cases[i].type);
    }
}

TEST_WITH(what_a_device_keeps_is_listed_with_what_is_known_of_it, open_case, close_case)
{
    assert_int_equal(CURL("/api/v1/devices/phone/results"), 200);
    says("{\"id\":\"00000000000000000000000000000007\",\"outcome\":\"done\",\"bytes\":2048,"
         "\"started_ms\":1764000000000,"
         "\"host\":\"other\",\"model\":\"net\",\"collectable\":true}");
    says("{\"id\":\"00000000000000000000000000000008\",\"outcome\":\"running\",\"bytes\":1,"
         "\"started_ms\":null,\"host\":null,"
         "\"model\":null,\"collectable\":false}");
    assert_int_equal(CURL("/api/v1/devices/nobody/results"), 404);
}

TEST_WITH(a_result_becomes_a_job_of_this_daemon, open_case, close_case)
{
    assert_int_equal(POST_EMPTY("/api/v1/devices/phone/results/7"), 201);
    says("\"id\":1");
    assert_int_equal(CURL("/api/v1/jobs/1"), 200);
    says("\"selector\":\"phone\"");
    assert_int_equal(POST_EMPTY("/api/v1/devices/phone/results/8"), 422);
    says("it can only be forgotten");
    sl_lab_tell_device(bench.lab, "box", sl_device_kind_traits(SL_DEVICE_COUNTED), NULL);
    assert_int_equal(POST_EMPTY("/api/v1/devices/box/results/7"), 422);
    says("The counts of this run went with the daemon that counted them");
    assert_int_equal(POST_EMPTY("/api/v1/devices/phone/results/9"), 404);
    says("phone keeps no result 9");
    assert_int_equal(POST_EMPTY("/api/v1/devices/phone/results/07"), 404);
}

TEST_WITH(a_result_is_forgotten_while_its_device_is_there, open_case, close_case)
{
    assert_int_equal(CURL("/api/v1/devices/phone/results/8", "-X", "DELETE"), 204);
    assert_int_equal(CURL("/api/v1/devices/phone/results"), 200);
    assert_null(strstr(bench.body, "00000000000000000000000000000008"));
    assert_int_equal(CURL("/api/v1/devices/phone/results/9", "-X", "DELETE"), 404);
    bench.reached = SL_E_STATE;
    assert_int_equal(CURL("/api/v1/devices/phone/results/7", "-X", "DELETE"), 409);
    says("phone cannot be reached now");
    bench.reached = -ENOMEM;
    assert_int_equal(CURL("/api/v1/devices/phone/results/7", "-X", "DELETE"), 503);
}
