/* host/job/lab_open.h: beginning and end of a lab, for the daemon alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/job/peers.h"
#include "host/job/runner.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_lab;
struct sl_store;

struct sl_lab_options {
    struct sl_store *store; /* borrowed; open */
    const char *state_dir;
    const char *host; /* that the store knows this one by; NULL: it has no other */
    struct sl_beats beats;
    struct sl_runner runner;
    uint64_t last_event; /* that an earlier daemon may have told: the first one here is the next */
    /* The open jobs are read back and assigned from here on; rc < 0: the store could not be read.
     * Devices are added before. */
    void (*opened)(void *user, int rc);
    /* Does a step (enum sl_device_step, but quarantine) to bring a device back. NULL: none. */
    void (*recover)(void *user, const char *device, int step);
    void *user;
};

int sl_lab_open(uv_loop_t *loop, const struct sl_lab_options *options, struct sl_lab **out);

/* Assigns nothing more. Running jobs stay the devices' until their runner tells; the daemon waits
 * for them or not. */
void sl_lab_drain(struct sl_lab *lab);

/* Starts no job, or goes on with it; jobs come in all the same. */
void sl_lab_suspend(struct sl_lab *lab, bool suspended);

/* Nobody may listen any more, no runner call may follow. `closed` comes last, after the store has
 * answered everything asked of it. */
void sl_lab_close(struct sl_lab *lab, void (*closed)(void *user), void *user);
