/* agent/serve/away.c */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "agent/serve/away.h"

#include <sched.h>
#include <string.h>

#include "agent/probe/cores.h"
#include "agent/run/threads.h"
#include "common/base/error.h"
#include "common/base/mem.h"

#if defined(__linux__)
static bool stay_on(const bool cpus[SL_WORKERS_MAX_CPUS])
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t i = 0; i < SL_WORKERS_MAX_CPUS; i++) {
        if (cpus[i])
            CPU_SET(i, &set);
    }
    return CPU_COUNT(&set) > 0 && sched_setaffinity(0, sizeof(set), &set) == 0;
}
#else
static bool stay_on(const bool cpus[SL_WORKERS_MAX_CPUS])
{
    (void)cpus;
    return false;
}
#endif

void sl_away_go(struct sl_away *away, const char *affinity)
{
    struct sl_threads threads;
    struct sl_diag diag = {0};
    bool left[SL_WORKERS_MAX_CPUS];
    const struct sl_threads_asked asked = {.affinity = affinity};
    struct sl_probe_cores *cores = affinity[0] ? sl_calloc(1, sizeof(*cores)) : NULL;
    *away = (struct sl_away){.gone = false};
    if (!cores)
        return;
    sl_workers_allowed(away->was);
    sl_probe_cores_read("", cores);
    if (sl_threads_decide(&asked, cores, away->was, &threads, &diag) == 0) {
        memcpy(left, away->was, sizeof(left));
        for (size_t i = 0; i < threads.cpu_count; i++)
            left[threads.cpus[i]] = false;
        away->gone = stay_on(left);
    }
    sl_free(cores);
}

void sl_away_return(struct sl_away *away)
{
    if (away->gone)
        stay_on(away->was);
    away->gone = false;
}
