/* agent/runtime/affinity_linux.c */
#define _GNU_SOURCE /* sched_setaffinity */
#include "agent/runtime/affinity.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>

static_assert(CPU_SETSIZE >= SL_AFFINITY_CPUS, "a set has every CPU");

bool sl_affinity_is_by_kind(void)
{
    return false;
}

void sl_affinity_read(bool out[SL_AFFINITY_CPUS])
{
    cpu_set_t set;
    bool known = sched_getaffinity(0, sizeof(set), &set) == 0;
    for (size_t i = 0; i < SL_AFFINITY_CPUS; i++)
        out[i] = !known || CPU_ISSET(i, &set);
}

static int apply(const cpu_set_t *set)
{
    return sched_setaffinity(0, sizeof(*set), set) == 0 ? 0 : -errno;
}

int sl_affinity_set(const bool cpus[SL_AFFINITY_CPUS])
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t i = 0; i < SL_AFFINITY_CPUS; i++) {
        if (cpus[i])
            CPU_SET(i, &set);
    }
    return apply(&set);
}

int sl_affinity_pin(uint32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu >= CPU_SETSIZE)
        return -EINVAL;
    CPU_SET(cpu, &set);
    return apply(&set);
}
