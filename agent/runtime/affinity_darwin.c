/* agent/runtime/affinity_darwin.c: a thread of the background class runs on the efficiency cores,
 * an interactive one on the performance cores unless they are taken. CPUs have the numbers that
 * agent/probe/cores_darwin.c gives them: those of performance level 0 come last. */
#include "agent/runtime/affinity.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/qos.h>
#include <sys/sysctl.h>

#include "common/base/error.h"

static uint32_t count_of(const char *name)
{
    uint32_t value = 0;
    size_t size = sizeof(value);
    bool known = sysctlbyname(name, &value, &size, NULL, 0) == 0;
    return known && value <= SL_AFFINITY_CPUS ? value : 0;
}

bool sl_affinity_is_by_kind(void)
{
    return true;
}

void sl_affinity_read(bool out[SL_AFFINITY_CPUS])
{
    uint32_t all = count_of("hw.logicalcpu_max");
    for (uint32_t i = 0; i < SL_AFFINITY_CPUS; i++)
        out[i] = all == 0 || i < all;
}

int sl_affinity_set(const bool cpus[SL_AFFINITY_CPUS])
{
    uint32_t all = count_of("hw.logicalcpu_max"), fast = count_of("hw.perflevel0.logicalcpu_max");
    bool has_slow = false, has_fast = false;
    for (uint32_t i = 0; i < all; i++) {
        has_slow |= cpus[i] && i + fast < all;
        has_fast |= cpus[i] && i + fast >= all;
    }
    if (!has_slow && !has_fast)
        return SL_E_UNSUPPORTED;
    qos_class_t class = !has_fast   ? QOS_CLASS_BACKGROUND
                        : !has_slow ? QOS_CLASS_USER_INTERACTIVE
                                    : QOS_CLASS_DEFAULT;
    return -pthread_set_qos_class_self_np(class, 0);
}

int sl_affinity_pin(uint32_t cpu)
{
    bool cpus[SL_AFFINITY_CPUS] = {false};
    if (cpu < SL_AFFINITY_CPUS)
        cpus[cpu] = true;
    return sl_affinity_set(cpus);
}
