/* host/job/runner_gate.h: a runner before another one, which asks it nothing more once it is shut:
 * the lab outlives the devices. */
#pragma once

#include <stdbool.h>

#include "host/job/runner.h"

struct sl_runner_gate {
    struct sl_runner inner;
    bool shut; /* set by its owner: jobs that are given from now on are a later daemon's */
};

/* Returns the calls for the lab; the gate stays where it is until the lab is closed. */
struct sl_runner sl_runner_gate(struct sl_runner_gate *gate);
