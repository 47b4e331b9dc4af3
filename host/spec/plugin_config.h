/* host/spec/plugin_config.h: a plug-in as the daemon's configuration names it: a program of its own
 * that measures beside the devices, switches their power, or tells people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/spec/selector.h"

struct sl_diag;
struct sl_json_at;

enum { SL_MAX_PLUGINS = 8, SL_PLUGIN_MAX_WORDS = 16 };

/* The events that a plug-in hears of, as bits. */
enum sl_plugin_when {
    SL_PLUGIN_RUN = 1,         /* begin and end of each run; both are awaited */
    SL_PLUGIN_POWER_CYCLE = 2, /* a device shall be switched off and on; awaited too */
    SL_PLUGIN_JOB_FAILED = 4,
    SL_PLUGIN_DEVICE_LOST = 8,
    SL_PLUGIN_DEVICE_QUARANTINED = 16,
};

/* Texts are borrowed from the document. */
struct sl_plugin_config {
    const char *name;
    const char *words[SL_PLUGIN_MAX_WORDS]; /* the program, an absolute path, and its arguments */
    size_t word_count;
    unsigned when;
    struct sl_selector devices; /* whose events it hears; of none: every device's */
    uint32_t seconds;           /* an answer may take */
};

/* Reads the list "plugins" of at most SL_MAX_PLUGINS; an absent one is none. Failures stick in the
 * reader. Returns how many there are. */
size_t sl_plugin_configs_read(const struct sl_json_at *list,
                              struct sl_plugin_config out[SL_MAX_PLUGINS]);

/* May each program be executed here? -errno, with its place and what to do. Blocks. */
int sl_plugin_configs_check(const struct sl_plugin_config *configs, size_t count,
                            struct sl_diag *diag);

/* The word of one bit; NULL for any other number. */
const char *sl_plugin_when_name(unsigned when);
