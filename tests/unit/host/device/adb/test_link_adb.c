/* tests/unit/host/device/adb/test_link_adb.c: how the agent gets onto a phone, against a server
 * that keeps to a script: what it sends, and what it says of devices that are no use. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/device/adb/pack.h"
#include "host/device/agent_record.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/transport.h"
#include "tests/support/adb_script.h"
#include "tests/support/unit.h"

#define END {NULL, NULL, 0, 0}
#define BIND {"0014host:transport:phone", "OKAY", 0, 0}
#define LOOK BIND, {"shell,v2,raw:uname -m; ", "OKAY\1\10\0\0\0aarch64\n" EXIT("\0"), 4 + 13 + 6, 4}
#define OFFER(features)                                                                            \
    LOOK, END, {"001ahost-serial:phone:features", features, 0, 0}, END, BIND,                      \
        {"0005sync:", "OKAY", 0, 0}
#define DIAL(answer) BIND, {"localabstract:sme2lab-", answer, 0, 4}, END
#define INSTALL(status)                                                                            \
    BIND, {"shell,v2,raw:cd /data/local/tmp/sme2lab/bin || exit 4; h=", "OKAY" EXIT(status), 10, 4}
#define EXIT(status) "\3\1\0\0\0" status

struct heard {
    const struct sl_transport_ops *ops;
    void *transport;
    int found, lost, closed;
    char reason[400];
};

static void on_found(void *user)
{
    ((struct heard *)user)->found++;
}

static void on_lost(void *user, const char *reason)
{
    struct heard *heard = user;
    heard->lost++;
    snprintf(heard->reason, sizeof(heard->reason), "%s", reason);
}

static void on_closed(void *user)
{
    ((struct heard *)user)->closed++;
}

/* One try to reach the phone, with an agent of five bytes, until it is found or lost. */
static struct heard reach_once(const struct sl_adb_step *steps)
{
    static const struct sl_transport_events events = {on_found, on_lost, on_closed};
    char folder[] = "/tmp/sl-adb-XXXXXX", agent[64], path[96];
    struct sl_device device = {.kind = SL_DEVICE_ADB, .link = "adb:phone"};
    struct heard heard = {.ops = sl_transport_of(SL_DEVICE_ADB)};
    struct sl_diag diag;
    uv_loop_t loop;
    assert_non_null(mkdtemp(folder));
    snprintf(agent, sizeof(agent), "%s/program", folder);
    FILE *file = fopen(agent, "w");
    assert_non_null(file);
    fputs("agent", file);
    fclose(file);
    snprintf(device.agent.path, sizeof(device.agent.path), "%s", agent);
    const struct sl_link_options options = {.device = &device, .agent = "", .workdir = folder};
    assert_int_equal(uv_loop_init(&loop), 0);
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(heard.ops->open(&loop, &options, &events, &heard, &heard.transport), 0);
    assert_int_equal(heard.ops->reach(heard.transport, 0, &diag), SL_TRANSPORT_WAIT);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(sl_adb_script_end(server));
    assert_true(heard.ops->close(heard.transport, false, false));
    assert_int_equal(uv_loop_close(&loop), 0);
    snprintf(path, sizeof(path), "%s/agent", folder); /* the record */
    unlink(path);
    unlink(agent);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(heard.found + heard.lost, 1);
    return heard;
}

TEST(an_agent_that_is_not_there_is_sent_checked_and_started)
{
    char digest[SL_SHA256_HEX_SIZE], sent[128];
    sl_sha256_hex("agent", 5, digest);
    snprintf(sent, sizeof(sent), "/data/local/tmp/sme2lab/bin/%s.part,33216", digest);
    const struct sl_adb_step steps[] = {OFFER("OKAY0000"),
                                        {sent, NULL, 0, 8},
                                        {"agent", NULL, 0, 8},
                                        {"DONE", "OKAY\0\0\0\0", 8, 0},
                                        END,
                                        INSTALL("\0"),
                                        END,
                                        BIND,
                                        {"shell,v2,raw:/data/local/tmp/sme2lab/bin/",
                                         "OKAY\1\21\0\0\0listening\npid 77\n" EXIT("\0"),
                                         4 + 5 + 17 + 6, 4},
                                        END,
                                        END};
    struct heard heard = reach_once(steps);
    assert_string_equal(heard.reason, "");
    assert_int_equal(heard.found, 1);
}

