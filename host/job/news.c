/* host/job/news.c */
#include "host/job/news.h"

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/job/events.h"
#include "host/records.h"
#include "host/spec/names.h"

/* One event's text on its way. */
struct news {
    struct sl_buf text;
    struct sl_json json;
};

static void begin(struct news *news)
{
    sl_buf_init(&news->text, SL_EVENTS_JSON_BYTES - 1);
    sl_json_init(&news->json, &news->text);
    sl_json_open_object(&news->json, NULL);
}

/* A detail full of characters that grow when they are escaped may not fit. */
static void end(struct news *news, struct sl_events *events, uint64_t job, const char *type)
{
    sl_json_close_object(&news->json);
    sl_events_add(events, job, type,
                  news->json.error == 0 ? (const char *)news->text.data
                                        : "{\"detail\":\"too long to be shown here\"}");
    sl_buf_fini(&news->text);
}

void sl_news_job(struct sl_events *events, const struct sl_job_record *job)
{
    struct news news;
    begin(&news);
    sl_json_u64(&news.json, "job", job->id);
    sl_json_text(&news.json, "state", sl_job_state_name(job->state));
    sl_json_text(&news.json, "cause", sl_job_cause_name(job->cause));
    sl_json_text(&news.json, "device", job->device[0] ? job->device : NULL);
    if (job->run != 0)
        sl_json_u64(&news.json, "run", job->run);
    sl_json_text(&news.json, "detail", job->detail);
    end(&news, events, job->id, "state");
}

void sl_news_device(struct sl_events *events, const struct sl_device_record *device)
{
    struct news news;
    begin(&news);
    sl_json_text(&news.json, "device", device->name);
    sl_json_text(&news.json, "state", sl_device_state_name(device->state));
    sl_json_text(&news.json, "cause", sl_device_cause_name(device->cause));
    sl_json_text(&news.json, "detail", device->detail);
    if (device->queued != 0)
        sl_json_u64(&news.json, "queued", device->queued);
    else
        sl_json_null(&news.json, "queued");
    end(&news, events, 0, "device");
}

void sl_news_results(struct sl_events *events, const char *device, size_t results, uint64_t bytes)
{
    struct news news;
    begin(&news);
    sl_json_text(&news.json, "device", device);
    sl_json_u64(&news.json, "results", results);
    sl_json_u64(&news.json, "bytes", bytes);
    end(&news, events, 0, "results");
}
