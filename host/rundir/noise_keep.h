/* host/rundir/noise_keep.h: keeps what a calibration found of a device: its noise floor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_diag;

enum { SL_NOISE_MAX_CALIBRATIONS = 64 };

struct sl_noise_calibration {
    char experiment[96]; /* "": the directory's only one */
    bool on;             /* the variant */
    double floor;        /* NAN: not found */
    size_t pairs;
};

/* Writes noise.json, below `state`, of the device that the run directory is of, with the largest
 * floor among them, which `out_floor` gets; `out_path` of SL_PATH_BYTES says where. SL_E_NOT_FOUND:
 * the directory does not say which device, or no floor was found; SL_E_UNSUPPORTED: counted runs
 * need none, and few pairs tell none. */
int sl_noise_keep(const char *state, const char *directory,
                  const struct sl_noise_calibration *calibrations, size_t count, double *out_floor,
                  char *out_path, struct sl_diag *diag);
