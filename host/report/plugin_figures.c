/* host/report/plugin_figures.c */
#include "host/report/plugin_figures.h"

#include <math.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/base/json.h"
#include "host/report/json_copy.h"
#include "host/report/table.h"
#include "host/spec/json_value.h"

bool sl_plugin_figures_any(const struct cJSON *const plugins[2])
{
    return sl_value(plugins[0], "list") || sl_value(plugins[1], "list");
}

static void put_figure(struct sl_table *table, const cJSON *metric, const char *key)
{
    double value = sl_value_number(metric, key, NAN);
    if (isfinite(value))
        sl_table_printf(table, "%.6g", value);
    else
        sl_table_text(table, "-");
}

/* Readings in a second, as they came: too few say little of what changes faster. */
static void put_rate(struct sl_table *table, const cJSON *metric)
{
    double samples = sl_value_number(metric, "samples", 0);
    double seconds = sl_value_number(metric, "seconds", 0);
    if (samples > 1 && seconds > 0)
        sl_table_printf(table, "%.1f", (samples - 1) / seconds);
    else
        sl_table_text(table, "-");
}

static void put_metric(struct sl_table *table, const cJSON *metric)
{
    const char *unit = sl_value_text(metric, "unit", NULL);
    const char *name = sl_value_text(metric, "name", NULL);
    sl_table_printf(table, "%s%s%s", name ? name : "-", unit ? ", " : "", unit ? unit : "");
    sl_table_printf(table, "%.0f", sl_value_number(metric, "samples", 0));
    put_rate(table, metric);
    put_figure(table, metric, "min");
    put_figure(table, metric, "median");
    put_figure(table, metric, "mean");
    put_figure(table, metric, "max");
    put_figure(table, metric, "joules");
}

static void put_failures(struct sl_table *table, const cJSON *plugin)
{
    enum { FIGURES = 7 };
    sl_table_printf(table, "%.0f failures, %.0f figures left out",
                    sl_value_number(plugin, "failures", 0), sl_value_number(plugin, "left_out", 0));
    for (int i = 0; i < FIGURES; i++)
        sl_table_text(table, "-");
}

static void put_plugin(struct sl_table *table, const cJSON *plugin, const char *side)
{
    const char *name = sl_value_text(plugin, "name", NULL);
    const cJSON *metric;
    bool failed =
        sl_value_number(plugin, "failures", 0) + sl_value_number(plugin, "left_out", 0) > 0;
    cJSON_ArrayForEach(metric, sl_value(plugin, "metrics"))
    {
        sl_table_put(table, name);
        if (side)
            sl_table_put(table, side);
        put_metric(table, metric);
    }
    if (!failed)
        return;
    sl_table_put(table, name);
    if (side)
        sl_table_put(table, side);
    put_failures(table, plugin);
}

void sl_plugin_figures_table(const struct cJSON *const plugins[2], const char *const sides[2],
                             struct sl_table *out)
{
    const char *const two[] = {"~Plug-in", "Run",   "Metric", ">Samples", ">A second", ">Min",
                               ">Median",  ">Mean", ">Max",   ">Joules",  NULL};
    const char *const one[] = {"~Plug-in", "Metric", ">Samples", ">A second", ">Min",
                               ">Median",  ">Mean",  ">Max",     ">Joules",   NULL};
    bool both = plugins[0] && plugins[1], resumed = false;
    const cJSON *plugin;
    sl_table_init(out, "plugins", "Measured by plug-ins", both ? two : one);
    for (int i = 0; i < 2; i++) {
        resumed = resumed || cJSON_IsTrue(sl_value(plugins[i], "resumed"));
        cJSON_ArrayForEach(plugin, sl_value(plugins[i], "list"))
            put_plugin(out, plugin, both ? sides[i] : NULL);
    }
    snprintf(out->note, sizeof(out->note),
             "Over the whole measured part of a run, whose variants take turns: "
             "the figures are of both together. Joules: watts summed over the time between the "
             "first and the last reading.%s",
             resumed ? " The daemon ended meanwhile, and figures are from the next one on." : "");
}

void sl_plugin_figures_json(struct sl_json *json, const struct cJSON *const plugins[2])
{
    sl_json_open_array(json, "plugins");
    for (int i = 0; i < 2; i++)
        if (plugins[i])
            sl_json_copy(json, NULL, plugins[i]);
    sl_json_close_array(json);
}
