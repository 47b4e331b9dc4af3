/* tests/unit/host/daemon/test_phones.c: phones of a server that keeps to a script, as devices of a
 * real lab. */
#include "host/daemon/phones.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/net/address.h"
#include "host/daemon/roster.h"
#include "host/job/device_life.h"
#include "host/job/devices.h"
#include "host/job/kit.h"
#include "host/job/lab.h"
#include "host/job/lab_open.h"
#include "host/spec/host_config.h"
#include "host/store/store.h"
#include "tests/support/adb_script.h"
#include "tests/support/store_folder.h"
#include "tests/support/unit.h"

#define END {NULL, NULL, 0, 0}
#define VERSION {"000chost:version", "OKAY00040029", 0, 0}
#define LISTED {"000ehost:devices-l", "OKAY0023a:b device\nc unauthorized\n(no s) d\n", 0, 0}
#define PROPERTIES                                                                                 \
    "[ro.product.manufacturer]: [Lab]\n[ro.product.model]: [Phone\x1b]\n"                          \
    "[ro.build.version.release]: [15]\n"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    struct sl_lab *lab;
    struct sl_devices *devices;
    struct sl_roster *roster;
    struct sl_phones *phones;
    int opened, closed;
};

static void on_opened(void *user, int rc)
{
    assert_int_equal(rc, 0);
    ((struct bench *)user)->opened = 1;
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed++;
}

static int on_progress(void *user, uint64_t job, const char *device, const char *type,
                       const char *json)
{
    (void)user;
    (void)job;
    (void)device;
    (void)type;
    (void)json;
    return 0;
}

static int on_ended(void *user, uint64_t job, const char *device, int cause, const char *detail,
                    const struct sl_run_record *run)
{
    (void)cause;
    (void)run;
    return on_progress(user, job, device, "", detail);
}

static void open_bench(struct bench *bench, const char *config_text)
{
    static const struct sl_devices_events events = {.progress = on_progress, .ended = on_ended};
    struct sl_diag diag;
    struct sl_host_config config;
    static struct sl_job_kit kit = {.store = "of this test"};
    const struct sl_devices_options options = {
        .state_dir = store_folder, .agent = "", .on_demand = true, .kit = &kit};
    memset(bench, 0, sizeof(*bench));
    setenv("SME2LAB_AGENT", "/bin/true", 1);
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, NULL, &bench->store, &diag), 0);
    assert_int_equal(sl_devices_new(&bench->loop, &options, &events, bench, &bench->devices), 0);
    const struct sl_lab_options lab = {
        .store = bench->store,
        .state_dir = store_folder,
        .runner = {sl_devices_start, sl_devices_cancel, bench->devices, sl_devices_held,
                   sl_devices_forget, sl_devices_lend},
        .opened = on_opened,
        .user = bench,
    };
    assert_int_equal(sl_lab_open(&bench->loop, &lab, &bench->lab), 0);
    const struct sl_roster_options roster = {
        .devices = bench->devices, .lab = bench->lab, .state_dir = store_folder};
    assert_int_equal(sl_roster_new(&roster, &bench->roster), 0);
    struct sl_bytes text = {(const uint8_t *)config_text, strlen(config_text)};
    assert_int_equal(sl_host_config_parse(text, "host.json", &config, &diag), 0);
    for (size_t i = 0; i < config.device_count; i++)
        assert_int_equal(
            sl_lab_add_device(bench->lab, config.devices[i].name, config.devices[i].way.kind), 0);
    while (!bench->opened) /* else what the server tells later might come before it */
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(sl_phones_new(&bench->loop, &config, bench->devices, bench->lab, bench->roster,
                                   &bench->phones),
                     0);
    sl_host_config_fini(&config);
}

