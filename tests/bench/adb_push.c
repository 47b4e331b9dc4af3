/* tests/bench/adb_push.c: adb_push FILE TO adb:SERIAL|usb:SERIAL|tcp:HOST:PORT [plain]: sends a
 * file as the daemon does, through the adb server or straight to an adbd, and prints the
 * nanoseconds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/net/address.h"
#include "host/device/adb/push.h"
#include "host/device/adb/wire.h"

struct bench {
    struct sl_adb_wire *wire;
    uint64_t from_ns, to_ns;
    int rc;
};

static void on_closed(void *user)
{
    (void)user;
}

static void on_pushed(void *user, int rc, const char *reason)
{
    struct bench *bench = user;
    bench->to_ns = sl_clock_ns();
    bench->rc = rc;
    if (rc < 0)
        fprintf(stderr, "adb_push: %s\n", reason);
    if (bench->wire)
        sl_adb_wire_close(bench->wire, on_closed, bench);
}

/* To a device without a server. */
static int open_wire(uv_loop_t *loop, const char *link, struct sl_adb_wire **out)
{
    bool usb = strncmp(link, "usb:", 4) == 0;
    struct sl_address address;
    if (!usb && sl_address_parse(link, &address, NULL) < 0)
        return -1;
    const struct sl_adb_wire_options options = {
        .address = usb ? NULL : &address, .usb = usb ? link + 4 : NULL, .allow_plain = true};
    return sl_adb_wire_new(loop, &options, out);
}

int main(int argc, char **argv)
{
    struct bench bench = {.rc = -1};
    struct sl_adb_push *push;
    uv_loop_t loop;
    if (argc < 4) {
        fprintf(stderr, "usage: adb_push FILE TO adb:SERIAL|usb:SERIAL|tcp:HOST:PORT [plain]\n");
        return 2;
    }
    uv_loop_init(&loop);
    bool served = strncmp(argv[3], "adb:", 4) == 0;
    if (!served && open_wire(&loop, argv[3], &bench.wire) < 0)
        return 2;
    const struct sl_adb_push_options options = {.wire = bench.wire,
                                                .serial = served ? argv[3] + 4 : NULL,
                                                .from = argv[1],
                                                .to = argv[2],
                                                .mode = 0644,
                                                .plain = argc > 4};
    bench.from_ns = sl_clock_ns();
    if (sl_adb_push_start(&loop, &options, on_pushed, &bench, &push) < 0)
        return 2;
    uv_run(&loop, UV_RUN_DEFAULT);
    printf("%" PRIu64 "\n", bench.to_ns - bench.from_ns);
    return bench.rc < 0 ? 1 : 0;
}
