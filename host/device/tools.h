/* host/device/tools.h: finds the emulator and the agent that belong to this program. */
#pragma once

#include <stddef.h>

struct sl_diag;

enum { SL_TOOL_PATH_BYTES = 1024, SL_TOOL_VERSION_BYTES = 64 };

struct sl_tool {
    char path[SL_TOOL_PATH_BYTES];
    char version[SL_TOOL_VERSION_BYTES]; /* of the emulator: "11.1.3"; else empty */
};

/* qemu-aarch64 of version 11 or later: what $SME2LAB_EMULATOR names, else tools/qemu-aarch64 of the
 * build tree that this program lies in, else on $PATH. Returns 0 or SL_E_NOT_FOUND with `diag`
 * saying what was looked at and how to get one. */
int sl_tools_find_emulator(struct sl_tool *out, struct sl_diag *diag);

/* The agent for aarch64: what $SME2LAB_AGENT names, else beside this program, else in the build
 * tree that it lies in, else in share/sme2lab/agent/aarch64 of where it is installed. */
int sl_tools_find_agent(struct sl_tool *out, struct sl_diag *diag);

/* ExecuTorch's runtime for aarch64, sme2lab-agent-executorch, with its libraries beside it: in the
 * folder that $SME2LAB_EXECUTORCH names, else of the build tree, else of where this is installed.
 */
int sl_tools_find_executorch(struct sl_tool *out, struct sl_diag *diag);

/* The daemon: what $SME2LAB_DAEMON names, else sme2labd beside this program. */
int sl_tools_find_daemon(struct sl_tool *out, struct sl_diag *diag);

/* The agent that serves on this machine itself: what $SME2LAB_NATIVE_AGENT names, else that of the
 * build tree. On aarch64 it is the agent for aarch64. */
int sl_tools_find_native_agent(struct sl_tool *out, struct sl_diag *diag);
