/* host/spec/json_doc.h: parses a JSON document strictly: bounded, UTF-8, no double keys. */
#pragma once

#include "common/base/bytes.h"

struct cJSON;
struct sl_diag;

enum {
    SL_JSON_DOC_MAX_BYTES = 1 << 20,
    SL_JSON_DOC_MAX_VALUES = 1 << 16,
};

/* Parses text. Returns 0 and a document to end with sl_json_doc_free(), SL_E_LIMIT, SL_E_FORMAT
 * (`diag` names `file` with line and column, or the pointer of a double key) or -ENOMEM. */
int sl_json_doc_parse(struct sl_bytes text, const char *file, struct cJSON **out,
                      struct sl_diag *diag);
void sl_json_doc_free(struct cJSON *document);
