/* host/report/kit_files.h: what users of Arm's profiling kit find beside each ETDump, under the
 * names and with the columns and keys they load, its wrong numbers put right: warm-up runs are in
 * no figure, times are an operator's own and never counted twice, nothing is NaN. On the counted
 * clock a name that ends in _ms ends in _insns. */
#pragma once

#include <stddef.h>

struct sl_analysis;
struct sl_buf;
struct sl_json;
struct sl_kernel_log;

/* One measured variant: its analysis, the model's name, and what the variant is called. Borrowed.
 */
struct sl_kit_side {
    const struct sl_analysis *analysis;
    const char *model, *name;
    const struct sl_kernel_log *log; /* XNNPACK's, where no trace names kernels; NULL: none */
};

/* A file of one variant; its name is that of the ETDump without .etdump, and this ending. */
struct sl_kit_file {
    const char *ending;
    int (*make)(struct sl_buf *out, const struct sl_kit_side *side);
};
extern const struct sl_kit_file sl_kit_files[]; /* ends with a NULL ending */

/* AF-33 as an object; `key` as in sl_json_open_object(). */
int sl_kit_robust_stats(struct sl_json *json, const char *key, const struct sl_kit_side *side);

/* Two variants compared: AF-34 and AF-39. Speed-up is baseline divided by candidate, always. */
int sl_kit_robust_comparison(struct sl_buf *out, const struct sl_kit_side *baseline,
                             const struct sl_kit_side *candidate);
int sl_kit_comparison_csv(struct sl_buf *out, const struct sl_kit_side *baseline,
                          const struct sl_kit_side *candidate);

/* Figures that several of these files share, in milliseconds or instructions; NAN for none. */
double sl_kit_figure(const struct sl_analysis *analysis, double value);
const char *sl_kit_suffix(const struct sl_analysis *analysis); /* "_ms", "_insns" */
