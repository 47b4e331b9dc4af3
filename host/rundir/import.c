/* host/rundir/import.c */
#include "host/rundir/import.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/format/scalar_type.h"
#include "host/analysis/agreement.h"
#include "host/rundir/output_type.h"
#include "host/rundir/rundir.h"
#include "host/rundir/trace_beside.h"
#include "host/spec/json_value.h"

#define MAX_EXECUTIONS 1e7
#define MAX_OUTPUT_BYTES ((size_t)1 << 30)
#define MAX_IMPORT_BYTES ((size_t)1 << 26)

int sl_import_read(const char *path, struct cJSON **out)
{
    char name[SL_RUNDIR_PATH_BYTES];
    struct sl_buf bytes;
    sl_path_join(name, sizeof(name), path, "import.json");
    *out = NULL;
    int rc = sl_buf_read_file(name, MAX_IMPORT_BYTES, &bytes);
    if (rc < 0)
        return rc;
    *out = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    sl_buf_fini(&bytes);
    const char *schema = sl_value_text(*out, "schema", NULL);
    if (schema && strcmp(schema, "sme2lab.import/1") == 0)
        return 0;
    cJSON_Delete(*out);
    *out = NULL;
    return SL_E_FORMAT;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static double threads_of(const cJSON *object)
{
    return sl_value_number(object, "threads", 0);
}

int sl_import_check(const char *path, struct sl_diag *diag)
{
    cJSON *import = NULL;
    int rc = sl_import_read(path, &import);
    cJSON_Delete(import);
    if (rc < 0)
        sl_diag_hint(diag, "name a directory that 'sme2lab run' with external runners, or 'sme2lab "
                           "import', wrote");
    return rc < 0 ? sl_diag_set(diag, rc, path, "import.json cannot be read: %s", sl_strerror(rc))
                  : 0;
}

/* {"experiment": NAME, "threads": N} of a pair. */
static bool is_side(const cJSON *pair, const char *key, const cJSON *run)
{
    const cJSON *side = sl_value(pair, key);
    return same(sl_value_text(side, "experiment", NULL), sl_value_text(run, "experiment", NULL)) &&
           threads_of(side) == threads_of(run);
}

bool sl_import_has_pairs(const struct cJSON *import)
{
    const cJSON *pair = sl_value(import, "pair");
    const cJSON *pairs = sl_value(import, "pairs");
    return (sl_value_text(pair, "baseline", NULL) && sl_value_text(pair, "candidate", NULL)) ||
           (cJSON_IsArray(pairs) && cJSON_GetArraySize(pairs) > 0);
}

const struct cJSON *sl_import_pair(const struct cJSON *import, const struct cJSON *baseline,
                                   const struct cJSON *candidate)
{
    const cJSON *pair = sl_value(import, "pair");
    const cJSON *pairs = sl_value(import, "pairs");
    if (same(sl_value_text(pair, "baseline", NULL), sl_value_text(baseline, "experiment", NULL)) &&
        same(sl_value_text(pair, "candidate", NULL),
             sl_value_text(candidate, "experiment", NULL)) &&
        threads_of(baseline) == threads_of(candidate))
        return pair;
    cJSON_ArrayForEach(pair, pairs)
    {
        if (is_side(pair, "baseline", baseline) && is_side(pair, "candidate", candidate))
            return pair;
    }
    return NULL;
}

bool sl_import_traced(const struct cJSON *run)
{
    return same(sl_value_text(run, "mode", NULL), "xnntrace");
}

/* --- outputs --- */

/* By its name; -1: there is no such type. */
static int type_of(const cJSON *output)
{
    const char *name = sl_value_text(output, "type", NULL);
    for (int type = 0; name && type <= SL_SCALAR_UINT64; type++)
        if (sl_scalar_size(type) > 0 && strcmp(sl_scalar_name(type), name) == 0)
            return type;
    return -1;
}

static int read_output(const char *directory, const cJSON *output, struct sl_buf *out)
{
    struct sl_rundir place = {.manifest = NULL};
    char path[SL_RUNDIR_PATH_BYTES];
    snprintf(place.path, sizeof(place.path), "%.1000s", directory);
    int rc = sl_rundir_file(&place, sl_value_text(output, "file", NULL), path, NULL);
    return rc < 0 ? rc : sl_buf_read_file(path, MAX_OUTPUT_BYTES, out);
}

static bool add(const char *directory, const cJSON *a, const cJSON *b, struct sl_agreement *out)
{
    struct sl_buf bytes[2];
    int type = type_of(a);
    if (type < 0 || type != type_of(b) || read_output(directory, a, &bytes[0]) < 0)
        return false;
    int rc = read_output(directory, b, &bytes[1]);
    if (rc == 0) {
        const struct sl_output_type of = sl_output_type_read(a, type);
        sl_agreement_add(out, &of, (struct sl_bytes){bytes[0].data, bytes[0].size},
                         (struct sl_bytes){bytes[1].data, bytes[1].size});
        sl_buf_fini(&bytes[1]);
    }
    sl_buf_fini(&bytes[0]);
    return rc == 0;
}

bool sl_import_outputs(const char *directory, const struct cJSON *baseline,
                       const struct cJSON *candidate, struct sl_agreement *out)
{
    const cJSON *a = sl_value(baseline, "outputs");
    const cJSON *b = sl_value(candidate, "outputs");
    struct sl_agreement made;
    int count = cJSON_IsArray(a) && cJSON_IsArray(b) ? cJSON_GetArraySize(a) : 0;
    if (count == 0 || count != cJSON_GetArraySize(b))
        return false;
    sl_agreement_init(&made);
    for (int i = 0; i < count; i++)
        if (!add(directory, cJSON_GetArrayItem(a, i), cJSON_GetArrayItem(b, i), &made))
            return false;
    *out = made;
    return true;
}

/* --- processes --- */

/* "rounds", "warmup" and "together" of a run; false where they cannot be. */
static bool read_rounds(const struct cJSON *run, struct sl_rounds *out)
{
    const cJSON *round, *all = sl_value(run, "rounds");
    double warmup = sl_value_number(run, "warmup", 0);
    struct sl_rounds rounds = {.together = cJSON_IsTrue(sl_value(run, "together"))};
    if (!cJSON_IsArray(all) || !(warmup >= 0 && warmup <= MAX_EXECUTIONS))
        return false;
    rounds.warmup = (uint32_t)warmup;
    cJSON_ArrayForEach(round, all)
    {
        double executions = sl_value_number(round, "executions", 0);
        if (rounds.count == SL_ROUNDS_MAX || !(executions >= 1 && executions <= MAX_EXECUTIONS))
            return false;
        rounds.executions[rounds.count++] = (uint32_t)executions;
    }
    *out = rounds;
    return rounds.count > 0;
}

/* "cold" of a run; what cannot be is none. */
static void read_cold(const struct cJSON *run, struct sl_import_said *out)
{
    double cold = sl_value_number(run, "cold", -1);
    out->has_cold = cold >= 0 && cold <= MAX_EXECUTIONS;
    out->cold = out->has_cold ? (uint32_t)cold : 0;
}

static bool find_in(const char *folder, struct sl_bytes file, struct sl_import_said *out)
{
    cJSON *import = NULL;
    const cJSON *run, *runs;
    char sha256[SL_SHA256_HEX_SIZE];
    bool found = false;
    if (sl_import_read(folder, &import) < 0)
        return false;
    sl_sha256_hex(file.data, file.size, sha256);
    runs = sl_value(import, "runs");
    cJSON_ArrayForEach(run, runs)
    {
        const char *theirs = sl_value_text(run, "etdump_sha256", NULL);
        if (found || !theirs || strcmp(theirs, sha256) != 0)
            continue;
        found = true;
        read_cold(run, out);
        if (!read_rounds(run, &out->rounds))
            out->rounds.count = 0;
    }
    cJSON_Delete(import);
    return found;
}

void sl_import_find(const char *etdump_path, struct sl_bytes file, struct sl_import_said *out)
{
    struct sl_folders folders;
    *out = (struct sl_import_said){.has_cold = false};
    if (sl_folders_beside(etdump_path, &folders) && !find_in(folders.own, file, out))
        find_in(folders.above, file, out);
}
