/* agent/run/watchdog.c */
#include "agent/run/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "agent/run/etlog.h"
#include "common/base/clock.h"
#include "common/base/mem.h"

enum { LOOK_NS = 20000000 };

struct sl_watchdog {
    pthread_t thread;
    uint32_t timeout_s;
    _Atomic bool stopping;
    _Atomic uint64_t kicked_ns;
    const char *_Atomic what;
};

static void *watch(void *argument)
{
    struct sl_watchdog *dog = argument;
    const struct timespec look = {.tv_nsec = LOOK_NS};
    while (!atomic_load(&dog->stopping)) {
        nanosleep(&look, NULL);
        uint64_t waited = sl_clock_ns() - atomic_load(&dog->kicked_ns);
        const char *what = atomic_load(&dog->what);
        if (!what || waited / UINT64_C(1000000000) < dog->timeout_s || atomic_load(&dog->stopping))
            continue;
        SL_ETLOG('E', "%s took longer than %u s (--timeout): the run is ended", what,
                 dog->timeout_s);
        nanosleep(&look, NULL); /* the drainer takes what was recorded so far */
        _exit(1);
    }
    return NULL;
}

int sl_watchdog_start(uint32_t timeout_s, struct sl_watchdog **out)
{
    struct sl_watchdog *dog = sl_calloc(1, sizeof(*dog));
    if (!dog)
        return -ENOMEM;
    dog->timeout_s = timeout_s;
    sl_watchdog_kick(dog, "Starting");
    int rc = pthread_create(&dog->thread, NULL, watch, dog);
    if (rc != 0) {
        sl_free(dog);
        return -rc;
    }
    *out = dog;
    return 0;
}

void sl_watchdog_kick(struct sl_watchdog *watchdog, const char *what)
{
    if (!watchdog)
        return;
    atomic_store(&watchdog->kicked_ns, sl_clock_ns());
    atomic_store(&watchdog->what, what);
}

void sl_watchdog_pause(struct sl_watchdog *watchdog)
{
    if (watchdog)
        atomic_store(&watchdog->what, NULL);
}

void sl_watchdog_stop(struct sl_watchdog *watchdog)
{
    if (!watchdog)
        return;
    atomic_store(&watchdog->stopping, true);
    pthread_join(watchdog->thread, NULL);
    sl_free(watchdog);
}
