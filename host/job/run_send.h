/* host/job/run_send.h: what a part of a run is to the agent: one message. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_device;
struct sl_job_means;
struct sl_link;
struct sl_spec;

/* Everything is borrowed for the call. */
struct sl_run_send {
    const struct sl_device *device;
    const struct sl_spec *spec;
    const struct sl_job_means *means;
    uint64_t id;
    const char *fifo;   /* where the emulator's log goes; NULL: nothing is counted */
    const char *policy; /* of the device */
    const struct sl_runtime_files *files; /* that the device was sent; NULL or none: the agent's */
    bool reference; /* one execution of the portable kernels, in place of the pairs */
    bool own;       /* the pairs are of our own kernels, whose operators it is compared with */
};

/* What sl_link_send_job() returns. */
int sl_run_send(struct sl_link *link, const struct sl_run_send *what);
