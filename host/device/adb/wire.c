/* host/device/adb/wire.c */
#include "host/device/adb/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/socket.h"
#include "common/net/address.h"
#include "host/device/adb/carrier.h"
#include "host/device/adb/key.h"
#include "host/device/adb/listing.h"
#include "host/device/adb/message.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/tls.h"
#include "host/device/adb/usb.h"
#include "host/device/adb/usb_frames.h"

enum {
    READ_BYTES = 256 << 10, /* of a service at a time */
    TLS_BYTES = 64 << 10,
    SOCKET_BYTES = 1 << 20,
    WINDOW_BYTES = 1 << 20, /* that a device may send ahead, where acks are delayed */
    UNREAD_BYTES = 4 << 20, /* of one service; more ends it */
    BUSY_BYTES = 1 << 20,   /* not sent yet; above it services wait */
    MAX_UNANSWERED = 2,     /* services in a row, after which the connection is made anew */
};

enum state { DOWN, CONNECTING, HANDSHAKE, UNAUTHORIZED, ONLINE, ENDING };
enum phase { WAITING, OPENING, OPEN, LAST_BYTES, DRAINED, CLOSED };

struct service {
    struct sl_adb_wire *wire;
    struct service *next;
    uv_poll_t poll;
    int fd; /* our end */
    enum phase phase;
    uint32_t id, peer;
    char *name;            /* owned; until it is asked for */
    struct sl_buf unread;  /* by the other end; `gone` of it is */
    size_t gone, own_left; /* the second: of the status, which is not the device's */
    uint32_t owed;         /* acknowledgements of messages, where they are not of bytes */
    bool sent;             /* and not acknowledged */
    bool ended;            /* by its owner, whose last bytes wait for the device */
    int64_t credit;        /* bytes that may be sent, where acks are delayed */
};

struct sl_adb_wire {
    uv_loop_t *loop;
    struct sl_address address;
    char usb[SL_ADB_SERIAL_BYTES]; /* "": it is reached at the address */
    struct sl_adb_carrier *carrier;
    uv_timer_t timer;
    enum state state;
    bool allow_plain, closing, timer_closed;
    bool upgrades; /* to TLS: not a byte may come in the open */
    struct sl_adb_messages messages;
    struct sl_buf payload;
    struct sl_adb_identity identity;
    bool checked; /* the device is of the version whose messages carry sums */
    size_t most;  /* bytes of a payload that it takes */
    uint32_t last_id;
    unsigned unanswered;
    unsigned stuck; /* connections in a row on which the device was silent or out of step */
    struct service *services;
    size_t service_count;
    char why[SL_ADB_REASON_BYTES]; /* it cannot be used */
    struct sl_adb_tls *tls;        /* NULL: not encrypted, or not yet */
    uv_work_t work;                /* with the keys */
    bool works;
    size_t key; /* the next to be tried */
    uint8_t token[SL_ADB_TOKEN_BYTES], signature[SL_ADB_SIGNATURE_BYTES];
    char public_key[SL_ADB_KEY_TEXT_BYTES];
    int key_rc;
    struct sl_diag key_diag;
    void (*closed)(void *user);
    void *closed_user;
};

static void drop(struct sl_adb_wire *wire, const char *why);
static void update(struct service *service);

/* --- what is sent --- */

/* Moves a whole message to the carrier, sealed where TLS is spoken. */
static int carry(struct sl_adb_wire *wire, struct sl_buf *plain)
{
    struct sl_buf sealed;
    if (!wire->upgrades)
        return sl_adb_carrier_send(wire->carrier, plain);
    sl_buf_init(&sealed, 2 * SL_ADB_PAYLOAD_BYTES);
    int rc = sl_adb_tls_put(wire->tls, plain->data, plain->size, &sealed);
    if (rc == 0)
        rc = sl_adb_carrier_send(wire->carrier, &sealed);
    sl_buf_fini(&sealed);
    return rc;
}

static void tell(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    bool early = message->command == SL_ADB_CNXN || message->command == SL_ADB_AUTH;
    struct sl_buf plain;
    if (wire->state == ENDING || wire->state == DOWN)
        return;
    sl_buf_init(&plain, SL_ADB_HEAD_BYTES + SL_ADB_PAYLOAD_BYTES);
    int rc = sl_adb_message_append(&plain, message, early || wire->checked);
    if (rc == 0)
        rc = carry(wire, &plain);
    sl_buf_fini(&plain);
    if (rc < 0)
        drop(wire, sl_strerror(rc));
}

