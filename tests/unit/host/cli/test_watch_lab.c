#include "host/cli/watch_lab.h"

#include <cjson/cJSON.h>

#include "tests/support/test.h"

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
