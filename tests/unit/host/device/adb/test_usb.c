/* tests/unit/host/device/adb/test_usb.c: phones on a USB bus that is as strict as a real one
 * (tests/support/usb_rig.h), through libusb and the wire. Real adbd behind the same bus is
 * tests/integration/test_usb.py's. */
#define _DEFAULT_SOURCE /* setreuid() */
#include "host/device/adb/usb.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/net/address.h"
#include "host/device/adb/message.h"
#include "host/device/adb/usb_frames.h"
#include "host/device/adb/wire.h"
#include "tests/support/unit.h"
#include "tests/support/usb_rig.h"

#define PHONE "device::features=shell_v2"

enum { PORT = 2, BIG_BYTES = SL_ADB_USB_PAYLOAD_BYTES, PATIENCE_MS = 20000 };

/* --- an adbd that echoes, in a process of its own --- */

static void must(bool right)
{
    if (!right)
        _exit(2);
}

static void say(int fd, uint32_t command, uint32_t arg0, uint32_t arg1, const void *payload,
                size_t len)
{
    const struct sl_adb_message message = {command, arg0, arg1, payload, len};
    struct sl_buf out;
    sl_buf_init(&out, 2 << 20);
    must(sl_adb_message_append(&out, &message, false) == 0);
    for (size_t at = 0; at < out.size;) {
        ssize_t put = send(fd, out.data + at, out.size - at, MSG_NOSIGNAL);
        if (put <= 0)
            break; /* the host is gone */
        at += (size_t)put;
    }
    sl_buf_fini(&out);
}

/* Service "echo" sends back what comes; "big" sends one message of the most bytes. "lie" announces
 * more than there may be. */
static void serve(int fd, uint8_t *bytes)
{
    uint32_t head[6], echoes = 0;
    while (recv(fd, head, sizeof(head), MSG_WAITALL) == sizeof(head)) {
        must(head[5] == ~head[0] && head[3] <= 1 << 20);
        must(head[3] == 0 || recv(fd, bytes, head[3], MSG_WAITALL) == (ssize_t)head[3]);
        if (head[0] == SL_ADB_CNXN) {
            say(fd, SL_ADB_CNXN, SL_ADB_VERSION, head[2], PHONE, strlen(PHONE));
        } else if (head[0] == SL_ADB_OPEN) {
            say(fd, SL_ADB_OKAY, 7, head[1], NULL, 0);
            echoes = head[1];
            if (strcmp((char *)bytes, "big") == 0) {
                for (size_t i = 0; i < BIG_BYTES; i++)
                    bytes[i] = (uint8_t)(i * 7 >> 3);
                say(fd, SL_ADB_WRTE, 7, head[1], bytes, BIG_BYTES);
            } else if (strcmp((char *)bytes, "lie") == 0) {
                uint32_t lie[6] = {SL_ADB_WRTE,   7, head[1],
                                   BIG_BYTES + 1, 0, ~(uint32_t)SL_ADB_WRTE};
                send(fd, lie, sizeof(lie), MSG_NOSIGNAL);
            }
        } else if (head[0] == SL_ADB_WRTE) {
            say(fd, SL_ADB_OKAY, 7, head[1], NULL, 0);
            say(fd, SL_ADB_WRTE, 7, echoes, bytes, head[3]);
        }
    }
}

static pid_t start_adbd(struct sl_address *out)
{
    struct sl_address any;
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &any, NULL), 0);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *out = any;
    assert_int_equal(bind(listener, (struct sockaddr *)&any.socket, any.len), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&out->socket, &out->len), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        uint8_t *bytes = malloc(2 << 20);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            int fd = accept(listener, NULL, NULL);
            if (fork() == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                serve(fd, bytes);
                _exit(0);
            }
            close(fd);
        }
    }
    close(listener);
    return pid;
}

/* --- the bench: a bus with one phone, and a wire to it --- */

struct bench {
    pid_t adbd;
    struct sl_address address;
    struct sl_usb_rig *rig;
    uv_loop_t loop;
    struct sl_adb_wire *wire;
    bool closed;
};

static void plug(struct bench *bench, unsigned port, const char *serial)
{
    const struct sl_usb_phone phone = {
        .serial = serial, .backend = &bench->address, .packet_bytes = 512};
    sl_usb_rig_plug(bench->rig, port, &phone);
}