static void tell_short(struct sl_adb_wire *wire, uint32_t command, uint32_t arg0, uint32_t arg1)
{
    const struct sl_adb_message message = {.command = command, .arg0 = arg0, .arg1 = arg1};
    tell(wire, &message);
}

/* So many bytes have gone to the service's reader. */
static void acknowledge(struct service *service, size_t len)
{
    struct sl_adb_wire *wire = service->wire;
    uint8_t bytes[4];
    if (!wire->identity.delayed_ack) {
        for (; service->unread.size == 0 && service->owed > 0; service->owed--)
            tell_short(wire, SL_ADB_OKAY, service->id, service->peer);
        return;
    }
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(len >> 8 * i);
    const struct sl_adb_message message = {.command = SL_ADB_OKAY,
                                           .arg0 = service->id,
                                           .arg1 = service->peer,
                                           .payload = bytes,
                                           .len = sizeof(bytes)};
    if (len > 0)
        tell(wire, &message);
}

/* --- the end of a service --- */

static void finish_wire(struct sl_adb_wire *wire);

static void on_poll_closed(uv_handle_t *handle)
{
    struct service *service = handle->data, **at = &service->wire->services;
    struct sl_adb_wire *wire = service->wire;
    while (*at != service)
        at = &(*at)->next;
    *at = service->next;
    wire->service_count--;
    close(service->fd);
    sl_buf_fini(&service->unread);
    sl_free(service->name);
    sl_free(service);
    finish_wire(wire);
}

static void close_service(struct service *service)
{
    if (service->phase == CLOSED)
        return;
    service->phase = CLOSED;
    uv_close((uv_handle_t *)&service->poll, on_poll_closed);
}

/* Its owner has closed it, or it cannot go on. */
static void leave(struct service *service)
{
    struct sl_adb_wire *wire = service->wire;
    enum phase phase = service->phase;
    close_service(service);
    if (phase == OPEN)
        tell_short(wire, SL_ADB_CLSE, service->id, service->peer);
    else if (phase == OPENING && ++wire->unanswered >= MAX_UNANSWERED)
        drop(wire, "the device does not answer");
}

static void flush(struct service *service);

/* The device has ended it: what came before is still read. */
static void end(struct service *service)
{
    service->phase = LAST_BYTES;
    flush(service);
}

static void refuse(struct service *service, const char *why)
{
    if (service->phase > OPENING)
        return;
    sl_buf_printf(&service->unread, "FAIL%04x%s", (unsigned)strlen(why), why);
    service->own_left = service->unread.size;
    end(service);
}

static void refuse_all(struct sl_adb_wire *wire, const char *why)
{
    for (struct service *service = wire->services; service; service = service->next)
        refuse(service, why);
}

/* --- between a service and its owner --- */

/* Only bytes that wait count towards the limit. */
static void forget_gone(struct service *service)
{
    struct sl_buf *unread = &service->unread;
    if (service->gone == 0)
        return;
    unread->size -= service->gone;
    memmove(unread->data, unread->data + service->gone, unread->size);
    service->gone = 0;
}

