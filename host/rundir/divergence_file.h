/* host/rundir/divergence_file.h: what a manifest says of the operators that were compared one by
 * one with the portable kernels. */
#pragma once

struct cJSON;
struct sl_divergence;

/* Two, of off and on; texts are borrowed from the manifest. All zero where it says nothing. */
void sl_divergence_read(const struct cJSON *manifest, struct sl_divergence *out);
