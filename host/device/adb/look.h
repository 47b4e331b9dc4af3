/* host/device/adb/look.h: one look at an adb server, for those without a loop. Blocks, for six
 * seconds at most. */
#pragma once

#include <stddef.h>

#include "host/device/adb/listing.h"

struct sl_diag;

struct sl_adb_look {
    char server[128]; /* its address */
    unsigned version; /* of its protocol */
    struct sl_adb_listed listed[SL_ADB_MAX_LISTED];
    size_t count;
};

/* 0; -ECONNREFUSED or -ENOENT: no server is running; SL_E_FORMAT, SL_E_TIMEOUT, -errno; all with
 * `diag` set, and `server` wherever it is known. Never starts a server. */
int sl_adb_look(struct sl_adb_look *out, struct sl_diag *diag);