TEST(a_phone_that_is_no_use_says_why)
{
    static const struct {
        const char *reply;
        size_t len;
        const char *reason;
    } cases[] = {
        {"OKAY\1\7\0\0\0armv7l\n" EXIT("\0"), 4 + 12 + 6, "not 64-bit Arm: armv7l"},
        {"OKAY" EXIT("\4"), 10, "cannot be made on the device"},
        {"FAIL0006closed", 14, "cannot be used: closed"},
        {"OKAY\1\7\0", 7, "went away"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct sl_adb_step steps[] = {
            BIND, {"shell,v2,raw:uname -m; ", cases[i].reply, cases[i].len, 4}, END, END};
        struct heard heard = reach_once(steps);
        assert_int_equal(heard.lost, 1);
        assert_non_null(strstr(heard.reason, cases[i].reason));
    }
}

TEST(an_agent_is_sent_compressed_where_the_device_can_take_it_so)
{
    char digest[SL_SHA256_HEX_SIZE], sent[160];
    struct sl_adb_pack *pack;
    struct sl_buf packed;
    sl_buf_init(&packed, 1 << 16);
    assert_int_equal(sl_adb_pack_new(SL_ADB_PACK_ZSTD, &pack), 0);
    assert_int_equal(sl_adb_pack_put(pack, "agent", 5, false, &packed), 0);
    assert_int_equal(sl_adb_pack_put(pack, NULL, 0, true, &packed), 0);
    sl_adb_pack_free(pack);
    sl_sha256_hex("agent", 5, digest);
    snprintf(sent, sizeof(sent), "/data/local/tmp/sme2lab/bin/%s.partSND2", digest);
    const struct sl_adb_step steps[] = {OFFER("OKAY001csendrecv_v2,sendrecv_v2_zstd"),
                                        {sent, NULL, 0, 8},
                                        {"DATA", NULL, 0, 8}, /* behind rights and kind */
                                        {"DONE", "OKAY\0\0\0\0", 8, 4 + packed.size},
                                        END,
                                        INSTALL("\3"),
                                        END,
                                        END};
    struct heard heard = reach_once(steps);
    sl_buf_fini(&packed);
    assert_non_null(strstr(heard.reason, "damaged")); /* as the script says of what it was sent */
}

TEST(an_agent_that_came_damaged_is_not_started)
{
    const struct sl_adb_step steps[] = {OFFER("OKAY0000"),
                                        {"DONE", "OKAY\0\0\0\0", 8, 8 + 103 + 8 + 5},
                                        END,
                                        INSTALL("\3"),
                                        END,
                                        END};
    struct heard heard = reach_once(steps);
    assert_int_equal(heard.lost, 1);
    assert_non_null(strstr(heard.reason, "damaged"));
}

struct tries {
    struct sl_link *link;
    unsigned down, wanted;
    char reason[400];
    int closed;
};

static void on_link_closed(void *user)
{
    ((struct tries *)user)->closed++;
}

static void on_down(void *user, const char *reason, unsigned failures)
{
    struct tries *tries = user;
    tries->down++;
    assert_int_equal(failures, tries->down);
    snprintf(tries->reason, sizeof(tries->reason), "%s", reason);
    if (tries->down == tries->wanted)
        sl_link_close(tries->link, false, on_link_closed, tries);
}

/* So many tries of a link to an agent that an earlier daemon left; the last one's reason. */
static struct tries fail_so_often(const struct sl_adb_step *steps, unsigned wanted)
{
    static const struct sl_link_events events = {.down = on_down};
    char folder[] = "/tmp/sl-adb-XXXXXX";
    struct sl_device device = {
        .kind = SL_DEVICE_ADB, .link = "adb:phone", .agent.path = "/bin/true"};
    const struct sl_agent_record record = {.pid = 77};
    const struct sl_link_options options = {.device = &device, .agent = "", .workdir = folder};
    struct tries tries = {.wanted = wanted};
    uv_loop_t loop;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sl_agent_record_write(folder, &record), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(sl_link_new(&loop, &options, &events, &tries, &tries.link), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(tries.closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
    sl_agent_record_remove(folder);
    assert_int_equal(rmdir(folder), 0);
    return tries;
}

TEST(an_agent_outlives_tries_that_do_not_reach_the_device)
{
    const struct sl_adb_step steps[] = {DIAL(NULL), DIAL(NULL), DIAL(NULL),
                                        DIAL(NULL), DIAL(NULL), END};
    struct tries tries = fail_so_often(steps, 5);
    assert_non_null(strstr(tries.reason, "cannot be reached"));
}

TEST(a_phone_whose_twin_came_is_reached_by_its_port_from_then_on)
{
    static const struct sl_transport_events events = {on_found, on_lost, on_closed};
    static const struct sl_adb_step steps[] = {
        {"0016host:transport:usb:1-2", "FAIL0006closed", 14, 0}, END, END};
    struct sl_device device = {
        .kind = SL_DEVICE_ADB, .link = "adb:phone", .agent.path = "/bin/true"};
    const struct sl_link_options options = {.device = &device, .agent = "", .workdir = "/nowhere"};
    struct heard heard = {.ops = sl_transport_of(SL_DEVICE_ADB)};
    struct sl_diag diag;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(heard.ops->open(&loop, &options, &events, &heard, &heard.transport), 0);
    heard.ops->move(heard.transport, "adb-usb:other"); /* it has no wire: not for it */
    heard.ops->move(heard.transport, "adb:usb:1-2");
    assert_int_equal(heard.ops->reach(heard.transport, 0, &diag), SL_TRANSPORT_WAIT);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(sl_adb_script_end(server));
    assert_true(heard.ops->close(heard.transport, false, false));
    assert_int_equal(uv_loop_close(&loop), 0);
}

TEST(an_agent_that_accepts_and_proves_nothing_is_started_anew)
{
    const struct sl_adb_step steps[] = {
        DIAL("OKAY"),
        DIAL("OKAY"),
        DIAL("OKAY"),
        BIND,
        {"shell,v2,raw:uname -m; ", "OKAY\1\7\0\0\0armv7l\n" EXIT("\0"), 4 + 12 + 6, 4},
        END,
        END};
    struct tries tries = fail_so_often(steps, 4);
    assert_non_null(strstr(tries.reason, "not 64-bit Arm"));
}

TEST(a_link_that_names_no_phone_is_refused)
{
    static const char *const links[] = {
        "adb:", "tcp:127.0.0.1:1", "adb-tcp:phone:1", "adb-tcp:1.2.3.4", "adb-usb:", NULL};
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        const struct sl_device_wish wish = {.kind = SL_DEVICE_ADB, .link = links[i]};
        struct sl_device device;
        struct sl_diag diag = {.what = ""};
        assert_int_equal(sl_device_open_wish(&wish, &device, &diag), SL_E_UNSUPPORTED);
        assert_true(diag.what[0] && diag.hint[0]);
    }
}

TEST(a_link_without_a_server_needs_an_address_alone)
{
    const struct sl_device_wish wish = {
        .kind = SL_DEVICE_ADB, .link = "adb-tcp:192.0.2.1:5555", .allow_unencrypted = true};
    struct sl_device device;
    struct sl_diag diag = {.what = ""};
    setenv("SME2LAB_AGENT", "/bin/true", 1);
    assert_int_equal(sl_device_open_wish(&wish, &device, &diag), 0);
    assert_string_equal(device.link, wish.link);
    assert_true(device.allow_unencrypted);
}
