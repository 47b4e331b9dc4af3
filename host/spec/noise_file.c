/* host/spec/noise_file.c */
#include "host/spec/noise_file.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "host/spec/paths.h"
#include "host/spec/policy_file.h"

double sl_noise_file_parse(struct sl_bytes text)
{
    cJSON *file = cJSON_ParseWithLength((const char *)text.data, text.size);
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(file, "schema");
    const cJSON *floor = cJSON_GetObjectItemCaseSensitive(file, "noise_floor");
    bool good = cJSON_IsString(schema) && strcmp(schema->valuestring, "sme2lab.noise/1") == 0 &&
                cJSON_IsNumber(floor) && floor->valuedouble > 0 &&
                floor->valuedouble <= SL_NOISE_MAX_FLOOR;
    double found = good ? floor->valuedouble : (double)NAN;
    cJSON_Delete(file);
    return found;
}

static double find_in(const char *state_dir, const char *fingerprint)
{
    char path[SL_PATH_BYTES];
    struct sl_buf text;
    if (sl_device_file_path(state_dir, fingerprint, "noise.json", path) < 0 ||
        sl_buf_read_file(path, SL_NOISE_FILE_MAX_BYTES, &text) < 0)
        return NAN;
    double found = sl_noise_file_parse((struct sl_bytes){text.data, text.size});
    sl_buf_fini(&text);
    return found;
}

double sl_noise_file_find(const char *state_dir, const char *probed, bool emulated)
{
    char fingerprint[SL_FINGERPRINT_BYTES], users[SL_PATH_BYTES];
    if (!probed || sl_device_fingerprint(probed, emulated, fingerprint) < 0)
        return NAN;
    double found = find_in(state_dir, fingerprint);
    if (isnan(found) && sl_paths_state(users, NULL) == 0)
        found = find_in(users, fingerprint);
    return found;
}
