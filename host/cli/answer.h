/* host/cli/answer.h: the daemon's answers as --json prints them, devices in them, and ids that
 * users give. */
#pragma once

#include <stdint.h>

struct cJSON;
struct sl_buf;
struct sl_device_record;
struct sl_diag;

/* A device of GET /devices, without its state and what follows of it. */
void sl_answer_device(const struct cJSON *object, struct sl_device_record *out);

/* Prints a JSON object and a newline, "schema":"sme2lab.SCHEMA/1" before its members; nothing is an
 * object without members. */
void sl_answer_print(const char *schema, const struct sl_buf *object);

/* The id of a `noun` ("job") in a word of the user's. 0 or SL_E_UNSUPPORTED with `diag` set. */
int sl_answer_id(const char *word, const char *noun, uint64_t *out, struct sl_diag *diag);
