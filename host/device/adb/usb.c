/* host/device/adb/usb.c */
#include "host/device/adb/usb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libusb-1.0/libusb.h>
#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/adb/carrier.h"
#include "host/device/adb/message.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/usb_frames.h"

enum {
    SLOT_BYTES = 32,
    MAX_PORTS = 7,
    WHY_BYTES = SL_ADB_REASON_BYTES,
    WAITING_BYTES = 16 << 20, /* not sent yet; above it the device is given up */
    FLYING_BYTES = 256 << 10, /* given to the kernel and not sent yet */
    UNREAD_BYTES = 1 << 20,   /* received; above it nothing is read */
    LEAST_PIECE_BYTES = 16 << 10,
    ACCESS_TRIES = 10, /* the node appears before udev sets its mode */
    ACCESS_WAIT_MS = 100,
    SCAN_S = 2, /* where no udevd tells of changes */
    LOOKS = 2,  /* at a change: /sys may be behind */
    LOOK_US = 200000,
    IDLE_S = 60,
};

static const char port_word[] = "usb:";

/* --- a thread with a context of its own --- */

struct worker {
    uv_async_t async; /* wakes the loop; its data is the owner */
    uv_thread_t thread;
    bool closing;            /* of the loop's thread: nothing is told any more */
    uv_mutex_t lock;         /* of what follows, and of what the owner says */
    libusb_context *context; /* NULL: nobody is to be woken */
    bool stop, over;
};

/* A negative code: `unborn` frees the owner, now or from the loop. */
static int start_worker(struct worker *worker, uv_loop_t *loop, uv_async_cb told,
                        void (*run)(void *owner), void *owner, uv_close_cb unborn)
{
    worker->async.data = owner;
    int rc = uv_mutex_init(&worker->lock);
    if (rc < 0) {
        unborn((uv_handle_t *)&worker->async);
        return rc;
    }
    rc = uv_async_init(loop, &worker->async, told);
    worker->async.data = owner;
    if (rc < 0) {
        uv_mutex_destroy(&worker->lock);
        unborn((uv_handle_t *)&worker->async);
        return rc;
    }
    rc = uv_thread_create(&worker->thread, run, owner);
    if (rc < 0) {
        uv_mutex_destroy(&worker->lock);
        uv_close((uv_handle_t *)&worker->async, unborn);
    }
    return rc;
}

/* In the thread: 0 or libusb's code. */
static int open_context(struct worker *worker)
{
    libusb_context *context = NULL;
    int rc = libusb_init(&context);
    uv_mutex_lock(&worker->lock);
    worker->context = rc < 0 ? NULL : context;
    uv_mutex_unlock(&worker->lock);
    return rc;
}

/* The last in the thread. */
static void end_worker(struct worker *worker)
{
    libusb_context *context = worker->context;
    uv_mutex_lock(&worker->lock);
    worker->context = NULL;
    uv_mutex_unlock(&worker->lock);
    if (context)
        libusb_exit(context);
    uv_mutex_lock(&worker->lock);
    worker->over = true;
    uv_mutex_unlock(&worker->lock);
    uv_async_send(&worker->async);
}

static bool stops(struct worker *worker)
{
    uv_mutex_lock(&worker->lock);
    bool stop = worker->stop;
    uv_mutex_unlock(&worker->lock);
    return stop;
}

/* In the loop, with the lock. */
static void wake(struct worker *worker)
{
    if (worker->context)
        libusb_interrupt_event_handler(worker->context);
}

static void stop_worker(struct worker *worker)
{
    worker->closing = true;
    uv_mutex_lock(&worker->lock);
    worker->stop = true;
    wake(worker);
    uv_mutex_unlock(&worker->lock);
    uv_async_send(&worker->async); /* it may be over already */
}

/* The last in `told`. */
static void finish_worker(struct worker *worker, bool over, uv_close_cb closed)
{
    if (!over || !worker->closing || uv_is_closing((uv_handle_t *)&worker->async))
        return;
    uv_thread_join(&worker->thread);
    uv_mutex_destroy(&worker->lock);
    uv_close((uv_handle_t *)&worker->async, closed);
}

