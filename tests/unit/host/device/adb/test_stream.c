/* tests/unit/host/device/adb/test_stream.c: connections to a server that keeps to a script, and to
 * one that lies, ends or is not there; and what is built on them: commands, files, the list. */
#include "host/device/adb/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/net/address.h"
#include "host/device/adb/look.h"
#include "host/device/adb/push.h"
#include "host/device/adb/shell.h"
#include "host/device/adb/tracker.h"
#include "tests/support/adb_script.h"
#include "tests/support/unit.h"

#define END {NULL, NULL, 0, 0}

struct heard {
    struct sl_adb_stream *stream;
    int opened, ended, code, exit_code, fd, lists;
    char bytes[256], reason[256], out[64];
    size_t len, count;
    bool takes_fd;
    struct sl_adb_tracker *tracker;
};

static uv_loop_t loop;

static int setup(void **state)
{
    (void)state;
    return uv_loop_init(&loop);
}

static int teardown(void **state)
{
    (void)state;
    return uv_loop_close(&loop); /* no handle is left */
}

static void on_opened(void *user)
{
    struct heard *heard = user;
    heard->opened++;
    if (heard->takes_fd)
        heard->fd = sl_adb_stream_take_fd(heard->stream);
}

static void on_bytes(void *user, const uint8_t *bytes, size_t len)
{
    struct heard *heard = user;
    assert_true(heard->len + len < sizeof(heard->bytes));
    memcpy(heard->bytes + heard->len, bytes, len);
    heard->len += len;
}

static void on_closed(void *user, int code, const char *reason)
{
    struct heard *heard = user;
    heard->ended++;
    heard->code = code;
    snprintf(heard->reason, sizeof(heard->reason), "%s", reason);
}

