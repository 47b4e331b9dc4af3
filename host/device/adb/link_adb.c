/* host/device/adb/link_adb.c: the agent of a phone, behind an adb server or without one: pushed by
 * its content, started in a session of its own, reached by an abstract socket; taken over from an
 * earlier daemon.
 *
 * A path below /data/local/tmp is no address there: SELinux refuses the shell to listen on one. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "common/net/secret.h"
#include "host/device/adb/listing.h"
#include "host/device/adb/push.h"
#include "host/device/adb/shell.h"
#include "host/device/adb/stream.h"
#include "host/device/adb/wire.h"
#include "host/device/agent_record.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/transport.h"

#define FOLDER "/data/local/tmp/sme2lab"

static const char server_word[] = "adb:", tcp_word[] = "adb-tcp:", usb_word[] = "adb-usb:";

enum {
    PATH_BYTES = 1024,
    UNKNOWN_PID = INT32_MAX, /* it may have started */
    COMMAND_BYTES = 1024,
    MAX_AGENT_BYTES = 64 << 20,
    NAME_BYTES = 32,
    KEPT_AGENTS = 4,    /* in bin/: of as many builds */
    MAX_UNPROVEN = 3,   /* connections in a row, after which the agent is started anew */
    EXIT_NO_FOLDER = 4, /* of the commands below */
    EXIT_DAMAGED = 3,
};

struct adb {
    uv_loop_t *loop;
    struct sl_transport_events events;
    void *user;
    struct sl_adb_wire *wire;         /* to the device; NULL: through the server */
    char serial[SL_ADB_SERIAL_BYTES]; /* for the server */
    char program[SL_PATH_BYTES], workdir[PATH_BYTES];
    char sha256[SL_SHA256_HEX_SIZE]; /* of the agent */
    struct sl_agent_record agent;    /* pid 0: none was started */
    char name[NAME_BYTES];           /* of its abstract socket */
    bool serves;                     /* it did when it was last heard of */
    bool fresh;                      /* it was just started, and nobody has reached it yet */
    unsigned unproven;               /* connections to it in a row that were not proven */
    struct sl_adb_shell *shell;      /* at most one of these three is under way */
    struct sl_adb_push *push;
    struct sl_adb_stream *stream;
    int fd; /* connected to the agent, to be given to a channel; -1: none */
    bool closing;
};

static int look(struct adb *adb);
static void finish_close(struct adb *adb);

/* Only holders of the secret know the name. An agent of another build has another
 * name: it is not found, and gives way to ours once it is idle. */
static void name_socket(struct adb *adb)
{
    uint8_t mac[SL_HMAC_BYTES];
    sl_hmac_sha256(adb->agent.secret, SL_SECRET_BYTES, adb->sha256, sizeof(adb->sha256), mac);
    snprintf(adb->name, sizeof(adb->name), "sme2lab-%02x%02x%02x%02x%02x%02x%02x%02x", mac[0],
             mac[1], mac[2], mac[3], mac[4], mac[5], mac[6], mac[7]);
}

/* Last in what calls it. */
static void lose(struct adb *adb, const char *what, const char *why)
{
    char reason[400];
    snprintf(reason, sizeof(reason), "%s%s%s", what, why[0] ? ": " : "", why);
    if (adb->closing)
        finish_close(adb);
    else
        adb->events.lost(adb->user, reason);
}

static const char *unreached(const struct adb *adb)
{
    return adb->wire ? "the device cannot be reached" : "the adb server cannot be reached";
}

/* Runs a command on the device: 0 when its end will be told. */
static int run(struct adb *adb, const char *command, const char *input, sl_adb_shell_fn done)
{
    const struct sl_adb_shell_options options = {.wire = adb->wire,
                                                 .serial = adb->serial,
                                                 .command = command,
                                                 .input = input,
                                                 .input_len = input ? strlen(input) : 0};
    int rc = sl_adb_shell_start(adb->loop, &options, done, adb, &adb->shell);
    if (rc < 0)
        adb->shell = NULL;
    return rc;
}

/* --- start: look, push, install, launch --- */

