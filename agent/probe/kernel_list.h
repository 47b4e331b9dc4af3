/* agent/probe/kernel_list.h: the kernels in this program, family by family. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_kernel_entry {
    const char *family; /* the folder of kernels/ */
    const char *name;
    const char *purpose; /* a few words */
    uint32_t needs;      /* enum sl_isa bits */
    /* Shapes to bench it on (agent/bench/shape.h) with blanks between them, '@' for its operation;
     * at 512 bits it takes one of them at least, and the first such one is usual for it. */
    const char *shapes;
    struct {
        size_t list, next;
    } place; /* sl_kernel_list_next()'s own */
};

/* The kernel behind this one, in the order of each family's list; the first behind one that is all
 * zeros. False past the end. */
bool sl_kernel_list_next(struct sl_kernel_entry *entry);
