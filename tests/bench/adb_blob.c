/* tests/bench/adb_blob.c: adb_blob STORE SHA256 LINK WORKDIR: sends a blob to the agent of a phone
 * as the daemon does, over the agent's session, and prints the nanoseconds from the offer until the
 * agent has found it whole. The agent is started, or taken over, before that, and left. */
#include <inttypes.h>
#include <stdio.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/device/blob_put.h"
#include "host/device/launch.h"
#include "host/device/link.h"

struct bench {
    struct sl_link *link;
    struct sl_blob_put_list list;
    uint64_t from_ns;
    bool put;
    int rc;
};

static void on_closed(void *user)
{
    (void)user;
}

static void on_put(void *user, int rc, const struct sl_diag *diag)
{
    struct bench *bench = user;
    if (rc == 0)
        printf("%" PRIu64 "\n", sl_clock_ns() - bench->from_ns);
    else
        fprintf(stderr, "adb_blob: %s\n", diag->what);
    bench->rc = rc;
    sl_link_close(bench->link, false, on_closed, bench);
}

/* No job is open. */
static size_t on_have(void *user, struct sl_link_have *out, size_t max)
{
    (void)max;
    (void)out;
    (void)user;
    return 0;
}

static void on_up(void *user)
{
    struct bench *bench = user;
    if (bench->put)
        return;
    bench->put = true;
    bench->from_ns = sl_clock_ns();
    bench->rc = sl_link_put_blobs(bench->link, &bench->list, on_put, bench);
    if (bench->rc < 0)
        sl_link_close(bench->link, false, on_closed, bench);
}

static void on_down(void *user, const char *reason, unsigned failures)
{
    struct bench *bench = user;
    fprintf(stderr, "adb_blob: %s\n", reason);
    if (failures >= SL_LINK_GIVE_UP)
        sl_link_close(bench->link, false, on_closed, bench);
}

int main(int argc, char **argv)
{
    static const struct sl_link_events events = {.have = on_have, .up = on_up, .down = on_down};
    struct bench bench = {.rc = -1};
    struct sl_device device;
    struct sl_diag diag = {0};
    uv_loop_t loop;
    if (argc != 5) {
        fprintf(stderr, "usage: adb_blob STORE SHA256 LINK WORKDIR\n");
        return 2;
    }
    const char *const name = argv[2];
    bench.list = (struct sl_blob_put_list){argv[1], &name, 1};
    const struct sl_device_wish wish = {.kind = SL_DEVICE_ADB, .link = argv[3]};
    if (sl_device_open_wish(&wish, &device, &diag) < 0) {
        fprintf(stderr, "adb_blob: %s: %s\n", diag.where, diag.what);
        return 2;
    }
    uv_loop_init(&loop);
    const struct sl_link_options options = {&device, device.agent.path, argv[4]};
    if (sl_link_new(&loop, &options, &events, &bench, &bench.link) < 0)
        return 2;
    uv_run(&loop, UV_RUN_DEFAULT);
    return bench.rc < 0 ? 1 : 0;
}