static void begin(struct bench *bench, const struct sl_usb_phone *phone)
{
    *bench = (struct bench){.closed = false};
    bench->adbd = start_adbd(&bench->address);
    bench->rig = sl_usb_rig_new();
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    struct sl_usb_phone is = *phone;
    is.backend = &bench->address;
    sl_usb_rig_plug(bench->rig, PORT, &is);
    const struct sl_adb_wire_options options = {.usb = "PHONE1"};
    assert_int_equal(sl_adb_wire_new(&bench->loop, &options, &bench->wire), 0);
}

static void on_wire_closed(void *user)
{
    ((struct bench *)user)->closed = true;
}

static void end(struct bench *bench)
{
    sl_adb_wire_close(bench->wire, on_wire_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_true(bench->closed);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    assert_string_equal(sl_usb_rig_seen(bench->rig, PORT).violation, "");
    sl_usb_rig_free(bench->rig);
    kill(bench->adbd, SIGKILL);
    waitpid(bench->adbd, NULL, 0);
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer;
}

/* As many bytes as there come, at most `most`, before the service's end. */
static size_t receive(struct bench *bench, int fd, void *out, size_t most)
{
    uint64_t until = sl_clock_ns() + UINT64_C(1000000) * PATIENCE_MS;
    size_t have = 0;
    uv_timer_t timer;
    uv_timer_init(&bench->loop, &timer);
    uv_timer_start(&timer, on_tick, 10, 10);
    while (have < most && sl_clock_ns() < until) {
        ssize_t got = recv(fd, (char *)out + have, most - have, MSG_DONTWAIT);
        if (got == 0)
            break;
        have += got > 0 ? (size_t)got : 0;
        if (got < 0)
            uv_run(&bench->loop, UV_RUN_ONCE);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&bench->loop, UV_RUN_NOWAIT);
    return have;
}

/* The status of a service, with the words of a refusal behind it. */
static const char *open_service(struct bench *bench, const char *name, int *out_fd)
{
    static char text[512];
    memset(text, 0, sizeof(text));
    assert_int_equal(sl_adb_wire_open(bench->wire, name, out_fd), 0);
    assert_int_equal(receive(bench, *out_fd, text, 4), 4);
    if (strcmp(text, "FAIL") == 0)
        receive(bench, *out_fd, text + 4, sizeof(text) - 5);
    return text;
}

static void assert_refused(struct bench *bench, const char *words)
{
    int fd;
    const char *status = open_service(bench, "echo", &fd);
    if (!strstr(status, words))
        fail_msg("'%s' has no '%s'", status, words);
    close(fd);
}

static void assert_echoes(struct bench *bench, int fd, size_t len)
{
    uint8_t *sent = malloc(len), *back = malloc(len);
    assert_true(sent && back);
    for (size_t i = 0; i < len; i++)
        sent[i] = (uint8_t)(i * 31 >> 4);
    size_t put = 0, have = 0;
    while (put < len) {
        ssize_t n = send(fd, sent + put, len - put, MSG_DONTWAIT | MSG_NOSIGNAL);
        put += n > 0 ? (size_t)n : 0;
        if (n < 0)
            have += receive(bench, fd, back + have, put - have < 1 ? 1 : put - have);
    }
    have += receive(bench, fd, back + have, len - have);
    assert_int_equal(have, len);
    assert_memory_equal(sent, back, len);
    free(sent);
    free(back);
}

static void works(struct bench *bench)
{
    int fd;
    assert_string_equal(open_service(bench, "echo", &fd), "OKAY");
    assert_echoes(bench, fd, 5);
    close(fd);
}

static const struct sl_usb_phone high_speed = {.serial = "PHONE1", .packet_bytes = 512};

/* --- what is there --- */

TEST(a_phone_is_found_by_its_interface_and_named_by_serial_or_port)
{
    struct bench bench;
    struct sl_adb_listed listed[8];
    const struct sl_usb_phone fastboot = {.serial = "BOOT", .packet_bytes = 512, .fastboot = true};
    (void)state;
    begin(&bench, &high_speed);
    sl_usb_rig_plug(bench.rig, 3, &fastboot);
    plug(&bench, 4, NULL);
    plug(&bench, 5, "with space");
    plug(&bench, 6, "TWIN");
    plug(&bench, 7, "TWIN");
    plug(&bench, 8, "usb:1-2");
    size_t count = sl_adb_usb_list(listed, 8);
    assert_int_equal(count, 6);
    const char *const names[] = {"PHONE1", "usb:1-4", "usb:1-5", "usb:1-6", "usb:1-7", "usb:1-8"};
    for (size_t i = 0; i < 6; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++)
            found = found || strcmp(listed[k].serial, names[i]) == 0;
        if (!found)
            fail_msg("%s is not listed", names[i]);
    }
    assert_string_equal(listed[0].model, "Rig Phone");
    assert_int_equal(listed[0].state, SL_ADB_ONLINE);
    assert_non_null(strstr(listed[0].said, "480 Mbit/s"));
    end(&bench);
}

