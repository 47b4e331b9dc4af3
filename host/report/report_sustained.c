/* host/report/report_sustained.c: one long run in pieces, as a table. */
#include <math.h>
#include <stdio.h>

#include "host/analysis/comparison.h"
#include "host/analysis/sustained.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "host/report/unit.h"

static void put_head(const struct sl_report *report, const struct sl_sustained *s,
                     struct sl_table *out)
{
    char off[112], on[112];
    snprintf(off, sizeof(off), ">%.100s", sl_report_side(report, 0));
    snprintf(on, sizeof(on), ">%.100s", sl_report_side(report, 1));
    const char *const heads[] = {">Seconds", off, on, ">off / on", ">off keeps", ">on keeps", NULL};
    sl_table_init(out, "time", "Over time", heads);
    snprintf(out->note, sizeof(out->note),
             "Medians of end to end, as many measured runs in each row, in the order of "
             "measuring. Keeps: speed as a share of the first row's; in the end off keeps %.1f %%, "
             "on %.1f %%. Unit: %s.",
             100 * s->kept[0], 100 * s->kept[1],
             sl_unit_words(report->comparison->comparison->unit));
}

bool sl_report_sustained(const struct sl_report *report, struct sl_table *out)
{
    const struct sl_comparison_report *c = report->comparison;
    int unit = c->comparison->unit;
    struct sl_sustained s;
    if (c->comparison->method != SL_METHOD_PAIRED ||
        sl_sustained_make(&c->baseline->attribution, &c->candidate->attribution, &s) < 0 ||
        s.count == 0)
        return false;
    put_head(report, &s, out);
    for (size_t i = 0; i < s.count; i++) {
        const double *medians = s.pieces[i].medians;
        if (isfinite(s.pieces[i].seconds))
            sl_table_printf(out, "%.1f", s.pieces[i].seconds);
        else
            sl_table_text(out, "-");
        sl_table_figure(out, medians[0], unit);
        sl_table_figure(out, medians[1], unit);
        sl_table_printf(out, "%.3fx", medians[0] / medians[1]);
        for (int side = 0; side < 2; side++)
            sl_table_printf(out, "%.1f %%",
                            100 * s.pieces[0].medians[side] / s.pieces[i].medians[side]);
    }
    return true;
}