/* To its end. */
static struct heard talk(const char *serial, const char *service, bool takes_fd)
{
    static const struct sl_adb_stream_events events = {on_opened, on_bytes, NULL, on_closed};
    const struct sl_adb_stream_options options = {.serial = serial, .service = service};
    struct heard heard = {.takes_fd = takes_fd, .fd = -1};
    assert_int_equal(sl_adb_stream_open(&loop, &options, &events, &heard, &heard.stream), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(heard.ended, 1);
    return heard;
}

TEST_WITH(a_service_of_a_device_follows_the_choice_of_the_device, setup, teardown)
{
    static const struct sl_adb_step steps[] = {
        {"0014host:transport:phone", "OKAY", 0, 0}, {"0007exec:ls", "OKAYa b", 0, 0}, END, END};
    pid_t server = sl_adb_script_start(steps);
    struct heard heard = talk("phone", "exec:ls", false);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(heard.opened, 1);
    assert_int_equal(heard.code, 0);
    assert_string_equal(heard.bytes, "a b");
}

TEST_WITH(a_refusal_comes_in_the_servers_words, setup, teardown)
{
    static const struct sl_adb_step steps[] = {
        {"0014host:transport:phone", "FAIL0018device 'phone' not found", 0, 0}, END, END};
    pid_t server = sl_adb_script_start(steps);
    struct heard heard = talk("phone", "exec:ls", false);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(heard.opened, 0);
    assert_int_equal(heard.code, SL_E_STATE);
    assert_string_equal(heard.reason, "device 'phone' not found");
}

TEST_WITH(what_is_no_server_or_ends_is_told_apart, setup, teardown)
{
    static const struct sl_adb_step web[] = {
        {"000chost:version", "HTTP/1.1 400 Bad Request\r\n", 0, 0}, END, END};
    static const struct sl_adb_step dead[] = {{"000chost:version", "OK", 0, 0}, END, END};
    pid_t server = sl_adb_script_start(web);
    assert_int_equal(talk(NULL, "host:version", false).code, SL_E_FORMAT);
    sl_adb_script_end(server);
    server = sl_adb_script_start(dead);
    assert_int_equal(talk(NULL, "host:version", false).code, SL_E_TRUNCATED);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(talk(NULL, "host:version", false).code, -ECONNREFUSED); /* it is gone now */
}

TEST_WITH(a_socket_is_taken_out_before_a_byte_of_the_service_is_read, setup, teardown)
{
    static const struct sl_adb_step steps[] = {{"0014host:transport:phone", "OKAY", 0, 0},
                                               {"0010localabstract:xy", "OKAYhello", 0, 0},
                                               END,
                                               END};
    char bytes[8] = "";
    pid_t server = sl_adb_script_start(steps);
    struct heard heard = talk("phone", "localabstract:xy", true);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(heard.len, 0);
    assert_true(heard.fd >= 0);
    assert_int_equal(read(heard.fd, bytes, sizeof(bytes)), 5);
    assert_string_equal(bytes, "hello");
    close(heard.fd);
}

TEST_WITH(the_servers_address_is_read_as_adb_reads_it, setup, teardown)
{
    static const char *const right[][2] = {{"tcp:5038", "tcp:127.0.0.1:5038"},
                                           {"tcp:127.0.0.2:5038", "tcp:127.0.0.2:5038"},
                                           {"localfilesystem:/run/x", "unix:/run/x"},
                                           {"localabstract:x", "abstract:x"}};
    static const char *const wrong[] = {"5038", "tcp:", "udp:5038", "tcp:no.such.host:5038"};
    struct sl_address address;
    char name[SL_ADB_SERVER_BYTES];
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        setenv("ADB_SERVER_SOCKET", right[i][0], 1);
        assert_int_equal(sl_adb_server_find(&address, name, NULL), 0);
        assert_string_equal(name, right[i][1]);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct sl_diag diag = {.what = ""};
        setenv("ADB_SERVER_SOCKET", wrong[i], 1);
        assert_int_equal(sl_adb_server_find(&address, name, &diag), -EINVAL);
        assert_true(diag.what[0] && diag.hint[0]);
    }
    unsetenv("ADB_SERVER_SOCKET");
    setenv("ANDROID_ADB_SERVER_PORT", "6037", 1);
    assert_int_equal(sl_adb_server_find(&address, name, NULL), 0);
    assert_string_equal(name, "tcp:127.0.0.1:6037");
    unsetenv("ANDROID_ADB_SERVER_PORT");
}

/* --- commands --- */

static void on_shell_end(void *user, const struct sl_adb_shell_end *end)
{
    struct heard *heard = user;
    heard->ended++;
    heard->code = end->rc;
    heard->exit_code = end->exit_code;
    snprintf(heard->out, sizeof(heard->out), "%s", end->out);
    snprintf(heard->reason, sizeof(heard->reason), "%s", end->reason);
}

