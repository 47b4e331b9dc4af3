/* host/device/launch.c */
#include "host/device/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/device/count_log.h"
#include "host/device/elf_marks.h"
#include "host/device/transport.h"

/* Address space that the emulator reserves for the guest, whose addresses are offsets in it.
 * Without it the host's random layout orders the guest's stack and mappings, and a loop that first
 * tests its operands for overlap executes one test more or less. */
#define GUEST_SPACE "64G"

enum {
    MAX_ARGS = 128,
    MAX_AGENT_BYTES = 64 << 20,
    STACK_STEP = 4096, /* the guest's strings fill whole steps, whatever the paths are */
};

int sl_device_open_local(const struct sl_device_wish *wish, struct sl_device *out,
                         struct sl_diag *diag)
{
    (void)wish;
#if defined(__aarch64__)
    return sl_tools_find_agent(&out->agent, diag);
#else
    (void)out;
    sl_diag_hint(diag, "say --device counted: executed instructions under the emulator");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--device local",
                       "This machine is no aarch64, so it cannot run the agent itself");
#endif
}

/* The emulator and its CPU. */
static int open_emulator(unsigned svl_bits, const char *cpu, struct sl_device *out,
                         struct sl_diag *diag)
{
    if (svl_bits < 128 || svl_bits > 2048 || (svl_bits & (svl_bits - 1)) != 0) {
        sl_diag_hint(diag, "take 128, 256, 512, 1024 or 2048");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--svl", "No CPU has vectors of %u bits",
                           svl_bits);
    }
    int size = cpu ? snprintf(out->cpu, sizeof(out->cpu), "%s", cpu)
                   : snprintf(out->cpu, sizeof(out->cpu), "max,sme%u=on", svl_bits);
    if (size >= (int)sizeof(out->cpu) || !out->cpu[0])
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--cpu", "The CPU's description is too long");
    return sl_tools_find_emulator(&out->emulator, diag);
}

int sl_device_open_emulated(const struct sl_device_wish *wish, struct sl_device *out,
                            struct sl_diag *diag)
{
    int rc = open_emulator(wish->svl_bits, wish->cpu, out, diag);
    return rc < 0 ? rc : sl_tools_find_agent(&out->agent, diag);
}

int sl_device_open_wish(const struct sl_device_wish *wish, struct sl_device *out,
                        struct sl_diag *diag)
{
    *out = (struct sl_device){.kind = wish->kind, .traits = sl_device_kind_traits(wish->kind)};
    return sl_transport_of(wish->kind)->open_device(wish, out, diag);
}

bool sl_device_same_way(const struct sl_device *a, const struct sl_device *b)
{
    return sl_transport_of(a->kind)->open == sl_transport_of(b->kind)->open &&
           strcmp(a->link, b->link) == 0 && a->allow_unencrypted == b->allow_unencrypted &&
           strcmp(a->secret_file, b->secret_file) == 0;
}

int sl_device_open(int kind, unsigned svl_bits, const char *cpu, struct sl_device *out,
                   struct sl_diag *diag)
{
    const struct sl_device_wish wish = {.kind = kind, .svl_bits = svl_bits, .cpu = cpu};
    return sl_device_open_wish(&wish, out, diag);
}

int sl_device_new_log(const struct sl_device *device, struct sl_count_log **out,
                      struct sl_diag *diag)
{
    struct sl_buf file;
    struct sl_count_marks marks;
    int rc = sl_buf_read_file(device->agent.path, MAX_AGENT_BYTES, &file);
    if (rc < 0)
        return sl_diag_set(diag, rc, device->agent.path, "The agent cannot be read (%s)",
                           sl_strerror(rc));
    rc = sl_elf_marks_find((struct sl_bytes){file.data, file.size}, &marks, diag);
    sl_buf_fini(&file);
    if (rc < 0) {
        sl_diag_hint(diag, "build the agent with preset agent-aarch64; only that one counts");
        return sl_diag_set(diag, rc, device->agent.path, "%s",
                           diag && diag->what[0] ? diag->what : sl_strerror(rc));
    }
    rc = sl_count_log_new(&marks, out);
    if (rc == 0)
        sl_count_log_keep_spans(*out, NULL); /* for estimates of time */
    return rc;
}

struct command {
    const char *argv[MAX_ARGS + 1];
    size_t count;
    const char *environment[2];
    char padding[STACK_STEP + 64];
    char directory[SL_TOOL_PATH_BYTES]; /* private, holds the FIFO; empty when there is none */
    char fifo[SL_TOOL_PATH_BYTES + 16];
};

static void add(struct command *command, const char *arg)
{
    if (command->count < MAX_ARGS)
        command->argv[command->count] = arg;
    command->count++;
}

/* One variable of such a length that all strings on the guest's stack together fill whole steps:
 * its stack then begins at the same place, whatever the paths are. */
static void pad_environment(struct command *command, size_t first_guest_arg)
{
    static const char name[] = "SME2LAB_STACK=";
    size_t bytes = sizeof(name);
    for (size_t i = first_guest_arg; i < command->count; i++)
        bytes += strlen(command->argv[i]) + 1;
    bytes += strlen(command->argv[first_guest_arg]) + 1; /* AT_EXECFN */
    size_t fill = STACK_STEP - bytes % STACK_STEP;
    memcpy(command->padding, name, sizeof(name));
    memset(command->padding + sizeof(name) - 1, 'x', fill);
    command->padding[sizeof(name) - 1 + fill] = '\0';
    command->environment[0] = command->padding;
    command->environment[1] = NULL;
}

