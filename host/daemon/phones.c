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
#include "host/device/adb/usb.h"
#include "host/job/device_life.h"
#include "host/job/devices.h"
#include "host/job/lab.h"
#include "host/spec/host_config.h"

static const char link_word[] = "adb:", usb_word[] = "adb-usb:";

/* A server takes a phone that is plugged in within seconds, and comes back soon where a program
 * starts it anew: only what it leaves alone for longer is reached without it. */
enum { GRACE_MS = 10000, LEAVING_MS = 200 };

struct phone {
    struct sl_phones *phones;
    char serial[SL_ADB_SERIAL_BYTES]; /* that it is known by, for good; "": the place is free */
    char label[SL_ADB_SERIAL_BYTES];  /* its own serial, which a twin has too */
    char port[SL_ADB_SERIAL_BYTES];   /* where it was last; "": not known */
    char way[SL_ADB_SERIAL_BYTES];    /* that it is reached by now: serial or port */
    char name[SL_NAME_BYTES];
    bool found;                 /* not configured */
    bool taken;                 /* it is a device of the lab, opened or not */
    bool usb;                   /* reached by its USB port, without the server */
    bool leaving;               /* it was reached another way, and is still being forgotten */
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
    struct sl_adb_usb_watch *usb;   /* the same */
    struct sl_adb_listed served[SL_ADB_MAX_LISTED], plugged[SL_ADB_MAX_LISTED];
    size_t served_count, plugged_count;
    bool server_known;         /* of the server: whether there is one */
    bool server, was_served;   /* there is one; there was */
    char why[SL_DETAIL_BYTES]; /* there is none */
    uint64_t quiet_since_ms;   /* by the loop's clock: neither list has changed */
    uv_timer_t timer;          /* looks at both again */
    uv_idle_t handle;          /* does nothing: its end comes from the loop */
    int handles;               /* open ones */
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
    const struct sl_adb_shell_options options = {.serial = phone->way, .command = "getprop"};
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
        set_away(phone, SL_CAUSE_DEVICE_UNPLUGGED,
                 phone->usb ? "no USB port has it" : "adb does not see it");
        return;
    }
    if (state != SL_ADB_ONLINE) {
        snprintf(why, sizeof(why), "%s: %s", sl_adb_state_why(state), sl_adb_state_fix(state));
        set_away(phone, cause_of(state), why);
        return;
    }
    sl_devices_hold(phone->phones->devices, phone->name, false);
    bool asked = !was_known && !phone->usb && ask(phone) == 0;
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
    snprintf(service, sizeof(service), "host-serial:%s:reconnect", phone->way);
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

static void add_device(struct phone *phone)
{
    char link[sizeof(usb_word) + SL_ADB_SERIAL_BYTES];
    struct sl_diag diag = {.what = ""};
    const struct sl_host_device device = {
        phone->name, {.kind = sl_device_kind_find("adb"), .link = link}, ""};
    snprintf(link, sizeof(link), "%s%s", phone->usb ? usb_word : link_word, phone->serial);
    int rc = sl_roster_take(phone->phones->roster, &device, &diag);
    phone->leaving = rc == -EBUSY;
    phone->taken = !phone->leaving && sl_lab_device(phone->phones->lab, phone->name);
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
    snprintf(phone->way, sizeof(phone->way), "%s", serial);
    return phone;
}

/* Is the phone the one that was in this port last, or configured by it? */
static bool has_port(const struct phone *phone, const struct sl_adb_listed *listed)
{
    bool was_there =
        sl_adb_same_port(phone->port, listed->port) && strcmp(phone->label, listed->label) == 0;
    return was_there || (!phone->found && strcmp(phone->serial, listed->port) == 0);
}

/* A phone that is in its port still is the same one, whatever twins came or went: only a newcomer
 * is known by what the list calls it. */
static struct phone *match(struct sl_phones *phones, const struct sl_adb_listed *listed)
{
    for (size_t i = 0; i < phones->count; i++) {
        if (phones->all[i].serial[0] && has_port(&phones->all[i], listed))
            return &phones->all[i];
    }
    return known(phones, listed->serial);
}

