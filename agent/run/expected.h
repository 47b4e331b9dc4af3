/* agent/run/expected.h: are the outputs what a bundled program expects? */
#pragma once

struct sl_session;

/* Compares the outputs kept of each variant with those of the bundle's test case 0, within
 * --bundleio_rtol and --bundleio_atol. Returns 0, also where the program is not bundled, or a
 * negative code after it logged that they differ. */
int sl_expected_verify(const struct sl_session *session);
