/* host/http/api_devices.c: /api/v1/devices. */
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/lab.h"

enum { MAX_LIST_BYTES = 1 << 17 };

/* All devices in a list, or the one of the path alone. */
static void answer_devices(struct sl_http_exchange *exchange, bool list)
{
    const struct sl_device_record *devices = NULL;
    size_t count = sl_lab_devices(exchange->http->lab, &devices);
    struct sl_http_json text;
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    if (list) {
        sl_json_open_object(&text.json, NULL);
        sl_json_open_array(&text.json, "devices");
    }
    for (size_t i = 0; i < count; i++) {
        if (list || strcmp(devices[i].name, exchange->param[0]) == 0)
            sl_json_of_device(&text.json, NULL, &devices[i]);
    }
    if (list) {
        sl_json_close_array(&text.json);
        sl_json_close_object(&text.json);
    }
    sl_http_reply_json(exchange, 200, &text);
}

void sl_api_device_list(struct sl_http_exchange *exchange)
{
    answer_devices(exchange, true);
}

void sl_api_device_act(struct sl_http_exchange *exchange)
{
    const char *verb = exchange->param[1];
    bool quarantine = strcmp(verb, "quarantine") == 0;
    int rc = SL_E_NOT_FOUND;
    if (quarantine || strcmp(verb, "release") == 0)
        rc = sl_lab_quarantine(exchange->http->lab, exchange->param[0], quarantine);
    if (rc < 0 && rc != SL_E_NOT_FOUND)
        sl_http_problem(exchange, 500, "not-kept", "free space where the daemon keeps its state",
                        "the quarantine could not be written down: %s", sl_strerror(rc));
    else if (rc < 0)
        sl_http_problem(exchange, 404, "not-found", "GET /api/v1/devices lists them",
                        "there is no device %.60s, or nothing called %.60s to do with it",
                        exchange->param[0], verb);
    else
        answer_devices(exchange, false);
}
