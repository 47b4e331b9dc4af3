/* tests/unit/host/job/test_news.c */
#include "host/job/news.h"

#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "host/job/events.h"
#include "host/records.h"
#include "tests/support/test.h"

static struct sl_lab_event last;
static char json[SL_EVENTS_JSON_BYTES], type[32];
static int closed;

static void on_event(void *user, const struct sl_lab_event *event)
{
    (void)user;
    last = *event;
    snprintf(json, sizeof(json), "%s", event->json);
    snprintf(type, sizeof(type), "%s", event->type);
}

static void on_closed(void *user)
{
    (void)user;
    closed++;
}

static void is(uv_loop_t *loop, uint64_t job, const char *of_type, const char *text)
{
    type[0] = '\0';
    while (!type[0])
        uv_run(loop, UV_RUN_ONCE);
    assert_int_equal(last.job, job);
    assert_string_equal(type, of_type);
    assert_string_equal(json, text);
}

TEST(listeners_hear_of_jobs_and_devices)
{
    uv_loop_t loop;
    struct sl_events *events = NULL;
    struct sl_lab_listener *listener = NULL;
    struct sl_job_record job = {.id = 7, .state = SL_JOB_DONE, .run = 3, .device = "a"};
    struct sl_device_record device = {.name = "a", .state = SL_DEVICE_READY, .detail = "\"hot\""};
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_events_new(&loop, 0, &events), 0);
    assert_int_equal(sl_events_listen(events, 0, 0, on_event, NULL, &listener), 0);
    sl_news_job(events, &job);
    is(&loop, 7, "state",
       "{\"job\":7,\"state\":\"done\",\"cause\":\"none\",\"device\":\"a\",\"run\":3,\"detail\":"
       "\"\"}");
    sl_news_device(events, &device);
    is(&loop, 0, "device",
       "{\"device\":\"a\",\"state\":\"ready\",\"cause\":\"none\",\"detail\":\"\\\"hot\\\"\","
       "\"queued\":null}");
    device.queued = 3;
    sl_news_device(events, &device);
    is(&loop, 0, "device",
       "{\"device\":\"a\",\"state\":\"ready\",\"cause\":\"none\",\"detail\":\"\\\"hot\\\"\","
       "\"queued\":3}");
    sl_news_results(events, "a", 2, 4096);
    is(&loop, 0, "results", "{\"device\":\"a\",\"results\":2,\"bytes\":4096}");
    memset(job.detail, 1, sizeof(job.detail) - 1); /* six characters each when it is escaped */
    sl_news_job(events, &job);
    is(&loop, 7, "state", "{\"detail\":\"too long to be shown here\"}");
    sl_lab_unlisten(listener);
    sl_events_close(events, on_closed, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
}
