/* host/cli/answer.h: reads values out of the daemon's answers. Nothing in them is taken for
 * granted: what is absent or of another type is empty. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_buf;
struct sl_device_record;
struct sl_diag;

const char *sl_answer_text(const struct cJSON *object, const char *key); /* "": none */
uint64_t sl_answer_u64(const struct cJSON *object, const char *key);     /* 0: none */
double sl_answer_f64(const struct cJSON *object, const char *key);       /* 0: none */

/* A device of GET /devices, without its state and what follows of it. */
void sl_answer_device(const struct cJSON *object, struct sl_device_record *out);

/* Prints a JSON object and a newline, "schema":"sme2lab.SCHEMA/1" before its members; nothing is an
 * object without members. */
void sl_answer_print(const char *schema, const struct sl_buf *object);

/* The id of a `noun` ("job") in a word of the user's. 0 or SL_E_UNSUPPORTED with `diag` set. */
int sl_answer_id(const char *word, const char *noun, uint64_t *out, struct sl_diag *diag);