/* --- which phones there are --- */

struct interface {
    uint8_t number, in, out;
    uint16_t packet_bytes;
};

static bool is_adb(const struct libusb_interface_descriptor *it)
{
    return (it->bInterfaceClass == 0xff && it->bInterfaceSubClass == 0x42 &&
            it->bInterfaceProtocol == 1) ||
           (it->bInterfaceClass == 0xdc && it->bInterfaceSubClass == 2 &&
            it->bInterfaceProtocol == 1);
}

static bool take_endpoints(const struct libusb_interface_descriptor *it, struct interface *out)
{
    *out = (struct interface){.number = it->bInterfaceNumber};
    for (uint8_t i = 0; i < it->bNumEndpoints; i++) {
        const struct libusb_endpoint_descriptor *end = &it->endpoint[i];
        bool in = end->bEndpointAddress & LIBUSB_ENDPOINT_IN;
        uint8_t *at = in ? &out->in : &out->out;
        if ((end->bmAttributes & 3) != LIBUSB_ENDPOINT_TRANSFER_TYPE_BULK || *at != 0)
            continue;
        *at = end->bEndpointAddress;
        if (in)
            out->packet_bytes = end->wMaxPacketSize;
    }
    /* Any other size is no bulk endpoint's. */
    return out->in && out->out && out->packet_bytes >= 8 && out->packet_bytes <= 1024 &&
           (out->packet_bytes & (out->packet_bytes - 1)) == 0;
}

/* Reads descriptors only; no device is opened for it. */
static bool find_interface(libusb_device *device, struct interface *out)
{
    struct libusb_config_descriptor *config;
    bool found = false;
    if (libusb_get_active_config_descriptor(device, &config) != 0)
        return false;
    for (uint8_t i = 0; i < config->bNumInterfaces && !found; i++) {
        const struct libusb_interface *it = &config->interface[i];
        found = it->num_altsetting > 0 && is_adb(&it->altsetting[0]) &&
                take_endpoints(&it->altsetting[0], out);
    }
    libusb_free_config_descriptor(config);
    return found;
}

/* "BUS-PORT[.PORT...]", the name of the place in /sys too. */
static bool slot_of(libusb_device *device, char out[SLOT_BYTES])
{
    uint8_t ports[MAX_PORTS];
    int count = libusb_get_port_numbers(device, ports, MAX_PORTS);
    int len = snprintf(out, SLOT_BYTES, "%u", libusb_get_bus_number(device));
    for (int i = 0; i < count; i++)
        len += snprintf(out + len, SLOT_BYTES - (size_t)len, "%c%u", i == 0 ? '-' : '.', ports[i]);
    return count > 0;
}

/* A line of /sys about the device at the port; "" where there is none, or it is too long. */
static void read_fact(const char *slot, const char *fact, char *out, size_t size)
{
    char path[128];
    struct sl_buf text;
    out[0] = '\0';
    snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/%s", slot, fact);
    if (sl_buf_read_file(path, 4096, &text) < 0)
        return;
    size_t len = text.data ? strcspn((const char *)text.data, "\n") : 0;
    if (len < size)
        snprintf(out, size, "%.*s", (int)len, (const char *)text.data);
    sl_buf_fini(&text);
}

/* The serial, or the port where there is none that can be used. */
static void name_device(const char *slot, char out[SL_ADB_SERIAL_BYTES])
{
    read_fact(slot, "serial", out, SL_ADB_SERIAL_BYTES);
    if (!sl_adb_is_serial(out, strlen(out)) || strncmp(out, port_word, sizeof(port_word) - 1) == 0)
        snprintf(out, SL_ADB_SERIAL_BYTES, "%s%s", port_word, slot);
}

