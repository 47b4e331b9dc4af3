/* host/cli/device_pair.h: `sme2lab device pair`: a phone is made to trust this user's adb key,
 * without a daemon. */
#pragma once

struct sl_cli;

/* Pairs with the phone at the address that it shows; the code comes from standard input. Returns an
 * exit code. */
int sl_device_pair(const struct sl_cli *cli, const char *where);
