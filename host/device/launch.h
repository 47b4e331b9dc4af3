/* host/device/launch.h: one run of the agent: natively, in the emulator, or counted in it. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/child.h"
#include "host/device/tools.h"
#include "host/records.h"
#include "host/spec/device_kind.h"

struct sl_count_log;
struct sl_diag;

struct sl_device {
    int kind; /* enum sl_device_kind: for its name */
    struct sl_device_traits traits;
    struct sl_tool agent;                       /* found; what runs the model */
    struct sl_tool emulator;                    /* found, where one is needed; else "" */
    char cpu[64];                               /* the emulator's -cpu */
    char link[128], secret_file[SL_PATH_BYTES]; /* of an agent behind a link; else "" */
    bool allow_unencrypted;                     /* over a link that leaves this machine */
    /* The digest and probe of the agent behind the link; else "" and NULL: it is asked. Borrowed.
     */
    char agent_sha256[SL_DIGEST_BYTES];
    const char *probe_json;
    /* A program that is not static: the folder of its shared libraries, and the loader there. */
    char libraries[SL_TOOL_PATH_BYTES], loader[SL_TOOL_PATH_BYTES];
};

struct sl_launch {
    const char *const *args; /* of the agent, from "run" on; ends with NULL */
    uint64_t timeout_ms;     /* 0: none */
    const volatile sig_atomic_t *interrupted;
    /* The log of a counted device; NULL: the run is not counted. `log` then has all counts.
     * Borrowed. */
    struct sl_count_log *log;
    void (*on_stderr)(void *user, const char *bytes, size_t len);
    void (*on_tick)(void *user);
    void *user;
};

/* True where this machine executes SME2 itself. */
bool sl_device_local_has_sme2(void);

/* Finds what the kind needs. Returns 0, SL_E_NOT_FOUND, SL_E_UNSUPPORTED (this machine on one that
 * is not aarch64, an impossible svl_bits or cpu, a link that leaves the machine unallowed). */
int sl_device_open_wish(const struct sl_device_wish *wish, struct sl_device *out,
                        struct sl_diag *diag);
/* The same of a device of this machine. */
int sl_device_open(int kind, unsigned svl_bits, const char *cpu, struct sl_device *out,
                   struct sl_diag *diag);

/* The same device with ExecuTorch's own runtime in place of the agent's. SL_E_NOT_FOUND where it is
 * not installed, SL_E_UNSUPPORTED on a machine that is not aarch64 and does not emulate one. */
int sl_device_take_executorch(const struct sl_device *device, struct sl_device *out,
                              struct sl_diag *diag);

enum { SL_DEVICE_PREFIX_WORDS = 16 };

/* The kinds' own operations (transport.h): this machine, the emulator on it. */
int sl_device_open_local(const struct sl_device_wish *wish, struct sl_device *out,
                         struct sl_diag *diag);
int sl_device_open_emulated(const struct sl_device_wish *wish, struct sl_device *out,
                            struct sl_diag *diag);

/* They are reached the same way: one connection serves both. */
bool sl_device_same_way(const struct sl_device *a, const struct sl_device *b);

/* The words before the agent's own arguments: the emulator as the kind needs it (`fifo` for its
 * log, NULL: not counted) and the agent's path last. Borrowed from the device and `fifo`. How many.
 */
size_t sl_device_prefix(const struct sl_device *device, const char *fifo,
                        const char *out[SL_DEVICE_PREFIX_WORDS]);

/* The same before what the serving agent starts: none where it starts itself, or what it was sent
 * (runtime_files.h). */
size_t sl_device_exec_prefix(const struct sl_device *device, const char *fifo,
                             const char *out[SL_DEVICE_PREFIX_WORDS]);

/* A log that counts at the marks of the device's agent. */
int sl_device_new_log(const struct sl_device *device, struct sl_count_log **out,
                      struct sl_diag *diag);

/* Runs the agent to its end; sl_child_run() says what comes back. In the emulator the guest gets an
 * environment and a stack that do not depend on this machine. */
int sl_device_launch(const struct sl_device *device, const struct sl_launch *launch,
                     struct sl_child_result *out, struct sl_diag *diag);
