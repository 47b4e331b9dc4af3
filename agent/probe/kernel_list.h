/* agent/probe/kernel_list.h: the kernels in this program, family by family. */
#pragma once

#include <stdint.h>

typedef void (*sl_kernel_list_fn)(void *user, const char *family, const char *name, uint32_t needs);

/* Calls `visit` for every kernel, in the order of each family's list. */
void sl_kernel_list_visit(sl_kernel_list_fn visit, void *user);