static void list_device(libusb_device *device, const char *slot, struct sl_adb_listed *out)
{
    static const char *const speeds[] = {[LIBUSB_SPEED_LOW] = "1.5",
                                         [LIBUSB_SPEED_FULL] = "12",
                                         [LIBUSB_SPEED_HIGH] = "480",
                                         [LIBUSB_SPEED_SUPER] = "5000",
                                         [LIBUSB_SPEED_SUPER_PLUS] = "10000"};
    int speed = libusb_get_device_speed(device);
    char node[64], product[SL_ADB_WORD_BYTES];
    *out = (struct sl_adb_listed){.state = SL_ADB_ONLINE};
    snprintf(out->port, sizeof(out->port), "%s%s", port_word, slot);
    name_device(slot, out->label);
    if (strcmp(out->label, out->port) == 0)
        out->label[0] = '\0';
    read_fact(slot, "product", product, sizeof(product));
    sl_adb_printable(product, strlen(product), out->model, sizeof(out->model));
    snprintf(node, sizeof(node), "/dev/bus/usb/%03u/%03u", libusb_get_bus_number(device),
             libusb_get_device_address(device));
    if (access(node, R_OK | W_OK) != 0)
        out->state = SL_ADB_NO_PERMISSIONS;
    bool known = speed > 0 && (size_t)speed < sizeof(speeds) / sizeof(speeds[0]);
    snprintf(out->said, sizeof(out->said), "USB port %s%s%s%s", slot, known ? ", " : "",
             known ? speeds[speed] : "", known ? " Mbit/s" : "");
}

size_t sl_adb_usb_list(struct sl_adb_listed *out, size_t max)
{
    libusb_context *context;
    libusb_device **all = NULL;
    struct interface interface;
    size_t count = 0;
    char slot[SLOT_BYTES];
    if (libusb_init(&context) != 0)
        return 0;
    ssize_t there = libusb_get_device_list(context, &all);
    for (ssize_t i = 0; i < there && count < max; i++) {
        if (!find_interface(all[i], &interface) || !slot_of(all[i], slot))
            continue;
        list_device(all[i], slot, &out[count]);
        count++;
    }
    if (there >= 0)
        libusb_free_device_list(all, 1);
    libusb_exit(context);
    sl_adb_name_by_port(out, count);
    return count;
}

/* --- the look-out --- */

struct sl_adb_usb_watch {
    struct worker worker;
    sl_adb_usb_watch_fn changed;
    void *user;
    void (*closed)(void *user);
    void *closed_user;
    struct sl_adb_listed listed[SL_ADB_MAX_LISTED]; /* with the lock */
    size_t count;
};

/* Descriptors may be read only outside of it. */
static int LIBUSB_CALL on_hotplug(libusb_context *context, libusb_device *device,
                                  libusb_hotplug_event event, void *user)
{
    (void)context;
    (void)device;
    (void)event;
    *(unsigned *)user = LOOKS;
    return 0;
}

/* True: look again soon, for udev may just be giving the permissions. */
static bool look(struct sl_adb_usb_watch *watch, struct sl_adb_listed *listed, bool first)
{
    size_t count = sl_adb_usb_list(listed, SL_ADB_MAX_LISTED);
    bool refused = false;
    for (size_t i = 0; i < count; i++)
        refused = refused || listed[i].state == SL_ADB_NO_PERMISSIONS;
    uv_mutex_lock(&watch->worker.lock);
    bool same =
        count == watch->count && memcmp(listed, watch->listed, count * sizeof(listed[0])) == 0;
    memcpy(watch->listed, listed, count * sizeof(listed[0]));
    watch->count = count;
    uv_mutex_unlock(&watch->worker.lock);
    if (first || !same)
        uv_async_send(&watch->worker.async);
    return refused;
}

static void watch_out(struct sl_adb_usb_watch *watch, struct sl_adb_listed *listed)
{
    libusb_context *context = watch->worker.context;
    unsigned due = 0;
    libusb_hotplug_register_callback(
        context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT, 0,
        LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY, on_hotplug,
        &due, NULL);
    for (bool first = true; !stops(&watch->worker); first = false) {
        struct timeval limit = {.tv_sec = IDLE_S};
        bool refused = look(watch, listed, first);
        due -= due > 0;
        if (due > 0)
            limit = (struct timeval){.tv_usec = LOOK_US};
        else if (refused || access("/run/udev/control", F_OK) != 0)
            limit.tv_sec = SCAN_S;
        libusb_handle_events_timeout_completed(context, &limit, NULL);
    }
}

