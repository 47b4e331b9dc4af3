/* host/rundir/archive_list.h: the list in front of an archive of runs (sme2lab.export/1): every
 * file of every run. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/digest.h"

struct sl_buf;
struct sl_diag;

#define SL_ARCHIVE_LIST "sme2lab-export.json"

enum { SL_ARCHIVE_NAME_BYTES = 64, SL_ARCHIVE_PATH_BYTES = 512, SL_ARCHIVE_MAX_RUNS = 256 };

struct sl_archive_file {
    char *path; /* owned; below the run's directory */
    uint64_t bytes;
    char sha256[SL_SHA256_HEX_SIZE];
};

struct sl_archive_run {
    char name[SL_ARCHIVE_NAME_BYTES]; /* its directory in the archive */
    char *directory;                  /* owned; where its files lie here */
    uint64_t run;                     /* its number in the store that it came from; 0: none */
    struct sl_archive_file *files;    /* owned; by path */
    size_t count;
};

struct sl_archive {
    struct sl_archive_run *runs; /* owned */
    size_t count;
};

/* Appends the list. 0 or the buffer's failure. */
int sl_archive_list_write(const struct sl_archive *archive, struct sl_buf *out);

/* Reads it into `out`, all zero before: names and paths lead down and nowhere else, no two runs
 * have one name. 0, SL_E_FORMAT or SL_E_LIMIT with words, or -ENOMEM. */
int sl_archive_list_read(struct sl_bytes text, struct sl_archive *out, struct sl_diag *diag);

/* In every case, also after a failure; the struct was all zero before its first use. */
void sl_archive_fini(struct sl_archive *archive);
