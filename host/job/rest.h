/* host/job/rest.h: how long a job that the lab failed waits before it begins again. Pure; times
 * are of the queue's steady clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_job_record;

enum {
    SL_REST_MS = 2000,        /* after the first failure of the lab */
    SL_REST_LOOK_MS = 500,    /* until a job that is meant for a device looks for it again */
    SL_REST_MEANT_MS = 300000 /* the longest that it looks, whatever the store says */
};

/* All zero: it has not failed here. */
struct sl_rest {
    int64_t failed_ms;      /* 0: not here */
    int64_t until_ms;       /* it rests */
    int64_t meant_until_ms; /* it is kept for its device until then; 0: it has not looked for it */
    bool rested;            /* since it failed last */
};

/* How long a job waits after so many attempts that the lab failed, the last of them on a device:
 * four times as long as after the one before. After the first it goes to another device at once,
 * where one is free. A job whose daemon ended does not wait. */
int64_t sl_rest_ms(uint32_t attempts);

/* A waiting job of a dead host is meant for a device of the name that it had, where a living host
 * has such a device, which may keep the result. Returns for how long from when it could begin; 0:
 * it is not. */
int64_t sl_rest_meant_ms(const struct sl_job_record *job);

/* Does a job rest that could begin now, on a device with the name of its last one, or on that one
 * itself? True: until `rest->until_ms`. */
bool sl_rest_begin(struct sl_rest *rest, const struct sl_job_record *job, bool same_name,
                   bool same_device, int64_t steady_ms);
