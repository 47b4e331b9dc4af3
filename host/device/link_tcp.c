/* host/device/link_tcp.c: TCP to an agent that was started by hand, or by the board's own systemd:
 * it is found where the configuration says, and its secret in a file that only we may read. */
#include <errno.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "common/net/secret.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/transport.h"

struct tcp {
    char secret_file[SL_PATH_BYTES];
    struct sl_address address;
    uint8_t secret[SL_SECRET_BYTES];
};

static int open_device(const struct sl_device_wish *wish, struct sl_device *out,
                       struct sl_diag *diag)
{
    struct sl_address address;
    if (!wish->link) {
        sl_diag_hint(diag, "name a device of the daemon's: 'sme2lab devices' lists them");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--device",
                           "An agent behind a link is reached by the daemon alone");
    }
    if (!wish->secret_file) {
        sl_diag_hint(diag, "add \"secret_file\": the path of a copy of the agent's");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, wish->link, "The link has no secret_file");
    }
    int rc = sl_address_parse(wish->link, &address, diag);
    if (rc == 0 && !sl_address_is_loopback(&address) && !wish->allow_unencrypted) {
        sl_diag_hint(diag, "add \"allow_unencrypted\": true, or go through a tunnel");
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, wish->link,
                         "What goes over that link is not encrypted, and leaves this machine");
    }
    int link = snprintf(out->link, sizeof(out->link), "%s", wish->link);
    int file = snprintf(out->secret_file, sizeof(out->secret_file), "%s", wish->secret_file);
    if (rc == 0 && (link >= (int)sizeof(out->link) || file >= (int)sizeof(out->secret_file)))
        rc =
            sl_diag_set(diag, -ENAMETOOLONG, wish->link, "The link or its file's name is too long");
    return rc;
}

static int open_tcp(uv_loop_t *loop, const struct sl_link_options *options,
                    const struct sl_transport_events *events, void *user, void **out)
{
    struct tcp *tcp = sl_calloc(1, sizeof(*tcp));
    (void)loop;
    (void)events; /* it starts nothing: there is nothing to tell */
    (void)user;
    if (!tcp)
        return -ENOMEM;
    snprintf(tcp->secret_file, sizeof(tcp->secret_file), "%s", options->device->secret_file);
    int rc = sl_address_parse(options->device->link, &tcp->address, NULL);
    if (rc < 0) {
        sl_free(tcp);
        return rc;
    }
    *out = tcp;
    return 0;
}

/* The file is read for each try: one that was mended counts at once. */
static int reach(void *transport, unsigned failures, struct sl_diag *diag)
{
    struct tcp *tcp = transport;
    (void)failures;
    int rc = sl_secret_read(tcp->secret_file, tcp->secret, diag);
    return rc < 0 ? rc : SL_TRANSPORT_CONNECT;
}

static const uint8_t *secret(const void *transport)
{
    return ((const struct tcp *)transport)->secret;
}

static void connect_channel(void *transport, struct sl_channel *channel)
{
    sl_channel_connect(channel, &((struct tcp *)transport)->address);
}

static void disconnected(void *transport, int code, bool proven)
{
    (void)transport;
    (void)code; /* the agent is where it was, or will be */
    (void)proven;
}

static bool close_tcp(void *transport, bool stop_agent, bool proven)
{
    (void)stop_agent; /* whoever started it ends it */
    (void)proven;
    sl_free(transport);
    return true;
}

extern const struct sl_transport_ops sl_transport_tcp;
const struct sl_transport_ops sl_transport_tcp = {.open_device = open_device,
                                                  .describes_itself = true,
                                                  .sealed = true,
                                                  .open = open_tcp,
                                                  .reach = reach,
                                                  .secret = secret,
                                                  .connect = connect_channel,
                                                  .disconnected = disconnected,
                                                  .close = close_tcp};