static void keep_record(struct adb *adb)
{
    int rc = sl_agent_record_write(adb->workdir, &adb->agent);
    if (rc < 0) /* it serves this daemon all the same */
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("agent_record_unwritten"),
               SL_LOG_REASON(sl_strerror(rc)));
}

static void on_launched(void *user, const struct sl_adb_shell_end *end)
{
    static const char word[] = "\npid ";
    struct adb *adb = user;
    const char *pid = strstr(end->out, word);
    adb->shell = NULL;
    if (end->rc < 0 || end->exit_code != 0 || !pid) {
        lose(adb, "the agent does not start on the device", end->reason);
        return;
    }
    adb->agent.pid = (int)strtol(pid + sizeof(word) - 1, NULL, 10);
    adb->serves = adb->fresh = true;
    keep_record(adb);
    if (adb->closing)
        finish_close(adb);
    else
        adb->events.found(adb->user);
}

/* The secret goes over standard input; one that was started before and does not serve is ended. */
static void launch(struct adb *adb)
{
    char command[COMMAND_BYTES], old[COMMAND_BYTES] = "", secret[SL_SECRET_TEXT_BYTES + 1];
    if (adb->agent.pid > 1)
        snprintf(old, sizeof(old), "grep -qs %s /proc/%d/cmdline && kill -9 %d && sleep 1; ",
                 adb->name, adb->agent.pid, adb->agent.pid);
    adb->agent.pid = UNKNOWN_PID;
    sl_random_bytes(adb->agent.secret, sizeof(adb->agent.secret));
    name_socket(adb);
    keep_record(adb); /* a daemon that ends before it is told finds the agent all the same */
    sl_secret_format(adb->agent.secret, secret);
    strcat(secret, "\n");
    snprintf(command, sizeof(command),
             "%s%s/bin/%s serve --detach --listen abstract:%s --workdir %s", old, FOLDER,
             adb->sha256, adb->name, FOLDER);
    int rc = run(adb, command, secret, on_launched);
    memset(secret, 0, sizeof(secret));
    if (rc < 0)
        lose(adb, unreached(adb), sl_strerror(rc));
}

static void on_installed(void *user, const struct sl_adb_shell_end *end)
{
    struct adb *adb = user;
    adb->shell = NULL;
    if (adb->closing)
        finish_close(adb);
    else if (end->rc == 0 && end->exit_code == EXIT_DAMAGED)
        lose(adb, "the agent came onto the device damaged; it is sent again", "");
    else if (end->rc < 0 || end->exit_code != 0)
        lose(adb, "the agent cannot be put in its place on the device", end->reason);
    else
        launch(adb);
}

/* Only what has the right content gets the name; those that were not used for longest leave. */
static void on_pushed(void *user, int rc, const char *reason)
{
    struct adb *adb = user;
    char command[COMMAND_BYTES];
    adb->push = NULL;
    sl_mem_trim(); /* a file and its compressed form, of each phone */
    if (adb->closing) {
        finish_close(adb);
        return;
    }
    if (rc < 0) {
        lose(adb, "the agent cannot be sent to the device", reason);
        return;
    }
    snprintf(command, sizeof(command),
             "cd %s/bin || exit %d; h=$(sha256sum %s.part) || exit 1; "
             "[ \"${h%%%% *}\" = %s ] || { rm -f %s.part; exit %d; }; "
             "chmod 700 %s.part && mv %s.part %s && touch %s || exit 1; n=0; "
             "for f in $(ls -t); do n=$((n + 1)); [ $n -gt %d ] && rm -f \"$f\"; done; exit 0",
             FOLDER, EXIT_NO_FOLDER, adb->sha256, adb->sha256, adb->sha256, EXIT_DAMAGED,
             adb->sha256, adb->sha256, adb->sha256, adb->sha256, KEPT_AGENTS);
    rc = run(adb, command, NULL, on_installed);
    if (rc < 0)
        lose(adb, unreached(adb), sl_strerror(rc));
}