static struct heard command(const char *reply, size_t len)
{
    const struct sl_adb_step steps[] = {{"0014host:transport:phone", "OKAY", 0, 0},
                                        {"0010shell,v2,raw:cat", "OKAY", 0, 0},
                                        {"in", reply, len, 5},
                                        END,
                                        END};
    const struct sl_adb_shell_options options = {
        .serial = "phone", .command = "cat", .input = "in", .input_len = 2};
    struct heard heard = {.code = 1};
    struct sl_adb_shell *shell;
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(sl_adb_shell_start(&loop, &options, on_shell_end, &heard, &shell), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    sl_adb_script_end(server);
    assert_int_equal(heard.ended, 1);
    return heard;
}

TEST_WITH(a_command_gives_its_output_and_its_status, setup, teardown)
{
    static const char reply[] = "\1\2\0\0\0in\2\4\0\0\0why\n\3\1\0\0\0\5";
    struct heard heard = command(reply, sizeof(reply) - 1);
    assert_int_equal(heard.code, 0);
    assert_int_equal(heard.exit_code, 5);
    assert_string_equal(heard.out, "in");
    assert_string_equal(heard.reason, "why");
}

TEST_WITH(a_command_without_a_status_was_cut_off, setup, teardown)
{
    assert_int_equal(command("\1\2\0\0\0in", 7).code, SL_E_TRUNCATED);
}

TEST_WITH(a_command_that_prints_without_end_is_ended, setup, teardown)
{
    size_t size = SL_ADB_SHELL_OUTPUT_BYTES + 6;
    char *reply = calloc(1, size);
    assert_non_null(reply);
    memcpy(reply, "\1\xff\xff\xff\x7f", 5);
    assert_int_equal(command(reply, size).code, SL_E_LIMIT);
    free(reply);
}

/* --- files --- */

static void on_pushed(void *user, int rc, const char *reason)
{
    struct heard *heard = user;
    heard->ended++;
    heard->code = rc;
    snprintf(heard->reason, sizeof(heard->reason), "%s", reason);
}

static struct heard push(const char *reply, size_t len)
{
    const struct sl_adb_step steps[] = {{"0014host:transport:phone", "OKAY", 0, 0},
                                        {"0005sync:", "OKAY", 0, 0},
                                        {"/x,33216", NULL, 0, 8},
                                        {"hello", NULL, 0, 8},
                                        {"DONE", reply, len, 0},
                                        END,
                                        END};
    char path[] = "/tmp/sl-push-XXXXXX";
    struct sl_adb_push_options options = {
        .serial = "phone", .from = path, .to = "/x", .mode = 0700, .plain = true};
    struct heard heard = {.code = 1};
    struct sl_adb_push *pushing;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "hello", 5), 5);
    close(fd);
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(sl_adb_push_start(&loop, &options, on_pushed, &heard, &pushing), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(sl_adb_script_end(server));
    unlink(path);
    assert_int_equal(heard.ended, 1);
    return heard;
}

TEST_WITH(a_file_is_there_once_the_device_says_so, setup, teardown)
{
    assert_int_equal(push("OKAY\0\0\0\0", 8).code, 0);
    struct heard heard = push("FAIL\4\0\0\0full", 12);
    assert_int_equal(heard.code, SL_E_STATE);
    assert_string_equal(heard.reason, "full");
    assert_int_equal(push("OK", 2).code, SL_E_TRUNCATED);
}

/* --- the list --- */

static void on_tracker_closed(void *user)
{
    ((struct heard *)user)->ended++;
}

static void on_list(void *user, const struct sl_adb_listed *listed, size_t count,
                    const char *reason)
{
    struct heard *heard = user;
    if (reason) {
        snprintf(heard->reason, sizeof(heard->reason), "%s", reason);
        sl_adb_tracker_close(heard->tracker, on_tracker_closed, heard);
        return;
    }
    heard->lists++;
    heard->count = count;
    if (count > 0)
        snprintf(heard->out, sizeof(heard->out), "%s", listed[count - 1].serial);
}

TEST_WITH(each_list_is_told_and_the_servers_end_too, setup, teardown)
{
    static const struct sl_adb_step steps[] = {
        {"0014host:track-devices-l", "OKAY0000000ba device a\n", 0, 0}, END, END};
    struct heard heard = {.code = 0};
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(sl_adb_tracker_new(&loop, on_list, &heard, &heard.tracker), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(heard.lists, 2);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.ended, 1);
    assert_true(heard.reason[0]);
}

TEST_WITH(one_look_has_version_and_devices, setup, teardown)
{
    static const struct sl_adb_step steps[] = {{"000chost:version", "OKAY00040029", 0, 0},
                                               END,
                                               {"000ehost:devices-l", "OKAY0009a device\n", 0, 0},
                                               END,
                                               END};
    static struct sl_adb_look look;
    struct sl_diag diag = {.what = ""};
    pid_t server = sl_adb_script_start(steps);
    assert_int_equal(sl_adb_look(&look, &diag), 0);
    assert_true(sl_adb_script_end(server));
    assert_int_equal(look.version, 41);
    assert_int_equal(look.count, 1);
    assert_int_equal(sl_adb_look(&look, &diag), -ECONNREFUSED);
    assert_true(strstr(diag.hint, "adb start-server"));
}
