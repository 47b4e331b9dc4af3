/* host/device/device_clock.h: how far a device's clock is ahead of this machine's, by pings: what
 * the device said between two moments of ours. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_DEVICE_CLOCK_LOOKS = 32,                 /* pings of which the quickest counts */
    SL_DEVICE_CLOCK_PING_US = 10 * 1000 * 1000, /* a pong that took longer says nothing */
};

/* Microseconds that the device is ahead: not less than `low`, not more than `high`. */
struct sl_device_clock_bounds {
    int64_t low_us, high_us;
};

/* Zero is the begin. */
struct sl_device_clock {
    struct sl_device_clock_bounds looks[SL_DEVICE_CLOCK_LOOKS], all;
    size_t count; /* of looks; the last ones are kept */
    bool any;     /* `all` holds what was found before */
};

/* Takes one answer: asked at `asked_us`, answered by the device at `said_us`, heard at `heard_us`,
 * all Unix time. One that cannot be is passed over. */
void sl_device_clock_take(struct sl_device_clock *clock, uint64_t asked_us, uint64_t said_us,
                          uint64_t heard_us);

/* Bounds that hold for all of the time since the begin: the quickest pings' throughout, so they are
 * wider where a clock drifts or is set. They leave out what it drifts within SL_DEVICE_CLOCK_LOOKS
 * pings. False: no answer came. */
bool sl_device_clock_bounds(const struct sl_device_clock *clock,
                            struct sl_device_clock_bounds *out);
