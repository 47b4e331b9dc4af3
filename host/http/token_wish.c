/* host/http/token_wish.c */
#include "host/http/token_wish.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/utf8.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/names.h"

enum { MAX_EXPIRY_S = 10 * 366 * 86400, MAX_JOBS = 1000000 };

/* Scopes in words, or a role as the name of a set of them; without either, read. */
static uint32_t read_scopes(const struct sl_json_at *root)
{
    struct sl_json_at role_at = sl_json_member(root, "role");
    struct sl_json_at scopes_at = sl_json_member(root, "scopes");
    char role[16] = "read", words[SL_SCOPES_BYTES] = "read";
    uint32_t scopes = 0;
    sl_json_copy_text(role_at, role, sizeof(role));
    sl_json_copy_text(scopes_at, words, sizeof(words));
    if (role_at.value && scopes_at.value)
        sl_json_refuse(&scopes_at, "A token has a role or scopes, not both");
    if (role_at.value && sl_token_role_of_name(role) == 0)
        sl_json_refuse(&role_at, "A role is read, submit or admin");
    if (role_at.value)
        return sl_scopes_of_role(sl_token_role_of_name(role));
    if (sl_scopes_read(words, &scopes) < 0)
        sl_json_refuse(&scopes_at, "Scopes are read, submit, cancel-any, devices, admin and "
                                   "runner-code, with commas between them");
    return scopes;
}

static void read_wish(const struct sl_json_at *root, struct sl_http_token_wish *out)
{
    static const char *const keys[] = {"name", "role", "scopes", "max_jobs", "expires_in_s"};
    struct sl_json_at name = sl_json_member(root, "name");
    sl_json_need_object(root, keys, sizeof(keys) / sizeof(keys[0]), 0);
    sl_json_copy_text(name, out->name, sizeof(out->name));
    if (!out->name[0])
        sl_json_refuse(&name, "A token needs a name that says whose it is");
    if (!sl_utf8_is_plain(out->name))
        sl_json_refuse(&name, "A name has no control characters");
    if (strncmp(out->name, "uid:", 4) == 0)
        sl_json_refuse(&name, "Names with uid: are those of users at the Unix socket");
    out->scopes = read_scopes(root);
    sl_json_get_integer(sl_json_member(root, "max_jobs"), 1, MAX_JOBS, &out->max_jobs);
    sl_json_get_integer(sl_json_member(root, "expires_in_s"), 1, MAX_EXPIRY_S, &out->expires_in_s);
}

int sl_http_token_wish_read(struct sl_bytes body, struct sl_http_token_wish *out,
                            struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_http_token_wish read = {0};
    int rc = sl_json_doc_parse(body, "body", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_wish(&root, &read);
    sl_json_doc_free(document);
    if (reader.error == 0)
        *out = read;
    return reader.error;
}
