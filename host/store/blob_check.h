/* host/store/blob_check.h: reads blobs and compares their SHA-256 with their names. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/records.h"
#include "host/store/findings.h"

struct sl_blobs;

/* One step through the blobs in the order of their names. The caller sets the first four. */
struct sl_blob_check {
    bool mend;                   /* sets damaged blobs aside */
    uint32_t most_ms;            /* the step begins no further blob after so long */
    const atomic_bool *stop;     /* ends the step at once, from any thread; NULL: nobody does */
    char after[SL_DIGEST_BYTES]; /* the step begins behind this name; "": at the first blob */
    char next[SL_DIGEST_BYTES];  /* out: `after` of the next step; "": this was the last one */
    uint64_t files, bytes;       /* out: what was read */
    struct sl_findings found;    /* out; end it with sl_findings_fini() in any case */
};

/* Reads at least one blob, where there is one, and blocks for as long as that takes: for a worker
 * thread. 0, -ECANCELED after `stop`, or another negative code: then nothing is known of the rest.
 */
int sl_blob_check(const struct sl_blobs *blobs, struct sl_blob_check *check);
