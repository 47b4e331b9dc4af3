/* tests/support/usb_rig.c */
#include "tests/support/usb_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <umockdev.h>

#include "common/net/address.h"

enum {
    HEAD_BYTES = 24,
    WRITE_BYTES = 16384, /* of an adbd, at most */
    QUEUE_BYTES = 4 << 20,
    MAX_URBS = 64,
    IDLE_NS = 500000, /* the node is always ready: libusb asks again at once */
};

struct urb {
    UMockdevIoctlData *urb, *buffer;
    size_t done; /* bytes of an IN */
};

struct phone {
    struct sl_usb_rig *rig;
    UMockdevIoctlBase *handler;
    struct sl_usb_phone is;
    struct sl_address backend;
    char serial[64], path[128], node[64];
    unsigned device;
    bool plugged;
    int fd;                     /* to the adbd; -1: nobody has claimed it */
    UMockdevIoctlClient *owner; /* of the claim */
    enum sl_usb_fault fault;
    struct sl_usb_seen seen;
    struct urb pending[MAX_URBS], done[MAX_URBS]; /* in the order of submission, of completion */
    size_t pending_count, done_count;
    uint8_t out_head[HEAD_BYTES];
    size_t out_left;   /* of the payload under way to the adbd */
    bool awaits_empty; /* packet, for the last was full */
    uint8_t *unsent;   /* to the adbd */
    size_t unsent_len;
    uint8_t in[WRITE_BYTES]; /* the write of the adbd that comes */
    size_t in_have, in_left; /* of it; of the message's payload */
    uint8_t *queue;          /* of packets to the host: two bytes of length, then they */
    size_t queue_len;
};

struct sl_usb_rig {
    UMockdevTestbed *bed;
    pthread_mutex_t lock;
    unsigned devices;
    struct phone phones[SL_USB_RIG_PORTS];
};

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "usb_rig: %s\n", what);
    abort();
}

static void violate(struct phone *phone, const char *what)
{
    if (!phone->seen.violation[0])
        snprintf(phone->seen.violation, sizeof(phone->seen.violation), "%s", what);
}

static struct usbdevfs_urb *urb_of(const struct urb *urb)
{
    return (struct usbdevfs_urb *)(void *)urb->urb->data;
}

/* --- what the phone sends --- */

static void queue_packets(struct phone *phone, const uint8_t *bytes, size_t len)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = len - at < phone->is.packet_bytes ? len - at : phone->is.packet_bytes;
        must(phone->queue_len + 2 + n <= QUEUE_BYTES, "the queue is full");
        phone->queue[phone->queue_len] = (uint8_t)n;
        phone->queue[phone->queue_len + 1] = (uint8_t)(n >> 8);
        memcpy(phone->queue + phone->queue_len + 2, bytes + at, n);
        phone->queue_len += 2 + n;
    }
}

/* As an adbd writes it: the head, then the payload in writes of 16 KiB. */
static void take_from_adbd(struct phone *phone)
{
    while (phone->fd >= 0 && phone->queue_len < QUEUE_BYTES / 2) {
        size_t wanted = phone->in_left > 0 ? phone->in_left : HEAD_BYTES;
        wanted = wanted < sizeof(phone->in) ? wanted : sizeof(phone->in);
        ssize_t got =
            recv(phone->fd, phone->in + phone->in_have, wanted - phone->in_have, MSG_DONTWAIT);
        if (got <= 0)
            return;
        phone->in_have += (size_t)got;
        if (phone->in_have < wanted) /* whole writes only */
            continue;
        phone->in_have = 0;
        queue_packets(phone, phone->in, wanted);
        if (phone->in_left > 0)
            phone->in_left -= wanted;
        else
            phone->in_left =
                (size_t)phone->in[12] | (size_t)phone->in[13] << 8 | (size_t)phone->in[14] << 16;
    }
}

static void finish(struct phone *phone, size_t at, int status, size_t len)
{
    struct urb urb = phone->pending[at];
    int actual = (int)len;
    umockdev_ioctl_data_update(urb.urb, offsetof(struct usbdevfs_urb, status), (guint8 *)&status,
                               sizeof(status));
    umockdev_ioctl_data_update(urb.urb, offsetof(struct usbdevfs_urb, actual_length),
                               (guint8 *)&actual, sizeof(actual));
    memmove(&phone->pending[at], &phone->pending[at + 1],
            (--phone->pending_count - at) * sizeof(urb));
    must(phone->done_count < MAX_URBS, "too many transfers");
    phone->done[phone->done_count++] = urb;
}

