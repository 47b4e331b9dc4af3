/* host/daemon/policies.c */
#include "host/daemon/policies.h"

#include <errno.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "host/spec/json_value.h"
#include "host/spec/paths.h"
#include "host/spec/policy_file.h"

enum { RUN_PATH_BYTES = 1100 };

/* Reads and checks one; -ENOENT where there is none. */
static int read_table(const char *path, struct sl_buf *text, char out[SL_POLICY_WORDS_BYTES],
                      struct sl_diag *diag)
{
    struct sl_policy_file file;
    struct sl_diag why = {.what = ""};
    int rc = sl_buf_read_file(path, SL_POLICY_FILE_MAX_BYTES, text);
    if (rc == -ENOENT)
        return rc;
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The device's table cannot be read (%s)",
                           sl_strerror(rc));
    rc = sl_policy_file_parse((struct sl_bytes){text->data, text->size}, path, &file, &why);
    if (rc == 0) {
        sl_policy_file_words(&file, out);
        return 0;
    }
    sl_buf_fini(text);
    sl_diag_hint(diag, "make it again by `sme2lab kernels bench --tune`, or remove it");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, path,
                       "%s is no table of what runs in streaming mode: %s: %s", path, why.where,
                       why.what);
}

/* The table of the device, in the daemon's directory or its user's. */
static int find_table(const char *fingerprint, const char *state_dir, struct sl_buf *text,
                      char out[SL_POLICY_WORDS_BYTES], struct sl_diag *diag)
{
    char path[SL_PATH_BYTES], users[SL_PATH_BYTES];
    int rc = sl_device_file_path(state_dir, fingerprint, "policy.json", path);
    if (rc == 0)
        rc = read_table(path, text, out, diag);
    if (rc == -ENOENT && sl_paths_state(users, NULL) == 0 &&
        sl_device_file_path(users, fingerprint, "policy.json", path) == 0)
        rc = read_table(path, text, out, diag);
    return rc;
}

/* The one that came with the job; that it is not there is a failure. */
static int read_sent(const char *state_dir, const char *sha256, struct sl_buf *text,
                     char out[SL_POLICY_WORDS_BYTES], struct sl_diag *diag)
{
    char path[SL_PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), state_dir, "blobs/%s", sha256);
    if (rc == 0)
        rc = read_table(path, text, out, diag);
    return rc == -ENOENT ? sl_diag_set(diag, SL_E_NOT_FOUND, "policy",
                                       "The table that the job names is not among the blobs")
                         : rc;
}

int sl_policies_take(const struct cJSON *probe, bool emulated, const char *state_dir,
                     const char *sent_sha256, const char *directory,
                     char out[SL_POLICY_WORDS_BYTES], struct sl_diag *diag)
{
    char path[RUN_PATH_BYTES], fingerprint[SL_FINGERPRINT_BYTES];
    const cJSON *probed = sl_value(probe, "fingerprint");
    struct sl_buf text;
    out[0] = '\0';
    sl_path_join(path, sizeof(path), directory, "policy.json");
    int rc = read_table(path, &text, out, diag);
    bool kept = rc == 0;
    if (rc == -ENOENT && sent_sha256)
        rc = read_sent(state_dir, sent_sha256, &text, out, diag);
    else if (rc == -ENOENT && cJSON_IsString(probed) &&
             sl_device_fingerprint(probed->valuestring, emulated, fingerprint) == 0)
        rc = find_table(fingerprint, state_dir, &text, out, diag);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return rc;
    if (!kept)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0 ? sl_diag_set(diag, rc, path,
                                "The run's copy of the device's table cannot be "
                                "written (%s)",
                                sl_strerror(rc))
                  : 0;
}

struct cJSON *sl_policies_of_run(const char *directory)
{
    char path[RUN_PATH_BYTES];
    struct sl_buf text;
    cJSON *table = NULL;
    sl_path_join(path, sizeof(path), directory, "policy.json");
    if (sl_buf_read_file(path, SL_POLICY_FILE_MAX_BYTES, &text) < 0)
        return NULL;
    table = cJSON_ParseWithLength((const char *)text.data, text.size);
    sl_buf_fini(&text);
    return table;
}