static void flush(struct service *service)
{
    size_t before = service->gone;
    while (service->gone < service->unread.size) {
        ssize_t put = send(service->fd, service->unread.data + service->gone,
                           service->unread.size - service->gone, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        /* To an owner that has closed it nothing more goes; what it wrote may still wait. */
        service->gone = put < 0 ? service->unread.size : service->gone + (size_t)put;
    }
    size_t taken = service->gone - before;
    size_t own = taken < service->own_left ? taken : service->own_left;
    service->own_left -= own;
    if (service->gone == service->unread.size)
        service->unread.size = service->gone = 0;
    if (service->phase == OPEN)
        acknowledge(service, taken - own);
    if (service->phase == LAST_BYTES && service->unread.size == 0) {
        shutdown(service->fd, SHUT_WR);
        service->phase = DRAINED;
    }
    update(service);
}

/* How many bytes the device takes of it now. */
static size_t room(const struct service *service)
{
    const struct sl_adb_wire *wire = service->wire;
    size_t most = wire->most < READ_BYTES ? wire->most : READ_BYTES;
    if (service->phase != OPEN || sl_adb_carrier_unsent(wire->carrier) > BUSY_BYTES)
        return 0;
    if (!wire->identity.delayed_ack)
        return service->sent ? 0 : most;
    return service->credit <= 0              ? 0
           : service->credit < (int64_t)most ? (size_t)service->credit
                                             : most;
}

/* The owner's bytes are read into their place behind a message's head: the bulk of a file is not
 * copied once more. */
static void read_some(struct service *service)
{
    struct sl_adb_wire *wire = service->wire;
    size_t wanted = room(service);
    struct sl_buf bytes;
    uint8_t *at;
    if (wanted == 0)
        return;
    sl_buf_init(&bytes, SL_ADB_HEAD_BYTES + READ_BYTES);
    int rc = sl_buf_extend(&bytes, SL_ADB_HEAD_BYTES + wanted, &at);
    ssize_t got = rc == 0 ? recv(service->fd, at + SL_ADB_HEAD_BYTES, wanted, 0) : 0;
    if (got > 0) {
        const struct sl_adb_message message = {.command = SL_ADB_WRTE,
                                               .arg0 = service->id,
                                               .arg1 = service->peer,
                                               .payload = at + SL_ADB_HEAD_BYTES,
                                               .len = (size_t)got};
        sl_adb_message_head(at, &message, wire->checked);
        bytes.size = SL_ADB_HEAD_BYTES + message.len;
        service->sent = true;
        service->credit -= got;
        rc = carry(wire, &bytes);
        if (rc < 0)
            drop(wire, sl_strerror(rc));
    } else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        leave(service);
    }
    sl_buf_fini(&bytes);
}

/* A service that is over waits for its owner to see that: a close with bytes unread, or one that
 * the owner writes to, would take the last bytes from it. */
static void pass_over(struct service *service, int events)
{
    char rest[4096];
    ssize_t got = events & UV_READABLE ? recv(service->fd, rest, sizeof(rest), 0) : 0;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        close_service(service);
}

/* The device does not take them yet: the end is read behind them. */
static bool has_last_words(const struct service *service)
{
    char first;
    return service->phase == OPEN && recv(service->fd, &first, 1, MSG_PEEK) > 0;
}

/* Sends what the owner wrote before its end. */
static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct service *service = poll->data;
    if (status < 0) /* the owner closed it and had not read all */
        events = UV_WRITABLE | UV_READABLE | UV_DISCONNECT;
    if (events & UV_WRITABLE)
        flush(service);
    if (service->phase >= LAST_BYTES && (events & (UV_READABLE | UV_DISCONNECT)))
        pass_over(service, events);
    else if (room(service) > 0 && (events & UV_READABLE))
        read_some(service);
    else if ((events & UV_DISCONNECT) && has_last_words(service))
        service->ended = true;
    else if (events & UV_DISCONNECT)
        leave(service);
    update(service);
}

static void update(struct service *service)
{
    if (service->phase == CLOSED)
        return;
    int events = service->ended ? 0 : UV_DISCONNECT;
    if (service->unread.size > 0)
        events |= UV_WRITABLE;
    if (room(service) > 0 || service->phase >= LAST_BYTES)
        events |= UV_READABLE;
    if (uv_poll_start(&service->poll, events, on_poll) < 0)
        leave(service);
}

/* --- messages --- */

static struct service *find(struct sl_adb_wire *wire, uint32_t id, uint32_t peer)
{
    struct service *service = wire->services;
    while (service && (service->id != id || service->phase == WAITING || service->phase == CLOSED ||
                       (service->phase != OPENING && service->peer != peer)))
        service = service->next;
    return service;
}

static void ask(struct service *service)
{
    struct sl_adb_wire *wire = service->wire;
    const struct sl_adb_message message = {.command = SL_ADB_OPEN,
                                           .arg0 = ++wire->last_id,
                                           .arg1 = wire->identity.delayed_ack ? WINDOW_BYTES : 0,
                                           .payload = (const uint8_t *)service->name,
                                           .len = strlen(service->name) + 1};
    if (message.len > wire->most) {
        refuse(service, "the command is too long for the device");
        return;
    }
    service->id = message.arg0;
    service->phase = OPENING;
    tell(wire, &message);
}

