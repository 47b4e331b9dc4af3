/* agent/serve/away.c */
#include "agent/serve/away.h"

#include <string.h>

#include "agent/probe/cores.h"
#include "agent/probe/device.h"
#include "agent/run/threads.h"
#include "common/base/error.h"
#include "common/base/mem.h"

void sl_away_go(struct sl_away *away, const char *affinity)
{
    struct sl_threads threads;
    struct sl_diag diag = {0};
    bool left[SL_AFFINITY_CPUS];
    const struct sl_threads_asked asked = {.affinity = affinity};
    struct sl_probe_cores *cores = affinity[0] ? sl_calloc(1, sizeof(*cores)) : NULL;
    *away = (struct sl_away){.gone = false};
    if (!cores)
        return;
    sl_affinity_read(away->was);
    sl_device_read_cores("", cores);
    if (sl_threads_decide(&asked, cores, away->was, &threads, &diag) == 0) {
        memcpy(left, away->was, sizeof(left));
        for (size_t i = 0; i < threads.cpu_count; i++)
            left[threads.cpus[i]] = false;
        away->gone = sl_affinity_set(left) == 0;
    }
    sl_free(cores);
}

void sl_away_return(struct sl_away *away)
{
    if (away->gone)
        sl_affinity_set(away->was);
    away->gone = false;
}
