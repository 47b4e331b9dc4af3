/* host/report/combined_plugins.c: what plug-ins measured beside each of many comparisons, such as
 * beside each process of a run of several. */
#include <errno.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/plugin_figures.h"
#include "host/report/report.h"
#include "host/report/table.h"

enum { LABEL_BYTES = 256, NAME_BYTES = LABEL_BYTES + 64 };

size_t sl_combined_plugins_count(const struct sl_combined *combined)
{
    size_t count = 0;
    for (size_t i = 0; i < combined->count; i++)
        count += sl_plugin_figures_any(combined->reports[i].comparison->plugins);
    return count;
}

/* A comparison of two runs has two names, one of a single run the comparison's. */
static void name_run(const struct sl_combined *combined, size_t index, int side,
                     char out[NAME_BYTES])
{
    const struct sl_report *report = &combined->reports[index];
    const struct cJSON *const *plugins = report->comparison->plugins;
    char label[LABEL_BYTES];
    bool both = plugins[0] && plugins[1];
    sl_combined_label(combined, index, label, sizeof(label));
    snprintf(out, NAME_BYTES, "%s%s%.60s", label, both && label[0] ? ", " : "",
             both ? sl_report_side(report, side) : "");
}

void sl_combined_plugins(const struct sl_combined *combined, struct sl_table *out)
{
    size_t count = 2 * combined->count;
    char(*names)[NAME_BYTES] = sl_calloc(count, sizeof(*names));
    struct sl_plugin_figures_of *runs = sl_calloc(count, sizeof(*runs));
    bool room = names && runs;
    for (size_t i = 0; room && i < count; i++) {
        name_run(combined, i / 2, (int)(i % 2), names[i]);
        runs[i] = (struct sl_plugin_figures_of){combined->reports[i / 2].comparison->plugins[i % 2],
                                                names[i]};
    }
    sl_plugin_figures_rows(runs, room ? count : 0, out);
    if (!room)
        out->error = -ENOMEM;
    sl_free(runs);
    sl_free(names);
}
