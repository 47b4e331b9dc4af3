/* host/rundir/kit_import.c: import.json, and which of its runs are to be compared. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/rundir/armkit.h"
#include "host/rundir/rundir.h"

#define MAX_IMPORT_BYTES ((size_t)1 << 26)

int sl_import_read(const char *path, struct cJSON **out)
{
    char name[SL_RUNDIR_PATH_BYTES];
    struct sl_buf bytes;
    snprintf(name, sizeof(name), "%.1000s/import.json", path);
    *out = NULL;
    int rc = sl_buf_read_file(name, MAX_IMPORT_BYTES, &bytes);
    if (rc < 0)
        return rc;
    *out = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    sl_buf_fini(&bytes);
    const char *schema = sl_rundir_text(*out, "schema");
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
    return sl_rundir_number(object, "threads", 0);
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
    const cJSON *side = cJSON_GetObjectItemCaseSensitive(pair, key);
    return same(sl_rundir_text(side, "experiment"), sl_rundir_text(run, "experiment")) &&
           threads_of(side) == threads_of(run);
}

bool sl_import_has_pairs(const struct cJSON *import)
{
    const cJSON *pair = cJSON_GetObjectItemCaseSensitive(import, "pair");
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(import, "pairs");
    return (sl_rundir_text(pair, "baseline") && sl_rundir_text(pair, "candidate")) ||
           (cJSON_IsArray(pairs) && cJSON_GetArraySize(pairs) > 0);
}

const struct cJSON *sl_import_pair(const struct cJSON *import, const struct cJSON *baseline,
                                   const struct cJSON *candidate)
{
    const cJSON *pair = cJSON_GetObjectItemCaseSensitive(import, "pair");
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(import, "pairs");
    if (same(sl_rundir_text(pair, "baseline"), sl_rundir_text(baseline, "experiment")) &&
        same(sl_rundir_text(pair, "candidate"), sl_rundir_text(candidate, "experiment")) &&
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
    return same(sl_rundir_text(run, "mode"), "xnntrace");
}
