/* host/rundir/import_outputs.c */
#include "host/rundir/import_outputs.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/format/scalar_type.h"
#include "host/analysis/agreement.h"
#include "host/rundir/rundir.h"

#define MAX_OUTPUT_BYTES ((size_t)1 << 30)
static const double tolerance = 1e-4; /* of the reference's peak */

/* By its name; -1: there is no such type. */
static int type_of(const cJSON *output)
{
    const char *name = sl_rundir_text(output, "type");
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
    int rc = sl_rundir_file(&place, sl_rundir_text(output, "file"), path, NULL);
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
        sl_agreement_add(out, type, (struct sl_bytes){bytes[0].data, bytes[0].size},
                         (struct sl_bytes){bytes[1].data, bytes[1].size});
        sl_buf_fini(&bytes[1]);
    }
    sl_buf_fini(&bytes[0]);
    return rc == 0;
}

bool sl_import_outputs(const char *directory, const struct cJSON *baseline,
                       const struct cJSON *candidate, struct sl_agreement *out)
{
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(baseline, "outputs");
    const cJSON *b = cJSON_GetObjectItemCaseSensitive(candidate, "outputs");
    struct sl_agreement made;
    int count = cJSON_IsArray(a) && cJSON_IsArray(b) ? cJSON_GetArraySize(a) : 0;
    if (count == 0 || count != cJSON_GetArraySize(b))
        return false;
    sl_agreement_init(&made, tolerance);
    for (int i = 0; i < count; i++)
        if (!add(directory, cJSON_GetArrayItem(a, i), cJSON_GetArrayItem(b, i), &made))
            return false;
    *out = made;
    return true;
}
