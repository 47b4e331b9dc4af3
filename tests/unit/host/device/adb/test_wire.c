/* tests/unit/host/device/adb/test_wire.c: a connection to a device that keeps to a script, byte for
 * byte, and lies where the script does. Real adbd is tests/integration/test_adb.py's. */
#include "host/device/adb/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/net/address.h"
#include "host/device/adb/key.h"
#include "host/device/adb/message.h"
#include "host/device/adb/shell.h"
#include "tests/support/adb_home.h"
#include "tests/support/unit.h"

#define PHONE "device::features=shell_v2"
#define NEW_PHONE PHONE ",delayed_ack"

enum { MOST = 4096 }; /* bytes of a payload */

/* --- the device: a process of its own --- */

struct device {
    int fd, listener;
    uint32_t peer; /* the host's id of the service that was opened last */
    uint32_t last; /* the highest that was ever asked for */
    bool old;      /* its messages carry sums */
};

static void must(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "device: %s\n", what);
        _exit(2);
    }
}

static void say(struct device *device, uint32_t command, uint32_t arg0, uint32_t arg1,
                const char *payload, size_t len)
{
    const struct sl_adb_message message = {command, arg0, arg1, (const uint8_t *)payload, len};
    struct sl_buf out;
    sl_buf_init(&out, 1 << 20);
    must(sl_adb_message_append(&out, &message, false) == 0, "no room");
    memset(out.data + 16, 0xa5, 4); /* nobody may look at the sum */
    must(send(device->fd, out.data, out.size, MSG_NOSIGNAL) == (ssize_t)out.size, "not sent");
    sl_buf_fini(&out);
}

static void read_exactly(int fd, void *out, size_t len)
{
    must(len == 0 || recv(fd, out, len, MSG_WAITALL) == (ssize_t)len, "the host ended");
}

/* The next message is of that command; its payload is in `text`. */
static struct sl_adb_message hear(struct device *device, uint32_t command, char text[MOST + 1])
{
    uint32_t head[6], sum = 0;
    bool early = command == SL_ADB_CNXN || command == SL_ADB_AUTH;
    read_exactly(device->fd, head, sizeof(head));
    must(head[0] == command && head[5] == ~command && head[3] <= MOST, "another message");
    read_exactly(device->fd, text, head[3]);
    text[head[3]] = '\0';
    for (uint32_t i = 0; i < head[3]; i++)
        sum += (unsigned char)text[i];
    must(head[4] == (early || device->old ? sum : 0), "another sum");
    return (struct sl_adb_message){head[0], head[1], head[2], (uint8_t *)text, head[3]};
}

static void meet(struct device *device, const char *identity)
{
    char text[MOST + 1];
    device->fd = accept(device->listener, NULL, NULL);
    hear(device, SL_ADB_CNXN, text);
    must(strncmp(text, "host::features=", 15) == 0, "no host");
    say(device, SL_ADB_CNXN, device->old ? SL_ADB_CHECKED : SL_ADB_VERSION, MOST, identity,
        strlen(identity));
}

/* A service is asked for, and opened as number 7. */
static void open_service(struct device *device, const char *name, const char *window)
{
    char text[MOST + 1];
    struct sl_adb_message message = hear(device, SL_ADB_OPEN, text);
    must(strcmp(text, name) == 0, "another service");
    must((message.arg1 != 0) == (window != NULL), "a window where there is none");
    must(message.arg0 > device->last, "a number that was used before");
    device->peer = device->last = message.arg0;
    say(device, SL_ADB_OKAY, 7, device->peer, window, window ? 4 : 0);
}

static pid_t play(void (*role)(struct device *device), struct sl_address *out)
{
    struct sl_address any;
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &any, NULL), 0);
    struct device device = {.fd = -1, .listener = sl_address_listen(&any, out)};
    assert_true(device.listener >= 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char rest[4096];
        alarm(30);
        fcntl(device.listener, F_SETFL, 0); /* accept() waits */
        role(&device);
        shutdown(device.fd, SHUT_WR);
        while (recv(device.fd, rest, sizeof(rest), 0) > 0)
            ;
        _exit(0);
    }
    close(device.listener);
    return pid;
}

