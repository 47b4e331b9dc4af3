/* host/cli/watch_lab.c */
#include "host/cli/watch_lab.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/clock.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/follow.h"
#include "host/cli/sse.h"
#include "host/cli/stream.h"
#include "host/report/time_text.h"
#include "host/spec/json_value.h"

static void job_words(const cJSON *data, char out[SL_WATCH_LAB_BYTES])
{
    const char *device = sl_value_text(data, "device", ""),
               *detail = sl_value_text(data, "detail", "");
    uint64_t run = sl_value_u64(data, "run");
    char made[40] = "";
    if (run != 0)
        snprintf(made, sizeof(made), ", run %" PRIu64, run);
    snprintf(out, SL_WATCH_LAB_BYTES, "job %" PRIu64 "  %s%s%s%s%s%s", sl_value_u64(data, "job"),
             sl_value_text(data, "state", ""), *device ? " on " : "", device, made,
             *detail ? ": " : "", detail);
}

void sl_watch_lab_words(const char *type, const cJSON *data, char out[SL_WATCH_LAB_BYTES])
{
    const char *detail = sl_value_text(data, "detail", "");
    out[0] = '\0';
    if (strcmp(type, "state") == 0)
        job_words(data, out);
    else if (strcmp(type, "device") == 0)
        snprintf(out, SL_WATCH_LAB_BYTES, "device %s  %s%s%s", sl_value_text(data, "device", ""),
                 sl_value_text(data, "state", ""), *detail ? ": " : "", detail);
    else if (strcmp(type, "results") == 0)
        snprintf(out, SL_WATCH_LAB_BYTES,
                 "device %s  keeps %" PRIu64 " results of runs that this daemon does not know, "
                 "%.1f MiB: 'sme2lab device results %s'",
                 sl_value_text(data, "device", ""), sl_value_u64(data, "results"),
                 sl_value_number(data, "bytes", 0) / (1 << 20), sl_value_text(data, "device", ""));
    else if (strcmp(type, "missed") == 0)
        snprintf(out, SL_WATCH_LAB_BYTES,
                 "events before this were missed: 'sme2lab jobs' and 'sme2lab devices' tell how "
                 "things are");
}

static bool on_event(void *user, const struct sl_sse_event *event)
{
    const struct sl_cli *cli = user;
    char words[SL_WATCH_LAB_BYTES], time[SL_TIME_TEXT_BYTES];
    cJSON *data = cJSON_Parse(event->data);
    sl_watch_lab_words(event->type, data, words);
    if (data && cli->json)
        sl_follow_print_event(event->type, data);
    else if (words[0])
        sl_say(stdout, "%s  %s\n", sl_time_text(sl_clock_utc_ms(), time), words);
    fflush(stdout);
    cJSON_Delete(data);
    return true;
}

static void on_lost(void *user, const char *why)
{
    (void)user;
    sl_say(stderr, "%s; trying again\n", why);
}

int sl_watch_lab(const struct sl_cli *cli, struct sl_client *client, struct sl_diag *diag)
{
    const struct sl_stream_options options = {
        .on_event = on_event, .on_lost = on_lost, .user = (void *)(uintptr_t)cli};
    return sl_stream_follow(client, "/api/v1/events", &options, diag);
}
