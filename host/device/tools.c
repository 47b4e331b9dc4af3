/* host/device/tools.c */
#include "host/device/tools.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/process.h"

enum { MIN_EMULATOR_MAJOR = 11, VERSION_TIMEOUT_MS = 10000 };

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* `directory`/`name` to `out`; false where it does not fit or is no program. */
static bool try_program(const char *directory, size_t len, const char *name,
                        char out[SL_TOOL_PATH_BYTES])
{
    int size = snprintf(out, SL_TOOL_PATH_BYTES, "%.*s/%s", (int)len, directory, name);
    return size > 0 && size < SL_TOOL_PATH_BYTES && is_program(out);
}

/* From the folder of this program; leading "../" are taken off the path itself, for messages. */
static bool try_beside(const char *relative, char out[SL_TOOL_PATH_BYTES])
{
    char self[SL_TOOL_PATH_BYTES];
    sl_process_path(self, sizeof(self));
    if (!self[0])
        return false;
    for (;;) {
        char *slash = strrchr(self, '/');
        if (!slash)
            return false;
        *slash = '\0';
        if (strncmp(relative, "../", 3) != 0)
            break;
        relative += 3;
    }
    return try_program(self, strlen(self), relative, out);
}

static bool try_path(const char *name, char out[SL_TOOL_PATH_BYTES])
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t len = strcspn(at, ":");
        if (len > 0 && try_program(at, len, name, out))
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

/* Finds the program that an environment variable names: 1 found, 0 unset, SL_E_NOT_FOUND if it
 * names none. */
static int try_variable(const char *variable, char out[SL_TOOL_PATH_BYTES], struct sl_diag *diag)
{
    const char *named = getenv(variable);
    if (!named || !*named)
        return 0;
    int size = snprintf(out, SL_TOOL_PATH_BYTES, "%s", named);
    if (size < SL_TOOL_PATH_BYTES && is_program(out))
        return 1;
    sl_diag_hint(diag, "unset %s or set it to an executable file", variable);
    return sl_diag_set(diag, SL_E_NOT_FOUND, named, "%s does not name a program", variable);
}

static int ask_version(struct sl_tool *tool, struct sl_diag *diag)
{
    const char *argv[] = {tool->path, "--version", NULL};
    struct sl_child_spec spec = {.argv = argv, .timeout_ms = VERSION_TIMEOUT_MS};
    struct sl_child_result result;
    int rc = sl_child_run(&spec, &result, diag);
    if (rc < 0)
        return rc;
    const char *text = result.out.data ? (const char *)result.out.data : "";
    const char *word = strstr(text, "version ");
    int major = word ? atoi(word + 8) : 0;
    if (word)
        snprintf(tool->version, sizeof(tool->version), "%.*s", (int)strcspn(word + 8, " \n("),
                 word + 8);
    sl_child_fini(&result);
    if (major >= MIN_EMULATOR_MAJOR)
        return 0;
    sl_diag_hint(diag, "run scripts/setup, which fetches a fitting emulator into build/tools");
    return sl_diag_set(diag, SL_E_NOT_FOUND, tool->path,
                       "The emulator is %s %s, and SME2 needs QEMU %d or later",
                       word ? "version" : "of unknown version", tool->version, MIN_EMULATOR_MAJOR);
}

int sl_tools_find_emulator(struct sl_tool *out, struct sl_diag *diag)
{
    *out = (struct sl_tool){0};
    int rc = try_variable("SME2LAB_EMULATOR", out->path, diag);
    if (rc < 0)
        return rc;
    if (rc > 0 || try_beside("../../tools/qemu-aarch64", out->path) ||
        try_path("qemu-aarch64", out->path))
        return ask_version(out, diag);
    sl_diag_hint(diag, "run scripts/setup, install qemu-user of Debian's trixie-backports, or set "
                       "SME2LAB_EMULATOR to a qemu-aarch64 of version 11 or later");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "$SME2LAB_EMULATOR, tools/ of the build tree, $PATH",
                       "The emulator qemu-aarch64, which executes SME2 on this machine, is "
                       "missing");
}

int sl_tools_find_agent(struct sl_tool *out, struct sl_diag *diag)
{
    *out = (struct sl_tool){0};
    int rc = try_variable("SME2LAB_AGENT", out->path, diag);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    if (try_beside("sme2lab-agent", out->path) ||
        try_beside("../../agent-aarch64/bin/sme2lab-agent", out->path) ||
        try_beside("../share/sme2lab/agent/aarch64/sme2lab-agent", out->path))
        return 0;
    sl_diag_hint(diag, "run scripts/setup, which builds it, or set SME2LAB_AGENT to it");
    return sl_diag_set(diag, SL_E_NOT_FOUND,
                       "$SME2LAB_AGENT, beside this program, build tree, share/sme2lab/agent",
                       "The aarch64 agent sme2lab-agent is missing");
}

int sl_tools_find_executorch(struct sl_tool *out, struct sl_diag *diag)
{
    static const char program[] = "sme2lab-agent-executorch";
    const char *named = getenv("SME2LAB_EXECUTORCH");
    *out = (struct sl_tool){0};
    if (named && *named) {
        if (try_program(named, strlen(named), program, out->path))
            return 0;
        sl_diag_hint(diag, "unset SME2LAB_EXECUTORCH or set it to a folder with %s", program);
        return sl_diag_set(diag, SL_E_NOT_FOUND, named,
                           "SME2LAB_EXECUTORCH does not name ExecuTorch's folder");
    }
    if (try_beside("../../agent-aarch64/executorch/sme2lab-agent-executorch", out->path) ||
        try_beside("../share/sme2lab/agent/aarch64/executorch/sme2lab-agent-executorch", out->path))
        return 0;
    sl_diag_hint(diag, "it downloads 17.8 MB; or set SME2LAB_EXECUTORCH to their folder");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "$SME2LAB_EXECUTORCH, build tree, share/sme2lab/agent",
                       "ExecuTorch's libraries for aarch64 are missing: run scripts/setup "
                       "--executorch");
}

int sl_tools_find_daemon(struct sl_tool *out, struct sl_diag *diag)
{
    *out = (struct sl_tool){0};
    int rc = try_variable("SME2LAB_DAEMON", out->path, diag);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    if (try_beside("sme2labd", out->path))
        return 0;
    sl_diag_hint(diag, "run scripts/setup, which builds it, or set SME2LAB_DAEMON to it");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "$SME2LAB_DAEMON, beside this program",
                       "The daemon sme2labd is missing");
}

int sl_tools_find_native_agent(struct sl_tool *out, struct sl_diag *diag)
{
#if defined(__aarch64__)
    if (!getenv("SME2LAB_NATIVE_AGENT"))
        return sl_tools_find_agent(out, diag);
#endif
    *out = (struct sl_tool){0};
    int rc = try_variable("SME2LAB_NATIVE_AGENT", out->path, diag);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    if (try_beside("../../agent-native/bin/sme2lab-agent", out->path) ||
        try_beside("../share/sme2lab/agent/native/sme2lab-agent", out->path))
        return 0;
    sl_diag_hint(diag, "run scripts/setup, which builds it, or set SME2LAB_NATIVE_AGENT to it");
    return sl_diag_set(diag, SL_E_NOT_FOUND,
                       "$SME2LAB_NATIVE_AGENT, build tree, share/sme2lab/agent",
                       "The agent sme2lab-agent for this machine is missing");
}
