/* host/daemon/phones.c */
#include "host/daemon/phones.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/daemon/roster.h"
#include "host/device/adb/listing.h"
#include "host/device/adb/look.h"
#include "host/device/adb/shell.h"
#include "host/device/adb/stream.h"
#include "host/device/adb/tracker.h"
#include "host/job/device_life.h"
#include "host/job/devices.h"
#include "host/job/lab.h"
#include "host/spec/host_config.h"

static const char link_word[] = "adb:";

struct phone {
    struct sl_phones *phones;
    char serial[SL_ADB_SERIAL_BYTES]; /* "": the place is free */
    char name[SL_NAME_BYTES];
    bool found;                 /* not configured */
    bool taken;                 /* it is a device of the lab */
    int state;                  /* enum sl_adb_state; 0: it is not there */
    struct sl_adb_shell *shell; /* asks what it is */
    struct sl_adb_stream *kick; /* asks the server to take it anew */
};

struct sl_phones {
    uv_loop_t *loop;
    struct sl_devices *devices;
    struct sl_lab *lab;
    struct sl_roster *roster;
    bool finds, full, closing;
    struct phone all[SL_MAX_DEVICES];
    size_t count;
    struct sl_adb_tracker *tracker; /* NULL while no phone is wanted */
    uv_idle_t handle;               /* does nothing: its end comes from the loop */
    bool handle_closed;
    void (*closed)(void *user);
    void *closed_user;
};

static void finish_close(struct sl_phones *phones);

/* --- what a phone is --- */

static void on_properties(void *user, const struct sl_adb_shell_end *end)
{
    struct phone *phone = user;
    struct sl_phones *phones = phone->phones;
    char maker[32], model[40], soc[24], release[16], what[SL_NAME_BYTES], system[SL_NAME_BYTES];
    phone->shell = NULL;
    if (phones->closing) {
        finish_close(phones);
        return;
    }
    if (phone->state == SL_ADB_ONLINE) /* what is wrong with it, its link will tell */
        sl_lab_device_listed(phones->lab, phone->name, SL_CAUSE_DEVICE_WELL, "");
    if (end->rc < 0 || end->exit_code != 0)
        return; /* it is asked again when it comes back */
    sl_adb_find_property(end->out, end->out_len, "ro.product.manufacturer", maker, sizeof(maker));
    sl_adb_find_property(end->out, end->out_len, "ro.product.model", model, sizeof(model));
    sl_adb_find_property(end->out, end->out_len, "ro.soc.model", soc, sizeof(soc));
    sl_adb_find_property(end->out, end->out_len, "ro.build.version.release", release,
                         sizeof(release));
    bool named = strncmp(model, maker, strlen(maker)) == 0; /* the model begins with its maker */
    snprintf(what, sizeof(what), "%.*s%s%.*s%s%.*s%s", 14, named ? "" : maker,
             named || !maker[0] ? "" : " ", 30, model, soc[0] ? " (" : "", 12, soc,
             soc[0] ? ")" : "");
    snprintf(system, sizeof(system), "%s%s", release[0] ? "Android " : "", release);
    sl_lab_describe_device(phones->lab, phone->name, what, soc, system);
}

static int ask(struct phone *phone)
{
    const struct sl_adb_shell_options options = {.serial = phone->serial, .command = "getprop"};
    if (phone->shell)
        return 0;
    int rc = sl_adb_shell_start(phone->phones->loop, &options, on_properties, phone, &phone->shell);
    if (rc < 0)
        phone->shell = NULL;
    return rc;
}

/* --- whether it can be used --- */

static void set_away(struct phone *phone, int cause, const char *why)
{
    sl_devices_hold(phone->phones->devices, phone->name, true);
    sl_lab_device_listed(phone->phones->lab, phone->name, cause, why);
}

static int cause_of(int state)
{
    switch (state) {
    case SL_ADB_ONLINE:
        return SL_CAUSE_DEVICE_WELL;
    case SL_ADB_OFFLINE:
        return SL_CAUSE_DEVICE_NO_ANSWER;
    case SL_ADB_UNAUTHORIZED:
        return SL_CAUSE_DEVICE_UNAUTHORISED;
    case SL_ADB_AUTHORIZING:
        return SL_CAUSE_DEVICE_AUTHORISING;
    case SL_ADB_NO_PERMISSIONS:
        return SL_CAUSE_DEVICE_NO_PERMISSIONS;
    default:
        return SL_CAUSE_DEVICE_NO_ANDROID;
    }
}

