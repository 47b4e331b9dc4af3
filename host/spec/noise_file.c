/* host/spec/noise_file.c */
#include "host/spec/noise_file.h"

#include <math.h>

#include "common/base/buf.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/paths.h"
#include "host/spec/policy_file.h"

double sl_noise_file_parse(struct sl_bytes text)
{
    struct cJSON *document = NULL;
    struct sl_json_reader reader = {.error =
                                        sl_json_doc_parse(text, "noise.json", &document, NULL)};
    struct sl_json_at root = sl_json_root(&reader, document);
    bool known = sl_json_is_text(sl_json_member(&root, "schema"), "sme2lab.noise/1");
    double found = 0;
    sl_json_get_real(sl_json_member(&root, "noise_floor"), 0, SL_NOISE_MAX_FLOOR, &found);
    sl_json_doc_free(document);
    return known && found > 0 ? found : (double)NAN;
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