static void run_watch(void *arg)
{
    struct sl_adb_usb_watch *watch = arg;
    struct sl_adb_listed *listed = sl_calloc(SL_ADB_MAX_LISTED, sizeof(*listed));
    if (listed && open_context(&watch->worker) == 0)
        watch_out(watch, listed);
    sl_free(listed);
    end_worker(&watch->worker);
}

static void on_watch_closed(uv_handle_t *handle)
{
    struct sl_adb_usb_watch *watch = handle->data;
    void (*closed)(void *) = watch->closed;
    void *user = watch->closed_user;
    sl_free(watch);
    closed(user);
}

static void on_watched(uv_async_t *async)
{
    struct sl_adb_usb_watch *watch = async->data;
    uv_mutex_lock(&watch->worker.lock);
    bool over = watch->worker.over;
    size_t count = watch->count;
    struct sl_adb_listed *listed =
        watch->worker.closing || over ? NULL : sl_calloc(count + 1, sizeof(*listed));
    if (listed)
        memcpy(listed, watch->listed, count * sizeof(*listed));
    uv_mutex_unlock(&watch->worker.lock);
    if (listed)
        watch->changed(watch->user, listed, count);
    sl_free(listed);
    finish_worker(&watch->worker, over, on_watch_closed);
}

static void on_unborn(uv_handle_t *handle)
{
    sl_free(handle->data);
}

int sl_adb_usb_watch_new(uv_loop_t *loop, sl_adb_usb_watch_fn changed, void *user,
                         struct sl_adb_usb_watch **out)
{
    struct sl_adb_usb_watch *watch = sl_calloc(1, sizeof(*watch));
    if (!watch)
        return -ENOMEM;
    watch->changed = changed;
    watch->user = user;
    int rc = start_worker(&watch->worker, loop, on_watched, run_watch, watch, on_unborn);
    if (rc == 0)
        *out = watch;
    return rc;
}

void sl_adb_usb_watch_close(struct sl_adb_usb_watch *watch, void (*closed)(void *user), void *user)
{
    watch->closed = closed;
    watch->closed_user = user;
    stop_worker(&watch->worker);
}

/* --- a connection --- */

struct message {
    struct message *next;
    struct sl_buf bytes;
};

struct piece {
    struct piece *next;
    struct usb *usb;
    struct libusb_transfer *transfer;
    uint8_t bytes[];
};

struct usb {
    struct sl_adb_carrier carrier; /* first */
    struct worker worker;
    char name[SL_ADB_SERIAL_BYTES];
    unsigned stuck;
    bool told_connected, told_failed; /* of the loop's thread */
    struct message *first, **last;    /* to be sent; with the lock, up to `written` */
    size_t unsent;
    struct sl_buf received;
    bool connected, written;
    /* From here on of the connection's own thread; `why` and `out_of_step` until it is over. */
    libusb_device_handle *handle;
    struct interface interface;
    struct sl_adb_usb_frames frames;
    struct libusb_transfer *in;
    uint8_t *in_bytes;
    bool reading, failed, out_of_step, starved;
    struct piece *flying;
    size_t flying_bytes, piece_bytes;
    size_t gone; /* of the first message */
    char why[WHY_BYTES];
};

static void fail(struct usb *usb, bool out_of_step, const char *why)
{
    if (usb->failed)
        return;
    usb->failed = true;
    usb->out_of_step = out_of_step;
    snprintf(usb->why, sizeof(usb->why), "%s", why);
}