/* --- the host --- */

struct heard {
    struct sl_adb_wire *wire;
    int ended, wanted, refused, rc, exit_code, closed;
    bool unauthorised;
    char out[64], reason[256];
};

static void on_wire_closed(void *user)
{
    ((struct heard *)user)->closed++;
}

static void on_ran(void *user, const struct sl_adb_shell_end *end)
{
    struct heard *heard = user;
    heard->rc = end->rc;
    heard->refused += end->rc == SL_E_STATE;
    heard->unauthorised = sl_adb_wire_unauthorised(heard->wire);
    if (end->rc == 0)
        heard->exit_code = end->exit_code;
    snprintf(heard->out, sizeof(heard->out), "%s", end->out);
    snprintf(heard->reason, sizeof(heard->reason), "%s", end->reason);
    if (++heard->ended == heard->wanted)
        sl_adb_wire_close(heard->wire, on_wire_closed, heard);
}

/* So many commands at once on one wire, to their ends. */
static struct heard run_on(void (*role)(struct device *device), const char *input, int count,
                           bool allow_plain)
{
    struct heard heard = {.wanted = count};
    struct sl_address address;
    struct sl_adb_shell *shell;
    uv_loop_t loop;
    int status = 0;
    pid_t pid = play(role, &address);
    assert_int_equal(uv_loop_init(&loop), 0);
    const struct sl_adb_wire_options wire = {.address = &address, .allow_plain = allow_plain};
    assert_int_equal(sl_adb_wire_new(&loop, &wire, &heard.wire), 0);
    assert_int_equal(sl_adb_wire_reset(heard.wire),
                     SL_E_UNSUPPORTED); /* it is in no port of ours */
    for (int i = 0; i < count; i++) {
        const struct sl_adb_shell_options options = {.wire = heard.wire,
                                                     .command = i == 0 ? "cmd" : "other",
                                                     .input = input,
                                                     .input_len = input ? strlen(input) : 0};
        assert_int_equal(sl_adb_shell_start(&loop, &options, on_ran, &heard, &shell), 0);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(heard.ended, count);
    assert_int_equal(heard.closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return heard;
}

static struct heard run(void (*role)(struct device *device), const char *input, int count)
{
    return run_on(role, input, count, true);
}

/* A service in the hands of the test, whose device plays `role`. */
struct owner {
    uv_loop_t loop;
    struct heard heard;
    pid_t device;
    int fd;
};

static void own_service(struct owner *owner, void (*role)(struct device *device))
{
    struct sl_address address;
    char status[4];
    *owner = (struct owner){.device = play(role, &address)};
    assert_int_equal(uv_loop_init(&owner->loop), 0);
    const struct sl_adb_wire_options options = {.address = &address, .allow_plain = true};
    assert_int_equal(sl_adb_wire_new(&owner->loop, &options, &owner->heard.wire), 0);
    assert_int_equal(sl_adb_wire_open(owner->heard.wire, "sync:", &owner->fd), 0);
    while (recv(owner->fd, status, sizeof(status), 0) < 0)
        uv_run(&owner->loop, UV_RUN_ONCE);
    assert_memory_equal(status, "OKAY", sizeof(status));
}

/* To the end of the device, which has seen what it wanted. */
static void end_owner(struct owner *owner)
{
    int status = 0;
    while (waitpid(owner->device, &status, WNOHANG) == 0) {
        uv_run(&owner->loop, UV_RUN_NOWAIT);
        poll(NULL, 0, 1);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    sl_adb_wire_close(owner->heard.wire, on_wire_closed, &owner->heard);
    uv_run(&owner->loop, UV_RUN_DEFAULT);
    assert_int_equal(owner->heard.closed, 1);
    assert_int_equal(uv_loop_close(&owner->loop), 0);
}

/* --- roles --- */

static const char answer[] = "\1\3\0\0\0hi\n\3\1\0\0\0\5";

/* As adbd does: the second message without waiting for the acknowledgement of the first. */
static void runs_a_command(struct device *device)
{
    char text[MOST + 1];
    meet(device, PHONE);
    open_service(device, "shell,v2,raw:cmd", NULL);
    must(hear(device, SL_ADB_WRTE, text).len == 5, "no end of input");
    say(device, SL_ADB_OKAY, 7, device->peer, NULL, 0);
    say(device, SL_ADB_WRTE, 7, device->peer, answer, 8);
    say(device, SL_ADB_WRTE, 7, device->peer, answer + 8, 6);
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
    say(device, SL_ADB_WRTE, 7, 99, "stale", 5);
    hear(device, SL_ADB_OKAY, text);
}

TEST(a_command_runs_over_a_wire)
{
    struct heard heard = run(runs_a_command, NULL, 1);
    assert_int_equal(heard.rc, 0);
    assert_int_equal(heard.exit_code, 5);
    assert_string_equal(heard.out, "hi\n");
}

static void is_old(struct device *device)
{
    device->old = true;
    runs_a_command(device);
}

TEST(messages_carry_sums_where_the_device_wants_them_and_nobody_looks_at_a_devices)
{
    assert_int_equal(run(is_old, NULL, 1).exit_code, 5);
}

/* A hostile phone opens streams to this machine, though nobody asked for a reverse. */
static void asks_back(struct device *device)
{
    static const char *const wanted[] = {"tcp:22", "localabstract:x", "localfilesystem:/run/x", ""};
    char text[MOST + 1];
    meet(device, PHONE);
    open_service(device, "shell,v2,raw:cmd", NULL);
    hear(device, SL_ADB_WRTE, text);
    for (uint32_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        say(device, SL_ADB_OPEN, 20 + i, 0, wanted[i], strlen(wanted[i]) + 1);
        struct sl_adb_message refusal = hear(device, SL_ADB_CLSE, text);
        must(refusal.arg0 == 0 && refusal.arg1 == 20 + i && refusal.len == 0, "not refused");
        say(device, SL_ADB_WRTE, 20 + i, 1, "anyway", 6); /* is passed over */
    }
    say(device, SL_ADB_OKAY, 7, device->peer, NULL, 0);
    say(device, SL_ADB_WRTE, 7, device->peer, answer, 14);
    hear(device, SL_ADB_OKAY, text);
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
}

TEST(a_service_that_the_device_asks_for_is_refused_and_ends_no_other)
{
    struct heard heard = run(asks_back, NULL, 1);
    assert_int_equal(heard.rc, 0);
    assert_int_equal(heard.exit_code, 5);
    assert_string_equal(heard.out, "hi\n");
}

/* One message may be under way without an acknowledgement; none is larger than what was agreed. */
static void takes_its_time(struct device *device)
{
    char text[MOST + 1];
    size_t got = 0;
    meet(device, PHONE);
    open_service(device, "shell,v2,raw:cmd", NULL);
    while (got < 5 + 10000 + 5) {
        char more;
        got += hear(device, SL_ADB_WRTE, text).len;
        poll(NULL, 0, 20);
        must(recv(device->fd, &more, 1, MSG_DONTWAIT) < 0, "sent without an acknowledgement");
        say(device, SL_ADB_OKAY, 7, device->peer, NULL, 0);
    }
    say(device, SL_ADB_WRTE, 7, device->peer, answer, 14);
    hear(device, SL_ADB_OKAY, text);
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
}

/* Acknowledgements are of bytes: nothing beyond the window is sent, and each byte is accounted. */
static void has_a_window(struct device *device)
{
    char text[MOST + 1], more;
    size_t got = 0;
    meet(device, NEW_PHONE);
    open_service(device, "shell,v2,raw:cmd", "\0\4\0\0"); /* 1024 bytes */
    while (got < 1024)
        got += hear(device, SL_ADB_WRTE, text).len;
    must(got == 1024, "more than the window");
    poll(NULL, 0, 20);
    must(recv(device->fd, &more, 1, MSG_DONTWAIT) < 0, "sent beyond the window");
    say(device, SL_ADB_OKAY, 7, device->peer, "\0\0\1\0", 4); /* 65536 more */
    while (got < 5 + 10000 + 5)
        got += hear(device, SL_ADB_WRTE, text).len;
    say(device, SL_ADB_WRTE, 7, device->peer, answer, 14);
    for (size_t taken = 0; taken < 14;) {
        must(hear(device, SL_ADB_OKAY, text).len == 4, "an acknowledgement of no bytes");
        taken += (unsigned char)text[0];
    }
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
}

TEST(what_is_sent_waits_for_the_device)
{
    char input[10001];
    memset(input, 'x', sizeof(input) - 1);
    input[sizeof(input) - 1] = '\0';
    assert_int_equal(run(takes_its_time, input, 1).exit_code, 5);
    struct heard heard = run(has_a_window, input, 1);
    assert_int_equal(heard.exit_code, 5);
    assert_string_equal(heard.out, "hi\n");
}

enum { STREAM_BYTES = 9 << 20, AHEAD_BYTES = 1 << 20 };

static char byte_at(size_t position)
{
    return (char)(position >> 8 ^ position >> 16);
}

/* Always so much ahead of its reader that something waits to be read. */
static void sends_much(struct device *device)
{
    char text[MOST + 1];
    static char bytes[32 << 10];
    size_t taken = 0;
    meet(device, NEW_PHONE);
    open_service(device, "sync:", "\0\4\0\0");
    for (size_t sent = 0; sent < STREAM_BYTES; sent += sizeof(bytes)) {
        while (sent - taken + sizeof(bytes) > AHEAD_BYTES) {
            must(hear(device, SL_ADB_OKAY, text).len == 4, "an acknowledgement of no bytes");
            taken += (unsigned char)text[0] | (size_t)(unsigned char)text[1] << 8 |
                     (size_t)(unsigned char)text[2] << 16;
        }
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = byte_at(sent + i);
        say(device, SL_ADB_WRTE, 7, device->peer, bytes, sizeof(bytes));
    }
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
}

TEST(a_long_stream_outlives_a_reader_that_is_always_behind)
{
    static char bytes[64 << 10];
    struct owner owner;
    ssize_t got = 0;
    size_t all = 0;
    own_service(&owner, sends_much);
    while ((got = recv(owner.fd, bytes, sizeof(bytes), 0)) != 0) {
        for (ssize_t i = 0; i < got; i++)
            assert_int_equal(bytes[i], byte_at(all + (size_t)i));
        all += got > 0 ? (size_t)got : 0;
        if (got > 0)
            poll(NULL, 0, 1); /* the device gets ahead */
        uv_run(&owner.loop, got < 0 ? UV_RUN_ONCE : UV_RUN_NOWAIT);
    }
    assert_int_equal(all, STREAM_BYTES);
    close(owner.fd);
    end_owner(&owner);
}

static void takes_the_first_late(struct device *device)
{
    char text[MOST + 1], more;
    meet(device, PHONE);
    open_service(device, "sync:", NULL);
    must(hear(device, SL_ADB_WRTE, text).len == 5, "not the first bytes");
    say(device, SL_ADB_WRTE, 7, device->peer, "go", 2);
    must(hear(device, SL_ADB_OKAY, text).len == 0, "no acknowledgement");
    poll(&(struct pollfd){.fd = device->fd, .events = POLLIN}, 1, 50);
    must(recv(device->fd, &more, 1, MSG_DONTWAIT) < 0, "the stream did not wait");
    say(device, SL_ADB_OKAY, 7, device->peer, NULL, 0);
    hear(device, SL_ADB_WRTE, text);
    must(strcmp(text, "last") == 0, "not the last bytes");
    say(device, SL_ADB_OKAY, 7, device->peer, NULL, 0);
    hear(device, SL_ADB_CLSE, text);
}

TEST(what_an_owner_wrote_before_its_end_waits_for_the_device)
{
    for (int reads = 0; reads < 2; reads++) {
        struct owner owner;
        char go[2];
        own_service(&owner, takes_the_first_late);
        assert_int_equal(send(owner.fd, "first", 5, MSG_NOSIGNAL), 5);
        while (recv(owner.fd, go, sizeof(go), reads ? 0 : MSG_PEEK) < 0)
            uv_run(&owner.loop, UV_RUN_ONCE);
        assert_int_equal(send(owner.fd, "last", 4, MSG_NOSIGNAL), 4);
        close(owner.fd);
        end_owner(&owner);
    }
}

static void opens_two_in_turn(struct device *device)
{
    meet(device, PHONE);
    for (int i = 0; i < 2; i++) { /* open_service() wants each number once */
        open_service(device, "sync:", NULL);
        say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
    }
}

TEST(the_number_of_a_service_is_never_used_again)
{
    struct owner owner;
    char status[4];
    own_service(&owner, opens_two_in_turn);
    while (recv(owner.fd, status, sizeof(status), 0) != 0)
        uv_run(&owner.loop, UV_RUN_ONCE);
    close(owner.fd);
    assert_int_equal(sl_adb_wire_open(owner.heard.wire, "sync:", &owner.fd), 0);
    while (recv(owner.fd, status, sizeof(status), 0) < 0)
        uv_run(&owner.loop, UV_RUN_ONCE);
    assert_memory_equal(status, "OKAY", sizeof(status));
    close(owner.fd);
    end_owner(&owner);
}

static void refuses_one_of_two(struct device *device)
{
    char text[MOST + 1];
    meet(device, PHONE);
    for (int i = 0; i < 2; i++) {
        uint32_t id = hear(device, SL_ADB_OPEN, text).arg0;
        if (strcmp(text, "shell,v2,raw:other") == 0)
            device->peer = id;
        else
            say(device, SL_ADB_CLSE, 0, id, NULL, 0);
    }
    say(device, SL_ADB_OKAY, 7, device->peer, NULL, 0);
    hear(device, SL_ADB_WRTE, text);
    say(device, SL_ADB_WRTE, 7, device->peer, answer, 14);
    say(device, SL_ADB_CLSE, 7, device->peer, NULL, 0);
}

TEST(a_service_that_is_refused_ends_alone)
{
    struct heard heard = run(refuses_one_of_two, NULL, 2);
    assert_int_equal(heard.refused, 1);
    assert_int_equal(heard.exit_code, 5);
}

static void closes_only(struct device *device)
{
    char text[MOST + 1];
    meet(device, PHONE);
    say(device, SL_ADB_CLSE, 0, hear(device, SL_ADB_OPEN, text).arg0, NULL, 0);
}

static void is_no_adbd(struct device *device)
{
    char text[MOST + 1];
    device->fd = accept(device->listener, NULL, NULL);
    hear(device, SL_ADB_CNXN, text);
    must(send(device->fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, 0) == 28, "not sent");
}

static void is_in_recovery(struct device *device)
{
    meet(device, "recovery::features=shell_v2");
}

static void goes_away(struct device *device)
{
    meet(device, PHONE);
    open_service(device, "shell,v2,raw:cmd", NULL);
}

TEST(what_a_device_does_wrong_is_said)
{
    struct heard heard = run(closes_only, NULL, 1);
    assert_int_equal(heard.rc, SL_E_STATE);
    assert_string_equal(heard.reason, "closed");
    heard = run(is_no_adbd, NULL, 1);
    assert_int_equal(heard.rc, SL_E_STATE);
    assert_string_equal(heard.reason, "what answers is no adbd");
    assert_false(heard.unauthorised);
    assert_string_equal(run(is_in_recovery, NULL, 1).reason, "no Android runs on the device");
    heard = run(goes_away, NULL, 1);
    assert_int_equal(heard.rc, SL_E_TRUNCATED);
    assert_non_null(strstr(heard.reason, "went away"));
}

static void does_not_encrypt(struct device *device)
{
    meet(device, PHONE);
}

/* Both messages at once: the second is in the open. */
static void goes_on_in_the_open(struct device *device)
{
    char text[MOST + 1];
    device->fd = accept(device->listener, NULL, NULL);
    hear(device, SL_ADB_CNXN, text);
    const struct sl_adb_message both[] = {
        {SL_ADB_STLS, SL_ADB_STLS_VERSION, 0, NULL, 0},
        {SL_ADB_CNXN, SL_ADB_VERSION, MOST, (const uint8_t *)PHONE, sizeof(PHONE) - 1}};
    struct sl_buf out;
    sl_buf_init(&out, MOST);
    must(sl_adb_message_append(&out, &both[0], true) == 0, "no room");
    must(sl_adb_message_append(&out, &both[1], true) == 0, "no room");
    must(send(device->fd, out.data, out.size, MSG_NOSIGNAL) == (ssize_t)out.size, "not sent");
}

static void asks_for_a_signature(struct device *device)
{
    char text[MOST + 1];
    device->fd = accept(device->listener, NULL, NULL);
    hear(device, SL_ADB_CNXN, text);
    say(device, SL_ADB_AUTH, SL_ADB_TOKEN, 0, "01234567890123456789", SL_ADB_TOKEN_BYTES);
    must(recv(device->fd, text, 1, 0) == 0, "the token was answered");
}

TEST(nothing_is_said_in_the_open_where_that_is_not_allowed)
{
    struct heard heard = run_on(does_not_encrypt, NULL, 1, false);
    assert_int_equal(heard.rc, SL_E_STATE);
    assert_non_null(strstr(heard.reason, "allow_unencrypted"));
    assert_int_equal(sl_adb_home_make(), 0);
    heard = run_on(asks_for_a_signature, NULL, 1, false);
    assert_int_equal(heard.rc, SL_E_STATE);
    assert_non_null(strstr(heard.reason, "allow_unencrypted"));
    assert_int_equal(sl_adb_home_remove(), 0);
    assert_string_equal(run(goes_on_in_the_open, NULL, 1).reason,
                        "the device speaks before its turn");
}

static void waits_for_its_owner(struct device *device)
{
    char text[MOST + 1];
    device->fd = accept(device->listener, NULL, NULL);
    hear(device, SL_ADB_CNXN, text);
    do
        say(device, SL_ADB_AUTH, SL_ADB_TOKEN, 0, "01234567890123456789", SL_ADB_TOKEN_BYTES);
    while (hear(device, SL_ADB_AUTH, text).arg0 == SL_ADB_SIGNATURE);
    must(recv(device->fd, text, 1, 0) == 0, "more was said than the key");
}

TEST(a_device_whose_owner_has_not_allowed_the_key_is_called_unauthorised)
{
    assert_int_equal(sl_adb_home_make(), 0);
    struct heard heard = run(waits_for_its_owner, NULL, 1);
    assert_int_equal(heard.rc, SL_E_STATE);
    assert_non_null(strstr(heard.reason, "device unauthorized: "));
    assert_true(heard.unauthorised);
    assert_int_equal(sl_adb_home_remove(), 0);
}

TEST(nobody_there_is_said)
{
    struct heard heard = {.wanted = 1};
    struct sl_address address;
    struct sl_adb_shell *shell;
    uv_loop_t loop;
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:1", &address, NULL), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    const struct sl_adb_wire_options wire = {.address = &address, .allow_plain = true};
    assert_int_equal(sl_adb_wire_new(&loop, &wire, &heard.wire), 0);
    const struct sl_adb_shell_options options = {.wire = heard.wire, .command = "cmd"};
    assert_int_equal(sl_adb_shell_start(&loop, &options, on_ran, &heard, &shell), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(heard.rc, SL_E_STATE);
    assert_string_equal(heard.reason, "connection refused");
    assert_int_equal(uv_loop_close(&loop), 0);
}
