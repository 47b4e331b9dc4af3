/* host/rundir/cross_outputs.c */
#include "host/rundir/cross_outputs.h"

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "host/analysis/agreement.h"
#include "host/rundir/output_type.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_value.h"

enum { MAX_OUTPUT_BYTES = 1 << 30 };

static int read_output(const struct sl_rundir *directory, int level, const cJSON *output,
                       struct sl_buf *out)
{
    char path[SL_RUNDIR_PATH_BYTES];
    const char *name = sl_value_text(output, sl_rundir_levels[level], NULL);
    int rc = sl_rundir_file(directory, name, path, NULL);
    return rc < 0 ? rc : sl_buf_read_file(path, MAX_OUTPUT_BYTES, out);
}

static bool is_type(double value)
{
    return value >= 0 && value < 256;
}

static bool add_output(const struct sl_rundir *const directories[2], const int levels[2],
                       const cJSON *const outputs[2], struct sl_agreement *agreement)
{
    double type = sl_value_number(outputs[0], "scalar_type", -1);
    double other = sl_value_number(outputs[1], "scalar_type", -1);
    struct sl_buf bytes[2];
    if (!is_type(type) || !is_type(other))
        return false;
    if (type != other) {
        sl_agreement_refuse(agreement, "an output has another type");
        return true;
    }
    if (read_output(directories[0], levels[0], outputs[0], &bytes[0]) < 0)
        return false;
    bool read = read_output(directories[1], levels[1], outputs[1], &bytes[1]) == 0;
    if (read) {
        const struct sl_output_type of = sl_output_type_read(outputs[0], (int)type);
        sl_agreement_add(agreement, &of, (struct sl_bytes){bytes[0].data, bytes[0].size},
                         (struct sl_bytes){bytes[1].data, bytes[1].size});
        sl_buf_fini(&bytes[1]);
    }
    sl_buf_fini(&bytes[0]);
    return read;
}

bool sl_cross_outputs(const struct sl_rundir *const directories[2], const int levels[2],
                      struct sl_agreement *out)
{
    const cJSON *all[2];
    struct sl_agreement made;
    for (int i = 0; i < 2; i++)
        all[i] = sl_value(directories[i]->manifest, "outputs");
    bool kept = cJSON_IsArray(all[0]) && cJSON_IsArray(all[1]);
    int count = kept ? cJSON_GetArraySize(all[0]) : 0;
    int others = kept ? cJSON_GetArraySize(all[1]) : 0;
    if (count == 0 || others == 0)
        return false;
    sl_agreement_init(&made);
    made.asked = sl_value_number(directories[0]->manifest, "tolerance", 0);
    if (count != others)
        sl_agreement_refuse(&made, "there is another number of outputs");
    for (int i = 0; i < count && count == others; i++) {
        const cJSON *const outputs[2] = {cJSON_GetArrayItem(all[0], i),
                                         cJSON_GetArrayItem(all[1], i)};
        if (!add_output(directories, levels, outputs, &made))
            return false;
    }
    *out = made;
    return true;
}