static void push(struct adb *adb)
{
    char to[PATH_BYTES];
    sl_path_join(to, sizeof(to), FOLDER, "bin/%s.part", adb->sha256);
    const struct sl_adb_push_options options = {
        .wire = adb->wire, .serial = adb->serial, .from = adb->program, .to = to, .mode = 0700};
    int rc = sl_adb_push_start(adb->loop, &options, on_pushed, adb, &adb->push);
    if (rc < 0) {
        adb->push = NULL;
        lose(adb, "the agent cannot be read", sl_strerror(rc));
    }
}

/* The first line is the CPU; the second, if the agent is there, its digest. */
static void on_looked(void *user, const struct sl_adb_shell_end *end)
{
    struct adb *adb = user;
    char machine[SL_ADB_WORD_BYTES];
    size_t len = strcspn(end->out, "\r\n");
    adb->shell = NULL;
    if (adb->closing) {
        finish_close(adb);
        return;
    }
    snprintf(machine, sizeof(machine), "%.*s", (int)(len < 60 ? len : 60), end->out);
    if (end->rc == 0 && end->exit_code == EXIT_NO_FOLDER)
        lose(adb, FOLDER " cannot be made on the device", end->reason);
    else if (end->rc < 0 || end->exit_code != 0)
        lose(adb, "the device cannot be used", end->reason);
    else if (strcmp(machine, "aarch64") != 0)
        lose(adb, "the device's CPU or its system is not 64-bit Arm", machine);
    else if (strncmp(end->out + len + (end->out[len] != '\0'), adb->sha256, 64) == 0)
        launch(adb);
    else
        push(adb);
}

static int look(struct adb *adb)
{
    char command[COMMAND_BYTES];
    snprintf(command, sizeof(command),
             "uname -m; umask 077; mkdir -p %s/bin || exit %d; sha256sum %s/bin/%s 2>/dev/null "
             "&& touch %s/bin/%s; exit 0",
             FOLDER, EXIT_NO_FOLDER, FOLDER, adb->sha256, FOLDER, adb->sha256);
    return run(adb, command, NULL, on_looked);
}

/* --- the connection to the agent --- */

static void on_dialled(void *user)
{
    struct adb *adb = user;
    adb->fd = sl_adb_stream_take_fd(adb->stream);
}

static void on_no_bytes(void *user, const uint8_t *bytes, size_t len)
{
    (void)user; /* the socket is taken out before there are any */
    (void)bytes;
    (void)len;
}

static void on_dial_ended(void *user, int code, const char *reason)
{
    struct adb *adb = user;
    adb->stream = NULL;
    if (adb->closing) {
        finish_close(adb);
    } else if (adb->fd >= 0) {
        adb->fresh = false;
        adb->events.found(adb->user);
    } else if (code == SL_E_STATE && strcmp(reason, "closed") == 0 && adb->fresh) {
        adb->serves = adb->fresh = false;
        lose(adb, "the agent ended just after its start", FOLDER "/agent.log has why");
    } else if (code == SL_E_STATE && strcmp(reason, "closed") == 0) {
        adb->serves = false; /* the device is there, and nobody listens */
        int rc = look(adb);
        if (rc < 0)
            lose(adb, unreached(adb), sl_strerror(rc));
    } else {
        lose(adb, "the device cannot be reached", reason);
    }
}

static int unreachable(const struct adb *adb, int rc, struct sl_diag *diag)
{
    return sl_diag_set(diag, rc, NULL, "%s: %s", unreached(adb), sl_strerror(rc));
}

static int dial(struct adb *adb, struct sl_diag *diag)
{
    static const struct sl_adb_stream_events events = {on_dialled, on_no_bytes, NULL,
                                                       on_dial_ended};
    char service[NAME_BYTES + 32];
    snprintf(service, sizeof(service), "localabstract:%s", adb->name);
    const struct sl_adb_stream_options options = {
        .wire = adb->wire, .serial = adb->serial, .service = service};
    int rc = sl_adb_stream_open(adb->loop, &options, &events, adb, &adb->stream);
    if (rc == 0)
        return SL_TRANSPORT_WAIT;
    adb->stream = NULL;
    return unreachable(adb, rc, diag);
}

