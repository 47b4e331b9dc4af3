/* host/spec/submission.h: one job as it is submitted over HTTP: one experiment, its files named
 * by SHA-256.
 *
 * {"model": "<sha256>", "model_name": "toy.pte", "data": "<sha256>", "inputs": ["<sha256>", …],
 * "device": "counted-512", "priority": 0, "runs": 2, "warmup": 1, "seed": 1, "threads": 1,
 * "processes": 1, "method": "forward", "input_shapes": "1x3x8x8", "timeout_seconds": 1800,
 * "threshold_percent": 1.0, "confidence": 0.95, "precision_percent": 1.5, "budget_seconds": 120,
 * "experiment": "run", "mode": "timing",
 * "shared_directory": false, "labels":
 * {"branch": "main"},
 * "shown":
 * {"command": "sme2lab run toy.pte", "model": "models/toy.pte", "data": "models/toy.ptd", "inputs":
 * ["x.bin"], "directory": "out/toy"}} Only `model` is needed. `shown` is what the run's files say
 * in place of the daemon's own paths: how the sender calls its files, and where it will put the
 * run's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"
#include "host/spec/experiment.h"

struct sl_diag;

enum {
    SL_SUBMISSION_MAX_INPUTS = 64,
    SL_SUBMISSION_MAX_LABELS = 32,
    SL_SUBMISSION_PATH_BYTES = 1024,
    SL_SUBMISSION_COMMAND_BYTES = 4096,
};

struct sl_submitted_label {
    char key[SL_NAME_BYTES], value[SL_SELECTOR_BYTES];
};

struct sl_submitted {
    char model[SL_DIGEST_BYTES], model_name[SL_NAME_BYTES];
    char data[SL_DIGEST_BYTES]; /* external weights; "": none */
    char inputs[SL_SUBMISSION_MAX_INPUTS][SL_DIGEST_BYTES];
    size_t input_count;
    char method[SL_NAME_BYTES],
        input_shapes[SL_SELECTOR_BYTES];         /* "": the first; the model's own */
    uint32_t runs, warmup;                       /* UINT32_MAX: as the device's clock needs */
    uint32_t seed, timeout_seconds;              /* of the latter 0: never */
    uint32_t processes;                          /* that run the model at a time */
    uint32_t threads, sme_threads;               /* of the latter 0: all of the former */
    char affinity[SL_EXPERIMENT_AFFINITY_BYTES]; /* as an agent takes it; "": none */
    double threshold_percent, confidence;
    double precision_percent, budget_seconds; /* 0: none */
    char experiment[SL_NAME_BYTES];           /* part of file names */
    bool clean;                               /* mode clean: whole executions alone are recorded */
    bool weight_cache;                        /* packed weights are kept on the device */
    bool shared_directory; /* other experiments' files will lie beside this one's */
    struct sl_submitted_label labels[SL_SUBMISSION_MAX_LABELS];
    size_t label_count;
    struct {
        char command[SL_SUBMISSION_COMMAND_BYTES], model[SL_SUBMISSION_PATH_BYTES],
            data[SL_SUBMISSION_PATH_BYTES],
            directory[SL_SUBMISSION_PATH_BYTES]; /* "": the daemon's own */
        char inputs[SL_SUBMISSION_MAX_INPUTS][SL_SUBMISSION_PATH_BYTES];
        size_t input_count; /* 0, or as many as there are inputs */
    } shown;
};

/* SL_E_FORMAT with JSON pointer and fix, SL_E_LIMIT or -ENOMEM; then *out is of no use. The struct
 * is large: not for the stack. */
int sl_submitted_parse(struct sl_bytes text, struct sl_submitted *out, struct sl_diag *diag);