TEST(a_phone_is_reached_by_its_port)
{
    struct bench bench;
    int fd;
    (void)state;
    begin(&bench, &high_speed);
    plug(&bench, 6, "TWIN");
    plug(&bench, 7, "TWIN");
    const struct sl_adb_wire_options by_port = {.usb = "usb:1-7"}, by_serial = {.usb = "TWIN"};
    struct sl_adb_wire *first = bench.wire, *wires[2];
    assert_int_equal(sl_adb_wire_new(&bench.loop, &by_port, &wires[0]), 0);
    assert_int_equal(sl_adb_wire_new(&bench.loop, &by_serial, &wires[1]), 0);
    bench.wire = wires[0];
    works(&bench);
    assert_int_equal(sl_usb_rig_seen(bench.rig, 7).claims, 1);
    bench.wire = wires[1];
    assert_non_null(strstr(open_service(&bench, "echo", &fd), "two phones have this serial"));
    close(fd);
    bench.wire = first;
    for (int i = 0; i < 2; i++)
        sl_adb_wire_close(wires[i], on_wire_closed, &bench);
    end(&bench);
}

TEST(the_rule_that_is_printed_is_the_one_that_is_installed)
{
    struct sl_bytes file = sl_test_file("../../configs/service/60-sme2lab-phones.rules");
    (void)state;
    char *text = strndup((const char *)file.data, file.size);
    assert_non_null(strstr(text, "\n" SL_ADB_UDEV_RULE "\n"));
    free(text);
    free((void *)(uintptr_t)file.data);
}

/* --- framing --- */

static void pass_all_sizes(unsigned packet_bytes)
{
    static const size_t sizes[] = {1,     63,    64,    512,   1024,  4096,      16383,  16384,
                                   32768, 65535, 65536, 65537, 99999, 2 * 65536, 262144, 1 << 20};
    const struct sl_usb_phone phone = {.serial = "PHONE1", .packet_bytes = packet_bytes};
    struct bench bench;
    int fd;
    begin(&bench, &phone);
    assert_string_equal(open_service(&bench, "echo", &fd), "OKAY");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        assert_echoes(&bench, fd, sizes[i]);
    close(fd);
    assert_true(sl_usb_rig_seen(bench.rig, PORT).empty_packets > 5);
    end(&bench);
}

TEST(payloads_of_all_sizes_pass_at_full_speed)
{
    (void)state;
    pass_all_sizes(64);
}

TEST(payloads_of_all_sizes_pass_at_high_speed)
{
    (void)state;
    pass_all_sizes(512);
}

TEST(payloads_of_all_sizes_pass_at_super_speed)
{
    (void)state;
    pass_all_sizes(1024);
}

TEST(the_largest_payload_is_taken_and_a_larger_one_is_not)
{
    struct bench bench;
    static uint8_t bytes[BIG_BYTES];
    int fd;
    (void)state;
    begin(&bench, &high_speed);
    assert_string_equal(open_service(&bench, "big", &fd), "OKAY");
    assert_int_equal(receive(&bench, fd, bytes, BIG_BYTES), BIG_BYTES);
    for (size_t i = 0; i < BIG_BYTES; i++)
        assert_int_equal(bytes[i], (uint8_t)(i * 7 >> 3));
    close(fd);
    assert_string_equal(open_service(&bench, "lie", &fd), "OKAY");
    assert_int_equal(receive(&bench, fd, bytes, 1), 0);
    close(fd);
    works(&bench); /* over a new connection, cleared */
    assert_int_equal(sl_usb_rig_seen(bench.rig, PORT).clears, 2);
    end(&bench);
}

