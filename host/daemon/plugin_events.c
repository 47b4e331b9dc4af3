/* host/daemon/plugin_events.c */
#include "host/daemon/plugin_events.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "host/job/events.h"
#include "host/plugin/plugins.h"
#include "host/spec/json_value.h"
#include "host/spec/names.h"

/* A device that a person must see to is lost too. */
static unsigned when_of(const char *type, const char *state)
{
    static const int lost[] = {SL_DEVICE_OFFLINE, SL_DEVICE_UNAUTHORISED, SL_DEVICE_NO_PERMISSIONS};
    if (strcmp(type, "state") == 0)
        return strcmp(state, sl_job_state_name(SL_JOB_FAILED)) == 0 ? SL_PLUGIN_JOB_FAILED : 0;
    if (strcmp(type, "device") != 0)
        return 0;
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
        if (strcmp(state, sl_device_state_name(lost[i])) == 0)
            return SL_PLUGIN_DEVICE_LOST;
    return strcmp(state, sl_device_state_name(SL_DEVICE_QUARANTINED)) == 0
               ? SL_PLUGIN_DEVICE_QUARANTINED
               : 0;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = sl_value_text(object, key, NULL);
    return text ? text : "";
}

void sl_plugin_event(struct sl_plugins *plugins, const struct sl_lab_event *event)
{
    cJSON *said = plugins ? cJSON_Parse(event->json) : NULL;
    const struct sl_plugins_event told = {.when = when_of(event->type, text_of(said, "state")),
                                          .device = text_of(said, "device"),
                                          .cause = text_of(said, "cause"),
                                          .detail = text_of(said, "detail"),
                                          .job = event->job};
    if (told.when != 0)
        sl_plugins_tell(plugins, &told);
    cJSON_Delete(said);
}
