/* host/cli/kernels_peaks.h: `sme2lab kernels bench --peaks`. */
#pragma once

struct sl_cli;
struct sl_task_device;
struct sl_diag;

/* Measures what the device can do at most, with 1 to all of its cores: its roofline, kept with its
 * fingerprint, and beside it a silicon profile, which has from `base` what no loop measures (NULL:
 * by what the device is). An emulator has neither: there the loops are checked by what they
 * execute. */
int sl_kernels_peaks(const struct sl_cli *cli, struct sl_task_device *device, unsigned svl_bits,
                     const char *base, struct sl_diag *diag);
