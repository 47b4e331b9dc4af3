/* host/report/baseline.h: what models executed once, kept in a file of a repository, so that a
 * later build is held against it on any machine.
 *
 * {"schema":"sme2lab.baseline/1","arms":[{"model","experiment","runtime","threads","svl_bits",
 * "sme2":"off"|"on","model_sha256","instructions","estimates":[{"profile","profile_sha256",
 * "mid_ns"}],"operators":{NAME:instructions}}]}: instructions of one execution, whole and by
 * operator, and the estimated time of it on named silicon. Sorted, so that equal runs give equal
 * bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_buf;
struct sl_diag;
struct sl_json;

enum {
    SL_BASELINE_MAX_ARMS = 512,
    SL_BASELINE_MAX_OPERATORS = 4096,
    SL_BASELINE_MAX_ESTIMATES = 8,
    SL_BASELINE_NAME_BYTES = 128,
};

struct sl_baseline_operator {
    char name[SL_BASELINE_NAME_BYTES];
    uint64_t insns;
};

struct sl_baseline_estimate {
    char profile[32], profile_sha256[68];
    double mid_ns; /* whole */
};

/* One model, one way of running it, SME2 off or on. */
struct sl_baseline_arm {
    char model[SL_BASELINE_NAME_BYTES], experiment[SL_BASELINE_NAME_BYTES], runtime[32];
    uint32_t threads, svl_bits;
    bool on;
    char model_sha256[68];
    uint64_t insns;
    struct sl_baseline_estimate estimates[SL_BASELINE_MAX_ESTIMATES];
    size_t estimate_count;
    struct sl_baseline_operator *operators; /* owned; by name */
    size_t operator_count;
};

/* All zero at first; end with sl_baseline_fini(). */
struct sl_baseline {
    struct sl_baseline_arm *arms; /* owned; by what tells them apart */
    size_t count;
};
void sl_baseline_fini(struct sl_baseline *baseline);

/* Reads a file's text; `file` is for messages. 0, SL_E_FORMAT, SL_E_LIMIT or -ENOMEM. */
int sl_baseline_read(struct sl_bytes text, const char *file, struct sl_baseline *out,
                     struct sl_diag *diag);
int sl_baseline_write(const struct sl_baseline *baseline, struct sl_buf *out);

/* The members that tell an arm from others, into an open object. */
void sl_baseline_put_key(struct sl_json *json, const struct sl_baseline_arm *arm);

/* Adds an arm, whose operators it takes over whatever it returns: SL_E_FORMAT with words for one
 * that is there, SL_E_LIMIT, -ENOMEM. */
int sl_baseline_add(struct sl_baseline *baseline, struct sl_baseline_arm *arm,
                    struct sl_diag *diag);

/* The arm that ran the same thing the same way; NULL: none. */
const struct sl_baseline_arm *sl_baseline_find(const struct sl_baseline *baseline,
                                               const struct sl_baseline_arm *like);

/* One figure of an arm, before and now. Texts are borrowed from both baselines. */
struct sl_baseline_change {
    const struct sl_baseline_arm *arm; /* as it was */
    const char *profile;               /* of an estimated time; NULL: instructions */
    double before, now;
    /* The operator that grew most where the arm grew, else the one that shrank most; NULL: every
     * operator is as it was, or a time is compared. 0 before or now: it was not there. */
    const char *operator_name;
    double operator_before, operator_now;
};

enum { SL_BASELINE_MAX_CHANGES = 1 + SL_BASELINE_MAX_ESTIMATES };

/* Compares an arm with what it is now: how many figures both have, into `out`. Times are compared
 * where the profile's file is the same. */
size_t sl_baseline_compare(const struct sl_baseline_arm *before, const struct sl_baseline_arm *now,
                           struct sl_baseline_change out[SL_BASELINE_MAX_CHANGES]);
