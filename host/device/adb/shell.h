/* host/device/adb/shell.h: runs a command in a device's shell and collects what it prints. On the
 * loop's thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_adb_shell;
struct sl_adb_wire;

enum {
    SL_ADB_SHELL_OUTPUT_BYTES = 256 << 10, /* of both outputs, each; more ends the command */
    SL_ADB_SHELL_MS = 30000,
};

struct sl_adb_shell_options {
    struct sl_adb_wire *wire; /* as for a stream */
    const char *serial;
    const char *command; /* for the device's sh, as it stands: whoever writes it quotes */
    const void *input;   /* of its standard input, which then ends; may be NULL */
    size_t input_len;
};

struct sl_adb_shell_end {
    int rc; /* 0: it ran to its end. SL_E_STATE: refused; SL_E_TRUNCATED: the device went away */
    int exit_code;
    const char *out, *err; /* borrowed, terminated */
    size_t out_len, err_len;
    const char *reason; /* of a negative rc, or the first words of `err` */
};

/* Once and last, from the loop. */
typedef void (*sl_adb_shell_fn)(void *user, const struct sl_adb_shell_end *end);

/* Options are copied. 0, or what sl_adb_stream_open() returns with nothing to come. */
int sl_adb_shell_start(uv_loop_t *loop, const struct sl_adb_shell_options *options,
                       sl_adb_shell_fn done, void *user, struct sl_adb_shell **out);

/* Ends it: `done` comes with -ECANCELED. */
void sl_adb_shell_stop(struct sl_adb_shell *shell);