static void set_state(struct phone *phone, int state)
{
    char why[SL_DETAIL_BYTES];
    if (phone->state == state || !phone->taken)
        return;
    bool was_known = phone->state == SL_ADB_ONLINE;
    phone->state = state;
    if (state == 0) {
        set_away(phone, SL_CAUSE_DEVICE_UNPLUGGED, "adb does not see it");
        return;
    }
    if (state != SL_ADB_ONLINE) {
        snprintf(why, sizeof(why), "%s: %s", sl_adb_state_why(state), sl_adb_state_fix(state));
        set_away(phone, cause_of(state), why);
        return;
    }
    sl_devices_hold(phone->phones->devices, phone->name, false);
    bool asked = !was_known && ask(phone) == 0;
    sl_lab_device_listed(phone->phones->lab, phone->name,
                         asked ? SL_CAUSE_DEVICE_UNTRIED : SL_CAUSE_DEVICE_WELL, "");
}

/* --- bringing it back --- */

static void on_no_bytes(void *user, const uint8_t *bytes, size_t len)
{
    (void)user; /* a sentence for people */
    (void)bytes;
    (void)len;
}

static void on_kicked(void *user, int code, const char *reason)
{
    struct phone *phone = user;
    phone->kick = NULL;
    if (code < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("adb_reconnect_refused"), SL_LOG_DEVICE(phone->name),
               SL_LOG_REASON(reason));
    if (phone->phones->closing)
        finish_close(phone->phones);
}

static int kick(struct phone *phone)
{
    static const struct sl_adb_stream_events events = {NULL, on_no_bytes, NULL, on_kicked};
    char service[SL_ADB_SERIAL_BYTES + 32];
    snprintf(service, sizeof(service), "host-serial:%s:reconnect", phone->serial);
    const struct sl_adb_stream_options options = {.service = service, .idle_ms = SL_ADB_OPEN_MS};
    if (phone->kick)
        return 0;
    int rc = sl_adb_stream_open(phone->phones->loop, &options, &events, phone, &phone->kick);
    if (rc < 0)
        phone->kick = NULL;
    return rc;
}

int sl_phones_recover(struct sl_phones *phones, const char *name, int step)
{
    for (size_t i = 0; i < phones->count; i++) {
        struct phone *phone = &phones->all[i];
        if (!phone->taken || strcmp(phone->name, name) != 0)
            continue;
        return step == SL_STEP_PROBE           ? ask(phone)
               : step == SL_STEP_ADB_RECONNECT ? kick(phone)
                                               : SL_E_UNSUPPORTED;
    }
    return SL_E_NOT_FOUND;
}

/* --- which there are --- */

static int add_device(struct phone *phone)
{
    char link[sizeof(link_word) + SL_ADB_SERIAL_BYTES];
    struct sl_diag diag = {.what = ""};
    const struct sl_host_device device = {phone->name,
                                          {.kind = sl_device_kind_find("adb"), .link = link}};
    snprintf(link, sizeof(link), "%s%s", link_word, phone->serial);
    return sl_roster_take(phone->phones->roster, &device, &diag);
}

static struct phone *known(struct sl_phones *phones, const char *serial)
{
    for (size_t i = 0; i < phones->count; i++) {
        if (strcmp(phones->all[i].serial, serial) == 0)
            return &phones->all[i];
    }
    return NULL;
}

/* A place for it; NULL: there is none. */
static struct phone *add(struct sl_phones *phones, const char *serial)
{
    size_t at = 0;
    while (at < phones->count &&
           (phones->all[at].serial[0] || phones->all[at].shell || phones->all[at].kick))
        at++;
    if (at == SL_MAX_DEVICES) {
        if (!phones->full)
            sl_log(SL_LOG_WARNING, SL_LOG_EVENT("phones_full"),
                   SL_LOG_NUMBER("most", SL_MAX_DEVICES));
        phones->full = true;
        return NULL;
    }
    if (at == phones->count)
        phones->count++;
    struct phone *phone = &phones->all[at];
    *phone = (struct phone){.phones = phones, .state = -1};
    snprintf(phone->serial, sizeof(phone->serial), "%s", serial);
    return phone;
}

/* NULL: there is no room for it, or it is not wanted. */
static struct phone *find(struct sl_phones *phones, const char *serial)
{
    struct phone *phone = known(phones, serial);
    if (phone || !phones->finds)
        return phone;
    phone = add(phones, serial);
    if (!phone)
        return NULL;
    phone->found = true;
    sl_adb_name_of(serial, phone->name);
    phone->taken = add_device(phone) == 0;
    return phone;
}

static void on_changed(void *user, const struct sl_adb_listed *listed, size_t count,
                       const char *reason)
{
    struct sl_phones *phones = user;
    bool seen[SL_MAX_DEVICES] = {false};
    for (size_t i = 0; i < count; i++) {
        struct phone *phone = find(phones, listed[i].serial);
        if (!phone)
            continue;
        seen[phone - phones->all] = true;
        set_state(phone, listed[i].state);
    }
    for (size_t i = 0; i < phones->count; i++) {
        struct phone *phone = &phones->all[i];
        if (!seen[i])
            set_state(phone, 0);
        if (reason && phone->taken)
            set_away(phone, SL_CAUSE_DEVICE_NO_SERVER, reason);
    }
}