static int make_fifo(struct command *command, struct sl_diag *diag)
{
    const char *place = getenv("TMPDIR");
    int rc = sl_path_join(command->directory, sizeof(command->directory),
                          place && *place ? place : "/tmp", "sme2lab-XXXXXX");
    if (rc < 0 || !mkdtemp(command->directory)) {
        rc = rc < 0 ? rc : -errno;
        command->directory[0] = '\0';
        sl_diag_hint(diag, "set TMPDIR to a directory that can be written");
        return sl_diag_set(diag, rc, place ? place : "/tmp",
                           "No temporary directory can be made (%s)", sl_strerror(rc));
    }
    sl_path_join(command->fifo, sizeof(command->fifo), command->directory, "log");
    if (mkfifo(command->fifo, 0600) == 0)
        return 0;
    rc = -errno;
    command->fifo[0] = '\0';
    return sl_diag_set(diag, rc, command->directory, "No FIFO can be made (%s)", sl_strerror(rc));
}

static void remove_fifo(struct command *command)
{
    if (command->fifo[0])
        unlink(command->fifo);
    if (command->directory[0])
        rmdir(command->directory);
}

int sl_device_take_executorch(const struct sl_device *device, struct sl_device *out,
                              struct sl_diag *diag)
{
#if !defined(__aarch64__)
    if (!device->emulator.path[0] && !device->traits.needs_push)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch's runtime",
                           "Its libraries are for aarch64, and this device is not");
#endif
    *out = *device;
    int rc = sl_tools_find_executorch(&out->agent, diag);
    if (rc < 0)
        return rc;
    int len = (int)(strrchr(out->agent.path, '/') - out->agent.path);
    snprintf(out->libraries, sizeof(out->libraries), "%.*s", len, out->agent.path);
    return sl_path_join(out->loader, sizeof(out->loader), out->libraries, "ld-linux-aarch64.so.1");
}

size_t sl_device_prefix(const struct sl_device *device, const char *fifo,
                        const char *out[SL_DEVICE_PREFIX_WORDS])
{
    size_t n = 0;
    if (device->emulator.path[0]) {
        out[n++] = device->emulator.path;
        out[n++] = "-cpu";
        out[n++] = device->cpu;
        out[n++] = "-seed";
        out[n++] = "1";
        out[n++] = "-R";
        out[n++] = GUEST_SPACE;
    }
    if (device->libraries[0] && device->emulator.path[0]) {
        out[n++] = "-L";
        out[n++] = device->libraries;
    } else if (device->libraries[0]) {
        out[n++] = device->loader;
        out[n++] = "--library-path";
        out[n++] = device->libraries;
    }
    if (fifo) {
        out[n++] = "-d";
        out[n++] = "in_asm,exec,nochain";
        out[n++] = "-D";
        out[n++] = fifo;
    }
    out[n++] = device->agent.path;
    return n;
}

size_t sl_device_exec_prefix(const struct sl_device *device, const char *fifo,
                             const char *out[SL_DEVICE_PREFIX_WORDS])
{
    bool here = !device->traits.needs_push && device->libraries[0];
    return device->emulator.path[0] || here ? sl_device_prefix(device, fifo, out) : 0;
}

static int build(const struct sl_device *device, const struct sl_launch *launch,
                 struct command *command, struct sl_diag *diag)
{
    const char *prefix[SL_DEVICE_PREFIX_WORDS];
    if (launch->log) {
        int rc = make_fifo(command, diag);
        if (rc < 0)
            return rc;
    }
    size_t words = sl_device_prefix(device, launch->log ? command->fifo : NULL, prefix);
    for (size_t i = 0; i < words; i++)
        add(command, prefix[i]);
    for (const char *const *arg = launch->args; *arg; arg++)
        add(command, *arg);
    if (command->count > MAX_ARGS)
        return sl_diag_set(diag, SL_E_LIMIT, "command line", "The agent gets too many arguments");
    if (device->emulator.path[0])
        pad_environment(command, words - 1);
    return 0;
}

struct sink {
    const struct sl_launch *launch;
    struct sl_diag *diag;
};

static int push_log(void *user, const void *bytes, size_t len)
{
    struct sink *sink = user;
    return sl_count_log_push(sink->launch->log, bytes, len, sink->diag);
}

static void pass_stderr(void *user, const char *bytes, size_t len)
{
    struct sink *sink = user;
    if (sink->launch->on_stderr)
        sink->launch->on_stderr(sink->launch->user, bytes, len);
}

static void pass_tick(void *user)
{
    struct sink *sink = user;
    if (sink->launch->on_tick)
        sink->launch->on_tick(sink->launch->user);
}

int sl_device_launch(const struct sl_device *device, const struct sl_launch *launch,
                     struct sl_child_result *out, struct sl_diag *diag)
{
    struct sink sink = {launch, diag};
    struct command *command = sl_calloc(1, sizeof(*command));
    if (!command)
        return -ENOMEM;
    int rc = build(device, launch, command, diag);
    if (rc == 0) {
        struct sl_child_spec spec = {
            .argv = command->argv,
            .environment = command->environment[0] ? command->environment : NULL,
            .timeout_ms = launch->timeout_ms,
            .interrupted = launch->interrupted,
            .fifo = launch->log ? command->fifo : NULL,
            .on_log = push_log,
            .on_stderr = pass_stderr,
            .on_tick = pass_tick,
            .user = &sink,
        };
        rc = sl_child_run(&spec, out, diag);
    }
    remove_fifo(command);
    sl_free(command);
    /* A log that breaks off belongs to a run that broke off: its own result says why. */
    if (rc == 0 && launch->log && out->signal == 0 && out->exit_code == 0) {
        rc = sl_count_log_finish(launch->log, diag);
        if (rc < 0)
            sl_child_fini(out);
    }
    return rc;
}
