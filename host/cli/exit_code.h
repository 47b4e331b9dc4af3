/* host/cli/exit_code.h: names of exit codes, and the exit code that an error means. */
#pragma once

/* "usage", "failed" ...: the `code` of a JSON error. Static storage. */
const char *sl_exit_name(int exit_code);

/* The exit code for a negative error code about a file or option of the user's: SL_EXIT_USAGE for
 * what the user can put right, SL_EXIT_LAB for what the machine lacks, SL_EXIT_DEFECT for the rest.
 */
int sl_exit_for_error(int rc);
