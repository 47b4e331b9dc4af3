/* host/cli/job_body.h: an experiment as the body of POST /jobs (host/spec/submission.h). */
#pragma once

#include <stdbool.h>

#include "common/base/digest.h"

struct sl_buf;
struct sl_experiment;
struct sl_experiment_plan;

struct sl_job_body {
    const struct sl_experiment_plan *plan;
    const struct sl_experiment *experiment;    /* of the plan */
    const char *device;                        /* of the lab; "": any */
    const char *model_sha256, *data_sha256;    /* the latter of an experiment with data_path */
    char (*inputs_sha256)[SL_SHA256_HEX_SIZE]; /* one for each input */
    const char *command;                       /* NULL: not to be said */
    const char *directory;                     /* where the files will go; NULL: nowhere */
    bool shared_directory;                     /* with other experiments of the plan */
    unsigned timeout_seconds;                  /* 0: none */
};

/* Appends the body. 0, SL_E_LIMIT or -ENOMEM. */
int sl_job_body_put(const struct sl_job_body *body, struct sl_buf *out);
