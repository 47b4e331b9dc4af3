/* host/device/device_clock.c */
#include "host/device/device_clock.h"

#define MAX_UNIX_US (UINT64_C(1) << 53)

static int64_t width(const struct sl_device_clock_bounds *bounds)
{
    return bounds->high_us - bounds->low_us;
}

static struct sl_device_clock_bounds quickest(const struct sl_device_clock *clock)
{
    size_t count = clock->count < SL_DEVICE_CLOCK_LOOKS ? clock->count : SL_DEVICE_CLOCK_LOOKS;
    struct sl_device_clock_bounds least = clock->looks[0];
    for (size_t i = 1; i < count; i++)
        if (width(&clock->looks[i]) < width(&least))
            least = clock->looks[i];
    return least;
}

static void widen(struct sl_device_clock *clock, struct sl_device_clock_bounds by)
{
    if (!clock->any || by.low_us < clock->all.low_us)
        clock->all.low_us = by.low_us;
    if (!clock->any || by.high_us > clock->all.high_us)
        clock->all.high_us = by.high_us;
    clock->any = true;
}

void sl_device_clock_take(struct sl_device_clock *clock, uint64_t asked_us, uint64_t said_us,
                          uint64_t heard_us)
{
    if (said_us > MAX_UNIX_US || heard_us > MAX_UNIX_US || asked_us > heard_us ||
        heard_us - asked_us > SL_DEVICE_CLOCK_PING_US)
        return;
    const struct sl_device_clock_bounds look = {(int64_t)said_us - (int64_t)heard_us,
                                                (int64_t)said_us - (int64_t)asked_us};
    if (clock->count > 0) {
        struct sl_device_clock_bounds before = quickest(clock);
        if (look.low_us > before.high_us || look.high_us < before.low_us) {
            widen(clock, before); /* one of the clocks was set */
            clock->count = 0;
        }
    }
    clock->looks[clock->count++ % SL_DEVICE_CLOCK_LOOKS] = look;
    if (clock->count >= SL_DEVICE_CLOCK_LOOKS)
        widen(clock, quickest(clock));
}

bool sl_device_clock_bounds(const struct sl_device_clock *clock, struct sl_device_clock_bounds *out)
{
    struct sl_device_clock all = *clock;
    if (all.count > 0)
        widen(&all, quickest(&all));
    *out = all.all;
    return all.any;
}
