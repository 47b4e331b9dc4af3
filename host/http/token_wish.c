/* host/http/token_wish.c */
#include "host/http/token_wish.h"

#include <errno.h>

#include "common/base/error.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/names.h"

enum { MAX_EXPIRY_S = 10 * 366 * 86400 };

static void read_wish(const struct sl_json_at *root, struct sl_http_token_wish *out)
{
    static const char *const keys[] = {"name", "role", "expires_in_s"};
    char role[16] = "read";
    struct sl_json_at name = sl_json_member(root, "name"), role_at = sl_json_member(root, "role");
    sl_json_need_object(root, keys, sizeof(keys) / sizeof(keys[0]), 0);
    sl_json_copy_text(name, out->name, sizeof(out->name));
    if (!out->name[0])
        sl_json_refuse(&name, "A token needs a name that says whose it is");
    sl_json_copy_text(role_at, role, sizeof(role));
    out->role = sl_token_role_of_name(role);
    if (out->role == 0)
        sl_json_refuse(&role_at, "A role is read, submit or admin");
    sl_json_get_integer(sl_json_member(root, "expires_in_s"), 1, MAX_EXPIRY_S, &out->expires_in_s);
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
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_wish(&root, &read);
    sl_json_doc_free(document);
    if (reader.error == 0)
        *out = read;
    return reader.error;
}
