/* host/spec/noise_file.h: what a device shows between equal runs, as `sme2lab compare DIR
 * --calibrate --keep` found it: schema sme2lab.noise/1.
 *
 * {"schema": "sme2lab.noise/1", "fingerprint": "0123456789abcdef", "measured_at":
 * "2026-01-02T03:04:05Z", "noise_floor": 0.004, "calibrations": [{"experiment": …, "variant": …,
 * "noise_floor": …, "pairs": …}]} The floor is the largest of its calibrations'; they are for
 * people. It lies at <state>/devices/<fingerprint>/noise.json. */
#pragma once

#include <stdbool.h>

#include "common/base/bytes.h"

enum { SL_NOISE_FILE_MAX_BYTES = 1 << 20 };
#define SL_NOISE_MAX_FLOOR 100.0 /* beyond it a device tells nothing at all */

/* The floor in such a file, above 0 and up to SL_NOISE_MAX_FLOOR; NAN: it is none. */
double sl_noise_file_parse(struct sl_bytes text);

/* The floor of the device that a probe says `probed` of: from the state directory, else from the
 * user's own; NAN where none was kept. */
double sl_noise_file_find(const char *state_dir, const char *probed, bool emulated);