/* A twin that comes or goes changes how a phone is reached, and nothing else. */
static void move(struct phone *phone, const struct sl_adb_listed *listed)
{
    char link[sizeof(usb_word) + SL_ADB_SERIAL_BYTES];
    memcpy(phone->label, listed->label, sizeof(phone->label));
    if (listed->port[0])
        memcpy(phone->port, listed->port, sizeof(phone->port));
    if (strcmp(phone->way, listed->serial) == 0)
        return;
    memcpy(phone->way, listed->serial, sizeof(phone->way));
    snprintf(link, sizeof(link), "%s%s", phone->usb ? usb_word : link_word, phone->way);
    sl_devices_move(phone->phones->devices, phone->name, link);
}

/* NULL: there is no room for it, it is not wanted, or a configuration has it another way. */
static struct phone *find(struct sl_phones *phones, const struct sl_adb_listed *listed, bool usb)
{
    const char *serial = listed->serial;
    struct phone *phone = match(phones, listed);
    if (phone && phone->usb == usb && !phone->leaving) {
        move(phone, listed);
        return phone;
    }
    if (phone ? !phone->found : !phones->finds)
        return NULL;
    if (!phone)
        phone = add(phones, serial);
    if (!phone)
        return NULL;
    phone->found = true;
    phone->usb = usb;
    phone->state = -1;
    sl_adb_name_of(phone->serial, phone->name);
    add_device(phone);
    phone->way[0] = '\0'; /* the device is new, and does not know it */
    move(phone, listed);
    return phone;
}

static bool is_served(const struct sl_phones *phones, const struct sl_adb_listed *plugged)
{
    for (size_t i = 0; i < phones->served_count; i++) {
        if (sl_adb_same_phone(&phones->served[i], plugged))
            return true;
    }
    return false;
}

/* May a phone that is plugged in be reached without the server? */
static bool is_left_alone(struct sl_phones *phones, const struct sl_adb_listed *plugged)
{
    const struct phone *phone = match(phones, plugged);
    if (!phones->server_known || is_served(phones, plugged))
        return false;
    return !phones->was_served || (phone && phone->usb) ||
           uv_now(phones->loop) - phones->quiet_since_ms >= GRACE_MS;
}

static void on_timer(uv_timer_t *timer);

/* Updates the phones from all listings, however they are reached. */
static void settle(struct sl_phones *phones)
{
    bool seen[SL_MAX_DEVICES] = {false}, waits = false;
    for (size_t i = 0; i < phones->served_count; i++) {
        struct phone *phone = find(phones, &phones->served[i], false);
        if (phone)
            seen[phone - phones->all] = true;
        if (phone)
            set_state(phone, phones->served[i].state);
    }
    for (size_t i = 0; i < phones->plugged_count; i++) {
        const struct sl_adb_listed *plugged = &phones->plugged[i];
        bool left_alone = is_left_alone(phones, plugged);
        struct phone *phone = left_alone ? find(phones, plugged, true) : NULL;
        waits = waits || (!left_alone && !is_served(phones, plugged));
        if (!phone)
            continue;
        seen[phone - phones->all] = true;
        if (phone->taken && phone->state != plugged->state)
            sl_lab_describe_device(phones->lab, phone->name, plugged->model, "", "");
        set_state(phone, plugged->state);
    }
    for (size_t i = 0; i < phones->count; i++) {
        struct phone *phone = &phones->all[i];
        if (!seen[i])
            set_state(phone, 0);
        if (!phones->server && phones->why[0] && phone->taken && !phone->usb)
            set_away(phone, SL_CAUSE_DEVICE_NO_SERVER, phones->why);
        if (phone->leaving)
            uv_timer_start(&phones->timer, on_timer, LEAVING_MS, 0);
    }
    if (waits && phones->was_served && !uv_is_active((uv_handle_t *)&phones->timer))
        uv_timer_start(&phones->timer, on_timer, GRACE_MS, 0);
}