static void take_okay(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    struct service *service = find(wire, message->arg1, message->arg0);
    const uint8_t *bytes = message->payload;
    int32_t credit = 0;
    if (!service) { /* it was closed before the device had opened it */
        tell_short(wire, SL_ADB_CLSE, message->arg1, message->arg0);
        return;
    }
    if (wire->identity.delayed_ack && message->len >= 4)
        credit = (int32_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                           (uint32_t)bytes[3] << 24);
    service->credit += credit; /* 64 bits: no device lives to overflow it */
    service->sent = false;
    if (service->phase == OPENING) {
        wire->unanswered = 0;
        service->peer = message->arg0;
        service->phase = OPEN;
        service->own_left = 4;
        if (sl_buf_append(&service->unread, "OKAY", 4) < 0)
            leave(service);
        else
            flush(service);
    }
    update(service);
}

static void take_data(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    struct service *service = find(wire, message->arg1, message->arg0);
    if (!service || service->phase != OPEN || message->len == 0)
        return;
    service->owed++;
    forget_gone(service);
    if (sl_buf_append(&service->unread, message->payload, message->len) < 0)
        leave(service);
    else
        flush(service);
}

static void take_close(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    struct service *service = find(wire, message->arg1, message->arg0);
    if (!service)
        return;
    if (service->phase == OPENING) {
        wire->unanswered = 0;
        refuse(service, "closed");
    } else if (service->phase == OPEN) {
        end(service);
    }
}

static void take_online(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    switch (message->command) {
    case SL_ADB_OKAY:
        take_okay(wire, message);
        break;
    case SL_ADB_WRTE:
        take_data(wire, message);
        break;
    case SL_ADB_CLSE:
        take_close(wire, message);
        break;
    case SL_ADB_OPEN: /* nothing was asked to come back */
        tell_short(wire, SL_ADB_CLSE, 0, message->arg0);
        break;
    case SL_ADB_CNXN:
        drop(wire, "the device has begun anew");
        break;
    default:
        break;
    }
}

/* --- handshake --- */

/* True where nothing may be said to a device that has not asked for TLS. */
static bool drop_plain(struct sl_adb_wire *wire)
{
    bool plain = !wire->upgrades && !wire->allow_plain;
    if (plain)
        drop(wire, "what goes over the link is not encrypted, and leaves this machine: add "
                   "\"allow_unencrypted\": true, or use wireless debugging");
    return plain;
}

static void go_online(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    sl_adb_identity_parse(message->payload, message->len, &wire->identity);
    wire->checked = message->arg0 < SL_ADB_VERSION;
    wire->most = message->arg1 < SL_ADB_PAYLOAD_BYTES ? message->arg1 : SL_ADB_PAYLOAD_BYTES;
    if (wire->identity.state != SL_ADB_ONLINE || !wire->identity.shell_v2) {
        drop(wire, wire->identity.state != SL_ADB_ONLINE
                       ? "no Android runs on the device"
                       : "the device's Android is older than 7: its shell tells no exit codes");
        return;
    }
    if (drop_plain(wire))
        return;
    uv_timer_stop(&wire->timer);
    wire->state = ONLINE;
    wire->stuck = 0;
    for (struct service *service = wire->services; service; service = service->next) {
        if (service->phase == WAITING)
            ask(service);
    }
}

/* --- TLS --- */

static void take_bytes(struct sl_adb_wire *wire, const uint8_t *at, size_t left);

/* Takes the device's bytes, or none: then our part of TLS begins. */
static void take_sealed(struct sl_adb_wire *wire, const uint8_t *bytes, size_t len)
{
    struct sl_buf plain, sealed;
    sl_buf_init(&plain, 4 * TLS_BYTES);
    sl_buf_init(&sealed, TLS_BYTES);
    int rc = sl_adb_tls_take(wire->tls, bytes, len, &plain, &sealed);
    int sent = sealed.size > 0 ? sl_adb_carrier_send(wire->carrier, &sealed) : 0;
    take_bytes(wire, plain.data, plain.size);
    if (rc == SL_E_STATE)
        drop(wire,
             "the device does not know this machine's key: pair it ('sme2lab device pair', or 'adb "
             "pair')");
    else if (rc < 0 || sent < 0)
        drop(wire, rc == SL_E_FORMAT ? "what the device says is no TLS"
                                     : sl_strerror(rc < 0 ? rc : sent));
    sl_buf_fini(&plain);
    sl_buf_fini(&sealed);
}

