/* host/cli/job_sender.h: the experiments of a plan into the daemon's queue: its files as blobs, one
 * job for each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/digest.h"
#include "host/spec/plan.h"

struct sl_buf;
struct sl_cli;
struct sl_client;
struct sl_diag;

enum { SL_SENDER_MAX_FILES = 256 };

struct sl_job_sender {
    const struct sl_cli *cli;
    struct sl_client *client;
    struct sl_plan *plan;
    const char *command, *directory; /* shown in place of the daemon's; NULL: not to be said */
    char device[SL_SELECTOR_BYTES];  /* chosen, or what one shall be; "": any */
    char sized[SL_NAME_BYTES];       /* the kind whose device of a length each experiment wants */
    char phone[SL_NAME_BYTES];       /* the one there is, where none was named; else "" */
    uint64_t group;                  /* that the jobs join; 0: none */
    bool counted;                    /* the device counts instructions */
    bool native;                     /* external runners run beside its emulator, not in it */
    struct sl_sent_file {
        const char *path;
        char sha256[SL_SHA256_HEX_SIZE];
    } files[SL_SENDER_MAX_FILES]; /* that were sent so far; the paths are the plan's */
    size_t file_count;
};

/* Sends what the daemon does not have of the spec's files, which get their digests. 0 or a code
 * with `diag` set. */
int sl_job_sender_upload(struct sl_job_sender *sender, struct sl_spec *spec, struct sl_diag *diag);

/* The one phone that the daemon's devices have and that can be measured, to sender->phone; none or
 * several: "". 0 or a code with `diag` set. */
int sl_job_sender_find_phone(struct sl_job_sender *sender, struct sl_diag *diag);

/* Looks among the daemon's devices for the plan's: its name, or a ready one of its kind and vector
 * length; which of those that meet conditions the daemon chooses. -ENODEV, SL_E_NOT_FOUND for none,
 * SL_E_MISMATCH where they differ in what they measure, with `diag` set. */
int sl_job_sender_choose(struct sl_job_sender *sender, struct sl_diag *diag);

/* Sends the body of a job, of that group (0: of none), under one key in each try: a lost answer
 * makes no second job. */
int sl_job_sender_post(struct sl_client *client, uint64_t group, const struct sl_buf *body,
                       uint64_t *out_job, struct sl_diag *diag);

/* Tells a job more than its experiment: the device, and what its files show. The texts are the
 * sender's, until it fills another. */
void sl_job_sender_fill(struct sl_job_sender *sender, struct sl_spec *spec);

/* Sends what the daemon does not have of the experiment's files, and the job. 0 or a code with
 * `diag` set. */
int sl_job_sender_send(struct sl_job_sender *sender, size_t experiment, uint64_t *out_job,
                       struct sl_diag *diag);
