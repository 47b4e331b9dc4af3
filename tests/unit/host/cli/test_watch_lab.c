/* tests/unit/host/cli/test_watch_lab.c: events as lines, and `watch --lab` on a real server. */
#include "host/cli/watch_lab.h"

#include <signal.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/cli/exit_code.h"
#include "host/http/context.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"

TEST_GROUP(sl_cli_case_open, sl_cli_case_close);

static void expect(const char *type, const char *json, const char *words)
{
    char out[SL_WATCH_LAB_BYTES];
    cJSON *data = cJSON_Parse(json);
    sl_watch_lab_words(type, data, out);
    assert_string_equal(out, words);
    cJSON_Delete(data);
}

TEST(events_are_lines)
{
    expect(
        "state",
        "{\"job\":7,\"state\":\"running\",\"cause\":\"none\",\"device\":\"pixel\",\"detail\":\"\"}",
        "job 7  running on pixel");
    expect("state",
           "{\"job\":7,\"state\":\"done\",\"device\":\"pixel\",\"run\":12,\"detail\":\"\"}",
           "job 7  done on pixel, run 12");
    expect("state", "{\"job\":8,\"state\":\"failed\",\"device\":null,\"detail\":\"no model\"}",
           "job 8  failed: no model");
    expect("device", "{\"device\":\"pixel\",\"state\":\"offline\",\"detail\":\"unplugged\"}",
           "device pixel  offline: unplugged");
    expect("results", "{\"device\":\"pixel\",\"results\":2,\"bytes\":3145728}",
           "device pixel  keeps 2 results of runs that this daemon does not know, 3.0 MiB: "
           "'sme2lab device results pixel'");
    expect("progress", "{\"job\":7,\"pair\":1}", "");
    expect("state", "[]", "job 0  ");
    expect("other", "null", "");
}

static void (*serve)(void);
static bool stirred;

/* Something happens to a device as soon as somebody watches. */
static void stir(void)
{
    struct sl_http_case *server = sl_cli_case_server();
    serve();
    if (server->http->streams == 0 || stirred)
        return;
    stirred = true;
    assert_int_equal(sl_lab_quarantine(server->lab, "box", "smells"), 0);
}

static void watch(const char *option, const char *awaited)
{
    serve = sl_verb_case.meanwhile;
    stirred = false;
    sl_verb_case.meanwhile = stir;
    sl_verb_case.awaited = awaited;
    sl_verb_case.signal = SIGINT;
    SAY("watch", "--lab", option);
    sl_verb_case.meanwhile = serve;
    sl_verb_case_exited(SL_EXIT_INTERRUPTED);
    assert_int_equal(sl_lab_quarantine(sl_cli_case_server()->lab, "box", NULL), 0);
}

TEST(what_happens_in_the_lab_is_shown_until_somebody_ends_it)
{
    watch("--color=never", "smells");
    sl_verb_case_printed("device box  quarantined: smells");
    watch("--json", "smells");
    sl_verb_case_printed("{\"schema\":\"sme2lab.event/1\",\"event\":\"device\",\"data\":{");
    assert_null(strstr(sl_verb_case.out, "device box  "));
}