/* On a thread of its own. */
static void make_tls(uv_work_t *work)
{
    struct sl_adb_wire *wire = work->data;
    wire->key_diag = (struct sl_diag){.what = ""};
    wire->key_rc = sl_adb_tls_new(&wire->tls, &wire->key_diag);
}

static void on_tls_made(uv_work_t *work, int status)
{
    struct sl_adb_wire *wire = work->data;
    wire->works = false;
    if (wire->state != HANDSHAKE || status < 0)
        finish_wire(wire);
    else if (wire->key_rc < 0)
        drop(wire, wire->key_diag.what);
    else
        take_sealed(wire, NULL, 0);
}

/* The answer is the last that is said in the open; the device waits for us then. */
static void take_upgrade(struct sl_adb_wire *wire)
{
    if (wire->works || wire->upgrades || wire->state != HANDSHAKE)
        return;
    tell_short(wire, SL_ADB_STLS, SL_ADB_STLS_VERSION, 0);
    wire->work.data = wire;
    wire->works = wire->upgrades =
        uv_queue_work(wire->loop, &wire->work, make_tls, on_tls_made) == 0;
}

/* --- keys --- */

/* On a thread of its own. */
static void use_keys(uv_work_t *work)
{
    struct sl_adb_wire *wire = work->data;
    wire->key_diag = (struct sl_diag){.what = ""};
    do
        wire->key_rc = sl_adb_key_sign(wire->key++, wire->token, wire->signature, &wire->key_diag);
    while (wire->key_rc < 0 && wire->key_rc != SL_E_NOT_FOUND && wire->key < SL_ADB_MAX_KEYS);
    wire->public_key[0] = '\0';
    if (wire->key_rc < 0)
        wire->key_rc = sl_adb_key_public(wire->public_key, &wire->key_diag);
}

/* Every key is tried once; then the device is shown ours, once, and its owner is waited for. */
static void on_keys_used(uv_work_t *work, int status)
{
    struct sl_adb_wire *wire = work->data;
    bool shows = wire->public_key[0];
    wire->works = false;
    if (wire->state != HANDSHAKE || status < 0) {
        finish_wire(wire);
        return;
    }
    if (wire->key_rc < 0) {
        drop(wire, wire->key_diag.what);
        return;
    }
    const struct sl_adb_message message = {
        .command = SL_ADB_AUTH,
        .arg0 = shows ? SL_ADB_PUBLIC_KEY : SL_ADB_SIGNATURE,
        .payload = shows ? (const uint8_t *)wire->public_key : wire->signature,
        .len = shows ? strlen(wire->public_key) + 1 : SL_ADB_SIGNATURE_BYTES};
    tell(wire, &message);
    if (!shows || wire->state != HANDSHAKE)
        return;
    uv_timer_stop(&wire->timer);
    wire->state = UNAUTHORIZED;
    snprintf(wire->why, sizeof(wire->why), "device unauthorized: %s",
             sl_adb_state_fix(SL_ADB_UNAUTHORIZED));
    refuse_all(wire, wire->why);
}

static void take_token(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    if (message->arg0 != SL_ADB_TOKEN || message->len != SL_ADB_TOKEN_BYTES || wire->works ||
        wire->state != HANDSHAKE || drop_plain(wire))
        return;
    memcpy(wire->token, message->payload, SL_ADB_TOKEN_BYTES);
    wire->work.data = wire;
    wire->works = uv_queue_work(wire->loop, &wire->work, use_keys, on_keys_used) == 0;
}

/* Until it has introduced itself, whatever else comes belongs to somebody before us. */
static void take(struct sl_adb_wire *wire, const struct sl_adb_message *message)
{
    if (wire->state == ONLINE)
        take_online(wire, message);
    else if (message->command == SL_ADB_CNXN)
        go_online(wire, message);
    else if (message->command == SL_ADB_AUTH)
        take_token(wire, message);
    else if (message->command == SL_ADB_STLS)
        take_upgrade(wire);
}

/* --- the connection --- */

