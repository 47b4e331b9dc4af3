/* host/cli/device_results.h: `sme2lab device results`: what a device keeps of runs that the daemon
 * does not know. */
#pragma once

#include "host/cli/options.h"

struct sl_cli;

/* NULL: not said. With neither `collect` nor `forget` they are listed. */
struct sl_device_results {
    const char *collect, *forget; /* a result's number */
    const char *directory;        /* for what is collected; NULL: it stays with the daemon */
    struct sl_option_list files;  /* of the run, that the daemon may lack */
};

/* `path` is that of the device. Returns an exit code: of what was collected, that of its run. */
int sl_device_results(const struct sl_cli *cli, const char *path,
                      const struct sl_device_results *what);
