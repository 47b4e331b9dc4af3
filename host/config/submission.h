/* host/config/submission.h: one job as it is submitted over HTTP: one experiment, its files named
 * by SHA-256.
 *
 * {"model": "<sha256>", "model_name": "toy.pte", "inputs": ["<sha256>", …], "device":
 * "counted-512", "priority": 0, "runs": 2, "warmup": 1, "seed": 1, "method": "forward",
 * "input_shapes": "1x3x8x8", "timeout_seconds": 1800, "threshold_percent": 1.0, "confidence": 0.95}
 * Only `model` is needed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"

struct sl_diag;

enum { SL_SUBMISSION_MAX_INPUTS = 64 };

struct sl_submitted {
    char model[SL_DIGEST_BYTES], model_name[SL_NAME_BYTES];
    char inputs[SL_SUBMISSION_MAX_INPUTS][SL_DIGEST_BYTES];
    size_t input_count;
    char method[SL_NAME_BYTES],
        input_shapes[SL_SELECTOR_BYTES]; /* "": the first; the model's own */
    uint32_t runs, warmup;               /* UINT32_MAX: as the device's clock needs */
    uint32_t seed, timeout_seconds;
    double threshold_percent, confidence;
};

/* SL_E_FORMAT with JSON pointer and fix, SL_E_LIMIT or -ENOMEM. */
int sl_submitted_parse(struct sl_bytes text, struct sl_submitted *out, struct sl_diag *diag);
