/* host/rundir/plugin_file.h: plugins.json, the figures that were measured beside the device, summed
 * up for the manifest. The file is as untrusted as any of a directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/digest.h"
#include "host/plugin/line.h"
#include "host/plugin/record.h"
#include "host/rundir/plugin_turns.h"
#include "host/spec/plugin_config.h"

struct sl_diag;
struct sl_json;

/* One metric within the run, from its begin to its end; of one that was told outside of it alone,
 * such as a total, all of it. */
struct sl_plugin_figures {
    char name[SL_PLUGIN_METRIC_BYTES], unit[SL_PLUGIN_UNIT_BYTES];
    size_t samples, outside; /* the latter: left out here */
    double min, median, mean, max;
    double seconds; /* from the first to the last */
    double joules;  /* power over those; NAN: it is no power in watts, or there is but one */
    struct sl_plugin_apart apart; /* of those, if the file is told `apart` */
};

struct sl_plugin_summary {
    char name[SL_NAME_BYTES];
    uint64_t failures, left_out;
    size_t metric_count;
    struct sl_plugin_figures metrics[SL_PLUGIN_MAX_METRICS];
};

struct sl_plugin_file {
    char name[128]; /* "plugins.json"; "": there is none */
    char sha256[SL_SHA256_HEX_SIZE];
    bool resumed;
    bool apart;                   /* the variants' turns are known */
    bool knows_clock;             /* the device's, if it is another than the daemon's */
    struct sl_plugin_clock clock; /* else nothing */
    size_t count;
    struct sl_plugin_summary plugins[SL_MAX_PLUGINS];
};

/* Reads the file's text; `name` is copied. `turns` (NULL: none) tell the variants apart.
 * SL_E_FORMAT with `diag` set, SL_E_LIMIT, -ENOMEM. */
int sl_plugin_file_read(struct sl_bytes text, const char *name, const struct sl_plugin_turns *turns,
                        struct sl_plugin_file *out, struct sl_diag *diag);
/* The same of plugins_SUFFIX.json in a directory, or of plugins.json, which then gets that name. A
 * directory without either is 0 and no name. */
int sl_plugin_file_open(const char *directory, const char *suffix,
                        const struct sl_plugin_turns *turns, struct sl_plugin_file *out,
                        struct sl_diag *diag);

/* Writes what the manifest says of it. `apart`: each variant's figures too, if they are known. */
void sl_plugin_file_put(struct sl_json *json, const char *key, const struct sl_plugin_file *file,
                        bool apart);
