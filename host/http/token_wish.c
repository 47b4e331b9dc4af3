/* host/http/token_wish.c */
#include "host/http/token_wish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/json_doc.h"
#include "host/spec/names.h"

enum { MAX_EXPIRY_S = 10 * 366 * 86400 };

static int copy_text(const struct sl_json_at *at, char *out, size_t size, struct sl_diag *diag)
{
    const char *text = NULL;
    int rc = sl_json_get_text(at, &text, diag);
    if (rc < 0 || !text)
        return rc;
    if (strlen(text) >= size)
        return sl_json_refuse(at, diag, "This has %zu bytes, more than %zu", strlen(text),
                              size - 1);
    snprintf(out, size, "%s", text);
    return 0;
}

static int read_wish(const struct sl_json_at *root, struct sl_http_token_wish *out,
                     struct sl_diag *diag)
{
    static const char *const keys[] = {"name", "role", "expires_in_s"};
    char role[16] = "read";
    int rc = sl_json_need_object(root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(root, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc < 0)
        return rc;
    struct sl_json_at name = sl_json_member(root, "name"), role_at = sl_json_member(root, "role");
    struct sl_json_at expires = sl_json_member(root, "expires_in_s");
    rc = copy_text(&name, out->name, sizeof(out->name), diag);
    if (rc == 0 && !out->name[0])
        rc = sl_json_refuse(&name, diag, "A token needs a name that says whose it is");
    if (rc == 0)
        rc = copy_text(&role_at, role, sizeof(role), diag);
    out->role = sl_token_role_of_name(role);
    if (rc == 0 && out->role == 0)
        rc = sl_json_refuse(&role_at, diag, "A role is read, submit or admin");
    return rc == 0 ? sl_json_get_integer(&expires, 1, MAX_EXPIRY_S, &out->expires_in_s, diag) : rc;
}

int sl_http_token_wish_read(struct sl_bytes body, struct sl_http_token_wish *out,
                            struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_http_token_wish read = {0};
    int rc = body.size == 0
                 ? sl_diag_set(diag, SL_E_FORMAT, "body", "there is no JSON in the request")
                 : sl_json_doc_parse(body, "body", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    rc = read_wish(&root, &read, diag);
    sl_json_doc_free(document);
    if (rc == 0)
        *out = read;
    return rc;
}
