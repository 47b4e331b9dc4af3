/* host/device/adb/shell.c */
#include "host/device/adb/shell.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/adb/shell_packet.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/stream.h"

struct sl_adb_shell {
    sl_adb_shell_fn done;
    void *user;
    struct sl_adb_stream *stream;
    struct sl_adb_packets packets;
    struct sl_buf input; /* as packets */
    struct sl_buf out, err;
    int rc;
    bool over, cancelled;
};

static void on_opened(void *user)
{
    struct sl_adb_shell *shell = user;
    int rc = sl_adb_stream_write(shell->stream, shell->input.data, shell->input.size);
    if (rc < 0) {
        shell->rc = rc;
        sl_adb_stream_close(shell->stream);
    }
}

static void on_output(void *user, int id, const uint8_t *bytes, size_t len)
{
    struct sl_adb_shell *shell = user;
    int rc = sl_buf_append(id == SL_ADB_STDOUT ? &shell->out : &shell->err, bytes, len);
    if (rc < 0)
        shell->rc = rc;
}

static void on_bytes(void *user, const uint8_t *bytes, size_t len)
{
    struct sl_adb_shell *shell = user;
    int rc = sl_adb_packets_take(&shell->packets, bytes, len, on_output, shell);
    shell->over = shell->over || rc == 1;
    if (rc < 0)
        shell->rc = rc;
    if (rc != 0 || shell->rc < 0)
        sl_adb_stream_close(shell->stream);
}

static const char *text_of(const struct sl_buf *buf)
{
    return buf->data ? (const char *)buf->data : "";
}

static void on_closed(void *user, int code, const char *reason)
{
    struct sl_adb_shell *shell = user;
    char words[SL_ADB_REASON_BYTES];
    int rc = shell->cancelled ? -ECANCELED : shell->rc < 0 ? shell->rc : code;
    if (rc == 0 && !shell->over) {
        rc = SL_E_TRUNCATED;
        reason = "the device went away while a command ran";
    } else if (rc == 0) {
        sl_adb_printable(text_of(&shell->err), strcspn(text_of(&shell->err), "\r\n"), words,
                         sizeof(words));
        reason = words;
    } else if (shell->rc < 0) {
        reason = shell->rc == SL_E_LIMIT ? "the device prints without end"
                                         : "the device answers what is no shell's answer";
    }
    struct sl_adb_shell_end end = {.rc = rc,
                                   .exit_code = shell->packets.exit_code,
                                   .out = text_of(&shell->out),
                                   .err = text_of(&shell->err),
                                   .out_len = shell->out.size,
                                   .err_len = shell->err.size,
                                   .reason = reason};
    shell->done(shell->user, &end);
    sl_buf_fini(&shell->out);
    sl_buf_fini(&shell->err);
    sl_buf_fini(&shell->input);
    sl_free(shell);
}

int sl_adb_shell_start(uv_loop_t *loop, const struct sl_adb_shell_options *options,
                       sl_adb_shell_fn done, void *user, struct sl_adb_shell **out)
{
    static const struct sl_adb_stream_events events = {on_opened, on_bytes, NULL, on_closed};
    struct sl_buf service;
    struct sl_adb_shell *shell = sl_calloc(1, sizeof(*shell));
    if (!shell)
        return -ENOMEM;
    shell->done = done;
    shell->user = user;
    sl_buf_init(&shell->input, SL_ADB_QUEUE_BYTES / 2);
    sl_buf_init(&shell->out, SL_ADB_SHELL_OUTPUT_BYTES);
    sl_buf_init(&shell->err, SL_ADB_SHELL_OUTPUT_BYTES);
    sl_buf_init(&service, SL_ADB_MAX_TEXT);
    int rc = sl_buf_printf(&service, "shell,v2,raw:%s", options->command);
    if (rc == 0 && options->input_len > 0)
        rc = sl_adb_packet_append(&shell->input, SL_ADB_STDIN, options->input, options->input_len);
    if (rc == 0)
        rc = sl_adb_packet_append(&shell->input, SL_ADB_CLOSE_STDIN, NULL, 0);
    if (rc == 0) {
        struct sl_adb_stream_options stream = {.wire = options->wire,
                                               .serial = options->serial,
                                               .service = (const char *)service.data,
                                               .idle_ms = SL_ADB_SHELL_MS};
        rc = sl_adb_stream_open(loop, &stream, &events, shell, &shell->stream);
    }
    sl_buf_fini(&service);
    if (rc < 0) {
        sl_buf_fini(&shell->input);
        sl_free(shell);
        return rc;
    }
    *out = shell;
    return 0;
}

void sl_adb_shell_stop(struct sl_adb_shell *shell)
{
    shell->cancelled = true;
    sl_adb_stream_close(shell->stream);
}