static void wait_for(struct bench *bench, int wanted)
{
    int before = bench->closed;
    while (bench->closed < before + wanted)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

static void close_bench(struct bench *bench)
{
    if (bench->phones) {
        sl_phones_close(bench->phones, on_closed, bench);
        wait_for(bench, 1);
    }
    sl_devices_close(bench->devices, false, on_closed, bench);
    wait_for(bench, 1);
    sl_lab_close(bench->lab, on_closed, bench);
    wait_for(bench, 1);
    sl_store_close(bench->store, on_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    sl_roster_free(bench->roster);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static const struct sl_device_record *device_of(struct bench *bench, const char *name)
{
    const struct sl_device_record *devices;
    size_t count = sl_lab_devices(bench->lab, &devices);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(devices[i].name, name) == 0)
            return &devices[i];
    }
    return NULL;
}

STORE_TEST(phones_are_devices_with_their_state_and_what_they_are)
{
    static const struct sl_adb_step steps[] = {
        VERSION,
        END,
        LISTED,
        END,
        {"0012host:transport:a:b", "OKAY", 0, 0},
        {"0014shell,v2,raw:getprop", "OKAY\1\x5f\0\0\0" PROPERTIES "\3\1\0\0\0\0", 4 + 5 + 95 + 6,
         0},
        END,
        {"0014host:track-devices-l", "OKAY000ca:b offline\n", 0, 0},
        END,
        END};
    struct bench bench;
    assert_int_equal(strlen(PROPERTIES), 95);
    pid_t server = sl_adb_script_start(steps);
    open_bench(&bench, "{\"adb\":true,\"devices\":[]}");
    const struct sl_device_record *phone = device_of(&bench, "a-b");
    assert_non_null(phone);
    assert_int_equal(phone->state, SL_DEVICE_DISCOVERED);
    assert_string_equal(sl_device_kind_name(phone->kind), "adb");
    assert_true(sl_phones_found(bench.phones, "a-b"));
    phone = device_of(&bench, "c");
    assert_int_equal(phone->state, SL_DEVICE_UNAUTHORISED);
    assert_int_equal(phone->cause, SL_CAUSE_DEVICE_UNAUTHORISED);
    assert_non_null(strstr(phone->detail, "Allow USB debugging"));
    while (device_of(&bench, "a-b")->state == SL_DEVICE_DISCOVERED)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(device_of(&bench, "a-b")->state, SL_DEVICE_READY);
    while (device_of(&bench, "a-b")->state == SL_DEVICE_READY)
        uv_run(&bench.loop, UV_RUN_ONCE);
    while (!strstr(device_of(&bench, "c")->detail, "adb start-server"))
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_string_equal(device_of(&bench, "a-b")->model, "Lab Phone.");
    assert_string_equal(device_of(&bench, "a-b")->system, "Android 15");
    close_bench(&bench);
    assert_true(sl_adb_script_end(server));
}

STORE_TEST(only_configured_phones_are_watched_where_the_others_are_not_wanted)
{
    static const struct sl_adb_step steps[] = {VERSION, END, LISTED, END, END};
    struct bench bench;
    pid_t server = sl_adb_script_start(steps);
    open_bench(&bench, "{\"devices\":[{\"name\":\"mine\",\"link\":\"adb:c\"}]}");
    assert_int_equal(device_of(&bench, "mine")->state, SL_DEVICE_UNAUTHORISED);
    assert_null(device_of(&bench, "a-b"));
    assert_false(sl_phones_found(bench.phones, "mine"));
    close_bench(&bench);
    assert_true(sl_adb_script_end(server));
}

STORE_TEST(a_twin_that_comes_and_goes_changes_no_phones_identity)
{
    static const struct sl_adb_step steps[] = {
        VERSION,
        END,
        {"000ehost:devices-l", "OKAY0013S device usb:1-1.2\n", 0, 0},
        END,
        {"0010host:transport:S", "OKAY", 0, 0},
        {"0014shell,v2,raw:getprop", "OKAY\1\x5f\0\0\0" PROPERTIES "\3\1\0\0\0\0", 4 + 5 + 95 + 6,
         0},
        END,
        {"0014host:track-devices-l", "OKAY002cS device usb:1-1.2\nS unauthorized usb:1-1.4\n", 0,
         0},
        END,
        {"001fhost-serial:usb:1-1.2:reconnect", "OKAYdone", 0, 0},
        END,
        {"0014host:track-devices-l", "OKAY0019S unauthorized usb:1-1.4\n", 0, 0},
        END,
        END};
    struct bench bench;
    const struct sl_device_record *all;
    pid_t server = sl_adb_script_start(steps);
    open_bench(&bench, "{\"adb\":true,\"devices\":[]}");
    while (!device_of(&bench, "usb-1-1.4"))
        uv_run(&bench.loop, UV_RUN_ONCE);
    while (!strstr(device_of(&bench, "usb-1-1.4")->detail, "adb start-server"))
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(sl_lab_devices(bench.lab, &all), 2); /* the first is still S */
    assert_int_equal(sl_phones_recover(bench.phones, "S", SL_STEP_ADB_RECONNECT), 0);
    while (!strstr(device_of(&bench, "usb-1-1.4")->detail, "Allow USB debugging"))
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(sl_lab_devices(bench.lab, &all), 2); /* the one that stayed is still itself */
    assert_int_equal(device_of(&bench, "S")->state, SL_DEVICE_OFFLINE);
    close_bench(&bench);
    assert_true(sl_adb_script_end(server));
}

STORE_TEST(a_phone_configured_by_its_port_is_it_with_and_without_a_twin)
{
    static const struct sl_adb_step steps[] = {
        VERSION, END, {"000ehost:devices-l", "OKAY0019S unauthorized usb:1-1.2\n", 0, 0}, END, END};
    struct bench bench;
    pid_t server = sl_adb_script_start(steps);
    open_bench(&bench, "{\"devices\":[{\"name\":\"mine\",\"link\":\"adb:usb:1-1.2\"}]}");
    assert_int_equal(device_of(&bench, "mine")->state, SL_DEVICE_UNAUTHORISED);
    close_bench(&bench);
    assert_true(sl_adb_script_end(server));
}

/* As a reload does, once the devices are in the lab. */
static void configure(struct bench *bench, const char *config_text)
{
    struct sl_host_config config;
    struct sl_diag diag;
    struct sl_bytes text = {(const uint8_t *)config_text, strlen(config_text)};
    assert_int_equal(sl_host_config_parse(text, "host.json", &config, &diag), 0);
    for (size_t i = 0; i < config.device_count; i++)
        assert_int_equal(
            sl_lab_add_device(bench->lab, config.devices[i].name, config.devices[i].way.kind), 0);
    assert_int_equal(sl_phones_configure(bench->phones, &config), 0);
    sl_host_config_fini(&config);
}

STORE_TEST(a_phone_that_is_configured_later_is_followed_from_then_on)
{
    static const struct sl_adb_step steps[] = {
        {"0014host:track-devices-l", "OKAY000fc unauthorized\n", 0, 0}, END, END};
    struct bench bench;
    pid_t server = sl_adb_script_start(steps); /* nothing is asked before */
    open_bench(&bench, "{\"devices\":[]}");
    configure(&bench, "{\"devices\":[{\"name\":\"mine\",\"link\":\"adb:c\"}]}");
    while (!strstr(device_of(&bench, "mine")->detail, "Allow USB debugging"))
        uv_run(&bench.loop, UV_RUN_ONCE);
    configure(&bench, "{\"devices\":[{\"name\":\"mine\",\"link\":\"adb:c\"},"
                      "{\"name\":\"other\",\"link\":\"adb:d\"}]}");
    assert_int_equal(device_of(&bench, "other")->state, SL_DEVICE_OFFLINE);
    configure(&bench, "{\"devices\":[{\"name\":\"third\",\"link\":\"adb:d\"}]}");
    assert_int_equal(device_of(&bench, "third")->state, SL_DEVICE_OFFLINE);
    close_bench(&bench);
    assert_true(sl_adb_script_end(server));
}

STORE_TEST(a_phone_that_was_found_can_be_given_a_name)
{
    static const struct sl_adb_step steps[] = {VERSION, END, LISTED, END, END};
    struct bench bench;
    pid_t server = sl_adb_script_start(steps);
    open_bench(&bench, "{\"adb\":true,\"devices\":[]}");
    assert_true(sl_phones_found(bench.phones, "c"));
    configure(&bench, "{\"devices\":[{\"name\":\"mine\",\"link\":\"adb:c\"}]}");
    assert_null(device_of(&bench, "c"));
    assert_non_null(device_of(&bench, "mine"));
    assert_false(sl_phones_found(bench.phones, "mine"));
    close_bench(&bench);
    assert_true(sl_adb_script_end(server));
}

STORE_TEST(nothing_is_asked_where_no_phone_is_wanted)
{
    struct bench bench;
    struct sl_address any, bound;
    char name[64];
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &any, NULL), 0);
    int fd = sl_address_listen(&any, &bound);
    sl_address_format(&bound, name, sizeof(name));
    setenv("ADB_SERVER_SOCKET", name, 1);
    open_bench(&bench, "{\"devices\":[]}");
    close_bench(&bench);
    assert_int_equal(accept(fd, NULL, NULL), -1); /* nobody came */
    close(fd);
}
