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

/* The means of the readings that are of one variant alone, and how many were of off, on, neither.
 */
static void put_apart(struct sl_table *table, const cJSON *metric)
{
    const cJSON *off = sl_value(metric, "off"), *on = sl_value(metric, "on");
    put_figure(table, off, "mean");
    put_figure(table, on, "mean");
    if (off && on)
        sl_table_printf(table, "%.0f, %.0f, %.0f", sl_value_number(off, "samples", 0),
                        sl_value_number(on, "samples", 0),
                        sl_value_number(metric, "unattributed", 0));
    else
        sl_table_text(table, "-");
}

static bool is_apart(const cJSON *plugins)
{
    const cJSON *plugin, *metric;
    cJSON_ArrayForEach(plugin, sl_value(plugins, "list"))
    {
        cJSON_ArrayForEach(metric, sl_value(plugin, "metrics"))
        {
            if (sl_value(metric, "off"))
                return true;
        }
    }
    return false;
}

static void put_metric(struct sl_table *table, const cJSON *metric, bool apart)
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
    if (apart)
        put_apart(table, metric);
}

static void put_failures(struct sl_table *table, const cJSON *plugin, bool apart)
{
    enum { FIGURES = 7, APART = 3 };
    sl_table_printf(table, "%.0f failures, %.0f figures left out",
                    sl_value_number(plugin, "failures", 0), sl_value_number(plugin, "left_out", 0));
    for (int i = 0; i < FIGURES + (apart ? APART : 0); i++)
        sl_table_text(table, "-");
}

static void put_plugin(struct sl_table *table, const cJSON *plugin, const char *side, bool apart)
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
        put_metric(table, metric, apart);
    }
    if (!failed)
        return;
    sl_table_put(table, name);
    if (side)
        sl_table_put(table, side);
    put_failures(table, plugin, apart);
}

/* Tells of the clock that is known the least well. */
static void put_clock(double worst_us, char *out, size_t size)
{
    out[0] = '\0';
    if (worst_us >= 0)
        snprintf(out, size,
                 " The device's clock was compared with the daemon's, to within %.3f ms: readings "
                 "nearer than that to where a variant begins or ends are of neither.",
                 worst_us / 1000);
}

/* Facts that hold for the figures of all runs together. */
struct common {
    size_t runs;         /* that have any */
    bool apart, resumed; /* of one at least */
    double worst_us;     /* -1: no clock was compared */
};

static struct common look_at(const struct sl_plugin_figures_of *runs, size_t count)
{
    struct common common = {.worst_us = -1};
    for (size_t i = 0; i < count; i++) {
        const cJSON *plugins = runs[i].plugins;
        common.runs += plugins != NULL;
        common.apart = common.apart || is_apart(plugins);
        common.resumed = common.resumed || cJSON_IsTrue(sl_value(plugins, "resumed"));
        common.worst_us = fmax(common.worst_us, sl_value_number(sl_value(plugins, "device_clock"),
                                                                "uncertain_us", -1));
    }
    return common;
}

static void put_note(struct sl_table *out, const struct common *common)
{
    char clock[sizeof(out->note) / 2];
    put_clock(common->worst_us, clock, sizeof(clock));
    snprintf(out->note, sizeof(out->note),
             "Over the whole measured part of a run, whose variants take turns: "
             "the figures are of both together%s Joules: watts summed over the time between the "
             "first and the last reading.%s%s",
             common->apart
                 ? ". Off, On: the mean of those readings that, with the time since the reading "
                   "before, lie within one variant's executions; a slow meter has none."
                 : ", and are not told apart (configs/plugins/README.md).",
             common->apart ? clock : "",
             common->resumed ? " The daemon ended meanwhile, and figures are from the next one on."
                             : "");
}

void sl_plugin_figures_rows(const struct sl_plugin_figures_of *runs, size_t count,
                            struct sl_table *out)
{
    const char *const all[] = {
        "~Plug-in", "Run",     "Metric", ">Samples", ">A second",        ">Min", ">Median", ">Mean",
        ">Max",     ">Joules", ">Off",   ">On",      ">Off, on, neither"};
    enum { ALL = sizeof(all) / sizeof(all[0]), RUN = 1, APART = 10 };
    _Static_assert((int)ALL <= (int)SL_TABLE_MAX_COLUMNS, "a table has room for all");
    const char *columns[ALL + 1];
    const struct common common = look_at(runs, count);
    bool several = common.runs > 1 || count > 2; /* of many comparisons it is told which */
    size_t used = 0;
    const cJSON *plugin;
    for (int i = 0; i < (common.apart ? ALL : APART); i++)
        if (i != RUN || several)
            columns[used++] = all[i];
    columns[used] = NULL;
    sl_table_init(out, "plugins", "Measured by plug-ins", columns);
    for (size_t i = 0; i < count; i++) {
        cJSON_ArrayForEach(plugin, sl_value(runs[i].plugins, "list"))
            put_plugin(out, plugin, several ? runs[i].name : NULL, common.apart);
    }
    put_note(out, &common);
}

void sl_plugin_figures_table(const struct cJSON *const plugins[2], const char *const sides[2],
                             struct sl_table *out)
{
    const struct sl_plugin_figures_of runs[] = {{plugins[0], sides[0]}, {plugins[1], sides[1]}};
    sl_plugin_figures_rows(runs, 2, out);
}

void sl_plugin_figures_json(struct sl_json *json, const struct cJSON *const plugins[2])
{
    sl_json_open_array(json, "plugins");
    for (int i = 0; i < 2; i++)
        if (plugins[i])
            sl_json_copy(json, NULL, plugins[i]);
    sl_json_close_array(json);
}
