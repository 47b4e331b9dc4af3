/* host/device/adb/push.h: writes a file of this machine onto a device by adb's file service. On the
 * loop's thread. */
#pragma once

#include <stdbool.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_adb_push;
struct sl_adb_wire;

struct sl_adb_push_options {
    struct sl_adb_wire *wire; /* as for a stream */
    const char *serial;
    const char *from, *to; /* `to` is absolute; what it had before is gone */
    unsigned mode;         /* rights */
    bool plain;            /* not compressed, though the device could take it so */
};

/* Once and last, from the loop: 0 when the device has taken all of it, which says nothing yet of
 * what it wrote. */
typedef void (*sl_adb_push_fn)(void *user, int rc, const char *reason);

/* 0, the file's -errno, or what sl_adb_stream_open() returns, with nothing to come. */
int sl_adb_push_start(uv_loop_t *loop, const struct sl_adb_push_options *options,
                      sl_adb_push_fn done, void *user, struct sl_adb_push **out);

/* Ends it: `done` comes with -ECANCELED. */
void sl_adb_push_stop(struct sl_adb_push *push);
