/* host/spec/policy_file.c */
#include "host/spec/policy_file.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "host/spec/json_doc.h"

enum { PROBED_DIGITS = 16, MAX_FAMILY_NAME = 31 };

static const char *const keys[] = {"schema",        "fingerprint", "device",        "unit",
                                   "note",          "measured_at", "agent_version", "svl",
                                   "streaming_off", "default",     "families"};

static bool is_word(const char *text, size_t max, const char *letters)
{
    size_t len = strlen(text);
    return len > 0 && len <= max && strspn(text, letters) == len;
}

/* A text that must be there and be of these letters. */
static int read_word(const struct sl_json_at *root, const char *key, const char *letters, char *out,
                     size_t size, struct sl_diag *diag)
{
    const char *text = "";
    struct sl_json_at at = sl_json_member(root, key);
    int rc = sl_json_get_text(&at, &text, diag);
    if (rc == 0 && !is_word(text, size - 1, letters))
        rc = sl_json_refuse(&at, diag, "This must be a short word");
    if (rc == 0)
        snprintf(out, size, "%s", text);
    return rc;
}

static int read_families(const struct sl_json_at *list, char out[SL_SELECTOR_BYTES],
                         struct sl_diag *diag)
{
    size_t used = 0, count = sl_json_size(list);
    int rc = sl_json_need_array(list, diag);
    if (rc == 0 && count > SL_POLICY_FILE_MAX_FAMILIES)
        rc = sl_json_refuse(list, diag, "These are more families than there can be");
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const char *name = "";
        struct sl_json_at at = sl_json_item(list, i);
        rc = sl_json_get_text(&at, &name, diag);
        if (rc == 0 && (!is_word(name, MAX_FAMILY_NAME, "abcdefghijklmnopqrstuvwxyz_0123456789") ||
                        used + strlen(name) + 2 > SL_SELECTOR_BYTES))
            rc = sl_json_refuse(&at, diag, "This is no name of a family of kernels");
        if (rc == 0)
            used += (size_t)snprintf(out + used, SL_SELECTOR_BYTES - used, "%s%s", i > 0 ? "," : "",
                                     name);
    }
    if (rc == 0 && count == 0)
        snprintf(out, SL_SELECTOR_BYTES, "none");
    return rc;
}

static int read_root(const struct sl_json_at *root, struct sl_policy_file *out,
                     struct sl_diag *diag)
{
    char schema[32];
    struct sl_json_at list = sl_json_member(root, "streaming_off"),
                      unit = sl_json_member(root, "unit"), at = sl_json_member(root, "schema");
    int rc = sl_json_need_object(root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(root, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc == 0)
        rc = read_word(root, "schema", "abcdefghijklmnopqrstuvwxyz./0123456789", schema,
                       sizeof(schema), diag);
    if (rc == 0 && strcmp(schema, "sme2lab.policy/1") != 0)
        rc = sl_json_refuse(&at, diag, "This must be sme2lab.policy/1");
    if (rc == 0)
        rc = read_word(root, "fingerprint", "abcdefghijklmnopqrstuvwxyz-0123456789",
                       out->fingerprint, sizeof(out->fingerprint), diag);
    if (rc == 0)
        rc = read_word(root, "unit", "abcdefghijklmnopqrstuvwxyz", out->unit, sizeof(out->unit),
                       diag);
    if (rc == 0 && strcmp(out->unit, "ns") != 0 && strcmp(out->unit, "instructions") != 0)
        rc = sl_json_refuse(&unit, diag, "This must be ns or instructions");
    return rc == 0 ? read_families(&list, out->streaming_off, diag) : rc;
}

int sl_policy_file_parse(struct sl_bytes text, const char *file, struct sl_policy_file *out,
                         struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_policy_file read = {.fingerprint = ""};
    int rc = sl_json_doc_parse(text, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    rc = read_root(&root, &read, diag);
    if (rc == 0)
        *out = read;
    sl_json_doc_free(document);
    return rc;
}

int sl_device_fingerprint(const char *probed, bool emulated, char out[SL_FINGERPRINT_BYTES])
{
    if (strlen(probed) != PROBED_DIGITS || strspn(probed, "0123456789abcdef") != PROBED_DIGITS)
        return SL_E_FORMAT;
    snprintf(out, SL_FINGERPRINT_BYTES, "%s%s", emulated ? "emulated-" : "", probed);
    return 0;
}

int sl_device_file_path(const char *state, const char *fingerprint, const char *name,
                        char out[SL_PATH_BYTES])
{
    int rc = sl_path_join(out, SL_PATH_BYTES, state, "devices/%s/%s", fingerprint, name);
    return rc < 0 ? SL_E_LIMIT : 0;
}
