/* host/cli/answer.c */
#include "host/cli/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/say.h"
#include "host/spec/columns.h"
#include "host/spec/json_value.h"
#include "host/spec/selector.h"

static void read_column(const cJSON *object, const struct sl_column *column, void *out)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, column->name);
    if (column->kind == SL_COLUMN_ID)
        *(uint64_t *)out = sl_value_u64(object, column->name);
    else if (column->kind == SL_COLUMN_MAYBE)
        *(int *)out = cJSON_IsTrue(value)    ? SL_MAYBE_YES
                      : cJSON_IsFalse(value) ? SL_MAYBE_NO
                                             : SL_MAYBE_UNKNOWN;
    else if (column->kind == SL_COLUMN_TEXT || column->kind == SL_COLUMN_NAME)
        snprintf(out, column->size, "%s", sl_value_text(object, column->name, ""));
}

void sl_answer_device(const cJSON *object, struct sl_device_record *out)
{
    *out =
        (struct sl_device_record){.kind = sl_device_kind_find(sl_value_text(object, "kind", ""))};
    for (size_t i = 0; i < sl_device_columns.count; i++)
        read_column(object, &sl_device_columns.all[i],
                    (char *)out + sl_device_columns.all[i].offset);
    out->traits = sl_device_kind_traits(out->kind);
}

int sl_answer_id(const char *word, const char *noun, uint64_t *out, struct sl_diag *diag)
{
    char *end = NULL;
    errno = 0;
    unsigned long long id = strtoull(word, &end, 10);
    if (word[0] >= '0' && word[0] <= '9' && !*end && errno == 0 && id > 0 && id <= INT64_MAX) {
        *out = id;
        return 0;
    }
    sl_diag_hint(diag, "'sme2lab %ss' lists them", noun);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "'%.60s' is no number of a %s", word,
                       noun);
}

void sl_answer_print(const char *schema, const struct sl_buf *object)
{
    const char *text = object->size > 0 ? (const char *)object->data : "";
    size_t len = object->size;
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
        len--;
    sl_say(stdout, "{\"schema\":\"sme2lab.%s/1\"", schema);
    if (len > 2 && *text == '{') /* more than {} */
        sl_say(stdout, ",%.*s\n", (int)len - 1, text + 1);
    else
        sl_say(stdout, "}\n");
}