static void on_read(void *user, const uint8_t *bytes, size_t len)
{
    struct sl_adb_wire *wire = user;
    if (wire->upgrades && wire->works)
        drop(wire, "the device speaks before its turn");
    else if (wire->upgrades)
        take_sealed(wire, bytes, len);
    else
        take_bytes(wire, bytes, len);
}

static void take_bytes(struct sl_adb_wire *wire, const uint8_t *at, size_t left)
{
    while (left > 0 && wire->state != ENDING) {
        int rc = sl_adb_messages_take(&wire->messages, &at, &left);
        bool open = !wire->upgrades;
        if (rc == 1)
            take(wire, &wire->messages.message);
        if (open && wire->upgrades && left > 0)
            drop(wire, "the device speaks before its turn");
        else if (rc < 0)
            drop(wire, rc == SL_E_FORMAT ? "what answers is no adbd" : sl_strerror(rc));
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct sl_adb_wire *wire = timer->data;
    wire->stuck += wire->state == HANDSHAKE;
    drop(wire, "the device does not answer in time");
}

static void on_connected(void *user)
{
    static const char identity[] = "host::features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,"
                                   "sendrecv_v2,sendrecv_v2_brotli,sendrecv_v2_lz4,"
                                   "sendrecv_v2_zstd,delayed_ack";
    struct sl_adb_wire *wire = user;
    wire->state = HANDSHAKE;
    uv_timer_start(&wire->timer, on_timer,
                   wire->usb[0] ? SL_ADB_WIRE_USB_HANDSHAKE_MS : SL_ADB_WIRE_HANDSHAKE_MS, 0);
    const struct sl_adb_message message = {.command = SL_ADB_CNXN,
                                           .arg0 = SL_ADB_VERSION,
                                           .arg1 = (uint32_t)wire->payload.limit,
                                           .payload = (const uint8_t *)identity,
                                           .len = sizeof(identity) - 1};
    tell(wire, &message);
}

static void on_written(void *user)
{
    struct sl_adb_wire *wire = user;
    for (struct service *service = wire->services; service; service = service->next)
        update(service);
}

static void on_failed(void *user, const char *why)
{
    struct sl_adb_wire *wire = user;
    wire->stuck += wire->carrier->out_of_step;
    drop(wire, why);
}

static void on_carrier_closed(void *user)
{
    struct sl_adb_wire *wire = user;
    wire->carrier = NULL;
    wire->state = DOWN;
    finish_wire(wire);
}

static void start(struct sl_adb_wire *wire)
{
    static const struct sl_adb_carrier_events events = {on_connected, on_read, on_written,
                                                        on_failed, on_carrier_closed};
    wire->identity = (struct sl_adb_identity){.state = 0};
    wire->messages = (struct sl_adb_messages){.payload = &wire->payload};
    wire->checked = wire->upgrades = false;
    wire->key = 0;
    wire->last_id = wire->unanswered = 0;
    int rc =
        wire->usb[0]
            ? sl_adb_usb_open(wire->loop, wire->usb, wire->stuck, &events, wire, &wire->carrier)
            : sl_adb_carrier_open_tcp(wire->loop, &wire->address, &events, wire, &wire->carrier);
    if (rc < 0) {
        wire->carrier = NULL;
        refuse_all(wire, uv_strerror(rc));
        return;
    }
    wire->state = CONNECTING;
    uv_timer_start(&wire->timer, on_timer, SL_ADB_WIRE_CONNECT_MS, 0);
}

/* The connection is over; services that wait or are open end with it. */
static void drop(struct sl_adb_wire *wire, const char *why)
{
    if (wire->state == ENDING || wire->state == DOWN)
        return;
    if (wire->state == ONLINE && !wire->closing)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("adb_wire_down"), SL_LOG_REASON(why));
    wire->state = ENDING;
    uv_timer_stop(&wire->timer);
    refuse_all(wire, why);
    for (struct service *service = wire->services; service; service = service->next) {
        if (service->phase == OPEN)
            end(service);
    }
    sl_adb_carrier_close(wire->carrier);
}

/* --- begin and end --- */

