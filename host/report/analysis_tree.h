/* host/report/analysis_tree.h: an analysis level by level: category, operator, instance with its
 * kernel. An instance is a place in the sequence of a run's events: names may restart at #1 in each
 * delegate call and repeat in loops, places do not. */
#pragma once

struct sl_analysis;
struct sl_attribution;
struct sl_buf;
struct sl_json;
struct sl_style;

enum { SL_ANALYSIS_MAX_INSTANCES = 1 << 16 };

/* Member `instances`: [{"position","operator","total_ns"}], `operator` an index into `operators`;
 * null where runs differ in their events, or have more than SL_ANALYSIS_MAX_INSTANCES. Totals sum
 * to those of the operators. */
void sl_analysis_instances_json(struct sl_json *json, const struct sl_attribution *attribution);

/* The tree as a table, per run: each level sums to the one above. Returns 0, SL_E_LIMIT or -ENOMEM.
 */
int sl_analysis_tree_text(struct sl_buf *out, const struct sl_style *style,
                          const struct sl_analysis *analysis);
