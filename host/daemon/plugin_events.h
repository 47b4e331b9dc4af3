/* host/daemon/plugin_events.h: events of the lab as plug-ins are told them: jobs that fail, devices
 * that are lost or put in quarantine. */
#pragma once

struct sl_lab_event;
struct sl_plugins;

/* `plugins` NULL: there are none. */
void sl_plugin_event(struct sl_plugins *plugins, const struct sl_lab_event *event);
