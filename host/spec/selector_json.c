/* host/spec/selector_json.c */
#include "host/spec/selector_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/records.h"
#include "host/spec/json_read.h"

/* A text may begin with its relation; a comma in it would begin another condition. */
static void read_condition(const struct sl_json_at *at, char *out, size_t size)
{
    const cJSON *value = at->value;
    const char *text = cJSON_GetStringValue(value);
    if (cJSON_IsBool(value))
        snprintf(out, size, "%s=%s", at->key, cJSON_IsTrue(value) ? "yes" : "no");
    else if (cJSON_IsNumber(value))
        snprintf(out, size, "%s=%.0f", at->key, value->valuedouble);
    else if (text && text[0] && !strchr(text, ','))
        snprintf(out, size, "%s%s%s", at->key, strchr("<>=", text[0]) ? "" : "=", text);
    else
        sl_json_refuse(at, "A condition is a text without commas, a number, true or false");
}

static void read_conditions(const struct sl_json_at *object, char out[SL_SELECTOR_BYTES])
{
    char condition[SL_SELECTOR_BYTES];
    size_t len = 0;
    for (struct sl_json_at at = sl_json_first(object); sl_json_more(&at); sl_json_next(&at)) {
        read_condition(&at, condition, sizeof(condition));
        int put = snprintf(out + len, SL_SELECTOR_BYTES - len, "%s%s", len ? "," : "", condition);
        if (put < 0 || (size_t)put >= SL_SELECTOR_BYTES - len)
            sl_json_refuse(object, "These conditions have more than %d bytes",
                           SL_SELECTOR_BYTES - 1);
        else
            len += (size_t)put;
    }
    if (len == 0)
        sl_json_refuse(object, "An object of conditions has one at least");
}

int sl_selector_fold(struct cJSON *owner, struct sl_diag *diag)
{
    char text[SL_SELECTOR_BYTES] = "";
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, owner), at = sl_json_member(&root, "device");
    if (!cJSON_IsObject(at.value))
        return 0;
    read_conditions(&at, text);
    if (reader.error < 0)
        return reader.error;
    cJSON *folded = cJSON_CreateString(text);
    if (folded && cJSON_ReplaceItemInObjectCaseSensitive(owner, "device", folded))
        return 0;
    cJSON_Delete(folded);
    return -ENOMEM;
}