static void fail_with(struct usb *usb, int code)
{
    static const char held[] =
        "another program holds the phone's USB interface, most likely the adb server: reach the "
        "phone through it (adb:SERIAL), or end it ('adb kill-server')";
    char why[WHY_BYTES];
    switch (code) {
    case LIBUSB_ERROR_ACCESS:
        snprintf(why, sizeof(why), "%s: %s", sl_adb_state_why(SL_ADB_NO_PERMISSIONS),
                 sl_adb_state_fix(SL_ADB_NO_PERMISSIONS));
        fail(usb, false, why);
        break;
    case LIBUSB_ERROR_BUSY:
        fail(usb, false, held);
        break;
    case LIBUSB_ERROR_NO_DEVICE:
    case LIBUSB_ERROR_NOT_FOUND:
        fail(usb, false, "the phone was unplugged");
        break;
    case LIBUSB_ERROR_PIPE:
        fail(usb, true, "the phone stalled its USB endpoint");
        break;
    default:
        snprintf(why, sizeof(why), "USB: %s", libusb_strerror(code));
        fail(usb, false, why);
    }
}

static void fail_by_status(struct usb *usb, enum libusb_transfer_status status)
{
    static const int codes[] = {
        [LIBUSB_TRANSFER_ERROR] = LIBUSB_ERROR_IO,
        [LIBUSB_TRANSFER_TIMED_OUT] = LIBUSB_ERROR_TIMEOUT,
        [LIBUSB_TRANSFER_STALL] = LIBUSB_ERROR_PIPE,
        [LIBUSB_TRANSFER_NO_DEVICE] = LIBUSB_ERROR_NO_DEVICE,
    };
    if (status == LIBUSB_TRANSFER_OVERFLOW)
        fail(usb, true, "the phone sent more than it had announced");
    else
        fail_with(usb,
                  status < sizeof(codes) / sizeof(codes[0]) ? codes[status] : LIBUSB_ERROR_OTHER);
}

/* --- a connection: what comes --- */

static void LIBUSB_CALL on_in(struct libusb_transfer *transfer)
{
    struct usb *usb = transfer->user_data;
    usb->reading = false;
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) {
        fail_by_status(usb, transfer->status);
        return;
    }
    int taken =
        sl_adb_usb_frames_take(&usb->frames, transfer->buffer, (size_t)transfer->actual_length);
    if (taken < 0)
        fail(usb, true, "what the phone sends is no message of adbd");
    if (taken <= 0)
        return;
    uv_mutex_lock(&usb->worker.lock);
    int rc = sl_buf_append(&usb->received, transfer->buffer, (size_t)taken);
    uv_mutex_unlock(&usb->worker.lock);
    if (rc < 0)
        fail(usb, true, sl_strerror(rc));
    uv_async_send(&usb->worker.async);
}

static void read_next(struct usb *usb)
{
    uv_mutex_lock(&usb->worker.lock);
    bool full = usb->received.size > UNREAD_BYTES;
    uv_mutex_unlock(&usb->worker.lock);
    if (usb->reading || usb->failed || full)
        return;
    libusb_fill_bulk_transfer(usb->in, usb->handle, usb->interface.in, usb->in_bytes,
                              (int)sl_adb_usb_frames_wants(&usb->frames), on_in, usb, 0);
    int rc = libusb_submit_transfer(usb->in);
    usb->starved = usb->starved || rc == LIBUSB_ERROR_NO_MEM;
    if (rc == LIBUSB_ERROR_NO_MEM && usb->frames.piece_bytes > LEAST_PIECE_BYTES)
        usb->frames.piece_bytes /= 2;
    usb->reading = rc == 0;
    if (rc < 0 && rc != LIBUSB_ERROR_NO_MEM)
        fail_with(usb, rc);
}

/* --- a connection: what goes --- */

static void free_piece(struct piece *piece)
{
    struct piece **at = &piece->usb->flying;
    while (*at != piece)
        at = &(*at)->next;
    *at = piece->next;
    libusb_free_transfer(piece->transfer);
    sl_free(piece);
}

static void LIBUSB_CALL on_out(struct libusb_transfer *transfer)
{
    struct piece *piece = transfer->user_data;
    struct usb *usb = piece->usb;
    size_t len = (size_t)transfer->length;
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED)
        fail_by_status(usb, transfer->status);
    else if (transfer->actual_length != transfer->length)
        fail(usb, true, "the phone took less than was sent to it");
    usb->flying_bytes -= len;
    free_piece(piece);
    uv_mutex_lock(&usb->worker.lock);
    usb->unsent -= len;
    usb->written = true;
    uv_mutex_unlock(&usb->worker.lock);
    uv_async_send(&usb->worker.async);
}