static void on_timer(uv_timer_t *timer)
{
    settle(timer->data);
}

static void on_changed(void *user, const struct sl_adb_listed *listed, size_t count,
                       const char *reason)
{
    struct sl_phones *phones = user;
    phones->server_known = true;
    phones->server = reason == NULL;
    phones->was_served = phones->was_served || phones->server;
    phones->quiet_since_ms = uv_now(phones->loop);
    snprintf(phones->why, sizeof(phones->why), "%s", reason ? reason : "");
    phones->served_count = count;
    for (size_t i = 0; i < count; i++)
        phones->served[i] = listed[i];
    settle(phones);
}

static void on_plugged(void *user, const struct sl_adb_listed *listed, size_t count)
{
    struct sl_phones *phones = user;
    phones->quiet_since_ms = uv_now(phones->loop);
    phones->plugged_count = count;
    for (size_t i = 0; i < count; i++)
        phones->plugged[i] = listed[i];
    settle(phones);
}

/* --- begin and end --- */

/* The serial of a phone that the server or a USB port lists; NULL: it is another device. */
static const char *serial_of(const struct sl_host_device *device, bool *out_usb)
{
    const char *link = device->way.link ? device->way.link : "";
    *out_usb = strncmp(link, usb_word, sizeof(usb_word) - 1) == 0;
    if (*out_usb)
        return link + sizeof(usb_word) - 1;
    return strncmp(link, link_word, sizeof(link_word) - 1) == 0 ? link + sizeof(link_word) - 1
                                                                : NULL;
}

static bool is_configured(const struct phone *phone, const struct sl_host_config *config)
{
    for (size_t i = 0; i < config->device_count; i++) {
        bool usb;
        const char *serial = serial_of(&config->devices[i], &usb);
        if (serial && usb == phone->usb && strcmp(serial, phone->serial) == 0 &&
            strcmp(config->devices[i].name, phone->name) == 0)
            return true;
    }
    return false;
}

/* A phone that was found by itself may have a name by now. */
static void take_configured(struct sl_phones *phones, const struct sl_host_device *device)
{
    bool usb;
    const char *serial = serial_of(device, &usb);
    struct phone *phone = serial ? known(phones, serial) : NULL;
    if (!serial || (phone && !phone->found))
        return;
    if (phone && strcmp(phone->name, device->name) != 0)
        sl_roster_drop(phones->roster, phone->name);
    if (!phone)
        phone = add(phones, serial);
    if (!phone)
        return;
    phone->found = phone->leaving = false;
    phone->taken = true;
    phone->usb = usb;
    phone->state = -1;
    memcpy(phone->way, phone->serial, sizeof(phone->way)); /* the device is another */
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
    phones->server_known = true;
    look->count = sl_adb_usb_list(look->listed, SL_ADB_MAX_LISTED);
    on_plugged(phones, look->listed, look->count);
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
    if (wanted && !phones->tracker) {
        int rc = sl_adb_tracker_new(phones->loop, on_changed, phones, &phones->tracker);
        return rc < 0 ? rc : sl_adb_usb_watch_new(phones->loop, on_plugged, phones, &phones->usb);
    }
    if (phones->tracker)
        settle(phones);
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
    uv_timer_init(loop, &phones->timer); /* cannot fail, like the next */
    phones->timer.data = phones;
    uv_idle_init(loop, &phones->handle);
    phones->handle.data = phones;
    phones->handles = 2;
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
    bool busy = phones->tracker || phones->usb || phones->handles > 0;
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

static void on_watch_closed(void *user)
{
    struct sl_phones *phones = user;
    phones->usb = NULL;
    finish_close(phones);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_phones *phones = handle->data;
    phones->handles--;
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
    if (phones->usb)
        sl_adb_usb_watch_close(phones->usb, on_watch_closed, phones);
    uv_close((uv_handle_t *)&phones->timer, on_handle_closed);
    uv_close((uv_handle_t *)&phones->handle, on_handle_closed);
}