/* --- begin and end --- */

/* The serial of a device behind the server; NULL: it is another's. */
static const char *serial_of(const struct sl_host_device *device)
{
    const char *link = device->way.link;
    bool behind = link && strncmp(link, link_word, sizeof(link_word) - 1) == 0;
    return behind ? link + sizeof(link_word) - 1 : NULL;
}

static bool is_configured(const struct phone *phone, const struct sl_host_config *config)
{
    for (size_t i = 0; i < config->device_count; i++) {
        const char *serial = serial_of(&config->devices[i]);
        if (serial && strcmp(serial, phone->serial) == 0 &&
            strcmp(config->devices[i].name, phone->name) == 0)
            return true;
    }
    return false;
}

/* A phone that was found by itself may have a name by now. */
static void take_configured(struct sl_phones *phones, const struct sl_host_device *device)
{
    const char *serial = serial_of(device);
    struct phone *phone = serial ? known(phones, serial) : NULL;
    if (!serial || (phone && !phone->found))
        return;
    if (phone && strcmp(phone->name, device->name) != 0)
        sl_roster_drop(phones->roster, phone->name);
    if (!phone)
        phone = add(phones, serial);
    if (!phone)
        return;
    phone->found = false;
    phone->taken = true;
    phone->state = -1;
    snprintf(phone->name, sizeof(phone->name), "%s", device->name);
}

/* So that who asks for a phone right after the start finds it. */
static int look_once(struct sl_phones *phones)
{
    struct sl_adb_look *look = sl_calloc(1, sizeof(*look));
    struct sl_diag diag;
    if (!look)
        return -ENOMEM;
    if (sl_adb_look(look, &diag) == 0)
        on_changed(phones, look->listed, look->count, NULL);
    sl_free(look);
    return 0;
}

int sl_phones_configure(struct sl_phones *phones, const struct sl_host_config *config)
{
    for (size_t i = 0; i < phones->count; i++) {
        struct phone *phone = &phones->all[i];
        if (phone->found || is_configured(phone, config))
            continue;
        phone->serial[0] = '\0';
        phone->taken = false;
    }
    for (size_t i = 0; i < config->device_count; i++)
        take_configured(phones, &config->devices[i]);
    bool wanted = phones->finds;
    for (size_t i = 0; i < phones->count; i++)
        wanted = wanted || phones->all[i].taken;
    if (wanted && !phones->tracker)
        return sl_adb_tracker_new(phones->loop, on_changed, phones, &phones->tracker);
    if (phones->tracker)
        sl_adb_tracker_tell(phones->tracker);
    return 0;
}

int sl_phones_new(uv_loop_t *loop, const struct sl_host_config *config, struct sl_devices *devices,
                  struct sl_lab *lab, struct sl_roster *roster, struct sl_phones **out)
{
    struct sl_phones *phones = sl_calloc(1, sizeof(*phones));
    if (!phones)
        return -ENOMEM;
    phones->loop = loop;
    phones->devices = devices;
    phones->lab = lab;
    phones->roster = roster;
    phones->finds = config->adb;
    uv_idle_init(loop, &phones->handle); /* cannot fail */
    phones->handle.data = phones;
    *out = phones;
    int rc = sl_phones_configure(phones, config);
    return rc == 0 && phones->tracker ? look_once(phones) : rc;
}

bool sl_phones_found(const struct sl_phones *phones, const char *name)
{
    for (size_t i = 0; phones && i < phones->count; i++) {
        if (phones->all[i].found && phones->all[i].taken && strcmp(phones->all[i].name, name) == 0)
            return true;
    }
    return false;
}

static void finish_close(struct sl_phones *phones)
{
    bool busy = phones->tracker || !phones->handle_closed;
    for (size_t i = 0; i < phones->count; i++)
        busy = busy || phones->all[i].shell || phones->all[i].kick;
    if (busy)
        return;
    void (*closed)(void *) = phones->closed;
    void *user = phones->closed_user;
    sl_free(phones);
    closed(user);
}

static void on_tracker_closed(void *user)
{
    struct sl_phones *phones = user;
    phones->tracker = NULL;
    finish_close(phones);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_phones *phones = handle->data;
    phones->handle_closed = true;
    finish_close(phones);
}

void sl_phones_close(struct sl_phones *phones, void (*closed)(void *user), void *user)
{
    phones->closing = true;
    phones->closed = closed;
    phones->closed_user = user;
    for (size_t i = 0; i < phones->count; i++) {
        if (phones->all[i].shell)
            sl_adb_shell_stop(phones->all[i].shell);
        if (phones->all[i].kick)
            sl_adb_stream_close(phones->all[i].kick);
    }
    if (phones->tracker)
        sl_adb_tracker_close(phones->tracker, on_tracker_closed, phones);
    uv_close((uv_handle_t *)&phones->handle, on_handle_closed);
}