/* The head is a transfer of its own. A payload whose last packet is full ends with an empty one:
 * else the device waits for more. */
static int submit(struct usb *usb, const uint8_t *bytes, size_t len, bool ends)
{
    struct piece *piece = sl_malloc(1, sizeof(*piece) + len);
    struct libusb_transfer *transfer = piece ? libusb_alloc_transfer(0) : NULL;
    if (!transfer) {
        sl_free(piece);
        return LIBUSB_ERROR_NO_MEM;
    }
    *piece = (struct piece){.next = usb->flying, .usb = usb, .transfer = transfer};
    usb->flying = piece;
    memcpy(piece->bytes, bytes, len);
    libusb_fill_bulk_transfer(transfer, usb->handle, usb->interface.out, piece->bytes, (int)len,
                              on_out, piece, 0);
    if (ends)
        transfer->flags = LIBUSB_TRANSFER_ADD_ZERO_PACKET;
    int rc = libusb_submit_transfer(transfer);
    if (rc < 0)
        free_piece(piece);
    else
        usb->flying_bytes += len;
    return rc;
}

static void forget_first(struct usb *usb)
{
    uv_mutex_lock(&usb->worker.lock);
    struct message *message = usb->first;
    usb->first = message->next;
    if (!usb->first)
        usb->last = &usb->first;
    uv_mutex_unlock(&usb->worker.lock);
    usb->gone = 0;
    sl_buf_fini(&message->bytes);
    sl_free(message);
}

static void write_next(struct usb *usb)
{
    while (!usb->failed && usb->flying_bytes < FLYING_BYTES) {
        uv_mutex_lock(&usb->worker.lock);
        const struct message *message = usb->first; /* nobody else takes it out */
        uv_mutex_unlock(&usb->worker.lock);
        if (!message)
            return;
        bool head = usb->gone < SL_ADB_HEAD_BYTES;
        size_t left = message->bytes.size - usb->gone,
               most = head ? SL_ADB_HEAD_BYTES : usb->piece_bytes;
        size_t len = left < most ? left : most;
        int rc = submit(usb, message->bytes.data + usb->gone, len, !head && len == left);
        if (rc == LIBUSB_ERROR_NO_MEM && !head && usb->piece_bytes > LEAST_PIECE_BYTES) {
            usb->piece_bytes /= 2;
        } else if (rc == LIBUSB_ERROR_NO_MEM) {
            usb->starved = true; /* other devices have it; it is tried again */
            return;
        } else if (rc < 0) {
            fail_with(usb, rc);
        } else {
            usb->gone += len;
            if (len == left)
                forget_first(usb);
        }
    }
}

/* --- a connection: its thread --- */

/* The one that has the name, with a reference; NULL with the connection failed. */
static libusb_device *find_device(struct usb *usb)
{
    libusb_device **all, *found = NULL;
    char slot[SLOT_BYTES], name[SL_ADB_SERIAL_BYTES];
    bool by_port = strncmp(usb->name, port_word, sizeof(port_word) - 1) == 0, twice = false;
    ssize_t count = libusb_get_device_list(usb->worker.context, &all);
    for (ssize_t i = 0; i < count; i++) {
        struct interface interface;
        if (!find_interface(all[i], &interface) || !slot_of(all[i], slot))
            continue;
        name_device(slot, name);
        if (strcmp(by_port ? slot : name,
                   by_port ? usb->name + sizeof(port_word) - 1 : usb->name) != 0)
            continue;
        twice = twice || found;
        found = all[i];
        usb->interface = interface;
    }
    if (twice)
        fail(usb, false, "two phones have this serial: name one by its port, adb-usb:usb:BUS-PORT");
    else if (!found)
        fail(usb, false, "no phone of that name is plugged in, or its USB debugging is off");
    if (found && !twice)
        libusb_ref_device(found);
    if (count >= 0)
        libusb_free_device_list(all, 1);
    return usb->failed ? NULL : found;
}

