/* agent/executorch/pool.c */
#define _GNU_SOURCE /* RTLD_NEXT, pthread_setaffinity_np */
#include "agent/executorch/pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include "agent/executorch/features.h"
#include "agent/runtime/workers.h"

static const struct sl_workers *pool;
static uint32_t started; /* by the libraries */

void sl_pool_use(const struct sl_workers *workers)
{
    pool = workers;
    started = 0;
}

uint32_t sl_pool_count(void)
{
    return sl_workers_count(pool, false);
}

/* The libraries ask this for the size of their pool. With 1 no thread ever starts. */
uint32_t sl_pool_performant_cores(void) __asm__(
    "_ZN10executorch9extension7cpuinfo24get_num_performant_coresEv");
uint32_t sl_pool_performant_cores(void)
{
    return sl_pool_count();
}

static void pin(pthread_t thread)
{
    cpu_set_t set;
    int cpu = sl_workers_cpu(pool, ++started % sl_pool_count());
    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    pthread_setaffinity_np(thread, sizeof(set), &set); /* those of a worker, which has it */
}

/* The libraries' calls come here too; those of the program itself are passed on. */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*run)(void *), void *restrict user)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    int rc = real(thread, attributes, run, user);
    if (rc == 0 && pool && !sl_features_is_own((uintptr_t)__builtin_return_address(0)))
        pin(*thread);
    return rc;
}
