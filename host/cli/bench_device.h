/* host/cli/bench_device.h: the device that kernels are measured on, by its name. */
#pragma once

struct sl_cli;
struct sl_device;
struct sl_diag;

/* `name`: local, emulated, counted, or a device of the daemon's, which must be one of this machine:
 * its agent is started here, beside the daemon's, in the same emulated CPU. Of the others `cpu` and
 * `svl_bits` are those of the emulator, `cpu` NULL: QEMU's "max" with such vectors. 0;
 * SL_E_NOT_FOUND: there is none of that name; SL_E_UNSUPPORTED: it is another machine's;
 * SL_E_STATE: it is busy, and its times would disturb each other. */
int sl_bench_device_open(const struct sl_cli *cli, const char *name, unsigned svl_bits,
                         const char *cpu, struct sl_device *out, struct sl_diag *diag);

/* Bits of the streaming vectors that an emulated CPU's words name ("max,sme256=on"). */
unsigned sl_bench_device_svl(const struct sl_device *device, unsigned otherwise);
