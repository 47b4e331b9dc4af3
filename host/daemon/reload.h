/* host/daemon/reload.h: the configuration's devices while the daemon runs. */
#pragma once

#include <stdbool.h>

struct sl_host_config;
struct sl_lab;
struct sl_phones;
struct sl_roster;

/* Reads `file` anew and brings the lab to it: new ones come, changed ones change with their
 * next job, others leave after theirs. A file that is wrong changes nothing. What of it differs
 * from `started` and needs a new start is named, like all that is done, in the log. False: a device
 * comes back that is just leaving; to be called again soon. */
bool sl_reload(const char *file, const struct sl_host_config *started, struct sl_roster *roster,
               struct sl_lab *lab, struct sl_phones *phones);