TEST(what_an_earlier_owner_left_is_passed_over)
{
    static uint8_t stale[24 + 512 + 24 + 700 + 24];
    struct bench bench;
    (void)state;
    const uint32_t heads[3][6] = {{SL_ADB_WRTE, 9, 3, 512, 0, ~(uint32_t)SL_ADB_WRTE},
                                  {SL_ADB_WRTE, 9, 3, 700, 0, ~(uint32_t)SL_ADB_WRTE},
                                  {SL_ADB_CLSE, 9, 3, 0, 0, ~(uint32_t)SL_ADB_CLSE}};
    memset(stale, 'x', sizeof(stale));
    memcpy(stale, heads[0], 24);
    memcpy(stale + 24 + 512, heads[1], 24);
    memcpy(stale + 24 + 512 + 24 + 700, heads[2], 24);
    const struct sl_usb_phone phone = {
        .serial = "PHONE1", .packet_bytes = 512, .stale = stale, .stale_len = sizeof(stale)};
    begin(&bench, &phone);
    works(&bench);
    assert_int_equal(sl_usb_rig_seen(bench.rig, PORT).claims, 1);
    end(&bench);
}

TEST(where_the_kernel_has_no_memory_pieces_are_smaller)
{
    struct bench bench;
    int fd;
    (void)state;
    begin(&bench, &high_speed);
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_NO_MEMORY);
    assert_string_equal(open_service(&bench, "echo", &fd), "OKAY");
    assert_echoes(&bench, fd, 1 << 20);
    close(fd);
    end(&bench);
}

/* --- what goes wrong --- */

TEST(an_interface_that_another_holds_is_said_and_not_fought_for)
{
    struct bench bench;
    (void)state;
    begin(&bench, &high_speed);
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_HELD);
    assert_refused(&bench, "another program holds the phone's USB interface");
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_NO_FAULT);
    works(&bench);
    struct sl_usb_seen seen = sl_usb_rig_seen(bench.rig, PORT);
    assert_int_equal(seen.clears + seen.resets, 0);
    end(&bench);
}

TEST(a_port_that_is_to_be_reset_is_reset_once_before_the_next_connection)
{
    struct bench bench;
    (void)state;
    begin(&bench, &high_speed);
    works(&bench);
    assert_int_equal(sl_adb_wire_reset(bench.wire), 0);
    works(&bench);
    assert_int_equal(sl_usb_rig_seen(bench.rig, PORT).resets, 1);
    works(&bench);
    assert_int_equal(sl_usb_rig_seen(bench.rig, PORT).resets, 1);
    end(&bench);
}

/* The bed is its maker's alone. */
static void open_to_all(const char *node)
{
    char command[600];
    const char *end = strstr(node, "/dev/");
    assert_non_null(end);
    snprintf(command, sizeof(command), "env -u LD_PRELOAD chmod -R a+rwX %.*s", (int)(end - node),
             node);
    assert_int_equal(system(command), 0);
}

TEST(a_node_without_permissions_is_said_with_the_fix)
{
    struct bench bench;
    struct sl_adb_listed listed;
    (void)state;
    begin(&bench, &high_speed);
    open_to_all(sl_usb_rig_node(bench.rig, PORT));
    assert_int_equal(chmod(sl_usb_rig_node(bench.rig, PORT), 0), 0);
    bool root = geteuid() == 0;
    assert_int_equal(root ? setreuid(65534, (uid_t)-1) : 0, 0);
    assert_int_equal(root ? seteuid(65534) : 0, 0);
    size_t count = sl_adb_usb_list(&listed, 1);
    assert_refused(&bench, "udev");
    assert_int_equal(root ? seteuid(0) : 0, 0);
    assert_int_equal(root ? setreuid(0, (uid_t)-1) : 0, 0);
    assert_int_equal(count, 1);
    assert_int_equal(listed.state, SL_ADB_NO_PERMISSIONS);
    end(&bench);
}

TEST(a_phone_that_is_unplugged_ends_its_services_and_is_reached_again)
{
    struct bench bench;
    char rest[8];
    int fd;
    (void)state;
    begin(&bench, &high_speed);
    assert_string_equal(open_service(&bench, "echo", &fd), "OKAY");
    sl_usb_rig_unplug(bench.rig, PORT);
    assert_int_equal(receive(&bench, fd, rest, sizeof(rest)), 0);
    close(fd);
    assert_refused(&bench, "no phone of that name is plugged in");
    plug(&bench, PORT, "PHONE1");
    works(&bench);
    struct sl_usb_seen seen = sl_usb_rig_seen(bench.rig, PORT);
    assert_int_equal(seen.clears + seen.resets, 0);
    end(&bench);
}

