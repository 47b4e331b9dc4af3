/* host/report/report_looks.c: the looks at the pairs of a run that was to stop by itself. */
#include <stdio.h>

#include "host/analysis/comparison.h"
#include "host/analysis/stopping.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"

bool sl_report_looks(const struct sl_report *report, struct sl_table *out)
{
    static const char *const heads[] = {">Look", ">Pairs", ">Confidence", ">Half width", NULL};
    const struct sl_stopped *s = &report->comparison->comparison->stopped;
    if (!s->ruled || s->look_count == 0)
        return false;
    sl_table_init(out, "looks", "Looks at the pairs", heads);
    snprintf(
        out->note, sizeof(out->note),
        "Measuring goes on until the ratio's interval is within +-%g %%, for %g s or %zu pairs "
        "at most; this run was stopped by: %s. Each look asks for more confidence than the one "
        "before, so that %g %% hold in the end.",
        s->rule.precision_percent, s->rule.budget_s, s->rule.max_pairs, sl_stopped_name(s->why),
        100 * report->comparison->comparison->confidence);
    for (size_t i = 0; i < s->look_count; i++) {
        sl_table_printf(out, "%zu", i + 1);
        sl_table_printf(out, "%zu", s->looks[i].pairs);
        sl_table_printf(out, "%.2f %%", 100 * s->looks[i].confidence);
        sl_table_printf(out, "%.3g %%", 100 * s->looks[i].half_width);
    }
    return true;
}
