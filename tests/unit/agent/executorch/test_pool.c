/* tests/unit/agent/executorch/test_pool.c: with a library that starts threads as ExecuTorch's do.
 */
#define _GNU_SOURCE /* sched_getcpu */
#include "agent/executorch/pool.h"

#include <dlfcn.h>
#include <sched.h>

#include "agent/runtime/workers.h"
#include "tests/support/unit.h"

/* The CPUs that the library's thread may run on, counted by itself. */
static int allowed_in_a_thread(void)
{
    void *library = dlopen(SL_TEST_DELEGATE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    int (*count)(void);
    *(void **)&count = dlsym(library, "stand_in_thread_cpus");
    int cpus = count();
    dlclose(library);
    return cpus;
}

TEST(threads_of_the_libraries_stay_where_the_workers_do)
{
#if __has_feature(address_sanitizer)
    skip(); /* it keeps book of the threads that its own pthread_create() began; ours goes first */
#endif
    struct sl_workers *workers;
    cpu_set_t before;
    const uint16_t cpus[] = {(uint16_t)sched_getcpu()};
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(allowed_in_a_thread(), CPU_COUNT(&before));
    const struct sl_workers_config config = {.count = 2, .cpus = cpus, .cpu_count = 1};
    assert_int_equal(sl_workers_new(&config, &workers), 0);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0); /* as before the pin */
    sl_pool_use(workers);
    assert_int_equal(sl_pool_count(), 2);
    assert_int_equal(allowed_in_a_thread(), 1);
    sl_pool_use(NULL);
    sl_workers_free(workers);
}

TEST(without_workers_there_is_the_caller_alone)
{
    sl_pool_use(NULL);
    assert_int_equal(sl_pool_count(), 1);
}