TEST(a_silent_phone_is_cleared_then_reset_once)
{
    struct bench bench;
    (void)state;
    begin(&bench, &high_speed);
    for (int i = 0; i < 4; i++) {
        sl_usb_rig_fault(bench.rig, PORT, SL_USB_SILENT);
        assert_refused(&bench, "does not answer in time");
        struct sl_usb_seen seen = sl_usb_rig_seen(bench.rig, PORT);
        assert_int_equal(seen.clears, 2 * i);
        assert_int_equal(seen.resets, i >= 2);
    }
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_NO_FAULT);
    works(&bench);
    end(&bench);
}

TEST(a_stalled_endpoint_is_cleared)
{
    struct bench bench;
    (void)state;
    begin(&bench, &high_speed);
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_STALLED);
    assert_refused(&bench, "stalled");
    works(&bench);
    assert_int_equal(sl_usb_rig_seen(bench.rig, PORT).clears, 2);
    end(&bench);
}

TEST(more_than_was_asked_for_is_no_end_of_the_phone)
{
    struct bench bench;
    (void)state;
    begin(&bench, &high_speed);
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_OVERFLOW);
    assert_refused(&bench, "more than it had announced");
    works(&bench);
    end(&bench);
}

TEST(a_phone_that_hangs_holds_up_no_other)
{
    struct bench bench;
    int fd;
    (void)state;
    begin(&bench, &high_speed);
    plug(&bench, 4, "PHONE2");
    sl_usb_rig_fault(bench.rig, PORT, SL_USB_SILENT);
    struct sl_adb_wire *hangs = bench.wire, *other;
    const struct sl_adb_wire_options options = {.usb = "PHONE2"};
    assert_int_equal(sl_adb_wire_new(&bench.loop, &options, &other), 0);
    assert_int_equal(sl_adb_wire_open(hangs, "echo", &fd), 0);
    bench.wire = other;
    uint64_t from = sl_clock_ns();
    works(&bench);
    assert_true(sl_clock_ns() - from < UINT64_C(1000000) * SL_ADB_WIRE_USB_HANDSHAKE_MS);
    close(fd);
    bench.wire = hangs;
    sl_adb_wire_close(other, on_wire_closed, &bench);
    end(&bench);
}

/* --- the look-out --- */

struct lookout {
    size_t count;
    int told;
    bool closed;
    uint64_t at_ns;
};

static void on_changed(void *user, const struct sl_adb_listed *listed, size_t count)
{
    struct lookout *out = user;
    (void)listed;
    out->count = count;
    out->told++;
    out->at_ns = sl_clock_ns();
}

static void on_watch_closed(void *user)
{
    ((struct lookout *)user)->closed = true;
}

static uint64_t wait_for(struct bench *bench, const struct lookout *out, size_t count)
{
    uint64_t from = sl_clock_ns();
    uv_timer_t timer;
    uv_timer_init(&bench->loop, &timer);
    uv_timer_start(&timer, on_tick, 5, 5);
    while ((out->told == 0 || out->count != count) &&
           sl_clock_ns() - from < UINT64_C(1000000) * PATIENCE_MS)
        uv_run(&bench->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&bench->loop, UV_RUN_NOWAIT);
    assert_int_equal(out->count, count);
    return (sl_clock_ns() - from) / 1000000;
}

TEST(a_phone_that_comes_or_goes_is_seen_at_once)
{
    struct bench bench;
    struct lookout out = {.count = 0};
    struct sl_adb_usb_watch *watch;
    (void)state;
    begin(&bench, &high_speed);
    assert_int_equal(sl_adb_usb_watch_new(&bench.loop, on_changed, &out, &watch), 0);
    wait_for(&bench, &out, 1);
    plug(&bench, 4, "PHONE2");
    assert_true(wait_for(&bench, &out, 2) < 1500); /* by the event: a look comes each two seconds */
    sl_usb_rig_unplug(bench.rig, 4);
    assert_true(wait_for(&bench, &out, 1) < 1500);
    sl_adb_usb_watch_close(watch, on_watch_closed, &out);
    end(&bench);
    assert_true(out.closed);
}
