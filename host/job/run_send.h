/* host/job/run_send.h: what a part of a run is to the agent: one message. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_device;
struct sl_job_means;
struct sl_link;
struct sl_link_job;

/* The job as the device is to run it. Everything is borrowed for the call. */
struct sl_job_run_send {
    const struct sl_device *device;
    const struct sl_job_means *means;
    const char *fifo; /* where the emulator's log goes; NULL: nothing is counted */
    bool own;         /* the pairs are of our own kernels, whose operators it is compared with */
};

/* `job` has what was asked for, and gets the rest here; with `reference` it is one execution of the
 * portable kernels, in place of the pairs. What sl_link_send_job() returns. */
int sl_job_run_send(struct sl_link *link, const struct sl_job_run_send *how,
                    struct sl_link_job *job);