static int reach(void *transport, unsigned failures, struct sl_diag *diag)
{
    struct adb *adb = transport;
    (void)failures; /* a device that is slow or away says nothing about its agent */
    if (adb->fd >= 0)
        return SL_TRANSPORT_CONNECT;
    if (adb->shell || adb->push || adb->stream)
        return SL_TRANSPORT_WAIT;
    if (adb->serves)
        return dial(adb, diag);
    int rc = look(adb);
    return rc < 0 ? unreachable(adb, rc, diag) : SL_TRANSPORT_WAIT;
}

static const uint8_t *secret(const void *transport)
{
    return ((const struct adb *)transport)->agent.secret;
}

static void connect_channel(void *transport, struct sl_channel *channel)
{
    struct adb *adb = transport;
    int fd = adb->fd;
    adb->fd = -1;
    sl_channel_open_fd(channel, fd);
}

/* The next dial tells whether the agent still is there; one that accepts connections and proves
 * nothing lives without serving. */
static void disconnected(void *transport, int code, bool proven)
{
    struct adb *adb = transport;
    (void)code;
    adb->unproven = proven ? 0 : adb->unproven + 1;
    if (adb->unproven == MAX_UNPROVEN) {
        adb->serves = false;
        adb->unproven = 0;
    }
}

static int cause(const void *transport)
{
    const struct adb *adb = transport;
    return adb->wire && sl_adb_wire_unauthorised(adb->wire) ? SL_CAUSE_DEVICE_UNAUTHORISED
                                                            : SL_CAUSE_DEVICE_WELL;
}

static int reset(void *transport)
{
    struct adb *adb = transport;
    return adb->wire ? sl_adb_wire_reset(adb->wire) : SL_E_UNSUPPORTED;
}

/* --- begin and end --- */

/* The address of a device that is reached without a server. -EINVAL: the link names none. */
static int tcp_address(const char *link, struct sl_address *out)
{
    if (strncmp(link, tcp_word, sizeof(tcp_word) - 1) != 0)
        return -EINVAL;
    return sl_address_parse(link + strlen("adb-"), out, NULL);
}

/* The serial, or the port, that stands behind the word; NULL: the link has another. */
static const char *name_behind(const char *link, const char *word)
{
    const char *name = link + strlen(word);
    bool right = strncmp(link, word, strlen(word)) == 0 && sl_adb_is_serial(name, strlen(name));
    return right ? name : NULL;
}

static int open_device(const struct sl_device_wish *wish, struct sl_device *out,
                       struct sl_diag *diag)
{
    struct sl_address address;
    if (!wish->link) {
        sl_diag_hint(diag, "name the phone by its serial: 'sme2lab devices' lists them");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--device",
                           "A phone is reached by the daemon alone");
    }
    if (tcp_address(wish->link, &address) < 0 && !name_behind(wish->link, server_word) &&
        !name_behind(wish->link, usb_word)) {
        sl_diag_hint(diag, "say adb:SERIAL, as 'adb devices' prints it, adb-usb:SERIAL without an "
                           "adb server, or adb-tcp:ADDRESS:PORT");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, wish->link, "That is no phone's link");
    }
    snprintf(out->link, sizeof(out->link), "%s", wish->link);
    out->allow_unencrypted = wish->allow_unencrypted;
    return sl_tools_find_agent(&out->agent, diag);
}

static int hash_agent(struct adb *adb)
{
    struct sl_buf file;
    int rc = sl_buf_read_file(adb->program, MAX_AGENT_BYTES, &file);
    if (rc < 0)
        return rc;
    sl_sha256_hex(file.data, file.size, adb->sha256);
    sl_buf_fini(&file);
    return 0;
}

/* The agent's secret goes over it too. */
static int new_wire(struct adb *adb, const struct sl_address *address, bool allow_unencrypted)
{
    const struct sl_adb_wire_options options = {
        .address = address, .allow_plain = allow_unencrypted || sl_address_is_loopback(address)};
    return sl_adb_wire_new(adb->loop, &options, &adb->wire);
}

