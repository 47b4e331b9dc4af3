/* host/report/plugin_figures.h: what plug-ins measured beside the device, as a table and as JSON.
 * Each run's are the member "plugins" of its manifest. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct sl_json;
struct sl_table;

/* Takes both of two runs, of one alone the second; NULL: nobody measured. */
bool sl_plugin_figures_any(const struct cJSON *const plugins[2]);

/* The figures of one run or process, and its name among the others. Both borrowed. */
struct sl_plugin_figures_of {
    const struct cJSON *plugins; /* NULL: nobody measured, and it has no row */
    const char *name;
};

/* A row for each metric, and one for a plug-in that failed; with their names where several runs
 * have rows, or there are more than two. End `out` with sl_table_fini(). */
void sl_plugin_figures_rows(const struct sl_plugin_figures_of *runs, size_t count,
                            struct sl_table *out);
/* The same of two runs; `sides` are their names. */
void sl_plugin_figures_table(const struct cJSON *const plugins[2], const char *const sides[2],
                             struct sl_table *out);

/* Writes the member "plugins": a list of the one's or of both. */
void sl_plugin_figures_json(struct sl_json *json, const struct cJSON *const plugins[2]);
