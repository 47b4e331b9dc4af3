/* host/cli/kernels_peaks.h: `sme2lab kernels bench --peaks`. */
#pragma once

struct sl_cli;
struct sl_task_device;
struct sl_diag;

/* Measures what the device can do at most, with 1 to all of its cores: its roofline, kept with its
 * fingerprint. An emulator has none: there the loops are checked by what they execute. */
int sl_kernels_peaks(const struct sl_cli *cli, struct sl_task_device *device, unsigned svl_bits,
                     struct sl_diag *diag);
