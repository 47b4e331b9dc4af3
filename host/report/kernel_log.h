/* host/report/kernel_log.h: the micro-kernels that a verbose XNNPACK log names. A line says that a
 * kernel was there and was chosen for this CPU when a configuration was set up, never that it ran,
 * and how often it stands there means nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/analysis/kernel_name.h"

struct sl_buf;
struct sl_diag;
struct sl_operator;

enum { SL_KERNEL_LOG_MAX = 2048 };

struct sl_logged_kernel {
    char name[192], category[32]; /* as the log has them; transposec is transpose */
    struct sl_kernel_name parts;
    uint32_t lines;
    bool portable; /* of an operator outside delegates; a log does not have such */
};

struct sl_kernel_log {
    struct sl_logged_kernel *kernels; /* owned; each name and category once, in order */
    size_t count;
};

/* Takes the lines "Using CATEGORY microkernel 'NAME'" of either transport out of a log. Returns 0,
 * SL_E_NOT_FOUND (there is none), SL_E_LIMIT or -ENOMEM. End with sl_kernel_log_fini(). */
int sl_kernel_log_parse(struct sl_bytes text, struct sl_kernel_log *out, struct sl_diag *diag);
void sl_kernel_log_fini(struct sl_kernel_log *log);

/* The kernel with SME2 that the log shows for an operator of XNNPACK, told by its types and by GEMM
 * or IGEMM in its name; NULL: none. That is evidence of kind "log-available". */
const struct sl_logged_kernel *sl_kernel_log_find(const struct sl_kernel_log *log,
                                                  const struct sl_operator *op);

/* AF-43 of a log. */
int sl_kernel_log_csv(struct sl_buf *out, const struct sl_kernel_log *log, const char *model_id);

/* AF-44: which kernels either log names, as Markdown; with the SME1 kernels of the one that is
 * called off, if it has any. `executed`: they are of the runs' own traces, not of logs. */
int sl_kernel_log_view(struct sl_buf *out, const struct sl_kernel_log *on,
                       const struct sl_kernel_log *off, bool executed);

/* Kernels of the log that need SME1 as such. */
size_t sl_kernel_log_sme1(const struct sl_kernel_log *log);
