/* agent/run/bundled.h: the test case that a bundled program brings along: its inputs, and whether
 * the outputs are as expected. Case 0, as executor_runner does. */
#pragma once

#include <stdbool.h>

struct sl_run;

/* Does the file begin as a bundled program does? What cannot be read does not. */
bool sl_run_file_is_bundled(const char *path);
/* Sets the inputs of the next execution from the bundle. 0, or 1 after it logged why. */
int sl_run_set_bundled_inputs(struct sl_run *run);
/* Compares the outputs that were kept of each variant with the bundle's, within --bundleio_rtol and
 * --bundleio_atol. 0, also where the program is not bundled, or 1 after it logged that they differ.
 */
int sl_run_verify(const struct sl_run *run);