/* As a host controller fills it: up to a packet that is not full, or the end of the buffer. */
static bool fill(struct phone *phone, size_t at)
{
    struct urb *urb = &phone->pending[at];
    size_t size = (size_t)urb_of(urb)->buffer_length, used = 0;
    bool over = false;
    while (!over && used < phone->queue_len) {
        size_t n = (size_t)phone->queue[used] | (size_t)phone->queue[used + 1] << 8;
        if (phone->fault == SL_USB_OVERFLOW || n > size - urb->done) {
            phone->fault = SL_USB_NO_FAULT;
            phone->queue_len = 0;
            finish(phone, at, -EOVERFLOW, urb->done);
            return true;
        }
        umockdev_ioctl_data_update(urb->buffer, urb->done, phone->queue + used + 2, (gint)n);
        urb->done += n;
        used += 2 + n;
        over = n < phone->is.packet_bytes || urb->done == size;
    }
    memmove(phone->queue, phone->queue + used, phone->queue_len - used);
    phone->queue_len -= used;
    if (over)
        finish(phone, at, 0, urb->done);
    return over;
}

/* --- what the host sends --- */

static void to_adbd(struct phone *phone, const uint8_t *bytes, size_t len)
{
    phone->unsent = realloc(phone->unsent, phone->unsent_len + len + 1);
    must(phone->unsent, "no memory");
    memcpy(phone->unsent + phone->unsent_len, bytes, len);
    phone->unsent_len += len;
}

