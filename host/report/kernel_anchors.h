/* host/report/kernel_anchors.h: reads what kernels are set beside: instructions of other libraries'
 * kernels, and limits of one's own. tests/bench/kernels/anchors.json is such a file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;
struct sl_kernel_row;

enum { SL_KERNEL_ANCHORS_MAX = 4096, SL_KERNEL_ANCHORS_MAX_BYTES = 1 << 20 };

/* One stage on one shape. */
struct sl_kernel_anchor {
    char shape[96]; /* as `kernels bench` prints it */
    char engine[16], stage[16];
    char part[32]; /* of our kernel's name; "": any */
    uint64_t svl;  /* 0: any, the kernel has no streaming vectors */
    uint64_t instructions;
    char kernel[128]; /* whose these are; "": there is only a goal */
    uint64_t goal;    /* that our kernel should not exceed; 0: none */
};

struct sl_kernel_anchors {
    char source[256];
    struct sl_kernel_anchor *rows; /* owned */
    size_t count;
};

/* Parses {"source","rows":[{"shape","engine","stage","svl"?,"part"?,"instructions"?,"kernel"?,
 * "goal"?}]}. Returns 0, SL_E_FORMAT, SL_E_LIMIT or -ENOMEM; `diag` names the file and the place
 * in it. End with sl_kernel_anchors_fini(). */
int sl_kernel_anchors_parse(struct sl_bytes json, const char *file, struct sl_kernel_anchors *out,
                            struct sl_diag *diag);
/* Reads the file first: also its -errno. */
int sl_kernel_anchors_load(const char *path, struct sl_kernel_anchors *out, struct sl_diag *diag);
void sl_kernel_anchors_fini(struct sl_kernel_anchors *anchors);

/* The first that fits the row, or NULL; `anchors` may be NULL. `svl` in bits. */
const struct sl_kernel_anchor *sl_kernel_anchors_find(const struct sl_kernel_anchors *anchors,
                                                      const struct sl_kernel_row *row,
                                                      unsigned svl);