static int open_patiently(struct usb *usb, libusb_device *device)
{
    int rc = libusb_open(device, &usb->handle);
    for (int i = 0; rc == LIBUSB_ERROR_ACCESS && i < ACCESS_TRIES && !stops(&usb->worker); i++) {
        uv_sleep(ACCESS_WAIT_MS);
        rc = libusb_open(device, &usb->handle);
    }
    return rc;
}

/* Nothing is cleared at a first try: that breaks some phones. */
static int recover(struct usb *usb)
{
    int rc = usb->stuck == SL_ADB_USB_RESETS_AT ? libusb_reset_device(usb->handle) : 0;
    if (rc == 0 && usb->stuck > 0)
        rc = libusb_clear_halt(usb->handle, usb->interface.in);
    return rc == 0 && usb->stuck > 0 ? libusb_clear_halt(usb->handle, usb->interface.out) : rc;
}

static void open_device(struct usb *usb)
{
    libusb_device *device = find_device(usb);
    if (!device)
        return;
    int rc = open_patiently(usb, device);
    libusb_unref_device(device);
    usb->handle = rc < 0 ? NULL : usb->handle;
    if (rc == 0)
        rc = libusb_claim_interface(usb->handle, usb->interface.number);
    if (rc == 0)
        rc = recover(usb);
    usb->in = rc < 0 ? NULL : libusb_alloc_transfer(0);
    usb->in_bytes = usb->in ? sl_malloc(1, SL_ADB_USB_PIECE_BYTES) : NULL;
    if (rc == 0 && !usb->in_bytes)
        rc = LIBUSB_ERROR_NO_MEM;
    usb->frames = (struct sl_adb_usb_frames){.packet_bytes = usb->interface.packet_bytes,
                                             .piece_bytes = SL_ADB_USB_PIECE_BYTES};
    usb->piece_bytes = SL_ADB_USB_PIECE_BYTES;
    if (rc < 0)
        fail_with(usb, rc);
}

/* Every transfer comes back, cancelled or not, before the device is closed. */
static void close_device(struct usb *usb)
{
    if (usb->reading)
        libusb_cancel_transfer(usb->in);
    for (struct piece *piece = usb->flying; piece; piece = piece->next)
        libusb_cancel_transfer(piece->transfer);
    while (usb->reading || usb->flying) {
        struct timeval limit = {.tv_sec = 1};
        libusb_handle_events_timeout_completed(usb->worker.context, &limit, NULL);
    }
    libusb_free_transfer(usb->in);
    sl_free(usb->in_bytes);
    if (!usb->handle)
        return;
    libusb_release_interface(usb->handle, usb->interface.number);
    libusb_close(usb->handle);
}

static void carry(struct usb *usb)
{
    read_next(usb); /* before anything is said */
    uv_mutex_lock(&usb->worker.lock);
    usb->connected = true;
    uv_mutex_unlock(&usb->worker.lock);
    uv_async_send(&usb->worker.async);
    while (!usb->failed && !stops(&usb->worker)) {
        struct timeval limit = {.tv_sec = IDLE_S};
        usb->starved = false;
        read_next(usb);
        write_next(usb);
        if (usb->starved)
            limit = (struct timeval){.tv_usec = 20000};
        int rc = usb->failed
                     ? 0
                     : libusb_handle_events_timeout_completed(usb->worker.context, &limit, NULL);
        if (rc < 0 && rc != LIBUSB_ERROR_INTERRUPTED)
            fail_with(usb, rc);
    }
}

static void run_usb(void *arg)
{
    struct usb *usb = arg;
    int rc = open_context(&usb->worker);
    if (rc < 0) {
        fail_with(usb, rc);
    } else {
        open_device(usb);
        if (!usb->failed)
            carry(usb);
        close_device(usb);
    }
    end_worker(&usb->worker);
}

/* --- a connection: the loop's side --- */

