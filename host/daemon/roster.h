/* host/daemon/roster.h: the devices that this daemon is to have, however they came: named by the
 * configuration, found, added by a person. One that cannot be opened is in the lab all the same,
 * offline with the reason, and is tried again. On the loop's thread. */
#pragma once

#include <stdbool.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct sl_describer;
struct sl_devices;
struct sl_diag;
struct sl_host_device;
struct sl_lab;
struct sl_roster;

struct sl_roster_options {
    struct sl_devices *devices; /* borrowed, like the lab */
    struct sl_lab *lab;
    struct sl_describer *describer; /* NULL: devices of this machine are not asked what they are */
    unsigned pause_seconds;         /* before the first step to bring a device back */
    /* Is there something that switches this device's power, or might be once it has said what it
     * is? NULL: nothing does. */
    bool (*can_switch)(void *user, const char *device);
    void *user;
    const char *state_dir; /* copied: what persons add is kept in devices/ below it */
};

int sl_roster_new(const struct sl_roster_options *options, struct sl_roster **out);
void sl_roster_free(struct sl_roster *roster); /* NULL is a no-op */

/* Takes a device (copied); of one that is there what differs counts from its next job on. What it
 * cannot be opened for is in `diag`, and in the log. -EBUSY: one of that name is just leaving; to
 * be taken again soon. */
int sl_roster_take(struct sl_roster *roster, const struct sl_host_device *device,
                   struct sl_diag *diag);
/* It leaves the lab after its job. SL_E_NOT_FOUND. */
int sl_roster_drop(struct sl_roster *roster, const char *name);

/* Loads the devices that persons added under earlier daemons. */
void sl_roster_load(struct sl_roster *roster);

/* Adds a device by its JSON object, for later daemons too. 0 and its name, though it may not be
 * opened yet; SL_E_FORMAT, SL_E_UNSUPPORTED (a file with a secret), SL_E_MISMATCH (there is one of
 * that name), SL_E_FULL, -errno. */
int sl_roster_add(struct sl_roster *roster, struct sl_bytes text, char out_name[SL_NAME_BYTES],
                  struct sl_diag *diag);
/* Takes out one that was added. SL_E_NOT_FOUND; SL_E_MISMATCH: it comes from elsewhere. */
int sl_roster_remove(struct sl_roster *roster, const char *name, struct sl_diag *diag);

/* "adb:SERIAL" and the like; "": a device of this machine, or none of that name. */
const char *sl_roster_link(struct sl_roster *roster, const char *name);
bool sl_roster_added(struct sl_roster *roster, const char *name); /* by a person? */

/* It has said what it is: which steps bring it back may depend on that. */
void sl_roster_described(struct sl_roster *roster, const char *name);

/* A new connection, or a new try to open it. */
void sl_roster_reconnect(struct sl_roster *roster, const char *name);
