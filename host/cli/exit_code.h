/* host/cli/exit_code.h: names of exit codes, and the exit code that an error means. */
#pragma once

#include <stdbool.h>

/* Exit codes: promises to scripts. */
enum sl_exit {
    SL_EXIT_DONE = 0,         /* done; a verdict was faster, equivalent or slower within limits */
    SL_EXIT_FAILED = 1,       /* the measured thing failed: crash, hang, wrong output */
    SL_EXIT_USAGE = 2,        /* command line or configuration */
    SL_EXIT_REGRESSION = 3,   /* verdict slower beyond the threshold asked for */
    SL_EXIT_INCONCLUSIVE = 4, /* verdict inconclusive, unfit or incomparable */
    SL_EXIT_LAB = 5,          /* the lab failed: no device, no emulator, no daemon */
    SL_EXIT_DEFECT = 6,       /* a defect in sme2lab itself */
    SL_EXIT_INTERRUPTED = 130,
    SL_EXIT_TERMINATED = 143,
};

/* "usage", "failed" ...: the `code` of a JSON error. Static storage. */
const char *sl_exit_name(int exit_code);

/* Does a failure lie in the model or in what the user said, not in the lab or in sme2lab? */
bool sl_exit_blames_model(int exit_code);

/* The exit code for a negative error code about a file or option of the user's: SL_EXIT_USAGE for
 * what the user can put right, SL_EXIT_LAB for what the machine lacks, SL_EXIT_DEFECT for the rest.
 */
int sl_exit_for_error(int rc);
