/* host/plugin/plugins.h: the plug-ins of a daemon: each a process of its own, told what happens and
 * asked to measure, one JSON object a line. configs/plugins/README.md has the protocol.
 *
 * Nothing that a plug-in does fails a run or delays it beyond the plug-in's limit. On the loop's
 * thread; callbacks come from the loop, never inside a call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/plugin/record.h"
#include "host/records.h"
#include "host/spec/plugin_config.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_buf;
struct sl_plugin_run;
struct sl_plugins;

enum { SL_PLUGIN_PROTOCOL = 1, SL_PLUGIN_EVENT_BYTES = 4096, SL_PLUGIN_LINK_BYTES = 128 };

/* Fills in what is known of a device; false: there is none of that name. `link` is "" for one of
 * this machine. */
typedef bool (*sl_plugins_device_fn)(void *user, const char *name, struct sl_device_record *out,
                                     char link[SL_PLUGIN_LINK_BYTES]);

/* `configs` is borrowed as long as they live. Their processes start from the loop. 0, -ENOMEM. */
int sl_plugins_new(uv_loop_t *loop, const struct sl_plugin_config *configs, size_t count,
                   sl_plugins_device_fn device, void *user, struct sl_plugins **out);
/* No run may be open. Ends the processes; `closed` comes last. */
void sl_plugins_close(struct sl_plugins *plugins, void (*closed)(void *user), void *user);

/* Does any of them listen to such an event (enum sl_plugin_when) of this device, or might once the
 * device has said what it is? NULL: there are none. */
bool sl_plugins_hear(const struct sl_plugins *plugins, unsigned when, const char *device);

/* Something happened, and nobody waits for an answer. Texts may be "". */
struct sl_plugins_event {
    unsigned when; /* one bit */
    const char *device, *cause, *detail;
    uint64_t job; /* 0: it is about none */
};
void sl_plugins_tell(struct sl_plugins *plugins, const struct sl_plugins_event *event);

/* Asks for a device to be switched off and on; how that ends goes into the log. SL_E_NOT_FOUND:
 * nobody does that for this device. */
int sl_plugins_power_cycle(struct sl_plugins *plugins, const char *device);

/* --- one run; with NULL for it these do nothing, and it is settled --- */

struct sl_plugin_run_facts {
    const char *device, *model; /* borrowed for the call */
    uint64_t job;
    bool resumed; /* an earlier daemon began it */
};

/* Tells those that measure that it begins. `settled` comes when all have answered or their limits
 * have passed, and again after sl_plugin_run_end(). *out is NULL, and nothing comes, where nobody
 * measures on that device. 0 or -ENOMEM. */
int sl_plugin_run_begin(struct sl_plugins *plugins, const struct sl_plugin_run_facts *facts,
                        void (*settled)(void *user), void *user, struct sl_plugin_run **out);
/* Tells them that it has ended, once. */
void sl_plugin_run_end(struct sl_plugin_run *run);
/* The device's clock is ahead of this machine's by so much, of a run that is not settled. */
void sl_plugin_run_clock(struct sl_plugin_run *run, int64_t low_us, int64_t high_us);
/* After its end: nobody is waited for, and nothing in it changes any more. */
bool sl_plugin_run_is_settled(const struct sl_plugin_run *run);
/* Appends the text of plugins.json. Of a settled run; any thread. 0, SL_E_LIMIT or -ENOMEM. */
int sl_plugin_run_put(const struct sl_plugin_run *run, struct sl_buf *out);
void sl_plugin_run_free(struct sl_plugin_run *run);

/* --- figures for who watches the daemon --- */

struct sl_plugin_counts {
    const char *name;
    bool up;
    uint64_t samples, failures[SL_PLUGIN_FAILURES];
};
/* False past the last one, and for NULL. */
bool sl_plugins_counts(const struct sl_plugins *plugins, size_t place,
                       struct sl_plugin_counts *out);
