/* host/device/transport.h: the way to a device, as a table of operations; one table for each kind
 * of device (link_table.c), and all that differs between kinds stands behind it.
 *
 * A new link is a file with such a table and a line in host/spec/device_kinds.inc. On the loop's
 * thread, but for open_device and place_blob, which block and may be called from any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_channel;
struct sl_device;
struct sl_device_wish;
struct sl_diag;
struct sl_link_options;

/* Events of a transport for its link, from the loop and never from within one of its operations. */
struct sl_transport_events {
    void (*found)(void *user); /* an agent listens: connect() is the next */
    /* The agent ended, or cannot be started; the link tries again after a while. */
    void (*lost)(void *user, const char *reason);
    void (*closed)(void *user); /* the last; after a close() that did not end at once */
};

enum sl_transport_reach {
    SL_TRANSPORT_WAIT = 0,    /* found() or lost() comes */
    SL_TRANSPORT_CONNECT = 1, /* an agent listens already */
};

struct sl_transport_ops {
    /* Fills in what a device of the kind needs: programs of this machine, or an address. What it
     * cannot do it says in `diag`. */
    int (*open_device)(const struct sl_device_wish *wish, struct sl_device *out,
                       struct sl_diag *diag);
    /* An agent on the device is asked what the device is; else the daemon knows by itself. */
    bool describes_itself;
    bool sealed; /* the bytes leave the machine: each frame carries a MAC */

    /* NULL from here on: no agent serves on devices of the kind. */

    /* Begins nothing. 0, -ENOMEM, -ENAMETOOLONG, -errno. */
    int (*open)(uv_loop_t *loop, const struct sl_link_options *options,
                const struct sl_transport_events *events, void *user, void **out);
    /* Called for each try to connect, after `failures` in a row: finds an agent, or starts one
     * where it can. enum sl_transport_reach, or a negative code with words. */
    int (*reach)(void *transport, unsigned failures, struct sl_diag *diag);
    const uint8_t *(*secret)(const void *transport); /* of the agent that was found */
    /* Gives the channel its stream of bytes: by an address, or a connected socket. */
    void (*connect)(void *transport, struct sl_channel *channel);
    /* The connection ended so: a code of sl_channel_events.closed. `proven`: both sides were. */
    void (*disconnected)(void *transport, int code, bool proven);
    /* After lost(): enum sl_device_cause, if the device itself says why it cannot be used; else
     * SL_CAUSE_DEVICE_WELL. NULL: one of this kind never does. */
    int (*cause)(const void *transport);
    /* Resets the port that the device is plugged into, before it is reached again. NULL: there is
     * no such port. SL_E_UNSUPPORTED: this device has none. */
    int (*reset)(void *transport);
    /* From the next connection on the device is reached by this link, of the same kind. NULL: it
     * never moves. */
    void (*move)(void *transport, const char *link);
    int (*agent_pid)(const void *transport); /* on this machine; NULL: on another */
    /* Puts the blob <store>/<name> where an agent with this working directory finds it. NULL: no
     * file system is shared, blobs go over the session. */
    int (*place_blob)(const char *store, const char *workdir, const char *name,
                      struct sl_diag *diag);
    /* Ends it; an agent is stopped if it can be (`proven`: the one that was connected is ours), or
     * left alone. True: it is over and freed; else closed() comes. */
    bool (*close)(void *transport, bool stop_agent, bool proven);
};

/* Never NULL. */
const struct sl_transport_ops *sl_transport_of(int kind);