static void flush(struct phone *phone)
{
    if (phone->unsent_len == 0)
        return;
    ssize_t put = phone->fd < 0 ? (ssize_t)phone->unsent_len
                                : send(phone->fd, phone->unsent, phone->unsent_len,
                                       MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    size_t gone = put < 0 ? phone->unsent_len : (size_t)put;
    memmove(phone->unsent, phone->unsent + gone, phone->unsent_len - gone);
    phone->unsent_len -= gone;
}

/* The rules of 34.0.5, which answers a breach by closing the connection. */
static void take_from_host(struct phone *phone, const struct usbdevfs_urb *urb,
                           const uint8_t *bytes)
{
    size_t len = (size_t)urb->buffer_length;
    bool empty = urb->flags & USBDEVFS_URB_ZERO_PACKET;
    phone->seen.out_urbs++;
    if (phone->awaits_empty && len != 0)
        violate(phone, "no empty packet behind a payload whose last packet is full");
    phone->awaits_empty = false;
    if (len == 0)
        return;
    if (phone->out_left == 0) {
        if (len != HEAD_BYTES) {
            violate(phone, "a head is not a transfer of its own");
            return;
        }
        memcpy(phone->out_head, bytes, len);
        memcpy(&phone->out_left, &phone->out_head[12], 4);
    } else if (len > phone->out_left) {
        violate(phone, "more payload than its head says");
        return;
    } else {
        phone->out_left -= len;
        if (phone->out_left > 0 && len % phone->is.packet_bytes != 0)
            violate(phone, "a payload is cut within a packet");
        bool full = len % phone->is.packet_bytes == 0;
        phone->seen.empty_packets += full && empty;
        if (full && empty && phone->out_left > 0)
            violate(phone, "an empty packet within a payload");
        phone->awaits_empty = full && !empty && phone->out_left == 0;
    }
    to_adbd(phone, bytes, len);
}

/* --- transfers --- */

static void pump(struct phone *phone)
{
    bool moved = true;
    if (phone->fault != SL_USB_SILENT)
        take_from_adbd(phone);
    flush(phone);
    while (moved) {
        moved = false;
        for (size_t i = 0; i < phone->pending_count && !moved; i++) {
            const struct usbdevfs_urb *urb = urb_of(&phone->pending[i]);
            if (phone->fault == SL_USB_STALLED) {
                finish(phone, i, -EPIPE, 0);
                moved = true;
            } else if (urb->endpoint & 0x80) {
                moved = fill(phone, i);
                break; /* the first read is the one that is filled */
            }
        }
        for (size_t i = 0; i < phone->pending_count && !moved; i++) {
            const struct usbdevfs_urb *urb = urb_of(&phone->pending[i]);
            if ((urb->endpoint & 0x80) || phone->unsent_len > QUEUE_BYTES / 2)
                continue;
            if (phone->fault != SL_USB_SILENT)
                take_from_host(phone, urb,
                               phone->pending[i].buffer ? phone->pending[i].buffer->data : NULL);
            finish(phone, i, 0, (size_t)urb->buffer_length);
            moved = true;
        }
    }
    flush(phone);
}

static int submit(struct phone *phone, UMockdevIoctlData *data)
{
    struct urb urb = {.urb = g_object_ref(data)};
    const struct usbdevfs_urb *is = urb_of(&urb);
    if (is->type != USBDEVFS_URB_TYPE_BULK || phone->pending_count == MAX_URBS)
        violate(phone, "a transfer that no phone has");
    if ((is->endpoint & 0x80) && is->buffer_length % (int)phone->is.packet_bytes != 0)
        violate(phone, "a read is no multiple of the packets' size");
    if (!phone->plugged || phone->pending_count == MAX_URBS ||
        (phone->fault == SL_USB_NO_MEMORY && is->buffer_length > 16384)) {
        g_object_unref(data);
        return phone->plugged ? ENOMEM : ENODEV;
    }
    if (is->buffer_length > 0)
        urb.buffer = umockdev_ioctl_data_resolve(data, offsetof(struct usbdevfs_urb, buffer),
                                                 (gsize)is->buffer_length, NULL);
    phone->pending[phone->pending_count++] = urb;
    return 0;
}

static void drop_urb(struct urb *urb)
{
    if (urb->buffer)
        g_object_unref(urb->buffer);
    g_object_unref(urb->urb);
}

static int reap(struct phone *phone, UMockdevIoctlData *data)
{
    pump(phone);
    if (phone->done_count == 0 && !phone->plugged)
        return ENODEV;
    if (phone->done_count == 0)
        return EAGAIN;
    struct urb urb = phone->done[0];
    memmove(&phone->done[0], &phone->done[1], --phone->done_count * sizeof(urb));
    must(umockdev_ioctl_data_set_ptr(data, 0, urb.urb), "no pointer");
    drop_urb(&urb);
    return 0;
}

static int discard(struct phone *phone, gulong address)
{
    for (size_t i = 0; i < phone->pending_count; i++) {
        if (phone->pending[i].urb->client_addr != address)
            continue;
        finish(phone, i, -ENOENT, phone->pending[i].done);
        return 0;
    }
    return EINVAL;
}

/* --- claims --- */

static void forget(struct phone *phone)
{
    if (phone->fd >= 0)
        close(phone->fd);
    phone->fd = -1;
    phone->owner = NULL;
    for (size_t i = 0; i < phone->pending_count; i++)
        drop_urb(&phone->pending[i]);
    for (size_t i = 0; i < phone->done_count; i++)
        drop_urb(&phone->done[i]);
    phone->pending_count = phone->done_count = 0;
    phone->out_left = phone->unsent_len = phone->in_have = phone->in_left = phone->queue_len = 0;
    phone->awaits_empty = false;
}

static int claim(struct phone *phone, UMockdevIoctlClient *owner)
{
    const struct sl_address *backend = &phone->backend;
    if (!phone->plugged)
        return ENODEV;
    if (phone->fault == SL_USB_HELD || phone->fd >= 0)
        return EBUSY;
    phone->seen.claims++;
    phone->owner = owner;
    phone->fd = socket(backend->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(connect(phone->fd, (const struct sockaddr *)&backend->socket, backend->len) == 0,
         "the adbd is not there");
    queue_packets(phone, phone->is.stale, phone->is.stale_len);
    return 0;
}

/* --- the kernel's calls --- */

static UMockdevIoctlData *resolve(UMockdevIoctlData *arg, gsize size)
{
    return umockdev_ioctl_data_resolve(arg, 0, size, NULL);
}

static int answer(struct phone *phone, gulong request, UMockdevIoctlClient *client)
{
    static guint32 capabilities = 0x1f;
    UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
    UMockdevIoctlData *data = NULL;
    int rc = 0;
    switch (request) {
    case USBDEVFS_GET_CAPABILITIES:
        data = resolve(arg, sizeof(capabilities));
        umockdev_ioctl_data_update(data, 0, (guint8 *)&capabilities, sizeof(capabilities));
        break;
    case USBDEVFS_SUBMITURB:
        data = resolve(arg, sizeof(struct usbdevfs_urb));
        rc = submit(phone, data);
        break;
    case USBDEVFS_REAPURBNDELAY:
        data = resolve(arg, sizeof(void *));
        rc = reap(phone, data);
        break;
    case USBDEVFS_DISCARDURB:
        rc = discard(phone, *(gulong *)(void *)arg->data);
        break;
    case USBDEVFS_CLAIMINTERFACE:
    case USBDEVFS_DISCONNECT_CLAIM: /* after a reset */
        rc = claim(phone, client);
        break;
    case USBDEVFS_RELEASEINTERFACE:
        forget(phone);
        break;
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESET:
        phone->seen.clears += request == USBDEVFS_CLEAR_HALT;
        phone->seen.resets += request != USBDEVFS_CLEAR_HALT;
        phone->fault = phone->fault == SL_USB_STALLED ? SL_USB_NO_FAULT : phone->fault;
        break;
    default:
        rc = ENOTTY;
    }
    if (data)
        g_object_unref(data);
    return rc;
}

static gboolean on_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer user)
{
    struct phone *phone = user;
    gulong request = umockdev_ioctl_client_get_request(client);
    (void)handler;
    pthread_mutex_lock(&phone->rig->lock);
    int rc = answer(phone, request, client);
    pthread_mutex_unlock(&phone->rig->lock);
    if (rc == EAGAIN)
        nanosleep(&(struct timespec){.tv_nsec = IDLE_NS}, NULL);
    umockdev_ioctl_client_complete(client, rc == 0 ? 0 : -1, rc);
    return TRUE;
}

/* A program that is killed releases nothing by itself. */
static void on_vanished(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer user)
{
    struct phone *phone = user;
    (void)handler;
    pthread_mutex_lock(&phone->rig->lock);
    if (phone->owner == client)
        forget(phone);
    pthread_mutex_unlock(&phone->rig->lock);
}

/* --- the bus --- */

/* Describes the device and its configuration: an interface for pictures, then adb's with IN 3, OUT
 * 2. */
static void describe(const struct phone *phone, char out[160])
{
    unsigned low = phone->is.packet_bytes & 0xff, high = phone->is.packet_bytes >> 8;
    snprintf(out, 160,
             "1201000200000040D118E74E400401020301"
             "0902300002010080FA"
             "090400000106010100"
             "07058102%02X%02X00"
             "0904010002FF42%02X00"
             "07058302%02X%02X00"
             "07050202%02X%02X00",
             low, high, phone->is.fastboot ? 3U : 1U, low, high, low, high);
}

static void add_to_bed(struct phone *phone, unsigned port)
{
    char text[2048], hex[160];
    GError *error = NULL;
    describe(phone, hex);
    int used = snprintf(
        text, sizeof(text),
        "P: /devices/pci0000:00/0000:00:14.0/usb1/1-%u\nN: bus/usb/001/%03u=%s\n"
        "E: DEVTYPE=usb_device\nE: DEVNAME=/dev/bus/usb/001/%03u\nE: BUSNUM=001\nE: DEVNUM=%03u\n"
        "E: SUBSYSTEM=usb\nE: MAJOR=189\nE: MINOR=%u\nE: PRODUCT=18d1/4ee7/440\nE: TYPE=0/0/0\n"
        "A: busnum=1\\n\nA: devnum=%u\\n\nA: devpath=%u\\n\nA: speed=%s\\n\nA: "
        "bConfigurationValue=1\\n\n"
        "A: idVendor=18d1\\n\nA: idProduct=4ee7\\n\nA: bDeviceClass=00\\n\nA: product=Rig "
        "Phone\\n\n"
        "H: descriptors=%s\n%s%s%s\n",
        port, phone->device, hex, phone->device, phone->device, phone->device - 1, phone->device,
        port, phone->is.packet_bytes == 1024 ? "5000" : "480", hex,
        phone->is.serial ? "A: serial=" : "", phone->is.serial ? phone->is.serial : "",
        phone->is.serial ? "\\n\n" : "");
    must(used > 0 && (size_t)used < sizeof(text), "too long");
    /* In this order: a program that opens what nobody answers is ended by umockdev. */
    must(umockdev_testbed_attach_ioctl(phone->rig->bed, phone->node, phone->handler, &error),
         error ? error->message : "not attached");
    must(umockdev_testbed_add_from_string(phone->rig->bed, text, &error),
         error ? error->message : "not added");
}

struct sl_usb_rig *sl_usb_rig_new(void)
{
    struct sl_usb_rig *rig = calloc(1, sizeof(*rig));
    must(rig, "no memory");
    pthread_mutex_init(&rig->lock, NULL);
    rig->bed = umockdev_testbed_new();
    must(umockdev_in_mock_environment(), "run it with LD_PRELOAD=libumockdev-preload.so.0");
    rig->devices = 1;
    return rig;
}

void sl_usb_rig_plug(struct sl_usb_rig *rig, unsigned port, const struct sl_usb_phone *is)
{
    struct phone *phone = &rig->phones[port];
    must(port > 0 && port < SL_USB_RIG_PORTS && !phone->plugged, "no such port");
    free(phone->queue); /* of what was plugged in here before */
    free(phone->unsent);
    *phone =
        (struct phone){.rig = rig, .is = *is, .fd = -1, .plugged = true, .fault = phone->fault};
    phone->backend = is->backend ? *is->backend : (struct sl_address){.len = 0};
    phone->device = ++rig->devices;
    phone->queue = malloc(QUEUE_BYTES);
    must(phone->queue, "no memory");
    snprintf(phone->node, sizeof(phone->node), "/dev/bus/usb/001/%03u", phone->device);
    snprintf(phone->path, sizeof(phone->path), "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-%u",
             port);
    phone->handler = umockdev_ioctl_base_new();
    g_signal_connect(phone->handler, "handle-ioctl", G_CALLBACK(on_ioctl), phone);
    g_signal_connect(phone->handler, "client-vanished", G_CALLBACK(on_vanished), phone);
    add_to_bed(phone, port);
    umockdev_testbed_uevent(rig->bed, phone->path, "add");
}

void sl_usb_rig_unplug(struct sl_usb_rig *rig, unsigned port)
{
    struct phone *phone = &rig->phones[port];
    pthread_mutex_lock(&rig->lock);
    phone->plugged = false;
    while (phone->pending_count > 0)
        finish(phone, 0, -ESHUTDOWN, 0);
    pthread_mutex_unlock(&rig->lock);
    umockdev_testbed_uevent(rig->bed, phone->path, "remove");
    umockdev_testbed_remove_device(rig->bed, phone->path);
}

void sl_usb_rig_fault(struct sl_usb_rig *rig, unsigned port, enum sl_usb_fault fault)
{
    pthread_mutex_lock(&rig->lock);
    rig->phones[port].fault = fault;
    pthread_mutex_unlock(&rig->lock);
}

struct sl_usb_seen sl_usb_rig_seen(struct sl_usb_rig *rig, unsigned port)
{
    pthread_mutex_lock(&rig->lock);
    struct sl_usb_seen seen = rig->phones[port].seen;
    pthread_mutex_unlock(&rig->lock);
    return seen;
}

const char *sl_usb_rig_node(struct sl_usb_rig *rig, unsigned port)
{
    static char path[512];
    gchar *root = umockdev_testbed_get_root_dir(rig->bed);
    snprintf(path, sizeof(path), "%s%s", root, rig->phones[port].node);
    g_free(root);
    return path;
}

void sl_usb_rig_free(struct sl_usb_rig *rig)
{
    g_object_unref(rig->bed); /* its thread ends */
    for (unsigned i = 0; i < SL_USB_RIG_PORTS; i++) {
        struct phone *phone = &rig->phones[i];
        if (!phone->handler)
            continue;
        forget(phone);
        g_object_unref(phone->handler);
        free(phone->queue);
        free(phone->unsent);
    }
    pthread_mutex_destroy(&rig->lock);
    free(rig);
}