static void free_usb(uv_handle_t *handle)
{
    struct usb *usb = handle->data;
    for (struct message *message = usb->first, *next; message; message = next) {
        next = message->next;
        sl_buf_fini(&message->bytes);
        sl_free(message);
    }
    sl_buf_fini(&usb->received);
    sl_free(usb);
}

static void on_usb_closed(uv_handle_t *handle)
{
    struct usb *usb = handle->data;
    struct sl_adb_carrier carrier = usb->carrier;
    free_usb(handle);
    carrier.events.closed(carrier.user);
}

static void tell(struct usb *usb, bool connected, const struct sl_buf *bytes, bool written,
                 bool over)
{
    const struct sl_adb_carrier_events *events = &usb->carrier.events;
    if (connected && !usb->told_connected && !usb->worker.closing) {
        usb->told_connected = true;
        events->connected(usb->carrier.user);
    }
    if (bytes->size > 0 && !usb->worker.closing)
        events->bytes(usb->carrier.user, bytes->data, bytes->size);
    if (written && !usb->worker.closing)
        events->written(usb->carrier.user);
    if (over && !usb->told_failed && !usb->worker.closing) {
        usb->told_failed = true;
        usb->carrier.out_of_step = usb->out_of_step;
        events->failed(usb->carrier.user, usb->why);
    }
}

static void on_async(uv_async_t *async)
{
    struct usb *usb = async->data;
    uv_mutex_lock(&usb->worker.lock);
    struct sl_buf bytes = usb->received;
    bool connected = usb->connected, written = usb->written, over = usb->worker.over;
    sl_buf_init(&usb->received, bytes.limit);
    usb->written = false;
    if (bytes.size > UNREAD_BYTES) /* it waits */
        wake(&usb->worker);
    uv_mutex_unlock(&usb->worker.lock);
    tell(usb, connected, &bytes, written, over);
    sl_buf_fini(&bytes);
    finish_worker(&usb->worker, over, on_usb_closed);
}

static int send_usb(struct sl_adb_carrier *carrier, struct sl_buf *bytes)
{
    struct usb *usb = (struct usb *)carrier;
    struct message *message = sl_calloc(1, sizeof(*message));
    int rc = message ? 0 : -ENOMEM;
    uv_mutex_lock(&usb->worker.lock);
    if (usb->unsent > WAITING_BYTES)
        rc = SL_E_FULL;
    if (rc == 0) {
        message->bytes = *bytes;
        *usb->last = message;
        usb->last = &message->next;
        usb->unsent += bytes->size;
        wake(&usb->worker);
    }
    uv_mutex_unlock(&usb->worker.lock);
    if (rc < 0) {
        sl_buf_fini(bytes);
        sl_free(message);
    }
    *bytes = (struct sl_buf){.data = NULL};
    return rc;
}

static size_t unsent_usb(const struct sl_adb_carrier *carrier)
{
    struct usb *usb = (struct usb *)(uintptr_t)carrier;
    uv_mutex_lock(&usb->worker.lock);
    size_t unsent = usb->unsent;
    uv_mutex_unlock(&usb->worker.lock);
    return unsent;
}

static void close_usb(struct sl_adb_carrier *carrier)
{
    stop_worker(&((struct usb *)carrier)->worker);
}

int sl_adb_usb_open(uv_loop_t *loop, const char *name, unsigned stuck,
                    const struct sl_adb_carrier_events *events, void *user,
                    struct sl_adb_carrier **out)
{
    static const struct sl_adb_carrier_ops ops = {send_usb, unsent_usb, close_usb};
    struct usb *usb = sl_calloc(1, sizeof(*usb));
    if (!usb)
        return -ENOMEM;
    usb->carrier = (struct sl_adb_carrier){.ops = &ops, .events = *events, .user = user};
    snprintf(usb->name, sizeof(usb->name), "%s", name);
    usb->stuck = stuck;
    usb->last = &usb->first;
    sl_buf_init(&usb->received, 2 * UNREAD_BYTES);
    int rc = start_worker(&usb->worker, loop, on_async, run_usb, usb, free_usb);
    if (rc == 0)
        *out = &usb->carrier;
    return rc;
}
