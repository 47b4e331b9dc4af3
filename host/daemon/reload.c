/* host/daemon/reload.c */
#include "host/daemon/reload.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "host/daemon/phones.h"
#include "host/daemon/roster.h"
#include "host/job/lab.h"
#include "host/spec/host_config.h"
#include "host/spec/json_value.h"

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_listen(const struct sl_host_config *a, const struct sl_host_config *b)
{
    bool same = a->listen_count == b->listen_count;
    for (size_t i = 0; same && i < a->listen_count; i++)
        same = same_text(a->listen[i], b->listen[i]);
    return same;
}

static bool same_recovery(const struct sl_host_config *a, const struct sl_host_config *b)
{
    bool same = a->hook_words == b->hook_words && a->hook_seconds == b->hook_seconds &&
                a->pause_seconds == b->pause_seconds;
    for (size_t i = 0; same && i < a->hook_words; i++)
        same = same_text(a->hook[i], b->hook[i]);
    return same;
}

static bool same_plugins(const struct sl_host_config *a, const struct sl_host_config *b)
{
    const cJSON *was = sl_value(a->document, "plugins"), *is = sl_value(b->document, "plugins");
    return was && is ? cJSON_Compare(was, is, true) : was == is;
}

static bool same_retention(const struct sl_host_config *a, const struct sl_host_config *b)
{
    bool same = a->keep_days == b->keep_days && a->keep_newest == b->keep_newest &&
                a->keep_at_most == b->keep_at_most && a->keeper_seconds == b->keeper_seconds &&
                a->keep_label_count == b->keep_label_count;
    for (size_t i = 0; same && i < a->keep_label_count; i++)
        same = same_text(a->keep_labels[i], b->keep_labels[i]);
    return same;
}

static bool same_origins(const struct sl_host_config *a, const struct sl_host_config *b)
{
    bool same = a->cors_origin_count == b->cors_origin_count;
    for (size_t i = 0; same && i < a->cors_origin_count; i++)
        same = same_text(a->cors_origins[i], b->cors_origins[i]);
    return same;
}

/* Settings that are read at the start only. */
static void tell_of_the_rest(const struct sl_host_config *was, const struct sl_host_config *is)
{
    const struct {
        const char *key;
        bool same;
    } keys[] = {
        {"state", same_text(was->state, is->state)},
        {"listen", same_listen(was, is)},
        {"tls", same_text(was->certificate, is->certificate) && same_text(was->key, is->key)},
        {"requests_per_second", was->requests_per_second == is->requests_per_second},
        {"requests_at_once", was->requests_at_once == is->requests_at_once},
        {"cors_origins", same_origins(was, is)},
        {"log_file", same_text(was->log_file, is->log_file)},
        {"log_max_mib", was->log_max_mib == is->log_max_mib},
        {"recovery", same_recovery(was, is)},
        {"plugins", same_plugins(was, is)},
        {"retention", same_retention(was, is)},
        {"disk", was->budget_mib == is->budget_mib && was->reserve_mib == is->reserve_mib},
        {"idle_exit_seconds", was->idle_exit_seconds == is->idle_exit_seconds},
        {"adb", was->adb == is->adb},
        {"agents_on_demand", was->agents_on_demand == is->agents_on_demand}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!keys[i].same)
            sl_log(SL_LOG_WARNING, SL_LOG_EVENT("reload"), SL_LOG_TEXT("key", keys[i].key),
                   SL_LOG_REASON("takes effect at the next start"));
    }
}

static bool is_named(const struct sl_host_config *config, const char *name)
{
    for (size_t i = 0; i < config->device_count; i++) {
        if (strcmp(config->devices[i].name, name) == 0)
            return true;
    }
    return false;
}

static void remove_others(const struct sl_host_config *config, struct sl_roster *roster,
                          struct sl_lab *lab, const struct sl_phones *phones)
{
    const struct sl_device_record *records;
    size_t count = sl_lab_devices(lab, &records);
    for (size_t i = count; i-- > 0;) { /* from the end: one that is idle is gone at once */
        char name[SL_NAME_BYTES];
        memcpy(name, records[i].name, sizeof(name));
        if (is_named(config, name) || sl_phones_found(phones, name) ||
            sl_roster_added(roster, name))
            continue;
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("device_removed"), SL_LOG_DEVICE(name),
               SL_LOG_TEXT("after_job", records[i].job != 0 ? "true" : "false"));
        sl_roster_drop(roster, name);
    }
}

/* False: one of that name is just leaving. */
static bool take(const struct sl_host_device *device, struct sl_roster *roster)
{
    struct sl_diag diag = {0};
    int rc = sl_roster_take(roster, device, &diag);
    if (rc == -EBUSY)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("device_waits"), SL_LOG_DEVICE(device->name),
               SL_LOG_REASON("it is just leaving"));
    return rc != -EBUSY;
}

bool sl_reload(const char *file, const struct sl_host_config *started, struct sl_roster *roster,
               struct sl_lab *lab, struct sl_phones *phones)
{
    struct sl_host_config config;
    struct sl_diag diag = {0};
    bool all = true;
    int rc = sl_host_config_read(file, &config, &diag);
    if (rc < 0) {
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("reload_refused"), SL_LOG_TEXT("file", file),
               SL_LOG_QUOTED("where", diag.where),
               SL_LOG_REASON(diag.what[0] ? diag.what : sl_strerror(rc)));
        return true;
    }
    remove_others(&config, roster, lab, phones);
    for (size_t i = 0; i < config.device_count; i++)
        all = take(&config.devices[i], roster) && all;
    if (all) {
        tell_of_the_rest(started, &config);
        rc = sl_phones_configure(phones, &config);
        if (rc < 0)
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("phones_not_followed"),
                   SL_LOG_REASON(sl_strerror(rc)));
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("reloaded"),
               SL_LOG_NUMBER("devices", config.device_count));
    }
    sl_host_config_fini(&config);
    return all;
}
