/* host/spec/policy_file.c */
#include "host/spec/policy_file.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"

enum { PROBED_DIGITS = 16, MAX_FAMILY_NAME = 31 };

static const char *const keys[] = {"schema",        "fingerprint",    "device",        "unit",
                                   "note",          "measured_at",    "agent_version", "svl",
                                   "streaming_off", "default",        "families",      "source",
                                   "profile",       "profile_sha256", "operators_off", "operators",
                                   "estimated"};

static bool is_word(const char *text, size_t max, const char *letters)
{
    size_t len = strlen(text);
    return len > 0 && len <= max && strspn(text, letters) == len;
}

/* A text that must be there and be of these letters. */
static void read_word(struct sl_json_at at, const char *letters, char *out, size_t size)
{
    const char *text = sl_json_get_text(at);
    if (!text || !is_word(text, size - 1, letters))
        sl_json_refuse(&at, "This must be a short word");
    else
        snprintf(out, size, "%s", text);
}

static void read_families(const struct sl_json_at *list, char out[SL_SELECTOR_BYTES])
{
    size_t used = 0, count = sl_json_need_array(list, SL_POLICY_FILE_MAX_FAMILIES, "families");
    snprintf(out, SL_SELECTOR_BYTES, "%s", count == 0 ? "none" : "");
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at)) {
        const char *name = sl_json_get_text(at);
        if (!name || !is_word(name, MAX_FAMILY_NAME, "abcdefghijklmnopqrstuvwxyz_0123456789") ||
            used + strlen(name) + 2 > SL_SELECTOR_BYTES)
            sl_json_refuse(&at, "This is no name of a family of kernels");
        else
            used += (size_t)snprintf(out + used, SL_SELECTOR_BYTES - used, "%s%s",
                                     used > 0 ? "," : "", name);
    }
}

/* A table of one model: what it is estimated for, and its operators. */
static void read_estimated(const struct sl_json_at *root, struct sl_policy_file *out)
{
    struct sl_json_at off = sl_json_member(root, "operators_off");
    read_word(sl_json_member(root, "profile"), "abcdefghijklmnopqrstuvwxyz-_.0123456789",
              out->profile, sizeof(out->profile));
    const char *text = off.value ? sl_json_get_text(off) : "";
    if (!text || strlen(text) >= sizeof(out->operators_off) ||
        strspn(text, "0123456789.,-") != strlen(text))
        sl_json_refuse(&off, "This must be places such as 0.3.17-20,0.4");
    else
        snprintf(out->operators_off, sizeof(out->operators_off), "%s", text);
}

static void read_root(const struct sl_json_at *root, struct sl_policy_file *out)
{
    struct sl_json_at schema = sl_json_member(root, "schema"), unit = sl_json_member(root, "unit"),
                      source = sl_json_member(root, "source"),
                      list = sl_json_member(root, "streaming_off");
    sl_json_need_object(root, keys, sizeof(keys) / sizeof(keys[0]), 0);
    if (!sl_json_is_text(schema, "sme2lab.policy/1"))
        sl_json_refuse(&schema, "This must be sme2lab.policy/1");
    if (sl_json_is_text(source, "estimated"))
        read_estimated(root, out);
    else if (source.value && !sl_json_is_text(source, "all"))
        sl_json_refuse(&source, "This must be estimated or all");
    else if (!source.value)
        read_word(sl_json_member(root, "fingerprint"), "abcdefghijklmnopqrstuvwxyz-0123456789",
                  out->fingerprint, sizeof(out->fingerprint));
    read_word(unit, "abcdefghijklmnopqrstuvwxyz", out->unit, sizeof(out->unit));
    if (strcmp(out->unit, "ns") != 0 && strcmp(out->unit, "instructions") != 0)
        sl_json_refuse(&unit, "This must be ns or instructions");
    read_families(&list, out->streaming_off);
}

int sl_policy_file_parse(struct sl_bytes text, const char *file, struct sl_policy_file *out,
                         struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_policy_file read = {.fingerprint = ""};
    int rc = sl_json_doc_parse(text, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_root(&root, &read);
    if (reader.error == 0)
        *out = read;
    sl_json_doc_free(document);
    return reader.error;
}

void sl_policy_file_words(const struct sl_policy_file *file, char out[SL_POLICY_WORDS_BYTES])
{
    snprintf(out, SL_POLICY_WORDS_BYTES, "%s%s%s", file->streaming_off,
             file->operators_off[0] ? ";" : "", file->operators_off);
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
