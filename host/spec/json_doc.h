/* host/spec/json_doc.h: a JSON document read strictly: bounded, no double keys, no unknown keys.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct cJSON;
struct sl_diag;

enum {
    SL_JSON_DOC_MAX_BYTES = 1 << 20,
    SL_JSON_DOC_MAX_VALUES = 1 << 16,
    SL_JSON_POINTER_BYTES = 160
};

/* A value with its place (RFC 6901), for messages. */
struct sl_json_at {
    const struct cJSON *value; /* borrowed from the document; NULL when absent */
    char pointer[SL_JSON_POINTER_BYTES];
};

/* Parses text. Returns 0 and a document to end with sl_json_doc_free(), SL_E_LIMIT, SL_E_FORMAT
 * (`diag` names `file` with line and column, or the pointer of a double key) or -ENOMEM. */
int sl_json_doc_parse(struct sl_bytes text, const char *file, struct cJSON **out,
                      struct sl_diag *diag);
void sl_json_doc_free(struct cJSON *document);

struct sl_json_at sl_json_root(const struct cJSON *document);
struct sl_json_at sl_json_member(const struct sl_json_at *object, const char *key);
struct sl_json_at sl_json_item(const struct sl_json_at *array, size_t index);
/* Items of an array, members of an object; 0 for anything else. */
size_t sl_json_size(const struct sl_json_at *at);
const char *sl_json_key(const struct sl_json_at *at); /* of a member; "" for an item */

/* Fails with the place, a sentence and a hint: SL_E_FORMAT. */
__attribute__((format(printf, 3, 4))) int
sl_json_refuse(const struct sl_json_at *at, struct sl_diag *diag, const char *what, ...);

/* Puts the document's file before the place of a refusal, unless that names one already. */
void sl_json_name_file(const char *file, struct sl_diag *diag);

/* Each key of the object must be one of `keys`; the message has the nearest of them. */
int sl_json_check_keys(const struct sl_json_at *object, const char *const *keys, size_t count,
                       struct sl_diag *diag);

/* Typed reads. Absent values leave *out alone and give 0; a wrong type or range is SL_E_FORMAT. */
int sl_json_get_text(const struct sl_json_at *at, const char **out, struct sl_diag *diag);
int sl_json_get_integer(const struct sl_json_at *at, uint32_t low, uint32_t high, uint32_t *out,
                        struct sl_diag *diag);
int sl_json_get_bool(const struct sl_json_at *at, bool *out, struct sl_diag *diag);
int sl_json_get_real(const struct sl_json_at *at, double low, double high, double *out,
                     struct sl_diag *diag);
/* An object of at most `max` texts: its keys and values, borrowed from the document. */
int sl_json_get_texts(const struct sl_json_at *at, size_t max, const char **out_keys,
                      const char **out_values, size_t *out_count, struct sl_diag *diag);
int sl_json_need_object(const struct sl_json_at *at, struct sl_diag *diag);
int sl_json_need_array(const struct sl_json_at *at, struct sl_diag *diag);
