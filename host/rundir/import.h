/* host/rundir/import.h: import.json, which an import or external runners left in the place of a
 * manifest: runs, the processes that they are of, their outputs, and which of them to compare. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/analysis/rounds.h"

struct cJSON;
struct sl_agreement;
struct sl_diag;

/* How a log of XNNPACK's kernels ends. One without an ETDump stands in "logs", not in "runs". */
#define SL_IMPORT_LOG "_xnntrace.log"

/* import.json of a directory that `import` made; end it with cJSON_Delete(). 0, -ENOENT where the
 * directory is none, SL_E_FORMAT ... */
int sl_import_read(const char *path, struct cJSON **out);
/* Is there one that can be read? 0 or a negative code with `diag` set. */
int sl_import_check(const char *path, struct sl_diag *diag);
/* Does it say which runs are to be compared, and are these two? By "pair" runs of two experiments
 * at equal threads, by "pairs" those of the experiments and threads that each names. */
bool sl_import_has_pairs(const struct cJSON *import);
/* The declaration itself (it may have a "label"), borrowed; NULL: they are not. */
const struct cJSON *sl_import_pair(const struct cJSON *import, const struct cJSON *baseline,
                                   const struct cJSON *candidate);

/* Is it a run of the mode xnntrace? Its kernels are of account, its times are not. */
bool sl_import_traced(const struct cJSON *run);

/* Compares the files of outputs that it names for two runs of the directory, the first being the
 * reference. False where nothing was compared: a side has none, or they cannot be read. */
bool sl_import_outputs(const char *directory, const struct cJSON *baseline,
                       const struct cJSON *candidate, struct sl_agreement *out);

/* How an ETDump was recorded, from the import. */
struct sl_import_said {
    struct sl_rounds rounds; /* its processes; none: count 0 */
    bool has_cold;           /* so many of its first runs were said to be warm-up */
    uint32_t cold;
};

/* Looks into the import.json of the file's directory and of the one above for the run whose ETDump
 * has the SHA-256 of `file`, its bytes. All zero where neither knows it. */
void sl_import_find(const char *etdump_path, struct sl_bytes file, struct sl_import_said *out);
