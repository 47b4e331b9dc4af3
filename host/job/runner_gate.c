/* host/job/runner_gate.c */
#include "host/job/runner_gate.h"

static void start(void *user, const struct sl_job_record *job, const char *config_json,
                  const struct sl_device_record *device)
{
    const struct sl_runner_gate *gate = user;
    if (!gate->shut)
        gate->inner.start(gate->inner.user, job, config_json, device);
}

static void cancel(void *user, uint64_t job, const char *device)
{
    const struct sl_runner_gate *gate = user;
    if (!gate->shut)
        gate->inner.cancel(gate->inner.user, job, device);
}

static uint64_t held(void *user, const char *device)
{
    const struct sl_runner_gate *gate = user;
    return !gate->shut && gate->inner.held ? gate->inner.held(gate->inner.user, device) : 0;
}

static void forget(void *user, const char *device)
{
    const struct sl_runner_gate *gate = user;
    if (!gate->shut && gate->inner.forget)
        gate->inner.forget(gate->inner.user, device);
}

static void lend(void *user, const char *device, bool lent)
{
    const struct sl_runner_gate *gate = user;
    if (!gate->shut && gate->inner.lend)
        gate->inner.lend(gate->inner.user, device, lent);
}

struct sl_runner sl_runner_gate(struct sl_runner_gate *gate)
{
    return (struct sl_runner){start, cancel, gate, held, forget, lend};
}
