/* host/inspect/why.h: which engine a kernel is of, and why SME2 does not serve a node. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_inspect_node;

enum { SL_INSPECT_MAX_KERNELS = 1024 };

/* Names of the kernels that need SME2; borrowed. */
struct sl_sme2_kernels {
    size_t count;
    const char *names[SL_INSPECT_MAX_KERNELS];
};

/* enum sl_engine by the words of a kernel's name; SL_ENGINE_NONE for "". */
int sl_engine_of(const char *kernel);
const char *sl_engine_name(int engine); /* "sme2", "neon", "portable", "none" */

/* True for kernels that bring operands into the form of others, or only move bytes. */
bool sl_kernel_moves(const char *kernel);

/* enum sl_why of a node whose choices are known. */
int sl_why_of(const struct sl_inspect_node *node, const struct sl_sme2_kernels *kernels);