/* Also begins anew, once the old connection is gone and a service waits. */
static void finish_wire(struct sl_adb_wire *wire)
{
    bool waits = false;
    for (struct service *service = wire->services; service; service = service->next)
        waits = waits || service->phase == WAITING;
    if (wire->state == DOWN && !wire->works) {
        sl_adb_tls_free(wire->tls);
        wire->tls = NULL;
    }
    if (!wire->closing && wire->state == DOWN && !wire->works && waits) {
        start(wire);
        return;
    }
    if (!wire->closing || wire->services || wire->carrier || wire->works || !wire->timer_closed)
        return;
    void (*closed)(void *) = wire->closed;
    void *user = wire->closed_user;
    sl_buf_fini(&wire->payload);
    sl_free(wire);
    closed(user);
}

int sl_adb_wire_new(uv_loop_t *loop, const struct sl_adb_wire_options *options,
                    struct sl_adb_wire **out)
{
    struct sl_adb_wire *wire = sl_calloc(1, sizeof(*wire));
    if (!wire)
        return -ENOMEM;
    wire->loop = loop;
    if (options->usb)
        snprintf(wire->usb, sizeof(wire->usb), "%s", options->usb);
    else
        wire->address = *options->address;
    wire->allow_plain = options->allow_plain || options->usb;
    sl_buf_init(&wire->payload, options->usb ? SL_ADB_USB_PAYLOAD_BYTES : SL_ADB_PAYLOAD_BYTES);
    uv_timer_init(loop, &wire->timer); /* cannot fail */
    wire->timer.data = wire;
    *out = wire;
    return 0;
}

static int new_service(struct sl_adb_wire *wire, const char *name, int fd)
{
    struct service *service = sl_calloc(1, sizeof(*service));
    char *copy = service ? sl_strndup(name, strlen(name)) : NULL;
    int rc = copy ? uv_poll_init(wire->loop, &service->poll, fd) : -ENOMEM;
    if (rc < 0) {
        sl_free(copy);
        sl_free(service);
        return rc;
    }
    service->wire = wire;
    service->name = copy;
    service->fd = fd;
    service->poll.data = service;
    sl_buf_init(&service->unread, UNREAD_BYTES);
    service->next = wire->services;
    wire->services = service;
    wire->service_count++;
    if (wire->state == ONLINE)
        ask(service);
    else if (wire->state == UNAUTHORIZED)
        refuse(service, wire->why);
    update(service);
    if (wire->state == DOWN && !wire->works)
        start(wire);
    return 0;
}

int sl_adb_wire_open(struct sl_adb_wire *wire, const char *service, int *out_fd)
{
    int fds[2];
    if (strlen(service) > SL_ADB_MAX_TEXT)
        return SL_E_LIMIT;
    if (wire->service_count == SL_ADB_WIRE_MAX_SERVICES || wire->closing)
        return SL_E_FULL;
    int rc = sl_socket_pair(fds);
    if (rc < 0)
        return rc;
    for (int i = 0, room = SOCKET_BYTES; i < 2; i++) /* the system may give less */
        setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    rc = new_service(wire, service, fds[0]);
    if (rc < 0) {
        close(fds[0]);
        close(fds[1]);
        return rc;
    }
    *out_fd = fds[1];
    return 0;
}

unsigned sl_adb_wire_packs(const struct sl_adb_wire *wire)
{
    return wire->state == ONLINE ? wire->identity.packs : 0;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_adb_wire *wire = handle->data;
    wire->timer_closed = true;
    finish_wire(wire);
}

bool sl_adb_wire_unauthorised(const struct sl_adb_wire *wire)
{
    return wire->state == UNAUTHORIZED;
}

void sl_adb_wire_move(struct sl_adb_wire *wire, const char *usb)
{
    if (wire->usb[0])
        snprintf(wire->usb, sizeof(wire->usb), "%s", usb);
}

int sl_adb_wire_reset(struct sl_adb_wire *wire)
{
    if (!wire->usb[0])
        return SL_E_UNSUPPORTED;
    wire->stuck = SL_ADB_USB_RESETS_AT;
    drop(wire, "its USB port is reset");
    return 0;
}

void sl_adb_wire_close(struct sl_adb_wire *wire, void (*closed)(void *user), void *user)
{
    wire->closing = true;
    wire->closed = closed;
    wire->closed_user = user;
    for (struct service *service = wire->services; service; service = service->next)
        close_service(service);
    drop(wire, "closed");
    uv_close((uv_handle_t *)&wire->timer, on_timer_closed);
}