static int open_adb(uv_loop_t *loop, const struct sl_link_options *options,
                    const struct sl_transport_events *events, void *user, void **out)
{
    struct sl_address address;
    struct adb *adb = sl_calloc(1, sizeof(*adb));
    if (!adb)
        return -ENOMEM;
    adb->loop = loop;
    adb->events = *events;
    adb->user = user;
    adb->fd = -1;
    snprintf(adb->program, sizeof(adb->program), "%s", options->device->agent.path);
    snprintf(adb->workdir, sizeof(adb->workdir), "%s", options->workdir);
    const char *link = options->device->link, *serial = name_behind(link, server_word),
               *usb = name_behind(link, usb_word);
    snprintf(adb->serial, sizeof(adb->serial), "%s", serial ? serial : "");
    int rc = hash_agent(adb);
    if (rc == 0 && usb)
        rc = sl_adb_wire_new(loop, &(struct sl_adb_wire_options){.usb = usb}, &adb->wire);
    else if (rc == 0 && tcp_address(link, &address) == 0)
        rc = new_wire(adb, &address, options->device->allow_unencrypted);
    if (rc < 0) {
        sl_free(adb);
        return rc;
    }
    adb->serves = sl_agent_record_read(adb->workdir, &adb->agent) == 0;
    if (adb->serves)
        name_socket(adb);
    *out = adb;
    return 0;
}

static void move(void *transport, const char *link)
{
    struct adb *adb = transport;
    const char *serial = name_behind(link, server_word), *usb = name_behind(link, usb_word);
    if (serial && !adb->wire)
        snprintf(adb->serial, sizeof(adb->serial), "%s", serial);
    if (usb && adb->wire)
        sl_adb_wire_move(adb->wire, usb);
}

static void on_wire_closed(void *user)
{
    struct adb *adb = user;
    adb->wire = NULL;
    finish_close(adb);
}

static void finish_close(struct adb *adb)
{
    struct sl_transport_events events = adb->events;
    void *user = adb->user;
    if (adb->shell || adb->push || adb->stream)
        return;
    if (adb->wire) {
        sl_adb_wire_close(adb->wire, on_wire_closed, adb);
        return;
    }
    sl_free(adb);
    events.closed(user);
}

static void on_stopped(void *user, const struct sl_adb_shell_end *end)
{
    struct adb *adb = user;
    adb->shell = NULL;
    if (end->rc == 0 && end->exit_code == 0)
        sl_agent_record_remove(adb->workdir);
    finish_close(adb);
}

static bool close_adb(void *transport, bool stop_agent, bool proven)
{
    struct adb *adb = transport;
    char command[COMMAND_BYTES];
    adb->closing = true;
    if (adb->fd >= 0)
        close(adb->fd);
    adb->fd = -1;
    if (adb->shell)
        sl_adb_shell_stop(adb->shell);
    if (adb->push)
        sl_adb_push_stop(adb->push);
    if (adb->stream)
        sl_adb_stream_close(adb->stream);
    snprintf(command, sizeof(command), "grep -qs %s /proc/%d/cmdline && kill %d", adb->name,
             adb->agent.pid, adb->agent.pid);
    bool under_way = adb->shell || adb->push || adb->stream;
    if (!under_way && stop_agent && proven && adb->agent.pid > 1)
        under_way = run(adb, command, NULL, on_stopped) == 0;
    if (under_way)
        return false;
    if (adb->wire) {
        finish_close(adb);
        return false;
    }
    sl_free(adb);
    return true;
}

extern const struct sl_transport_ops sl_transport_adb;
const struct sl_transport_ops sl_transport_adb = {.open_device = open_device,
                                                  .describes_itself = true,
                                                  .sealed = true,
                                                  .open = open_adb,
                                                  .reach = reach,
                                                  .secret = secret,
                                                  .connect = connect_channel,
                                                  .disconnected = disconnected,
                                                  .cause = cause,
                                                  .reset = reset,
                                                  .move = move,
                                                  .close = close_adb};
